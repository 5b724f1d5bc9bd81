import { DATE_RANGE_MAX_MS } from '@svc/contract/limits';
import type { ResumePoint } from '../errors/resume-point.ts';
import { markResume, type Page, type PageAnswer, walkCursors } from './paginate.ts';

/**
 * Date ranges of any span over an API that takes at most 31 days at a time (specification, "Observability",
 * rule 1): the range is cut into windows, newest first like the rows, and streamed as one list.
 *
 * Neighbouring windows share the instant of their seam, and rows of that instant are told apart by id. So it
 * does not matter whether the service counts the ends of a range in or out.
 */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/**
 * The windows of a range, newest first. A range that is short enough, empty, or not understood here comes back
 * as it is: the service judges it and says what is wrong with it.
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
  /** `to` already fixed. */
  readonly range: DateRange;
  readonly resume: ResumePoint | null;
  readonly windowMs?: number | undefined;
  /** Of the page, `knownRows` at most come a second time and are left out. */
  readonly fetchPage: (window: DateRange, cursor: string | null, knownRows: number) => Promise<PageAnswer<Row>>;
}

/** One list over all windows of a range: each row once, newest first. */
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

  // A resumed window may have handed out some rows of its own older seam before, hence the same ids in both.
  let handedOut = new Set(position?.seamIds);
  let atOlderSeam = new Set(position?.seamIds);
  let start = input.resume?.cursor ?? null;

  for (const [index, window] of windows.entries()) {
    const next = windows[index + 1];
    const seamMs = parseInstantMs(window.from);
    let resume = resumeAt(window.to, start, [...handedOut, ...atOlderSeam]);
    try {
      const known = handedOut;
      for await (const page of walkCursors((cursor) => input.fetchPage(window, cursor, known.size), start)) {
        const data = page.data.filter((row) => !handedOut.has(row.id));
        if (next) for (const row of data) if (Date.parse(row.createdAt) <= seamMs) atOlderSeam.add(row.id);

        if (page.hasMore) resume = resumeAt(window.to, page.nextCursor, new Set([...handedOut, ...atOlderSeam]));
        else if (next) resume = resumeAt(next.to, null, atOlderSeam);
        const goesOn = page.hasMore || next !== undefined;
        yield { data, hasMore: goesOn, resume: goesOn ? resume : null };
      }
    } catch (error) {
      throw markResume(error, resume);
    }
    handedOut = atOlderSeam;
    atOlderSeam = new Set();
    start = null;
  }
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds of an ISO-8601 date or date-time with offset; NaN for everything else, 2026-02-30 included. */
export function parseInstantMs(text: string): number {
  const match = INSTANT.exec(text);
  if (!match) return Number.NaN;
  const [, year, month, day] = match;
  // `Date.parse` lets the 30th of February pass as the 2nd of March.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return Number.NaN;
  return Date.parse(text);
}
