import { compareNewestFirst, isAfterCursor } from '@svc/domain/requests/page';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addRow,
  allRows,
  changeRow,
  createLog,
  findRow,
  type Log,
  newestFirst,
  cachePerChunk,
  removeRow,
} from './log.ts';

interface Row {
  readonly id: number;
  readonly createdAt: Date;
  readonly text: string;
}

const row = (id: number, atMs: number, text = ''): Row => ({ id, createdAt: new Date(atMs), text });
/** The array that a log of these rows equals. */
const oldestFirst = (rows: readonly Row[]) => rows.toSorted((a, b) => compareNewestFirst(b, a));

/** Few instants, so that many rows share one. Sizes around one and several chunks. */
const instants = fc.nat(40);
const ids = fc.nat(2_000);
const start = fc
  .tuple(fc.constantFrom(0, 1, 3, 511, 512, 513, 1_024, 1_500), fc.nat(1_000))
  .map(([count, seed]) => Array.from({ length: count }, (_, index) => row(index, (index * 7 + seed) % 41)));
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), id: ids, at: instants }),
  fc.record({ kind: fc.constant('remove' as const), id: ids }),
  fc.record({ kind: fc.constant('change' as const), id: ids, text: fc.string() }),
  fc.record({ kind: fc.constant('move' as const), id: ids, at: instants }),
  fc.record({ kind: fc.constant('addMany' as const), count: fc.constantFrom(1, 5, 600), at: instants }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Applies one step to the log and to the array. */
function apply(log: Log<Row>, rows: readonly Row[], one: Step, nextId: number): [Log<Row>, readonly Row[]] {
  switch (one.kind) {
    case 'add': {
      const added = row(nextId, one.at);
      return [addRow(log, added), [...rows, added]];
    }
    case 'addMany': {
      const added = Array.from({ length: one.count }, (_, index) => row(nextId + index, (one.at + index) % 41));
      return [added.reduce(addRow, log), [...rows, ...added]];
    }
    case 'remove':
      return [removeRow(log, one.id), rows.filter(({ id }) => id !== one.id)];
    case 'change': {
      const change = (known: Row) => ({ ...known, text: one.text });
      return [changeRow(log, one.id, change), rows.map((known) => (known.id === one.id ? change(known) : known))];
    }
    case 'move': {
      const change = (known: Row) => ({ ...known, createdAt: new Date(one.at) });
      return [changeRow(log, one.id, change), rows.map((known) => (known.id === one.id ? change(known) : known))];
    }
  }
}

function expectSound(log: Log<Row>, rows: readonly Row[]): void {
  expect(allRows(log)).toEqual(oldestFirst(rows));
  expect(log.length).toBe(rows.length);
  for (const chunk of log.chunks) {
    expect(chunk.length).toBeGreaterThan(0);
    expect(chunk.length).toBeLessThanOrEqual(1_024);
  }
}

describe('properties of the log', () => {
  test('equals the sorted array after any additions, changes and removals; earlier logs stay the same', () => {
    fc.assert(
      fc.property(start, fc.array(step, { maxLength: 12 }), (initial, steps) => {
        let log = createLog(initial);
        let rows: readonly Row[] = initial;
        const history: [Log<Row>, readonly Row[]][] = [[log, rows]];
        for (const [index, one] of steps.entries()) {
          [log, rows] = apply(log, rows, one, 10_000 * (index + 1));
          history.push([log, rows]);
        }
        for (const [past, model] of history) expectSound(past, model);
      }),
      { numRuns: 60 },
    );
  });

  test('newestFirst yields the rows within the range and after the cursor, in list order', () => {
    const cursor = fc.option(fc.record({ id: ids, createdAt: instants.map((ms) => new Date(ms)) }));
    const end = fc.option(fc.integer({ min: -2, max: 43 }), { nil: undefined });
    fc.assert(
      fc.property(start, cursor, end, end, (rows, after, fromMs, toMs) => {
        const from = fromMs === undefined ? undefined : new Date(fromMs);
        const to = toMs === undefined ? undefined : new Date(toMs);
        const expected = rows
          .filter(({ createdAt }) => (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to))
          .filter((one) => after === null || isAfterCursor(one, after))
          .toSorted(compareNewestFirst);
        expect([...newestFirst(createLog(rows), { from, to, after })]).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test('findRow returns the row with the id, or null', () => {
    fc.assert(
      fc.property(start, ids, (rows, id) => {
        const log = removeRow(createLog(rows), 3);
        const expected = rows.find((one) => one.id === id && id !== 3) ?? null;
        expect(findRow(log, id)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe('sharing between logs', () => {
  const log = createLog(Array.from({ length: 2_000 }, (_, index) => row(index, index)));
  const shared = (other: Log<Row>) => other.chunks.filter((chunk) => log.chunks.includes(chunk)).length;

  test('a change shares every chunk but the one that it touches', () => {
    expect(log.chunks).toHaveLength(4);
    expect(shared(changeRow(log, 700, (one) => ({ ...one, text: 'x' })))).toBe(3);
    expect(shared(removeRow(log, 700))).toBe(3);
    expect(shared(addRow(log, row(5_000, 5_000)))).toBe(3);
  });

  test('a change that changes nothing or finds no row returns the same log', () => {
    expect(changeRow(log, 700, (one) => one)).toBe(log);
    expect(changeRow(log, 9_999, (one) => ({ ...one, text: 'x' }))).toBe(log);
    expect(removeRow(log, 9_999)).toBe(log);
  });

  test('cachePerChunk computes values for new chunks only', () => {
    let computed = 0;
    const sizes = cachePerChunk((chunk: readonly Row[]) => {
      computed += 1;
      return chunk.length;
    });
    expect(sizes(log)).toEqual([512, 512, 512, 464]);
    expect(sizes(addRow(log, row(5_000, 5_000)))).toEqual([512, 512, 512, 465]);
    expect(sizes(log)).toEqual([512, 512, 512, 464]);
    expect(computed).toBe(5);
  });
});
