/**
 * Every declared status of every operation has a case. The test runner lists the cases, and `suite.ts` checks that each really gets
 * the status in its name.
 */
import { operations } from '@svc/contract/operations';
import { declaredStatuses } from '@svc/contract/strict';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { collectCases, type NamedCase } from '../../harness/collect-cases.ts';
import { UNCOVERED_STATUSES } from '../../harness/uncovered-statuses.ts';
import { targets } from '../../harness/targets/index.ts';

let collected: NamedCase[];
beforeAll(async () => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_OPTIONS$)/.test(name));
  const databaseUrl = inject('databaseUrl');
  collected = await collectCases({
    ...Object.fromEntries(inherited),
    ...(databaseUrl !== null && { TEST_DATABASE_URL: databaseUrl }),
  });
}, 600_000);

describe.each(targets.filter(({ isAvailable }) => isAvailable))('cases on the $name', ({ name }) => {
  const own = () => collected.filter(({ target }) => target === name);
  const keys = () => new Set(own().map(({ operationId, status }) => `${operationId} ${status}`));

  test('every declared status has a case or an entry in UNCOVERED_STATUSES', () => {
    const proven = keys();
    const unproven = operations.flatMap(({ id }) =>
      declaredStatuses(id)
        .filter((status) => UNCOVERED_STATUSES[status] === undefined)
        .map((status) => `${id} ${status}`)
        .filter((key) => !proven.has(key)),
    );
    expect(unproven).toEqual([]);
  });

  test('no status in UNCOVERED_STATUSES has a case', () => {
    expect(own().filter(({ status }) => status in UNCOVERED_STATUSES)).toEqual([]);
  });

  test('every case proves a declared status', () => {
    const undeclared = own().filter(({ operationId, status }) => !declaredStatuses(operationId).includes(status));
    expect(undeclared).toEqual([]);
    expect(own().length).toBeGreaterThan(1_000);
  });

  test('every operation has enough cases', () => {
    const counts = Map.groupBy(own(), ({ operationId }) => operationId);
    const few = operations.filter(({ id, access }) => (counts.get(id)?.length ?? 0) < (access === 'public' ? 2 : 15));
    expect(few.map(({ id }) => id)).toEqual([]);
  });
});
