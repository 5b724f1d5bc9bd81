import type { List, LogParams } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { findRowBefore, findRows } from './find-rows.ts';

const AT = Date.parse('2026-01-15T12:00:00Z');
const DAY_MS = 24 * 3_600_000;

interface Row {
  readonly id: number;
  readonly createdMs: number;
}

/** A log of pages of one row, newest first, that counts the pages read. */
function logOf(rows: readonly Row[]) {
  let pagesRead = 0;
  const open = ({ from, to }: LogParams): List<Row> => {
    const [fromMs, toMs] = [Number(new Date(from)), Number(new Date(to ?? 0))];
    const inRange = rows.filter(({ createdMs }) => createdMs >= fromMs && createdMs <= toMs).toReversed();
    async function* pages() {
      for (const [index, row] of inRange.entries()) {
        pagesRead += 1;
        yield { data: [row], hasMore: index < inRange.length - 1, resume: null };
      }
    }
    return { pages } as unknown as List<Row>;
  };
  return { open, pagesRead: () => pagesRead };
}

const rowsAt = (...createdMs: number[]) => createdMs.map((ms, index) => ({ id: index + 1, createdMs: ms }));

describe('findRowBefore', () => {
  test('finds a row a second or two weeks earlier', async () => {
    const log = logOf(rowsAt(AT - 14 * DAY_MS, AT - 1000));
    expect(await findRowBefore(log.open, 2, AT)).toMatchObject({ id: 2 });
    expect(await findRowBefore(log.open, 1, AT)).toMatchObject({ id: 1 });
    expect(await findRowBefore(log.open, 3, AT)).toBeNull();
  });

  test('reads at most ten pages', async () => {
    const log = logOf(rowsAt(...Array.from({ length: 30 }, (_, index) => AT - 30_000 + index)));
    expect(await findRowBefore(log.open, 1, AT)).toBeNull();
    expect(log.pagesRead()).toBe(10);
  });
});

describe('findRows', () => {
  const range = { fromMs: AT, toMs: AT + 20 * DAY_MS };

  test('finds rows in all windows once, also on their borders', async () => {
    const log = logOf(rowsAt(AT, AT + 3_600_000, AT + DAY_MS, AT + 9 * DAY_MS));
    const { rows, incompleteFrom } = await findRows(log.open, ({ id }) => id !== 2, range);
    expect(rows.map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(incompleteFrom).toBeNull();
  });

  test('says from when on rows may be missing', async () => {
    const later = Array.from({ length: 30 }, (_, index) => AT + 2 * DAY_MS + index);
    const { rows, incompleteFrom } = await findRows(logOf(rowsAt(AT, ...later)).open, () => true, range);
    expect(rows).toHaveLength(10);
    expect(incompleteFrom).toBe(new Date(AT + DAY_MS).toISOString());
  });

  test('is complete when the last page of the last window is the tenth', async () => {
    const rows = rowsAt(...Array.from({ length: 10 }, (_, index) => AT + 2 * DAY_MS + index));
    expect(await findRows(logOf(rows).open, () => true, range)).toMatchObject({ incompleteFrom: null });
  });
});
