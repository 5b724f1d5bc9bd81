import { setTimeout } from 'node:timers/promises';
import type { List } from '@svc/sdk';
import { toErrorReport } from '../lib/error-report.ts';
import { DAY_MS } from '../lib/time-units.ts';
import { paintFor } from '../output/colors.ts';
import { parseFields, pickFields } from '../output/fields.ts';
import { printNote, printNotice } from '../output/stderr.ts';
import { terminalWidth, writeRendered, writeStdout } from '../output/stdout.ts';
import { type TailCell, tailLine } from '../output/tail-line.ts';
import { createNewRows, type LogRow } from './new-rows.ts';
import { tailLog } from './tail-log.ts';
import { parseMoment, type TimeRange } from './time-range.ts';

export interface TailRequest<Row extends LogRow> {
  /** The plural of what is watched, for messages. */
  readonly what: string;
  /** The log, in a range where it has ranges. */
  readonly open: (range: TimeRange) => List<Row>;
  readonly known: readonly string[];
  readonly cells: (row: Row) => TailCell[];
  readonly flags: {
    readonly since?: string | undefined;
    /** Seconds. */
    readonly interval?: number | undefined;
    readonly fields?: string | undefined;
    readonly json: boolean;
  };
}

const DEFAULT_INTERVAL_SECONDS = 5;
/**
 * How far on both sides of our clock the service's may be. Both together stay below the 31 days that are one request.
 */
const CLOCK_MARGIN_MS = 14 * DAY_MS;

/** Prints what is new in a log until a signal. */
export async function runTail<Row extends LogRow>({
  what,
  open,
  known,
  cells,
  flags,
}: TailRequest<Row>): Promise<never> {
  const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
  const sinceMs = flags.since === undefined ? null : parseMoment(flags.since, Date.now(), 'start');
  const intervalMs = (flags.interval ?? DEFAULT_INTERVAL_SECONDS) * 1000;
  const isJson = flags.json === true;
  const isLines = process.stdout.isTTY && !isJson && fields === null;
  const paint = paintFor(process.stdout);
  const format = (row: Row) => {
    if (isLines) return tailLine(cells(row), terminalWidth(), paint);
    return `${JSON.stringify(fields === null ? row : pickFields(row, fields))}\n`;
  };
  const write = isLines ? writeRendered : writeStdout;
  const note = (text: string) => printNote(text, isJson);

  const news = createNewRows((fromMs) => open(rangeAround(fromMs, Date.now())).pages(), sinceMs);
  let isOpen = false;
  return tailLog<Row>({
    intervalMs,
    sleep: (ms) => setTimeout(ms),
    look: async () => {
      const found = await news.look();
      if (!isOpen && isLines)
        printNotice(`New ${what} are shown here, with a look every ${intervalMs / 1000} s. Ctrl-C ends it.`);
      isOpen = true;
      return found;
    },
    mayPass: (error) => toErrorReport(error).retryable,
    onRows: (rows) => write(rows.map(format).join('')),
    onTrouble: (error, delayMs) =>
      note(`No ${what} can be seen: ${toErrorReport(error).message}. Tries again in ${delayMs / 1000} s`),
    onRecovery: () => note('The service answers again.'),
  });
}

/** The end lies ahead: what counts is the service's clock. */
function rangeAround(fromMs: number, nowMs: number): TimeRange {
  const startMs = fromMs === Number.NEGATIVE_INFINITY ? nowMs - CLOCK_MARGIN_MS : fromMs;
  return {
    from: new Date(startMs).toISOString(),
    to: new Date(Math.max(startMs, nowMs) + CLOCK_MARGIN_MS).toISOString(),
  };
}
