/**
 * Which declared status of which operation has no case. The cases are those that the test runner itself collects, and that
 * each sees the status in its name is checked where it runs (`suite.ts`), so that this list cannot be talked short.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { operations } from '@svc/contract/operations';
import { declaredStatuses } from '@svc/contract/strict';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { WITHOUT_CASE, WITHOUT_CASES } from './release.ts';
import { statusInName } from './suite.ts';
import { targets } from './targets/index.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runner = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));

/** `<target> > <operationId> > <case>`, as the runner names them. */
async function collectNames(): Promise<string[]> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_OPTIONS$)/.test(name));
  const databaseUrl = inject('databaseUrl');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [runner, 'list', '--json', '--no-static-parse', '--exclude', '**/coverage.test.ts', 'packages/conformance/'],
    {
      cwd: root,
      env: { ...Object.fromEntries(inherited), ...(databaseUrl !== null && { TEST_DATABASE_URL: databaseUrl }) },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const listed: { name: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return listed.map(({ name }) => name);
}

describe.each(targets.filter(({ isAvailable }) => isAvailable))('cases on the $name', (target) => {
  /** Cases by operation and status. */
  let cases: Map<string, number>;
  beforeAll(async () => {
    cases = new Map();
    for (const name of await collectNames()) {
      const [on, operationId, ...rest] = name.split(' > ');
      const status = statusInName(rest.join(' > '));
      if (on !== target.name || status === undefined) continue;
      const key = `${operationId} ${status}`;
      cases.set(key, (cases.get(key) ?? 0) + 1);
    }
  }, 120_000);

  test('every declared status of every operation has a case, or a reason why not', () => {
    const unproven = operations.flatMap(({ id }) =>
      declaredStatuses(id)
        .filter((status) => WITHOUT_CASES[id] === undefined && WITHOUT_CASE[status] === undefined)
        .map((status) => `${id} ${status}`)
        .filter((key) => !cases.has(key)),
    );
    expect(unproven).toEqual([]);
  });

  test('no reason outlives its gap', () => {
    const superfluous = [...cases.keys()].filter((key) => {
      const [operationId = '', status] = key.split(' ');
      return operationId in WITHOUT_CASES || Number(status) in WITHOUT_CASE;
    });
    expect(superfluous).toEqual([]);
  });

  test('every case belongs to an operation and a status that the contract declares', () => {
    const declared = new Set(operations.flatMap(({ id }) => declaredStatuses(id).map((status) => `${id} ${status}`)));
    const groups = new Set(operations.map(({ id }): string => id));
    const undeclared = [...cases.keys()].filter((key) => groups.has(key.split(' ')[0] ?? '') && !declared.has(key));
    expect(undeclared).toEqual([]);
    expect(cases.size).toBeGreaterThan(100);
  });
});
