import { realpath } from 'node:fs/promises';
import type { Client } from '@svc/sdk';
import { FailureWithHint, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { pickContentFlags, toArgv } from '../export/flags.ts';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { CHECK_FIELDS, type CheckedRow, createCheckedRowEncoder, pickAnswer } from './checked-rows.ts';
import { parseFields } from '../../format/fields.ts';
import { OUTREACH_FIELDS } from './fields.ts';
import { printJson } from '../../format/json.ts';
import { formatCount } from '../../terminal/progress.ts';
import { ROW_FORMATS, type RowFormat } from '../../format/row-encoder.ts';
import { toShellWord } from '../../format/shell-quote.ts';
import { printNote, printNotice } from '../../terminal/stderr.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';
import { type ContactColumns, findContactColumns, readLookUpKey } from './contact-columns.ts';
import { type ContactSource, openContactSource, readContactFile } from './contact-file.ts';
import type { Checkpoint, InputPoint } from '../export/checkpoint.ts';
import { findPlace, openExportFiles } from '../export/files.ts';
import { createStreamSink, type ExportSink, exportRows } from '../export/rows.ts';
import { assertKnownExtension, chooseTarget, type ExportTarget } from '../export/target.ts';
import {
  assertSameOrigin,
  type FileFlags,
  findCheckpoint,
  lockOutput,
  readOrigin,
  resumeCommand,
} from '../export/interrupted.ts';
import { CHECK_RESULTS, type CheckResult, createLookUps, type LookUp, type LookUps } from './look-up-contacts.ts';
import { type ContactPage, readContacts, scanContacts } from './read-contacts.ts';
import { ReaderGoneError } from '../../errors/write-error.ts';
import { isWatched, openStream } from '../export/run-export.ts';
import { type CheckWatch, watchCheck } from './watch-check.ts';

export const ONLY_RESULTS = ['contactable', 'blocked'] as const;

export interface CheckFlags extends FileFlags {
  readonly 'email-column'?: string | undefined;
  readonly 'profile-url-column'?: readonly string[] | undefined;
  readonly only?: (typeof ONLY_RESULTS)[number] | undefined;
}

export interface CheckDefinition {
  /** The name of the program. */
  readonly bin: string;
  /** The input file; `-` is stdin. */
  readonly file: string;
  /** Parses the command line, or the given one. */
  readonly parse: (argv?: string[]) => Promise<CheckFlags>;
  readonly connect: (flags: CheckFlags) => { readonly client: Client; readonly baseUrl: string };
}

type Counts = Readonly<Record<CheckResult, number>>;

const NAME = 'outreach check';
/** Pages whose look-ups start early, so that look-ups do not pause at page boundaries. */
const PAGES_AHEAD = 2;

/** Runs a check. Only data goes to stdout or into the file. */
export async function runCheck(definition: CheckDefinition): Promise<ExitCode> {
  const source = await openContactSource(definition.file);
  try {
    const flags = await definition.parse();
    return await lockOutput(flags, () => checkSource(definition, source, flags));
  } finally {
    source.close();
  }
}

async function checkSource(
  definition: CheckDefinition,
  source: ContactSource,
  parsedFlags: CheckFlags,
): Promise<ExitCode> {
  const command = `${definition.bin} ${NAME} ${toShellWord(definition.file)}`;
  const checkpoint = await findCheckpoint(parsedFlags, { command, name: NAME, rowsName: 'rows' });
  const flags =
    checkpoint === null ? parsedFlags : await definition.parse([definition.file, ...toArgv(checkpoint.asked)]);
  const target = await chooseTarget({ ...parsedFlags, format: flags.format });
  assertKnownExtension(target, flags.format, ROW_FORMATS);
  const format = textFormat(target);
  if (target.kind === 'file') await assertOtherFile(source, target.output);
  const fields = parseFields(flags.fields, OUTREACH_FIELDS) ?? CHECK_FIELDS;

  const file = await readContactFile(source);
  const columns = findContactColumns(file.header, {
    emailColumn: flags['email-column'],
    profileUrlColumns: flags['profile-url-column'],
  });
  const whole = await scanContacts(source);
  const { client, baseUrl } = definition.connect(parsedFlags);

  /** Number of records before the first page with a service error, from which a resume starts again; null without errors. */
  let keptRecords: number | null = null;
  let input: InputPoint = checkpoint?.input ?? {
    records: 0,
    sha256: '',
    wholeSha256: whole?.sha256 ?? null,
    counts: {},
  };
  const createEncoder = (_format: RowFormat, rowsBefore: number) =>
    createCheckedRowEncoder({ format, form: file.form, header: file.header, fields, rowsBefore });
  let sink: ExportSink<CheckedRow>;
  if (target.kind === 'file') {
    const origin = await readOrigin(client, baseUrl);
    if (checkpoint !== null) assertSameOrigin(checkpoint.origin, origin, target.output);
    const head = { command: NAME, origin, asked: pickContentFlags(flags), range: null };
    const inputNow = () => input;
    sink = await openExportFiles<CheckedRow>({
      ...{ target, columns: [], head, from: checkpoint, keyOf: () => null, createEncoder, inputNow },
      hasFailed: () => keptRecords !== null,
    });
  } else sink = createStreamSink(await openStream(target), createEncoder(format, 0));

  if (!parsedFlags.json) printStart(file.header, columns, checkpoint);
  const watch = isWatched(sink, parsedFlags.json)
    ? watchCheck(whole?.records ?? null, input.records, process.stderr)
    : null;
  const lookUps = createLookUps({
    client,
    pick: (answer) => pickAnswer(answer, fields),
    onAnswer: () => watch?.onAnswer(),
  });
  let rows = checkpoint?.rows ?? 0;
  const offerResume = () =>
    sink.isResumable()
      ? `${formatCount(keptRecords ?? input.records)} rows are kept; to resume: ${resumeCommand(command, parsedFlags)}`
      : null;
  try {
    if (checkpoint !== null) setInterruptHint(offerResume());
    const contacts = readContacts({ source, file, whole, from: checkpoint?.input ?? null });
    await exportRows({
      pages: checkPages(contacts, { lookUps, columns, watch, only: flags.only }, (page, counts) => {
        // A page is repeated only once, because the service may never answer for one of its contacts.
        if (counts.error > 0 && input.records !== input.rewoundTo) keptRecords ??= input.records;
        input = { ...input, ...page, counts: addCounts(input.counts, counts) };
      }),
      sink,
      onPage: (page) => {
        rows += page.length;
        setInterruptHint(offerResume());
      },
    });
    setInterruptHint(null);
    watch?.end();
    const counts = addCounts(input.counts, NOTHING);
    await summarise({ counts, rows, target, header: file.header, columns, isJson: parsedFlags.json, only: flags.only });
    return exitCodeOf(counts);
  } catch (error) {
    // The reader has enough, as in `svc ... -o >(head -1)`.
    if (error instanceof ReaderGoneError) return EXIT_CODES.ok;
    const hint = offerResume();
    throw hint === null ? error : new FailureWithHint(error, hint);
  } finally {
    lookUps.stop();
    watch?.end();
  }
}

interface PageCheck {
  readonly lookUps: LookUps<unknown>;
  readonly columns: ContactColumns;
  readonly watch: CheckWatch | null;
  readonly only: CheckFlags['only'];
}

/** @param onPage called before each page with the position in the file and the number of records by result */
async function* checkPages(
  contacts: AsyncIterable<ContactPage>,
  check: PageCheck,
  onPage: (point: Pick<InputPoint, 'records' | 'sha256'>, counts: Counts) => void,
): AsyncGenerator<{ data: CheckedRow[]; resume: null }, void, undefined> {
  const ahead: { readonly page: ContactPage; readonly rows: Promise<CheckedRow[]> }[] = [];
  async function* finish(kept: number) {
    while (ahead.length > kept) {
      const [first] = ahead;
      if (first === undefined) return;
      const rows = await first.rows;
      ahead.shift();
      onPage({ records: first.page.recordsRead, sha256: first.page.sha256 }, countResults(rows));
      const { only } = check;
      yield { data: only === undefined ? rows : rows.filter(({ result }) => result === only), resume: null };
    }
  }
  for await (const page of contacts) {
    const rows = Promise.all(page.records.map((cells) => checkRecord(cells, check)));
    // Prevents an unhandled rejection; the error is rethrown when this page is awaited.
    rows.catch(() => {});
    ahead.push({ page, rows });
    yield* finish(PAGES_AHEAD);
  }
  yield* finish(0);
}

async function checkRecord(cells: readonly string[], { lookUps, columns, watch }: PageCheck): Promise<CheckedRow> {
  const key = readLookUpKey(cells, columns);
  const { result, error, answer } = await lookUpOrNot(key, lookUps);
  watch?.onRecord();
  return { cells, result, error, answer };
}

async function lookUpOrNot(key: ReturnType<typeof readLookUpKey>, lookUps: LookUps<unknown>): Promise<LookUp<unknown>> {
  if (key === null) return { result: 'no_identity', error: null, answer: null };
  return typeof key === 'string' ? { result: 'invalid', error: key, answer: null } : lookUps.lookUp(key);
}

const NOTHING: Counts = { contactable: 0, blocked: 0, invalid: 0, no_identity: 0, error: 0 };

function countResults(rows: readonly CheckedRow[]): Counts {
  const counts = { ...NOTHING };
  for (const { result } of rows) counts[result] += 1;
  return counts;
}

function addCounts(before: Readonly<Record<string, number>>, more: Counts): Counts {
  const sum = { ...more };
  for (const result of CHECK_RESULTS) sum[result] += before[result] ?? 0;
  return sum;
}

function exitCodeOf({ invalid, error, ...done }: Counts): ExitCode {
  return exitCodeOfBatch([
    ...(Object.values(done).some((count) => count > 0) ? [EXIT_CODES.ok] : []),
    ...(invalid > 0 ? [EXIT_CODES.usage] : []),
    ...(error > 0 ? [EXIT_CODES.unavailable] : []),
  ]);
}

function textFormat({ format }: ExportTarget): RowFormat {
  if (format === 'parquet') throw usageError('A check cannot be written as Parquet', 'Use .csv, .ndjson or .json.');
  return format;
}

/** @throws CliError (exit 2) if the output would replace the input */
async function assertOtherFile(source: ContactSource, output: string): Promise<void> {
  if (!source.isRepeatable || (await realpath(source.name)) !== (await findPlace(output))) return;
  throw usageError(`--output is the input file, ${output}`, 'Use another file.');
}

function printStart(header: readonly string[], columns: ContactColumns, checkpoint: Checkpoint | null): void {
  if (checkpoint?.input !== undefined)
    return printNotice(`Resuming after ${formatCount(checkpoint.input.records)} rows`);
  printNotice(`Contacts are looked up by ${namesOf(header, columns).join(', ')}`);
}

function namesOf(header: readonly string[], { email, profileUrls }: ContactColumns): string[] {
  return [...(email === null ? [] : [email]), ...profileUrls].map((index) => header[index] ?? '');
}

interface Summary {
  readonly counts: Counts;
  /** Number of written rows. */
  readonly rows: number;
  readonly target: ExportTarget;
  readonly header: readonly string[];
  readonly columns: ContactColumns;
  readonly isJson: boolean;
  readonly only: CheckFlags['only'];
}

async function summarise({ counts, rows, target, header, columns, isJson, only }: Summary): Promise<void> {
  const checked = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { no_identity: noIdentity, error: errors, ...others } = counts;
  const facts = { checked, ...others, noIdentity, errors, columns: namesOf(header, columns), rows };
  if (isJson && target.kind !== 'stdout') return printJson({ ...facts, file: target.output });
  const parts = CHECK_RESULTS.flatMap((result) =>
    counts[result] === 0 ? [] : [`${formatCount(counts[result])} ${WORDS[result]}`],
  );
  const where = target.kind === 'stdout' ? '' : ` to ${target.output}`;
  const written = only === undefined ? '' : `; wrote the ${formatCount(rows)} ${only}`;
  const found = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  printNote(
    `Checked ${formatCount(checked)} ${checked === 1 ? 'row' : 'rows'}${found}${written}${where}`,
    isJson,
    facts,
  );
}

const WORDS: Readonly<Record<CheckResult, string>> = {
  contactable: 'contactable',
  blocked: 'blocked',
  invalid: 'invalid',
  no_identity: 'without identity',
  error: 'with a service error',
};
