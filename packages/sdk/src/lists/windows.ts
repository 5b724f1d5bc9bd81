import { DATE_RANGE_MAX_MS } from '@svc/contract/limits';
import type { ResumePoint } from '../errors/resume-point.ts';
import { markResume, type Page, type PageAnswer, walkCursors } from './paginate.ts';

export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/**
 * Splits a range into windows of at most 31 days (README.md#lists), newest first. Adjacent windows share an
 * instant. A short, empty or invalid range is returned unchanged; the service reports what is wrong with it.
 */
export function* splitRange(range: DateRange, windowMs: number = DATE_RANGE_MAX_MS): Generator<DateRange> {
  const fromMs = parseInstantMs(range.from);
  let to = range.to;
  let toMs = parseInstantMs(to);
  while (toMs - fromMs > windowMs) {
    toMs -= windowMs;
    const seam = new Date(toMs).toISOString();
    yield { from: seam, to };
    to = seam;
  }
  yield { from: range.from, to };
}

export interface WindowRow {
  readonly id: number | string;
  readonly createdAt: string;
}

export interface WalkWindowsInput<Row extends WindowRow> {
  /** The range, with `to` already fixed. */
  readonly range: DateRange;
  readonly resume: ResumePoint | null;
  readonly windowMs?: number | undefined;
  /** Up to `knownRows` rows of the page are repeats, which are left out. */
  readonly fetchPage: (window: DateRange, cursor: string | null, knownRows: number) => Promise<PageAnswer<Row>>;
}

/**
 * Yields the pages of all windows of a range, newest first. Rows at the instant that two windows share are recognised by id, so that
 * each comes once, whether or not the service includes the ends of a range.
 */
export async function* walkWindows<Row extends WindowRow>(
  input: WalkWindowsInput<Row>,
): AsyncGenerator<Page<Row>, void, undefined> {
  const position = input.resume?.window;
  const range: DateRange = position ? { from: position.from, to: position.to } : input.range;
  const firstRest: DateRange = { from: range.from, to: position?.windowTo ?? range.to };
  const windows = [...splitRange(firstRest, input.windowMs)];
  const resumeAt = (windowTo: string, cursor: string | null, seamIds: Iterable<number | string>): ResumePoint => ({
    cursor,
    window: { from: range.from, to: range.to, windowTo, seamIds: [...seamIds] },
  });

  // The resumed window may have yielded rows of its older end already, so both sets start with these ids.
  let yielded = new Set(position?.seamIds);
  let atOlderEnd = new Set(position?.seamIds);
  let start = input.resume?.cursor ?? null;

  for (const [index, window] of windows.entries()) {
    const next = windows[index + 1];
    const seamMs = parseInstantMs(window.from);
    let resume = resumeAt(window.to, start, [...yielded, ...atOlderEnd]);
    try {
      const known = yielded;
      for await (const page of walkCursors((cursor) => input.fetchPage(window, cursor, known.size), start)) {
        const data = page.data.filter((row) => !yielded.has(row.id));
        if (next) for (const row of data) if (Date.parse(row.createdAt) <= seamMs) atOlderEnd.add(row.id);

        if (page.hasMore) resume = resumeAt(window.to, page.nextCursor, new Set([...yielded, ...atOlderEnd]));
        else if (next) resume = resumeAt(next.to, null, atOlderEnd);
        const hasMore = page.hasMore || next !== undefined;
        yield { data, hasMore, resume: hasMore ? resume : null };
      }
    } catch (error) {
      throw markResume(error, resume);
    }
    yielded = atOlderEnd;
    atOlderEnd = new Set();
    start = null;
  }
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(?::\d{2})?))?$/;

/** Parses an ISO-8601 date or date-time with offset into milliseconds; NaN for everything else, including 2026-02-30. */
export function parseInstantMs(text: string): number {
  const match = INSTANT.exec(text);
  if (!match) return Number.NaN;
  const [, year, month, day] = match;
  // `Date.parse` reads the 30th of February as the 2nd of March.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return Number.NaN;
  // An offset without minutes is ISO 8601, but `Date.parse` does not read it.
  return Date.parse(text.replace(/(T.*[+-]\d{2})$/, '$1:00'));
}
