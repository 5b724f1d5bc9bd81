import { webhookDeliverySchema, webhookEndpointSchema, webhookEndpointWithSecretSchema } from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import { againstContract } from '../../../test/support/contract-paths.ts';
import { WEBHOOK_DELIVERY_FIELDS, WEBHOOK_FIELDS, WEBHOOK_WITH_SECRET_FIELDS } from './fields.ts';

test.each([
  ['webhooks', WEBHOOK_FIELDS, webhookEndpointSchema],
  ['webhooks with their secret', WEBHOOK_WITH_SECRET_FIELDS, webhookEndpointWithSecretSchema],
  ['webhook deliveries', WEBHOOK_DELIVERY_FIELDS, webhookDeliverySchema],
])('the fields of %s are those of the contract, in its order', (_name, fields, schema) => {
  const { listed, contract } = againstContract(fields, schema);
  expect(contract.length).toBeGreaterThan(0);
  expect(listed).toEqual(contract);
});
