import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ResumePoint } from '@svc/sdk';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import type { Asked } from './flags.ts';
import { isRecord } from '../../format/fields.ts';
import { toWriteError } from '../../errors/write-error.ts';
import type { TimeRange } from '../../command/time-range.ts';

/** A file of an export as far as a checkpoint vouches for it. */
export interface PartState {
  /** Day or month of a split export; null for its only file. */
  readonly key: string | null;
  readonly rows: number;
  /** Length of the partial file. What lies behind it was written after the checkpoint, and comes again. */
  readonly bytes: number;
  /** Of what a packed file holds: CRC-32 and length, for its end. */
  readonly crc: number;
  readonly size: number;
  /** Complete up to its last byte; it only has to be moved to its place. */
  readonly isSealed: boolean;
}

/** Who was asked: rows of another account must never be appended. */
export interface Origin {
  readonly baseUrl: string;
  readonly accountId: number;
  /** Of a key that sees one connection only. */
  readonly connectionId: number | null;
}

/** How far the file is read whose rows the export is made from. */
export interface InputPoint {
  readonly records: number;
  /** Of all that was read so far, header included. */
  readonly sha256: string;
  /** The same of the whole file; null where it could not be read twice. */
  readonly wholeSha256: string | null;
  /** What became of the records. */
  readonly counts: Readonly<Record<string, number>>;
  /** The `records` that the last rewind went back to; left out where there was none. */
  readonly rewoundTo?: number;
}

export type RetryPoint = Pick<Checkpoint, 'input' | 'pages' | 'rows' | 'parts'>;

/** The checkpoint to go on from, before the first row that has to be asked for again. */
export function rewind(checkpoint: Checkpoint): Checkpoint {
  const { retryFrom, ...last } = checkpoint;
  // A file that is complete may be in its place already.
  if (retryFrom === undefined || last.parts.some(({ isSealed }) => isSealed)) return checkpoint;
  const { input } = retryFrom;
  return { ...last, ...retryFrom, ...(input === undefined ? {} : { input: { ...input, rewoundTo: input.records } }) };
}

/** How far an export has come; written after each page, as a line of JSON beside the file that is to be. */
export interface Checkpoint {
  readonly version: 1;
  /** Such as `syncs export`. */
  readonly command: string;
  readonly origin: Origin;
  readonly asked: Asked;
  /** With the end as it was fixed at the start; null where the rows are not those of a range. */
  readonly range: TimeRange | null;
  /** Only where rows are made from a file. */
  readonly input?: InputPoint;
  /** Null when all pages are there. */
  readonly resume: ResumePoint | null;
  /** 0: nothing is there to go on from, and another process may be about to fetch it. */
  readonly pages: number;
  readonly rows: number;
  /** Files on the way, newest last; all but the last are sealed. */
  readonly parts: readonly PartState[];
  /** How far it had come before the first row that has to be asked for again; left out where there is none. */
  readonly retryFrom?: RetryPoint;
  /** Files in their places. */
  readonly files: readonly { readonly key: string | null; readonly rows: number }[];
  /** Who writes it. */
  readonly pid: number;
  readonly host: string;
}

/** Longest file name that common file systems take, in bytes. */
const NAME_MAX = 255;

/** Names beside a file, for what belongs to it until it is complete. */
function besideFile(path: string, ending: string): string {
  const name = basename(path);
  if (Buffer.byteLength(name + ending) <= NAME_MAX) return path + ending;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  // Each of these characters takes up to four bytes.
  return join(dirname(path), `${name.slice(0, 40)}-${hash}${ending}`);
}

export const checkpointOf = (path: string) => besideFile(path, '.svc-export.json');
export const partialOf = (path: string) => besideFile(path, '.svc-partial');
/** A Parquet file that is being made of the partial one. */
export const parquetOf = (path: string) => besideFile(path, '.svc-parquet');

/** @throws CliError when it is there and cannot be understood */
export function readCheckpoint(path: string): Checkpoint | null {
  const file = checkpointOf(path);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new CliError('unreadable', EXIT_CODES.unexpected, `Cannot read ${file}`, null, error);
  }
  // The last one that is whole. What the process was writing when it was killed has no end of line.
  const lines = text.split('\n').slice(0, -1);
  const value = parse(lines.at(-1) ?? '');
  if (isCheckpoint(value)) return value;
  throw usageError(`${file} is not the state of an export of this version`, 'Start anew with --restart.');
}

export type ExportState = Omit<Checkpoint, 'version' | 'pid' | 'host'>;

/** Where checkpoints are written, one after the other. */
export interface CheckpointWriter {
  /** The last one or this one is read at every moment, whatever ends the process. */
  write(state: ExportState): void;
  remove(): void;
}

/** Longer files are begun anew, in one step. */
const LOG_MAX_BYTES = 256 * 1024;

/**
 * Checkpoints are appended, a line each: moving a file into the place of another has some file systems wait for the disk, which
 * after each page would take longer than the page.
 *
 * @param from what is there to go on with; null for the first checkpoint of an export, which keeps others away from its file
 * @throws CliError (conflict) when another process was faster
 */
export function openCheckpoints(path: string, from: Checkpoint | null, state: ExportState): CheckpointWriter {
  const file = checkpointOf(path);
  const next = besideFile(path, '.svc-export.new');
  let handle: number;
  let length = 0;

  function begin(place: string, begun: ExportState): void {
    handle = openSync(place, 'wx', 0o600);
    length = 0;
    append(begun);
  }
  function append(current: ExportState): void {
    const checkpoint: Checkpoint = { version: 1, ...current, pid: process.pid, host: hostname() };
    const line = Buffer.from(`${JSON.stringify(checkpoint)}\n`);
    // At its place: what a failed write has left must not stand in front of it.
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
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw busyError(path, null);
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
  rmSync(checkpointOf(path), { force: true });
}

export function busyError(path: string, pid: number | null): CliError {
  const who = pid === null ? 'Another process' : `Process ${pid}`;
  return new CliError('busy', EXIT_CODES.conflict, `${who} is exporting to ${path}`, 'Wait for it, or end it first.');
}

/** Whether the process that wrote it still does: only one may write a file. */
export function isBeingWritten({ command, pid, host }: Checkpoint): boolean {
  // In a container, the next process often has the number of the one before.
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  try {
    // The number may belong to another program by now.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(command.replace(/^.* /, ''));
  } catch {
    return true;
  }
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
    isCount(value.pid) &&
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
