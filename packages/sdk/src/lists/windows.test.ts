import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NetworkError, PaginationError, SvcError } from '../errors/errors.ts';
import type { ResumePoint } from '../errors/resume-point.ts';
import type { Page, PageAnswer } from './paginate.ts';
import { type DateRange, parseInstantMs, splitRange, walkWindows } from './windows.ts';

const DAY = 24 * 60 * 60 * 1000;
const BASE = Date.parse('2026-01-01T00:00:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

describe('splitRange', () => {
  test('31 days are one window with unchanged text', () => {
    const range = { from: '2026-01-01', to: '2026-02-01T00:00:00+00:00' };
    expect([...splitRange(range)]).toEqual([range]);
  });

  test('windows come newest first and share their boundaries', () => {
    expect([...splitRange({ from: '2026-01-01', to: '2026-03-10' })]).toEqual([
      { from: '2026-02-07T00:00:00.000Z', to: '2026-03-10' },
      { from: '2026-01-07T00:00:00.000Z', to: '2026-02-07T00:00:00.000Z' },
      { from: '2026-01-01', to: '2026-01-07T00:00:00.000Z' },
    ]);
  });

  test.each([
    ['reversed', { from: '2026-03-01', to: '2025-01-01' }],
    ['an impossible day', { from: '2025-02-30', to: '2026-02-01' }],
    ['no offset', { from: '2025-02-01T00:00:00', to: '2026-02-01' }],
    ['not a date', { from: 'last week', to: '2026-02-01' }],
  ])('leaves an invalid range unchanged: %s', (_name, range) => {
    expect([...splitRange(range)]).toEqual([range]);
  });

  test('covers the range exactly, whatever the window size', () => {
    fc.assert(
      fc.property(
        fc.nat(400 * DAY),
        fc.nat(400 * DAY),
        fc.integer({ min: DAY, max: 31 * DAY }),
        (start, span, windowMs) => {
          const range = { from: iso(BASE + start), to: iso(BASE + start + span) };
          const windows = [...splitRange(range, windowMs)];
          expect(windows[0]?.to).toBe(range.to);
          expect(windows.at(-1)?.from).toBe(range.from);
          windows.forEach((window, index) => {
            const length = parseInstantMs(window.to) - parseInstantMs(window.from);
            expect(length).toBeGreaterThanOrEqual(0);
            expect(length).toBeLessThanOrEqual(windowMs);
            if (index > 0) expect(window.to).toBe(windows[index - 1]?.from);
          });
          expect(windows).toHaveLength(Math.max(1, Math.ceil(span / windowMs)));
        },
      ),
    );
  });
});

test('parseInstantMs accepts what the service accepts', () => {
  expect(parseInstantMs('2026-01-01')).toBe(BASE);
  expect(parseInstantMs('2026-01-01T02:00+02:00')).toBe(BASE);
  expect(parseInstantMs('2028-02-29T00:00:00.5Z')).toBe(Date.parse('2028-02-29T00:00:00.500Z'));
  for (const text of ['2026-02-30', '2026-02-29', '2026-13-01', '2026-01-01T00:00:00', '2026-01-01T25:00Z', '', '1']) {
    expect(parseInstantMs(text)).toBeNaN();
  }
});

type Ends = 'inclusive' | 'to-exclusive' | 'from-exclusive';

interface Row {
  readonly id: number;
  readonly createdAt: string;
}

/** Answers like the service: newest first by (createdAt, id), with any page sizes, also 0. */
function createLog(rows: readonly Row[], pageLengths: readonly number[], ends: Ends) {
  const sorted = rows.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id - a.id);
  let calls = 0;
  const fetchPage = async (window: DateRange, cursor: string | null): Promise<PageAnswer<Row>> => {
    const inWindow = sorted.filter(
      ({ createdAt }) =>
        (ends === 'from-exclusive' ? createdAt > window.from : createdAt >= window.from) &&
        (ends === 'to-exclusive' ? createdAt < window.to : createdAt <= window.to),
    );
    // The call number makes the cursors of consecutive empty pages differ.
    const start = cursor === null ? 0 : Number(cursor.split('/')[0]);
    const length = pageLengths[calls % pageLengths.length] ?? 1;
    calls += 1;
    const end = start + length;
    const hasMore = end < inWindow.length;
    return { data: inWindow.slice(start, end), hasMore, nextCursor: hasMore ? `${end}/${calls}` : null };
  };
  return { fetchPage, sorted };
}

const arbitraryLog = fc.record({
  // Few distinct instants a day apart: many ties, and many rows on a window boundary.
  instants: fc.array(fc.nat(20), { maxLength: 60 }),
  pageLengths: fc
    .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 })
    .filter((lengths) => lengths.some((length) => length > 0)),
  windowDays: fc.integer({ min: 1, max: 25 }),
  ends: fc.constantFrom('inclusive' as const, 'to-exclusive' as const, 'from-exclusive' as const),
});

const rowsOf = (instants: readonly number[]): Row[] =>
  instants.map((day, index) => ({ id: index + 1, createdAt: iso(BASE + day * DAY) }));

/** An exclusive end leaves out the rows there, as it would in a single window. */
const inRange = (instants: readonly number[], ends: Ends) =>
  instants.filter((day) => !(ends === 'to-exclusive' && day === 20) && !(ends === 'from-exclusive' && day === 0));

async function collect(pages: AsyncIterable<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page.data);
  return rows;
}

describe('walkWindows', () => {
  const range = { from: iso(BASE), to: iso(BASE + 20 * DAY) };

  test('each row comes once and in order, whatever the pages, ties, windows and ends', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, async ({ instants, pageLengths, windowDays, ends }) => {
        const { fetchPage, sorted } = createLog(rowsOf(inRange(instants, ends)), pageLengths, ends);
        const rows = await collect(walkWindows({ range, resume: null, windowMs: windowDays * DAY, fetchPage }));
        expect(rows).toEqual(sorted);
      }),
    );
  });

  test('resuming after any page, through JSON, loses and repeats no row', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, fc.nat(30), async ({ instants, pageLengths, windowDays, ends }, stopAfter) => {
        const { fetchPage, sorted } = createLog(rowsOf(inRange(instants, ends)), pageLengths, ends);
        const open = (resume: ResumePoint | null) =>
          walkWindows({ range, resume, windowMs: windowDays * DAY, fetchPage });
        const rows: Row[] = [];
        let resume: ResumePoint | null = null;
        let pages = 0;
        for await (const page of open(null)) {
          rows.push(...page.data);
          resume = page.resume;
          expect(page.hasMore).toBe(page.resume !== null);
          pages += 1;
          if (pages > stopAfter) break;
        }
        if (resume !== null) rows.push(...(await collect(open(JSON.parse(JSON.stringify(resume))))));
        expect(rows).toEqual(sorted);
      }),
    );
  });

  test.each([
    ['hasMore without a cursor', null],
    ['the same cursor again', 'a'],
  ])('an error for %s has no resume point, because it would occur again', async (_name, nextCursor) => {
    const fetchPage = async (_window: DateRange, cursor: string | null): Promise<PageAnswer<Row>> => ({
      data: rowsOf([cursor === null ? 9 : 8]),
      hasMore: true,
      nextCursor: cursor === null ? 'a' : nextCursor,
    });
    const error = await collect(walkWindows({ range, resume: null, fetchPage })).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(PaginationError);
    expect(error instanceof SvcError && error.resume).toBeUndefined();
  });

  test('an error has the resume point', async () => {
    const { fetchPage, sorted } = createLog(rowsOf([19, 18, 17, 10, 9, 3, 2, 1]), [2], 'inclusive');
    let calls = 0;
    const flaky = async (window: DateRange, cursor: string | null) => {
      calls += 1;
      if (calls % 2 === 0) throw new NetworkError('reset', { code: 'ECONNRESET', nothingSent: false });
      return fetchPage(window, cursor);
    };
    const rows: Row[] = [];
    let resume: ResumePoint | null = null;
    for (let failures = 0; ; failures += 1) {
      expect(failures).toBeLessThan(20);
      try {
        for await (const page of walkWindows<Row>({ range, resume, windowMs: 5 * DAY, fetchPage: flaky })) {
          rows.push(...page.data);
        }
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(SvcError);
        resume = (error instanceof SvcError && error.resume) || null;
        expect(resume).not.toBeNull();
      }
    }
    expect(rows).toEqual(sorted);
  });
});
