import {
  accountMetricsSchema,
  accountStatusResponseSchema,
  connectionSchema,
  deliveryMetricsSchema,
  deliverySchema,
  destinationSchema,
  meResponseSchema,
  platformEventSchema,
  platformEventWithDeliveriesSchema,
  replayQueuedSchema,
  replyRelaySchema,
  requestMetricsSchema,
  requestReceiptSchema,
  retryQueuedSchema,
  sourceSchema,
  syncMetricsSchema,
  syncSchema,
} from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import { againstContract } from '../../../test/support/contract-paths.ts';
import {
  ACCOUNT_METRICS_FIELDS,
  CONNECTION_FIELDS,
  DELIVERY_FIELDS,
  DELIVERY_METRICS_FIELDS,
  DESTINATION_FIELDS,
  EVENT_FIELDS,
  EVENT_WITH_DELIVERIES_FIELDS,
  ME_FIELDS,
  RELAY_FIELDS,
  REPLAY_QUEUED_FIELDS,
  REQUEST_FIELDS,
  REQUEST_METRICS_FIELDS,
  RETRY_QUEUED_FIELDS,
  SOURCE_FIELDS,
  STATUS_FIELDS,
  SYNC_FIELDS,
  SYNC_METRICS_FIELDS,
} from './fields.ts';
import { topLevelFields } from '../../format/fields.ts';

test.each([
  ['syncs', SYNC_FIELDS, syncSchema],
  ['connections', CONNECTION_FIELDS, connectionSchema],
  ['sources', SOURCE_FIELDS, sourceSchema],
  ['destinations', DESTINATION_FIELDS, destinationSchema],
  ['relays', RELAY_FIELDS, replyRelaySchema],
  ['requests', REQUEST_FIELDS, requestReceiptSchema],
  ['deliveries', DELIVERY_FIELDS, deliverySchema],
  ['events', EVENT_FIELDS, platformEventSchema],
  ['an event', EVENT_WITH_DELIVERIES_FIELDS, platformEventWithDeliveriesSchema],
  ['a retry', RETRY_QUEUED_FIELDS, retryQueuedSchema],
  ['a replay', REPLAY_QUEUED_FIELDS, replayQueuedSchema],
  ['sync metrics', SYNC_METRICS_FIELDS, syncMetricsSchema],
  ['request metrics', REQUEST_METRICS_FIELDS, requestMetricsSchema],
  ['delivery metrics', DELIVERY_METRICS_FIELDS, deliveryMetricsSchema],
  ['account metrics', ACCOUNT_METRICS_FIELDS, accountMetricsSchema],
  ['me', ME_FIELDS, meResponseSchema],
  ['status', STATUS_FIELDS, accountStatusResponseSchema],
])('the fields of %s are those of the contract, in its order', (_name, fields, schema) => {
  const { listed, contract } = againstContract(fields, schema);
  expect(contract.length).toBeGreaterThan(0);
  expect(listed).toEqual(contract);
});

test('topLevelFields', () => {
  expect(topLevelFields(['a', 'a.b', 'c', 'c.*'])).toEqual(['a', 'c']);
});
