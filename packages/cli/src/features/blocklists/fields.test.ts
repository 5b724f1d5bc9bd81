import { blocklistSchema } from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import { againstContract } from '../../../test/support/contract-paths.ts';
import { BLOCKLIST_FIELDS } from './fields.ts';

test('the fields of block lists are those of the contract, in its order', () => {
  const { listed, contract } = againstContract(BLOCKLIST_FIELDS, blocklistSchema);
  expect(contract.length).toBeGreaterThan(0);
  expect(listed).toEqual(contract);
});
