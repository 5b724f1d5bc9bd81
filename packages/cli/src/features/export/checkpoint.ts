import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { ResumePoint } from '@svc/sdk';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { siblingPath } from '../../config/sibling-path.ts';
import type { ContentFlags } from './flags.ts';
import { isRecord } from '../../format/fields.ts';
import { toWriteError } from '../../errors/write-error.ts';
import type { TimeRange } from '../../command/time-range.ts';

/** The state of a file of an export at a checkpoint. */
export interface PartState {
  /** Day or month of a split export; null for its only file. */
  readonly key: string | null;
  readonly rows: number;
  /** Valid length of the partial file. Data after it was written after the checkpoint and will be fetched again. */
  readonly bytes: number;
  /** CRC-32 and length of the uncompressed data, for the end of a gzip file. */
  readonly crc: number;
  readonly size: number;
  /** Whether the file is complete and only has to be moved to its place. */
  readonly isSealed: boolean;
}

/** The account that rows come from. Rows of another account must not be appended. */
export interface Origin {
  readonly baseUrl: string;
  readonly accountId: number;
  /** The connection of a connection key, else null. */
  readonly connectionId: number | null;
}

/** The position in the input file of a check. */
export interface InputPoint {
  readonly records: number;
  /** Hash of all data read so far, header included. */
  readonly sha256: string;
  /** Hash of the whole file; null if it cannot be read twice. */
  readonly wholeSha256: string | null;
  /** Number of records by result. */
  readonly counts: Readonly<Record<string, number>>;
  /** The value of `records` after the last rewind; missing if there was none. */
  readonly rewoundTo?: number;
}

export type RetryPoint = Pick<Checkpoint, 'input' | 'pages' | 'rows' | 'parts'>;

/** Returns the checkpoint to resume from: the last checkpoint before the first row that must be fetched again. */
export function rewind(checkpoint: Checkpoint): Checkpoint {
  const { retryFrom, ...last } = checkpoint;
  // A sealed file may already have been moved.
  if (retryFrom === undefined || last.parts.some(({ isSealed }) => isSealed)) return checkpoint;
  const { input } = retryFrom;
  return { ...last, ...retryFrom, ...(input === undefined ? {} : { input: { ...input, rewoundTo: input.records } }) };
}

/** The progress of an export. It is written after each page, as a line of JSON next to the output file. */
export interface Checkpoint {
  readonly version: 1;
  /** For example `syncs export`. */
  readonly command: string;
  readonly origin: Origin;
  readonly asked: ContentFlags;
  /** The range with its end fixed at the start; null for checks. */
  readonly range: TimeRange | null;
  /** Only for checks. */
  readonly input?: InputPoint;
  /** Null if all pages have been written. */
  readonly resume: ResumePoint | null;
  /** 0: there is nothing to resume yet. */
  readonly pages: number;
  readonly rows: number;
  /** Unpublished files, newest last; all but the last are sealed. */
  readonly parts: readonly PartState[];
  /** The state before the first row that must be fetched again; missing if there is none. */
  readonly retryFrom?: RetryPoint;
  /** Published files. */
  readonly files: readonly { readonly key: string | null; readonly rows: number }[];
}

export const checkpointPath = (path: string) => siblingPath(path, '.svc-export.json');
export const partialPath = (path: string) => siblingPath(path, '.svc-partial');
/** A Parquet file that is being created from the partial file. */
export const parquetPath = (path: string) => siblingPath(path, '.svc-parquet');

/** @throws CliError if the checkpoint exists and is invalid */
export function readCheckpoint(path: string): Checkpoint | null {
  const file = checkpointPath(path);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new CliError('unreadable', EXIT_CODES.unexpected, `Cannot read ${file}`, null, error);
  }
  // The last complete line. A line that was being written when the process was killed has no line end.
  const lines = text.split('\n').slice(0, -1);
  const value = parse(lines.at(-1) ?? '');
  if (isCheckpoint(value)) return value;
  throw usageError(`${file} is not the state of an export of this version`, 'Start over with --restart.');
}

export type ExportState = Omit<Checkpoint, 'version'>;

export interface CheckpointWriter {
  /** Writes a checkpoint. If the process is killed, either the last or this checkpoint is valid. */
  write(state: ExportState): void;
  remove(): void;
}

/** Longer files are replaced by a new file. */
const LOG_MAX_BYTES = 256 * 1024;

/**
 * Opens the checkpoint file. Checkpoints are appended as lines, because replacing a file after each page makes some file
 * systems wait for the disk.
 *
 * @param from the checkpoint to resume from; null for a new export
 */
export function openCheckpoints(path: string, from: Checkpoint | null, state: ExportState): CheckpointWriter {
  const file = checkpointPath(path);
  const next = siblingPath(path, '.svc-export.new');
  let handle: number;
  let length = 0;

  function begin(place: string, begun: ExportState): void {
    handle = openSync(place, 'wx', 0o600);
    length = 0;
    append(begun);
  }
  function append(current: ExportState): void {
    const checkpoint: Checkpoint = { version: 1, ...current };
    const line = Buffer.from(`${JSON.stringify(checkpoint)}\n`);
    // Writes at a fixed position to overwrite the rest of a failed write.
    for (let done = 0; done < line.length; ) done += writeSync(handle, line, done, line.length - done, length + done);
    length += line.length;
  }
  function replace(current: ExportState): void {
    try {
      rmSync(next, { force: true });
      begin(next, current);
      renameSync(next, file);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
  }
  try {
    if (from === null) begin(file, state);
    else replace(state);
  } catch (error) {
    throw toWriteError(error, path);
  }
  return {
    write(current) {
      try {
        if (length < LOG_MAX_BYTES) return append(current);
        closeSync(handle);
        replace(current);
      } catch (error) {
        throw toWriteError(error, file);
      }
    },
    remove() {
      closeSync(handle);
      removeCheckpoint(path);
    },
  };
}

export function removeCheckpoint(path: string): void {
  rmSync(checkpointPath(path), { force: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCheckpoint(value: unknown): value is Checkpoint {
  return (
    isRecord(value) &&
    value.version === 1 &&
    typeof value.command === 'string' &&
    isRecord(value.origin) &&
    typeof value.origin.baseUrl === 'string' &&
    isRecord(value.asked) &&
    (value.range === null || isRange(value.range)) &&
    (value.resume === null || isRecord(value.resume)) &&
    Array.isArray(value.files) &&
    isRetryPoint(value) &&
    (value.retryFrom === undefined || (isRecord(value.retryFrom) && isRetryPoint(value.retryFrom)))
  );
}

function isRetryPoint(value: Record<string, unknown>): boolean {
  return (
    (value.input === undefined || isInputPoint(value.input)) &&
    isCount(value.pages) &&
    isCount(value.rows) &&
    Array.isArray(value.parts) &&
    value.parts.every((part) => isRecord(part) && isCount(part.bytes) && isCount(part.rows) && isCount(part.crc))
  );
}

function isRange(value: unknown): boolean {
  return isRecord(value) && typeof value.from === 'string' && typeof value.to === 'string';
}

function isInputPoint(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value.records) &&
    typeof value.sha256 === 'string' &&
    (value.wholeSha256 === null || typeof value.wholeSha256 === 'string') &&
    isRecord(value.counts) &&
    Object.values(value.counts).every(isCount) &&
    (value.rewoundTo === undefined || isCount(value.rewoundTo))
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
