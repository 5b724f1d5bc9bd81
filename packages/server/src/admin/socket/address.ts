/**
 * The path of the socket to a running server: `admin.sock` in its data directory. The kernel limits the length of such
 * paths, so the server of a folder with a long path creates a temporary folder and records its path.
 */
import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const SOCKET_NAME = 'admin.sock';
const RECORD_NAME = 'admin.json';
const TEMPORARY_PREFIX = 'svc-admin-';
/** Size of `sun_path` without its final NUL. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;

const record = z.object({ socket: z.string().min(1) });

/**
 * Returns the socket path of a server that holds the data directory's lock. Removes what an earlier server left behind,
 * which the lock proves to be gone.
 *
 * @returns null when no path here is short enough
 */
export async function makeSocketPath(dataDir: string): Promise<string | null> {
  await removeSocketPath(dataDir);
  const inDataDir = path.resolve(dataDir, SOCKET_NAME);
  if (isShortEnough(inDataDir)) return inDataDir;
  const folder = path.join(os.tmpdir(), TEMPORARY_PREFIX);
  if (!isShortEnough(path.join(`${folder}123456`, SOCKET_NAME))) return null;
  // Only its owner may enter it, whatever the umask.
  const socket = path.join(await mkdtemp(folder), SOCKET_NAME);
  await writeFile(path.resolve(dataDir, RECORD_NAME), `${JSON.stringify({ socket })}\n`, { mode: 0o600 });
  return socket;
}

/** Removes the socket, its record and its temporary folder. */
export async function removeSocketPath(dataDir: string): Promise<void> {
  await rm(path.resolve(dataDir, SOCKET_NAME), { force: true });
  const recorded = await readRecord(dataDir);
  if (recorded !== null) await rm(path.dirname(recorded), { recursive: true, force: true });
  await rm(path.resolve(dataDir, RECORD_NAME), { force: true });
}

/** Returns where a server of this folder would listen, whether or not it runs; null when no path is recorded. */
export async function findSocketPath(dataDir: string): Promise<string | null> {
  const inDataDir = path.resolve(dataDir, SOCKET_NAME);
  return isShortEnough(inDataDir) ? inDataDir : readRecord(dataDir);
}

/**
 * Returns the recorded path if it is trustworthy. Anybody can create a temporary folder, and the next command would
 * send its owner a CRM token, so the folder must belong to the record's owner and be closed to all others.
 */
async function readRecord(dataDir: string): Promise<string | null> {
  const file = path.resolve(dataDir, RECORD_NAME);
  try {
    const { socket } = record.parse(JSON.parse(await readFile(file, 'utf8')));
    const folder = path.dirname(socket);
    if (!path.basename(folder).startsWith(TEMPORARY_PREFIX) || path.basename(socket) !== SOCKET_NAME) return null;
    const [written, made] = [await lstat(file), await lstat(folder)];
    return made.isDirectory() && made.uid === written.uid && (made.mode & 0o077) === 0 ? socket : null;
  } catch {
    return null;
  }
}

function isShortEnough(socketPath: string): boolean {
  return Buffer.byteLength(socketPath) <= SOCKET_PATH_BYTES_MAX;
}
