import { contactOutreachResponseSchema } from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import { againstContract } from '../../../test/support/contract-paths.ts';
import { OUTREACH_FIELDS } from './fields.ts';

test('the fields of outreach are those of the contract, in its order, without its block lists', () => {
  const { listed, contract } = againstContract(OUTREACH_FIELDS, contactOutreachResponseSchema);
  expect(listed).toEqual(contract.filter((field) => !field.startsWith('blocklists')));
  expect(contract).toContain('blocklists.matched');
});
