import type { Client, List, LogParams, Page } from '@svc/sdk';
import { FailureWithHint } from '../../errors/cli-error.ts';
import { readTerminalEnvironment } from '../../terminal/environment.ts';
import { EXPORT_FORMATS, pickContentFlags, type ExportFlags, toArgv } from './flags.ts';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { parseFields, topLevelFields } from '../../format/fields.ts';
import { printJson } from '../../format/json.ts';
import { formatCount } from '../../terminal/progress.ts';
import { createRowEncoder } from '../../format/row-encoder.ts';
import { printNote, printNotice } from '../../terminal/stderr.ts';
import { writeStdout } from '../../terminal/stdout.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type FilesSink, openExportFiles } from './files.ts';
import { createStreamSink, type ExportSink, exportRows } from './rows.ts';
import { assertKnownExtension, chooseTarget, type ExportTarget, partKeyOf } from './target.ts';
import { assertSameOrigin, findCheckpoint, commandName, lockOutput, readOrigin, resumeCommand } from './interrupted.ts';
import { type RowSink } from './row-sink.ts';
import { ReaderGoneError } from '../../errors/write-error.ts';
import { openSpecialFile } from './special-file.ts';
import { type LogRange, toTimeRange } from '../../command/log-range.ts';
import type { RangeFlags, TimeRange } from '../../command/time-range.ts';
import { watchExport } from './watch.ts';

/** The parts of an export that depend on the resource. */
export interface ExportDefinition<Flags extends ExportFlags, Row> {
  /** The plural of the rows, for messages. */
  readonly rowsName: string;
  /** For example `svc syncs export`. */
  readonly command: string;
  /** All fields of a row. */
  readonly allFields: readonly string[];
  /** Parses the command line, or the given one. */
  readonly parse: (argv?: string[]) => Promise<Flags>;
  /** Resolves the range of the flags. */
  readonly range: (flags: Flags) => LogRange;
  readonly connect: (flags: Flags) => { readonly client: Client; readonly baseUrl: string };
  readonly list: (client: Client, flags: Flags, log: LogParams) => List<Row>;
  /** Returns the filter that the API does not have; null without one. */
  readonly matcher?: (flags: Flags) => ((row: Row) => boolean) | null;
  /** Counts the rows of at most 31 days. */
  readonly count: (client: Client, flags: Flags, window: TimeRange, signal: AbortSignal) => Promise<number>;
}

/** Runs an export. Only data goes to stdout or into the file. */
export async function runExport<Flags extends ExportFlags, Row extends { readonly createdAt: string }>(
  definition: ExportDefinition<Flags, Row>,
): Promise<void> {
  const flags = await definition.parse();
  await lockOutput(flags, () => exportAll(definition, flags));
}

async function exportAll<Flags extends ExportFlags, Row extends { readonly createdAt: string }>(
  definition: ExportDefinition<Flags, Row>,
  parsedFlags: Flags,
): Promise<void> {
  const { rowsName, command, allFields } = definition;
  const checkpoint = await findCheckpoint(parsedFlags, { command, name: commandName(command), rowsName });
  const flags = checkpoint === null ? parsedFlags : await definition.parse(toArgv(checkpoint.asked));
  const target = await chooseTarget({ ...parsedFlags, format: flags.format, split: flags.split });
  assertKnownExtension(target, flags.format, EXPORT_FORMATS);
  const fields = parseFields(flags.fields, allFields);
  const asked = checkpoint?.range ?? definition.range(flags);
  const { client, baseUrl } = definition.connect(parsedFlags);
  const range = 'label' in asked ? await toTimeRange(client, asked) : asked;
  const columns = topLevelFields(allFields);

  let files: FilesSink<Row> | null = null;
  let sink: ExportSink<Row>;
  if (target.kind === 'file') {
    const origin = await readOrigin(client, baseUrl);
    if (checkpoint !== null) assertSameOrigin(checkpoint.origin, origin, target.output);
    const head = { command: commandName(command), origin, asked: pickContentFlags(flags), range };
    files = await openExportFiles<Row>({
      ...{ target, columns: fields ?? columns, head, from: checkpoint },
      keyOf: ({ createdAt }) => partKeyOf(createdAt, target.split),
      createEncoder: (format, rows) => createRowEncoder(format, fields, columns, rows),
    });
    sink = files;
  } else {
    if (target.format === 'parquet') throw new Error('unreachable: Parquet has a file');
    sink = createStreamSink(await openStream(target), createRowEncoder(target.format, fields, columns));
  }

  const rowsBefore = checkpoint?.rows ?? 0;
  if (checkpoint !== null && !parsedFlags.json) printNotice(`Resuming after ${formatCount(rowsBefore)} ${rowsName}`);
  const watch = isWatched(sink, parsedFlags.json)
    ? watchExport({
        rowsName,
        range,
        rowsBefore,
        count: (window, signal) => definition.count(client, flags, window, signal),
        stream: process.stderr,
      })
    : null;
  const matches = definition.matcher?.(flags) ?? null;
  let rows = rowsBefore;
  const offerResume = () =>
    sink.isResumable()
      ? `${formatCount(rows)} ${rowsName} are kept; to resume: ${resumeCommand(command, parsedFlags)}`
      : null;
  try {
    if (checkpoint !== null) setInterruptHint(offerResume());
    const pages = isFetched(checkpoint)
      ? noPages()
      : definition.list(client, flags, { ...range, resume: checkpoint?.resume ?? undefined, prefetch: true }).pages();
    await exportRows({
      pages: matches === null ? pages : filterPages(pages, matches, (page) => watch?.onPage(page)),
      sink,
      onPage: (page) => {
        rows += page.length;
        setInterruptHint(offerResume());
        if (matches === null) watch?.onPage(page);
      },
      onFetched: () => watch?.onFetched(target.format === 'parquet' ? 'writing the Parquet file' : 'closing the file'),
    });
    setInterruptHint(null);
    watch?.end();
    await summarise({
      rows,
      rowsName,
      target,
      files,
      range,
      label: labelOf(asked, parsedFlags),
      isFiltered: matches !== null,
      isJson: parsedFlags.json,
    });
  } catch (error) {
    // The reader closed the pipe, as in `svc ... -o >(head -1)`.
    if (error instanceof ReaderGoneError) return;
    const hint = offerResume();
    throw hint === null ? error : new FailureWithHint(error, hint);
  } finally {
    watch?.end();
  }
}

/** Keeps the matching rows. A page may become empty, but its resume point stays the end of the page. */
async function* filterPages<Row>(
  pages: AsyncIterable<Pick<Page<Row>, 'data' | 'resume'>>,
  matches: (row: Row) => boolean,
  onRead: (rows: readonly Row[]) => void,
) {
  for await (const { data, resume } of pages) {
    onRead(data);
    yield { data: data.filter(matches), resume };
  }
}

/** Whether all pages were written before the interruption. */
function isFetched(checkpoint: Checkpoint | null): boolean {
  return checkpoint !== null && checkpoint.resume === null;
}

async function* noPages() {}

/** Whether to show progress: on a terminal, without `--json`. */
export function isWatched(sink: ExportSink<never>, isJson: boolean): boolean {
  return !isJson && process.stderr.isTTY && !sink.isTerminal && !readTerminalEnvironment().isDumbTerminal;
}

export async function openStream(target: ExportTarget): Promise<RowSink> {
  if (target.kind === 'special') return openSpecialFile(target.output);
  const isTerminal = process.stdout.isTTY;
  return { isTerminal, write: writeStdout, commit: async () => {}, discard: async () => {} };
}

interface Summary {
  readonly rows: number;
  readonly rowsName: string;
  readonly target: ExportTarget;
  readonly files: FilesSink<never> | null;
  readonly range: TimeRange;
  /** The range in words; null if the user gave its start, or if the export was resumed. */
  readonly label: string | null;
  readonly isFiltered: boolean;
  readonly isJson: boolean;
}

function labelOf(asked: LogRange | TimeRange, { since, from }: RangeFlags): string | null {
  return 'label' in asked && since === undefined && from === undefined ? asked.label : null;
}

async function summarise({ rows, rowsName, target, files, range, label, isFiltered, isJson }: Summary): Promise<void> {
  const written = files?.files() ?? [];
  if (isJson && target.kind !== 'stdout') {
    const where = target.split === null ? { file: target.output } : { files: written };
    return printJson({ rows, ...where, ...range });
  }
  const which = isFiltered ? `matching ${rowsName}, filtered here` : rowsName;
  const exported = `Exported ${formatCount(rows)} ${which}${label === null ? '' : ` (${label})`}`;
  if (target.kind === 'stdout') return printNote(exported, isJson, { rows });
  if (target.split === null) return printNotice(`${exported} to ${target.output}`);
  const [first, last] = [written[0]?.file, written.at(-1)?.file];
  if (first === undefined) return printNotice(`${exported}: no file was written`);
  printNotice(`${exported} to ${first === last ? first : `${written.length} files, ${first} to ${last}`}`);
}
