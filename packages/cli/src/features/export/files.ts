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
  checkpointPath,
  type ExportState,
  type InputPoint,
  type PartState,
  type RetryPoint,
  parquetPath,
  partialPath,
  openCheckpoints,
} from './checkpoint.ts';
import type { ExportSink } from './rows.ts';
import { type ExportTarget, partPath } from './target.ts';
import { openPart, type PartFile, publishPart, removePart } from './part-file.ts';

export interface FilesOptions<Row> {
  readonly target: ExportTarget;
  /** Columns of a Parquet file. */
  readonly columns: readonly string[];
  /** The constant part of the checkpoints. */
  readonly head: Pick<ExportState, 'command' | 'origin' | 'asked' | 'range'>;
  /** The checkpoint to resume from; null for a new export. */
  readonly from: Checkpoint | null;
  /** Returns the file of a split export that a row belongs to; null if it is not split. */
  readonly keyOf: (row: Row) => string | null;
  /** Creates the encoder of a file that already contains `rowsBefore` rows. */
  readonly createEncoder: (format: RowFormat, rowsBefore: number) => RowEncoder;
  /** Returns the position in the input file of a check. */
  readonly inputNow?: () => InputPoint;
  /** Whether a written row must be fetched again. */
  readonly hasFailed?: () => boolean;
}

export interface FilesSink<Row> extends ExportSink<Row> {
  /** Returns the published files in the order of their completion. */
  files(): readonly { readonly file: string; readonly rows: number }[];
}

/**
 * Opens the file or files of an export, which must be locked (`lockOutput`). If the process is killed, published files are
 * complete, and next to them are a partial file and a checkpoint with its valid length. To ensure this, a page is written
 * before its checkpoint, and a file is published only after a checkpoint marks it as sealed.
 */
export async function openExportFiles<Row>(options: FilesOptions<Row>): Promise<FilesSink<Row>> {
  const { target, head, from } = options;
  const place = await findPlace(target.output);
  const pathOf = (key: string | null) => partPath(target.output, key);

  let { pages, rows, files, resume }: Pick<ExportState, 'pages' | 'rows' | 'files' | 'resume'> = from ?? {
    pages: 0,
    rows: 0,
    files: [],
    resume: null,
  };
  /** Files that are sealed but not published. */
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
      createEncoder: (rowsBefore) => options.createEncoder(partialFormat(target.format), rowsBefore),
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

  // Until the first checkpoint with rows, an exit deletes all files.
  let keepOnExit = () => {};
  let checkpoints: CheckpointWriter;
  if (from === null) {
    checkpoints = openCheckpoints(place, null, stateNow());
    // No signal can arrive between the first checkpoint and this.
    const forgetCheckpoint = removeOnExit(checkpointPath(place));
    const forgetPartial = removeOnExit(partialPath(place));
    keepOnExit = () => {
      forgetCheckpoint();
      forgetPartial();
    };
    try {
      await removePartials(place);
      if (target.split === null) current = await open(null, null);
    } catch (error) {
      checkpoints.remove();
      throw error;
    }
  } else {
    const last = from.parts.at(-1);
    sealed = from.parts.filter((part) => part.isSealed);
    // Before the partial file is truncated, because the old checkpoint may need all of it.
    checkpoints = openCheckpoints(place, from, { ...stateNow(), parts: from.parts });
    if (last !== undefined && !last.isSealed) current = await open(last.key, last);
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
      // Writes the header of a file that is not split, also for an empty page.
      if (page.length === 0) await current?.write([]);
      pages += 1;
      rows += page.length;
      resume = next;
      if (retryFrom === null && options.hasFailed?.() === true) retryFrom = toRetryPoint(last);
      last = stateNow();
      checkpoints.write(last);
      keepOnExit();
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
      keepOnExit();
    },
    files: () => files.map(({ key, rows: count }) => ({ file: pathOf(key), rows: count })),
  };
}

function toRetryPoint({ input, pages, rows, parts }: ExportState): RetryPoint {
  return { ...(input === undefined ? {} : { input }), pages, rows, parts };
}

/**
 * Returns the path of the output file, with links resolved.
 *
 * @throws CliError if nothing can be written there
 */
export async function findPlace(output: string): Promise<string> {
  return guardWrite(output, async () => {
    const { path } = await findTarget(output);
    await access(dirname(path), constants.W_OK);
    return path;
  });
}

/** Deletes the partial files of an interrupted export. */
async function removePartials(path: string): Promise<void> {
  const folder = dirname(path);
  // A split export may have started a file that no checkpoint mentions yet.
  const names = [partialPath, parquetPath].map((pathOf) => basename(pathOf(partPath(path, '|'))).split('|'));
  const isPart = (name: string) =>
    names.some(
      ([start = '', end = '']) =>
        name.startsWith(start) &&
        name.endsWith(end) &&
        /^\d{4}-\d{2}(-\d{2})?$/.test(name.slice(start.length, -end.length)),
    );
  for (const name of await readdir(folder)) if (isPart(name)) await rm(join(folder, name), { force: true });
  for (const file of [partialPath(path), parquetPath(path)]) await rm(file, { force: true });
}

/** Returns the format of partial files. Parquet is written at the end, so its rows are stored as NDJSON first. */
function partialFormat(format: ExportFormat): RowFormat {
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

/** Groups consecutive rows of the same file. */
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

/** Throws if rows are not sorted newest first, because a row for a completed file would replace that file. */
function assertOlder(key: string | null, than: string | null): void {
  if (key !== null && than !== null && key < than) return;
  const message = `The rows of the service are not sorted: ${key} came after ${than}`;
  throw new CliError('out_of_order', EXIT_CODES.unexpected, message);
}
