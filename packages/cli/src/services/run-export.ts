import type { Client, List, LogParams } from '@svc/sdk';
import { CliError, FailureWithHint, usageError } from '../lib/cli-error.ts';
import { readEnvironment } from '../lib/environment.ts';
import { type Asked, askedOf, type ExportFlags, toArgv } from '../lib/export-flags.ts';
import { setInterruptHint } from '../lib/interrupts.ts';
import { topLevelFields } from '../output/field-lists.ts';
import { parseFields } from '../output/fields.ts';
import { printJson } from '../output/json.ts';
import { formatCount } from '../output/progress.ts';
import { createRowEncoder } from '../output/row-encoder.ts';
import { shellQuote } from '../output/shell-quote.ts';
import { printNotice } from '../output/stderr.ts';
import { writeStdout } from '../output/stdout.ts';
import { busyError, type Checkpoint, isBeingWritten, type Origin, readCheckpoint } from './export-checkpoint.ts';
import { discardExport, type FilesSink, findPlace, openExportFiles } from './export-files.ts';
import { createStreamSink, type ExportSink, exportRows } from './export-rows.ts';
import { chooseTarget, type ExportTarget } from './export-target.ts';
import { guardMemory } from './memory-guard.ts';
import { ReaderGoneError, type RowSink } from './row-sink.ts';
import { openSpecialFile } from './special-file.ts';
import { resolveRange, type TimeRange } from './time-range.ts';
import { watchExport } from './watch-export.ts';

/** What differs from one resource to the next. */
export interface ExportDefinition<Flags extends ExportFlags, Row> {
  /** The plural of what is exported, for messages. */
  readonly what: string;
  /** Such as `svc syncs export`. */
  readonly command: string;
  /** All fields a row may have. */
  readonly known: readonly string[];
  /** The flags of the command line, or of another one. */
  readonly parse: (argv?: string[]) => Promise<Flags>;
  readonly connect: (flags: Flags) => { readonly client: Client; readonly baseUrl: string };
  readonly list: (client: Client, flags: Flags, log: LogParams) => List<Row>;
  /** How many rows there are in at most 31 days. */
  readonly count: (client: Client, flags: Flags, window: TimeRange, signal: AbortSignal) => Promise<number>;
}

/** An export from start to summary. The data and nothing else goes to stdout or into the file. */
export async function runExport<Flags extends ExportFlags, Row extends { readonly createdAt: string }>(
  definition: ExportDefinition<Flags, Row>,
): Promise<void> {
  const { what, command, known } = definition;
  const given = await definition.parse();
  const from = await findCheckpoint(given, command, what);
  const flags = from === null ? given : await definition.parse(toArgv(from.asked));
  const target = await chooseTarget({ ...given, format: flags.format, split: flags.split });
  const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
  const range = from?.range ?? resolveRange(flags, Date.now());
  const { client, baseUrl } = definition.connect(given);
  const columns = topLevelFields(known);

  let files: FilesSink<Row> | null = null;
  let sink: ExportSink<Row>;
  if (target.kind === 'file') {
    const origin = await readOrigin(client, baseUrl);
    if (from !== null) assertSameOrigin(from.origin, origin, target.output);
    const head = { command: nameOf(command), origin, asked: askedOf(flags), range };
    files = await openExportFiles<Row>({ target, fields, columns: fields ?? columns, head, from });
    sink = files;
  } else {
    if (target.format === 'parquet') throw new Error('unreachable: Parquet has a file');
    sink = createStreamSink(await openStream(target), createRowEncoder(target.format, fields, columns));
  }

  const rowsBefore = from?.rows ?? 0;
  if (from !== null && !given.json) printNotice(`Going on behind ${formatCount(rowsBefore)} ${what}`);
  const watch = isWatched(sink)
    ? watchExport({
        what,
        range,
        rowsBefore,
        count: (window, signal) => definition.count(client, flags, window, signal),
        stream: process.stderr,
      })
    : null;
  const onMemory = guardMemory();
  let rows = rowsBefore;
  const offerResume = () =>
    sink.isResumable() ? `${formatCount(rows)} ${what} are kept; to go on: ${resumeCommand(command, given)}` : null;
  try {
    if (from !== null) setInterruptHint(offerResume());
    const pages = isFetched(from)
      ? noPages()
      : definition.list(client, flags, { ...range, resume: from?.resume ?? undefined, prefetch: true }).pages();
    await exportRows({
      pages,
      sink,
      onPage: (page) => {
        rows += page.length;
        setInterruptHint(offerResume());
        watch?.onPage(page);
        onMemory();
      },
      onFetched: () => watch?.onFetched(target.format === 'parquet' ? 'making the Parquet file' : 'closing the file'),
    });
    setInterruptHint(null);
    watch?.end();
    await summarise({ rows, what, target, files, range, isJson: given.json });
  } catch (error) {
    // As for a closed stdout: `svc ... -o >(head -1)` has what it wanted.
    if (error instanceof ReaderGoneError) return;
    const hint = offerResume();
    throw hint === null ? error : new FailureWithHint(error, hint);
  } finally {
    watch?.end();
  }
}

/** Where an export to this file was interrupted; null where there is none, or it is thrown away. */
async function findCheckpoint(flags: ExportFlags, command: string, what: string): Promise<Checkpoint | null> {
  const { kind, output } = await chooseTarget(flags);
  if (kind !== 'file') return null;
  const path = await findPlace(output);
  const checkpoint = readState(path, flags.restart);
  if (checkpoint !== null && isBeingWritten(checkpoint)) throw busyError(output, checkpoint.pid);
  // A process that was killed before its first page has left nothing to go on with.
  if (checkpoint === null || flags.restart || checkpoint.pages === 0) {
    await discardExport(output);
    return null;
  }
  if (!flags.resume) {
    const rows = `${formatCount(checkpoint.rows)} ${what}`;
    throw usageError(
      `An export to ${output} was interrupted behind ${rows}`,
      `To go on: ${resumeCommand(command, flags)}\nTo start anew: add --restart.`,
    );
  }
  assertSameExport(checkpoint, flags, nameOf(command), output);
  return checkpoint;
}

/** What cannot be read can still be thrown away. */
function readState(path: string, isThrownAway: boolean): Checkpoint | null {
  try {
    return readCheckpoint(path);
  } catch (error) {
    if (isThrownAway && error instanceof CliError) return null;
    throw error;
  }
}

/** What is asked for again must be what was asked for; what is left out is taken from there. */
function assertSameExport(checkpoint: Checkpoint, flags: ExportFlags, command: string, output: string): void {
  const hint = 'Leave it out to go on, or start anew with --restart.';
  if (checkpoint.command !== command) {
    throw usageError(`${output} was begun by svc ${checkpoint.command}`, 'Use another file, or --restart.');
  }
  const begun: Asked = checkpoint.asked;
  for (const [name, value] of Object.entries(askedOf(flags))) {
    if (begun[name] === value) continue;
    const before = begun[name] === undefined ? 'without it' : `with --${name} ${begun[name]}`;
    throw usageError(`--${name} ${value} does not fit: the export to ${output} was begun ${before}`, hint);
  }
}

async function readOrigin(client: Client, baseUrl: string): Promise<Origin> {
  const { account, apiKey } = await client.me.get();
  return { baseUrl: baseUrl.replace(/\/+$/, ''), accountId: account.id, connectionId: apiKey.connectionId };
}

/** Other keys of the account go on as well, as long as they see the same. */
function assertSameOrigin(begun: Origin, now: Origin, output: string): void {
  const name = ({ baseUrl, accountId, connectionId }: Origin) =>
    `account ${accountId}${connectionId === null ? '' : `, connection ${connectionId} only,`} at ${baseUrl}`;
  if (name(begun) === name(now)) return;
  throw usageError(
    `The export to ${output} was begun for ${name(begun)}; this key is for ${name(now)}`,
    'Use its key and address, for example with --profile, or start anew with --restart.',
  );
}

/** All pages were written, only the end was missing. */
function isFetched(from: Checkpoint | null): boolean {
  return from !== null && from.resume === null;
}

async function* noPages() {}

function isWatched(sink: ExportSink<never>): boolean {
  return process.stderr.isTTY && !sink.isTerminal && !readEnvironment().isDumbTerminal;
}

async function openStream(target: ExportTarget): Promise<RowSink> {
  if (target.kind === 'special') return openSpecialFile(target.output);
  const isTerminal = process.stdout.isTTY;
  return { isTerminal, write: writeStdout, commit: async () => {}, discard: async () => {} };
}

interface Summary {
  readonly rows: number;
  readonly what: string;
  readonly target: ExportTarget;
  readonly files: FilesSink<never> | null;
  readonly range: TimeRange;
  readonly isJson: boolean;
}

async function summarise({ rows, what, target, files, range, isJson }: Summary): Promise<void> {
  const written = files?.files() ?? [];
  if (isJson && target.kind !== 'stdout') {
    const where = target.split === null ? { file: target.output } : { files: written };
    return printJson({ rows, ...where, ...range });
  }
  const exported = `Exported ${formatCount(rows)} ${what}`;
  if (target.kind === 'stdout') return printNotice(exported);
  if (target.split === null) return printNotice(`${exported} to ${target.output}`);
  const [first, last] = [written[0]?.file, written.at(-1)?.file];
  if (first === undefined) return printNotice(`${exported}: no file was made`);
  printNotice(`${exported} to ${first === last ? first : `${written.length} files, ${first} to ${last}`}`);
}

/** As it can be typed, or pasted. */
function resumeCommand(command: string, flags: ExportFlags): string {
  const words = ['--output', flags.output ?? '', '--resume'];
  if (flags.json) words.push('--json');
  if (flags.profile !== undefined) words.push('--profile', flags.profile);
  if (flags['base-url'] !== undefined) words.push('--base-url', flags['base-url']);
  const isPlain = /^[\w@%+=:,./-]+$/;
  return [command, ...words.map((word) => (isPlain.test(word) ? word : shellQuote(word)))].join(' ');
}

/** Without the name of the program. */
function nameOf(command: string): string {
  return command.replace(/^\S+ /, '');
}
