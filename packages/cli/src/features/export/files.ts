import { access, constants, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import type { ExportFormat } from './flags.ts';
import { removeOnExit } from '../../terminal/interrupts.ts';
import { guardWrite } from '../../errors/write-error.ts';
import type { RowEncoder, RowFormat } from '../../format/row-encoder.ts';
import { findTarget } from './file-target.ts';
import {
  type Checkpoint,
  type CheckpointWriter,
  checkpointOf,
  type ExportState,
  type InputPoint,
  type PartState,
  type RetryPoint,
  parquetOf,
  partialOf,
  openCheckpoints,
} from './checkpoint.ts';
import type { ExportSink } from './rows.ts';
import { type ExportTarget, nameOfPart } from './target.ts';
import { openPart, type PartFile, publishPart, removePart } from './part-file.ts';

export interface FilesOptions<Row> {
  readonly target: ExportTarget;
  /** Columns of a Parquet file. */
  readonly columns: readonly string[];
  /** What stays the same from checkpoint to checkpoint. */
  readonly head: Pick<ExportState, 'command' | 'origin' | 'asked' | 'range'>;
  /** Where to go on; null at the start. */
  readonly from: Checkpoint | null;
  /** Which file of a split export a row belongs to; null where there is only one. */
  readonly keyOf: (row: Row) => string | null;
  /** Makes the text of a file that holds so many rows already. */
  readonly createEncoder: (format: RowFormat, rowsBefore: number) => RowEncoder;
  /** Of rows that are made from a file: how far it is read. */
  readonly inputNow?: () => InputPoint;
  /** Whether a row that was written has to be asked for again. */
  readonly hasFailed?: () => boolean;
}

export interface FilesSink<Row> extends ExportSink<Row> {
  /** The files in their places, in the order in which they were completed. */
  files(): readonly { readonly file: string; readonly rows: number }[];
}

/**
 * The file or files of an export. Whatever ends the process: what is in a file's place is complete, and beside it are a partial
 * file and a checkpoint that names how much of it counts. The order makes it so: a page is written, then its checkpoint; a file is
 * moved to its place only when a checkpoint says that it is sealed.
 */
export async function openExportFiles<Row>(options: FilesOptions<Row>): Promise<FilesSink<Row>> {
  const { target, head, from } = options;
  const place = await findPlace(target.output);
  const pathOf = (key: string | null) => nameOfPart(target.output, key);

  let { pages, rows, files, resume }: Pick<ExportState, 'pages' | 'rows' | 'files' | 'resume'> = from ?? {
    pages: 0,
    rows: 0,
    files: [],
    resume: null,
  };
  /** Sealed, and named by no checkpoint yet or not moved yet. */
  let sealed: PartState[] = [];
  let current: PartFile | null = null;
  let retryFrom: RetryPoint | null = null;

  const stateNow = (): ExportState => ({
    ...head,
    resume,
    pages,
    rows,
    parts: [...sealed, ...(current === null ? [] : [current.state])],
    files,
    ...(options.inputNow === undefined ? {} : { input: options.inputNow() }),
    ...(retryFrom === null ? {} : { retryFrom }),
  });
  const open = (key: string | null, at: PartState | null) =>
    openPart({
      key,
      path: pathOf(key),
      isPacked: target.isPacked,
      from: at,
      createEncoder: (rowsBefore) => options.createEncoder(formatOnTheWay(target.format), rowsBefore),
    });
  async function sealCurrent(): Promise<void> {
    if (current === null) return;
    await current.seal();
    sealed.push(current.state);
    current = null;
  }
  async function publishSealed(): Promise<void> {
    for (const part of sealed) {
      await publish(pathOf(part.key), part, options);
      files = [...files, { key: part.key, rows: part.rows }];
    }
    sealed = [];
  }

  // Until the first checkpoint that names rows there is nothing to go on with, and nothing is to be left.
  let forgetBeginning = () => {};
  let checkpoints: CheckpointWriter;
  if (from === null) {
    checkpoints = openCheckpoints(place, null, stateNow());
    // Not before it is ours to remove; no signal comes between.
    const forgetCheckpoint = removeOnExit(checkpointOf(place));
    const forgetPartial = removeOnExit(partialOf(place));
    forgetBeginning = () => {
      forgetCheckpoint();
      forgetPartial();
    };
    try {
      // Only now that all others are kept away: before, they might be those of another process.
      await removePartials(place);
      if (target.split === null) current = await open(null, null);
    } catch (error) {
      checkpoints.remove();
      throw error;
    }
  } else {
    // Says that it is this process that writes now.
    const last = from.parts.at(-1);
    sealed = from.parts.filter((part) => part.isSealed);
    if (last !== undefined && !last.isSealed) current = await open(last.key, last);
    checkpoints = openCheckpoints(place, from, stateNow());
    await publishSealed();
  }

  let last = stateNow();
  return {
    isTerminal: false,
    isResumable: () => pages > 0,
    async writePage(page, next) {
      for (const { key, group } of groupByPart(page, options.keyOf)) {
        if (current !== null && current.state.key !== key) {
          assertOlder(key, current.state.key);
          await sealCurrent();
        }
        current ??= await open(key, null);
        await current.write(group);
      }
      // An empty page of a file that is not split still has a header to write.
      if (page.length === 0) await current?.write([]);
      pages += 1;
      rows += page.length;
      resume = next;
      if (retryFrom === null && options.hasFailed?.() === true) retryFrom = toRetryPoint(last);
      last = stateNow();
      checkpoints.write(last);
      forgetBeginning();
      if (sealed.length > 0) await publishSealed();
    },
    async finish() {
      await sealCurrent();
      checkpoints.write(stateNow());
      await publishSealed();
      checkpoints.remove();
    },
    async abandon() {
      await current?.close();
      if (pages > 0) return;
      checkpoints.remove();
      if (target.split === null) await removePart(target.output);
      forgetBeginning();
    },
    files: () => files.map(({ key, rows: count }) => ({ file: pathOf(key), rows: count })),
  };
}

function toRetryPoint({ input, pages, rows, parts }: ExportState): RetryPoint {
  return { ...(input === undefined ? {} : { input }), pages, rows, parts };
}

/**
 * Where an export belongs: the file behind all links.
 *
 * @throws CliError when nothing can be written there
 */
export async function findPlace(output: string): Promise<string> {
  return guardWrite(output, async () => {
    const { path } = await findTarget(output);
    await access(dirname(path), constants.W_OK);
    return path;
  });
}

/** Throws away what an interrupted export has left beside its place, all that is partial. */
async function removePartials(path: string): Promise<void> {
  const folder = dirname(path);
  // A split export may have begun a file that no checkpoint names yet.
  const names = [partialOf, parquetOf].map((nameOf) => basename(nameOf(nameOfPart(path, '|'))).split('|'));
  const isPart = (name: string) =>
    names.some(
      ([start = '', end = '']) =>
        name.startsWith(start) &&
        name.endsWith(end) &&
        /^\d{4}-\d{2}(-\d{2})?$/.test(name.slice(start.length, -end.length)),
    );
  for (const name of await readdir(folder)) if (isPart(name)) await rm(join(folder, name), { force: true });
  for (const file of [partialOf(path), parquetOf(path)]) await rm(file, { force: true });
}

/** The footer of a Parquet file comes last and tells of all its rows: until all are there, they are kept as NDJSON. */
function formatOnTheWay(format: ExportFormat): RowFormat {
  return format === 'parquet' ? 'ndjson' : format;
}

async function publish<Row>(
  path: string,
  part: PartState,
  { target, columns, head }: FilesOptions<Row>,
): Promise<void> {
  if (target.format !== 'parquet') return publishPart(path, part);
  const { publishParquet } = await import('./parquet-file.ts');
  await publishParquet({ path, part, columns, command: head.command });
}

/** Neighbours that go into the same file. */
function groupByPart<Row>(
  page: readonly Row[],
  keyOf: (row: Row) => string | null,
): { key: string | null; group: Row[] }[] {
  const groups: { key: string | null; group: Row[] }[] = [];
  for (const row of page) {
    const key = keyOf(row);
    const last = groups.at(-1);
    if (last !== undefined && last.key === key) last.group.push(row);
    else groups.push({ key, group: [row] });
  }
  return groups;
}

/** Newest first: what comes back to a file that was completed would replace it. */
function assertOlder(key: string | null, than: string | null): void {
  if (key !== null && than !== null && key < than) return;
  const message = `The rows of the service are not in order: ${key} came behind ${than}`;
  throw new CliError('out_of_order', EXIT_CODES.unexpected, message);
}
