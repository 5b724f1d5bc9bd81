import type { TailParams } from '@svc/sdk';
import { toErrorReport } from '../../command/map-error.ts';
import { paintFor } from '../../terminal/colors.ts';
import { parseFields, pickFields } from '../../format/fields.ts';
import { canRedraw, countDown } from '../../terminal/progress.ts';
import { expectInterrupt } from '../../terminal/interrupts.ts';
import { printNote, printNotice } from '../../terminal/stderr.ts';
import { terminalWidth, writeRendered, writeStdout } from '../../terminal/stdout.ts';
import { type TailCell, tailLine } from './tail-line.ts';
import { parseMoment } from '../../command/time-range.ts';

export interface TailRequest<Row> {
  /** The plural of the rows, for messages. */
  readonly rowsName: string;
  /** Opens the tail with the filters of the command. */
  readonly open: (params: TailParams) => AsyncIterable<Row>;
  readonly allFields: readonly string[];
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

/** Prints new rows of a log until a signal. */
export async function runTail<Row>({ rowsName, open, allFields, cells, flags }: TailRequest<Row>): Promise<void> {
  const fields = parseFields(flags.fields, allFields);
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

  expectInterrupt();
  let isOpen = false;
  const rows = open({
    since: sinceMs === null ? undefined : new Date(sinceMs),
    intervalMs,
    onLook() {
      if (!isOpen && isLines)
        printNotice(`Waiting for new ${rowsName}, polling every ${intervalMs / 1000} s. Press Ctrl-C to stop.`);
      isOpen = true;
    },
    onTrouble(error, delayMs) {
      const text = `Cannot read ${rowsName}: ${toErrorReport(error).message}`;
      if (isJson || !canRedraw(process.stderr)) return note(`${text}. Retrying in ${delayMs / 1000} s`);
      note(`${text}.`);
      countDown(process.stderr, { label: 'Retrying in', waitMs: delayMs, isRateLimit: false });
    },
    onRecovery: () => note('The service answers again.'),
  });
  for await (const row of rows) await write(format(row));
}
