import { closeSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { guardWrite } from '../../errors/write-error.ts';
import type { RowEncoder } from '../../format/row-encoder.ts';
import { findTarget, NEW_FILE_MODE, type Target } from './file-target.ts';
import { type PartState, partialPath } from './checkpoint.ts';
import { createGzipPages } from './gzip-pages.ts';
import { writeFully } from './row-sink.ts';

/** A partial file. */
export interface PartFile {
  readonly state: PartState;
  write(rows: readonly unknown[]): Promise<void>;
  /** Completes the file and syncs it to the disk. */
  seal(): Promise<void>;
  /** Closes the file after a failure; ignores errors. */
  close(): Promise<void>;
}

export interface PartOptions {
  readonly key: string | null;
  /** The path of the final file. */
  readonly path: string;
  readonly isPacked: boolean;
  /** The state to resume from; null for a new file. */
  readonly from: PartState | null;
  /** Creates the encoder of a file that already contains `rowsBefore` rows. */
  readonly createEncoder: (rowsBefore: number) => RowEncoder;
}

/** @throws CliError if the path cannot be written, or if the partial file is lost or damaged */
export async function openPart({ key, path, isPacked, from, createEncoder }: PartOptions): Promise<PartFile> {
  const target = await guardWrite(path, () => findTarget(path));
  const file = from === null ? await createPart(path, target) : await reopenPart(path, target, from.bytes);
  const encoder = createEncoder(from?.rows ?? 0);
  const gzip = isPacked ? createGzipPages(from !== null && from.bytes > 0 ? from : null) : null;
  let { rows, bytes, isSealed } = from ?? { rows: 0, bytes: 0, isSealed: false };
  let start = bytes === 0 ? encoder.begin() : '';

  async function append(text: string): Promise<void> {
    const piece = Buffer.from(text);
    await writeBytes(gzip === null ? piece : await gzip.encode(piece));
  }
  async function writeBytes(piece: Buffer): Promise<void> {
    await guardWrite(path, () => writeFully(file, piece, bytes));
    bytes += piece.length;
  }
  return {
    get state() {
      return { key, rows, bytes, isSealed, ...(gzip?.state ?? { crc: 0, size: 0 }) };
    },
    async write(page) {
      const text = start + encoder.encode(page);
      start = '';
      if (text !== '') await append(text);
      rows += page.length;
    },
    async seal() {
      if (!isSealed) {
        const text = start + encoder.end();
        if (text !== '') await append(text);
        if (gzip !== null) await writeBytes(gzip.end());
        isSealed = true;
      }
      await guardWrite(path, async () => {
        await file.sync();
        await file.close();
      });
    },
    close: () => file.close().catch(() => {}),
  };
}

async function createPart(path: string, target: Target): Promise<FileHandle> {
  const partial = partialPath(target.path);
  // Synchronous, so that no signal handler can run before the file exists. `wx` never follows a link that somebody planted.
  await guardWrite(path, async () => {
    rmSync(partial, { force: true });
    closeSync(openSync(partial, 'wx', target.mode ?? NEW_FILE_MODE));
  });
  const file = await guardWrite(path, () => open(partial, 'r+'));
  // The umask has reduced the mode that was passed to `open`.
  if (target.mode !== null) await guardWrite(path, () => file.chmod(target.mode ?? NEW_FILE_MODE));
  return file;
}

/** Opens the partial file and truncates data that was written after the checkpoint. */
async function reopenPart(path: string, target: Target, bytes: number): Promise<FileHandle> {
  const partial = partialPath(target.path);
  const length = await findLength(partial);
  if (length === null || length < bytes) throw lostError(partial);
  const file = await guardWrite(path, () => open(partial, 'r+'));
  await guardWrite(path, () => file.truncate(bytes));
  return file;
}

/** Moves a sealed file to its final path. Succeeds if that was done before the process was killed. */
export async function publishPart(path: string, part: PartState): Promise<void> {
  const target = await guardWrite(path, () => findTarget(path));
  const partial = partialPath(target.path);
  const length = await findLength(partial);
  if (length === null && (await findLength(target.path)) === part.bytes) return;
  if (length !== part.bytes) throw lostError(partial);
  await guardWrite(path, () => rename(partial, target.path));
}

/** Returns the length in bytes; null if the file does not exist. */
export async function findLength(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? null;
}

export function lostError(partial: string): CliError {
  const hint = 'Start over with --restart.';
  return new CliError('partial_lost', EXIT_CODES.unexpected, `${partial} is missing or shorter than expected`, hint);
}

export async function removePart(path: string): Promise<void> {
  await rm(partialPath((await findTarget(path)).path), { force: true });
}
