/**
 * The file of a backup: `backup.json`, `encryption.key` and the files of the embedded database (`pglite/`) as tar, compressed with zstd,
 * encrypted as `age` does (https://age-encryption.org). So `age --decrypt FILE | tar --extract --zstd` opens it without this program. age
 * authenticates every 64 KiB and marks the last one: a changed or truncated file is refused.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { packTar, type TarSource } from 'modern-tar/fs';
import type { Decrypter, Encrypter } from 'age-encryption';
import type { Manifest } from '@svc/operations/declared/backup';
import * as z from 'zod';

/** A backup cannot be written or read; the message says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const FORMAT = 1;
const MANIFEST = 'backup.json';
export const DATABASE = 'pglite';
export const KEY = 'encryption.key';

const manifestSchema = z.object({
  format: z.int(),
  release: z.string(),
  schema: z.int(),
  createdAt: z.iso.datetime(),
  host: z.string(),
  dataDir: z.string(),
  waitingJobs: z.int(),
  hasKey: z.boolean(),
}) satisfies z.ZodType<Manifest>;

/**
 * Writes a backup.
 *
 * @param file written with mode 0600 if it is new, and flushed to disk
 * @param from the folder with `pglite` and, when `manifest.hasKey`, `encryption.key`
 */
export async function writeArchive(
  file: string,
  {
    from,
    manifest,
    encrypter,
    signal,
  }: { from: string; manifest: Manifest; encrypter: Encrypter; signal: AbortSignal },
): Promise<void> {
  const sources: TarSource[] = [
    { type: 'content', target: MANIFEST, content: `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n` },
    ...(manifest.hasKey ? [{ type: 'file' as const, source: path.join(from, KEY), target: KEY }] : []),
    { type: 'directory', source: path.join(from, DATABASE), target: DATABASE },
  ];
  const compressed = createZstdCompress();
  const packed = pipeline(packTar(sources), compressed, { signal });
  // Its failure is that of the pipeline below, which may come later.
  packed.catch(() => {});
  const encrypted = await encrypter.encrypt(toBytes(compressed));
  const output = createWriteStream(file, { mode: 0o600, flush: true });
  await pipeline(Readable.fromWeb(encrypted as ReadableStream), output, { signal });
  await packed;
}

/** Without this, a power cut could undo what was renamed in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What becomes of the content of a backup. */
export interface Receiver {
  /** Called first; throws to refuse the backup. */
  manifest(manifest: Manifest): void | Promise<void>;
  /** @param name such as `pglite/base`, checked to stay below the folder that it is written to */
  folder(name: string): Promise<void>;
  file(name: string, body: Readable): Promise<void>;
}

/**
 * Reads a whole backup. Only when this function returns is it certain that the file is whole.
 *
 * @throws BackupError when the key does not fit, or the file is damaged or truncated; errors of `receiver` unchanged
 */
export async function readArchive(file: string, decrypter: Decrypter, receiver: Receiver): Promise<Manifest> {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const decrypted = await decrypter.decrypt(toBytes(source)).catch((error: unknown) => {
    source.destroy();
    throw explainKey(file, error);
  });
  const decoder = createTarDecoder();
  const expanded = createZstdDecompress();
  // The tar may end before the file does, but only the end of the file proves that nothing is missing.
  const feeding = Promise.all([
    pipeline(Readable.fromWeb(decrypted as ReadableStream), expanded),
    toBytes(expanded).pipeTo(decoder.writable),
  ]);
  feeding.catch(() => {});
  try {
    const manifest = await takeEntries(file, decoder.readable, receiver);
    await feeding;
    return manifest;
  } catch (error) {
    source.destroy();
    if (error instanceof Error && (isOwn(error) || isOfSystem(error))) throw error;
    throw new BackupError(`${file} is damaged or truncated: nothing was restored from it. Use another backup.`, {
      cause: error,
    });
  }
}

async function takeEntries(
  file: string,
  entries: ReturnType<typeof createTarDecoder>['readable'],
  receiver: Receiver,
): Promise<Manifest> {
  let manifest: Manifest | null = null;
  for await (const { header, body } of entries as unknown as AsyncIterable<{
    header: { name: string; type?: string };
    body: ReadableStream<Uint8Array>;
  }>) {
    const content = Readable.fromWeb(body);
    if (manifest === null) {
      manifest = parseManifest(file, header.name, Buffer.concat(await content.toArray()).toString('utf8'));
      await receiver.manifest(manifest);
    } else if (header.type === 'directory') {
      content.resume();
      await receiver.folder(safeName(file, header.name));
    } else await receiver.file(safeName(file, header.name), content);
  }
  if (manifest === null) throw notABackup(file);
  return manifest;
}

function parseManifest(file: string, name: string, text: string): Manifest {
  if (name !== MANIFEST) throw notABackup(file);
  const parsed = manifestSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw notABackup(file);
  const { format, ...manifest } = parsed.data;
  if (format > FORMAT) {
    throw new BackupError(`${file} was written by a newer release, ${manifest.release}: use that or a newer one.`);
  }
  return manifest;
}

/** Names in the file are not trusted, because anybody can encrypt a file to a public key. */
function safeName(file: string, name: string): string {
  const clean = name.replace(/\/$/, '');
  const isSafe = clean === KEY || /^pglite(\/[\w-][\w.-]*)*$/.test(clean);
  if (!isSafe) throw notABackup(file);
  return clean;
}

function notABackup(file: string): BackupError {
  return new BackupError(`${file} is not a backup of svc-server.`);
}

function explainKey(file: string, error: unknown): Error {
  if (error instanceof Error && isOfSystem(error)) {
    return new BackupError(`${file} cannot be read: ${error.message}`, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return /no identity matched|passphrase|identities/i.test(reason)
    ? new BackupError(`${file} cannot be opened with this passphrase or identity.`, { cause: error })
    : new BackupError(`${file} is not a backup of svc-server, or its beginning is damaged (${reason}).`, {
        cause: error,
      });
}

function toBytes(stream: Readable): globalThis.ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>;
}

/** Refusals of this program, the receiver's included. */
function isOwn(error: Error): boolean {
  return ['BackupError', 'SchemaError', 'ConfigError', 'AdminError'].includes(error.name);
}

function isOfSystem(error: Error): boolean {
  return 'errno' in error && 'syscall' in error;
}
