/**
 * Where the socket to a running server is: `admin.sock` in its data directory. The kernel takes short paths only, so the
 * server of a folder with a long one makes a folder of its own among the temporary files and writes down where.
 */
import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const SOCKET_NAME = 'admin.sock';
const RECORD_NAME = 'admin.json';
const TEMPORARY_PREFIX = 'svc-admin-';
/** `sun_path` less its final NUL. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;

const record = z.object({ socket: z.string().min(1) });

/**
 * A place for the socket of a server that holds the data directory. What an earlier server left behind is removed: the lock
 * says that it is gone.
 *
 * @returns null when no path here is short enough
 */
export async function makeSocketPath(dataDir: string): Promise<string | null> {
  await removeSocketPath(dataDir);
  const inDataDir = path.resolve(dataDir, SOCKET_NAME);
  if (fits(inDataDir)) return inDataDir;
  const folder = path.join(os.tmpdir(), TEMPORARY_PREFIX);
  if (!fits(path.join(`${folder}123456`, SOCKET_NAME))) return null;
  // Made for its owner alone, whatever the umask.
  const socket = path.join(await mkdtemp(folder), SOCKET_NAME);
  await writeFile(path.resolve(dataDir, RECORD_NAME), `${JSON.stringify({ socket })}\n`, { mode: 0o600 });
  return socket;
}

/** Removes the socket, its record, and the folder that was made for it. */
export async function removeSocketPath(dataDir: string): Promise<void> {
  await rm(path.resolve(dataDir, SOCKET_NAME), { force: true });
  const recorded = await readRecord(dataDir);
  if (recorded !== null) await rm(path.dirname(recorded), { recursive: true, force: true });
  await rm(path.resolve(dataDir, RECORD_NAME), { force: true });
}

/** Where a server of this folder would listen, whether or not one does; null when nothing says where. */
export async function findSocketPath(dataDir: string): Promise<string | null> {
  const inDataDir = path.resolve(dataDir, SOCKET_NAME);
  return fits(inDataDir) ? inDataDir : readRecord(dataDir);
}

/**
 * The recorded path, if it is one of ours: among temporary files anybody can make a folder, and the next command would tell
 * its owner a CRM token. So the folder must belong to whoever wrote the record, and be closed to all others.
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

function fits(socketPath: string): boolean {
  return Buffer.byteLength(socketPath) <= SOCKET_PATH_BYTES_MAX;
}
