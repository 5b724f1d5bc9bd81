import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import type { Access } from './access.ts';
import {
  connectionIdsOfDeliveries,
  filteredConnectionIds,
  type ListFilters,
  includesRequestsOfDeletedSources,
} from './list-filters.ts';

testRuleCases('list-filters', ({ rule }) => {
  rule<{ access: Access; filters: ListFilters }>('filteredConnectionIds', ({ access, filters }) =>
    filteredConnectionIds(access, filters),
  );
});

test('connectionIdsOfDeliveries: none for a key that sees no destination', () => {
  expect(connectionIdsOfDeliveries([1, 2], true)).toEqual([1, 2]);
  expect(connectionIdsOfDeliveries([1, 2], false)).toEqual([]);
});

describe('includesRequestsOfDeletedSources', () => {
  const access = (accountScoped: boolean): Access => ({
    accountId: 1,
    connectionIds: [1, 2],
    scopes: ['read'],
    accountScoped,
    keyConnectionId: accountScoped ? null : 1,
  });

  test.each([
    ['an account key without a filter', access(true), {}, true, true],
    ['an account key of an account without sources', access(true), {}, false, false],
    ['an account key that names a source', access(true), { sourceId: 1 }, true, false],
    ['an account key that names a connection', access(true), { connectionId: 1 }, true, false],
    ['a key of one connection', access(false), {}, true, false],
  ])('%s', async (_name, key, filters, hasSources, shown) => {
    expect(includesRequestsOfDeletedSources(key, filters, () => hasSources)).toBe(shown);
    expect(await includesRequestsOfDeletedSources(key, filters, async () => hasSources)).toBe(shown);
  });

  test('does not call hasSources when it does not matter', () => {
    const refuse = (): boolean => {
      throw new Error('asked');
    };
    expect(includesRequestsOfDeletedSources(access(true), { sourceId: 1 }, refuse)).toBe(false);
    expect(includesRequestsOfDeletedSources(access(false), {}, refuse)).toBe(false);
  });
});
