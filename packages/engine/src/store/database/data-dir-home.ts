/**
 * Remembers where a data directory is at home. Two servers on copies of one would both run the jobs that were pending
 * when it was copied: the same events would be forwarded, and pushed to block lists, twice.
 */
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';

const HOME_FILE = 'svc-server.home';

interface Home {
  path: string;
  /** Inode of the file itself: a copy has another one, a renamed or remounted folder has the same. */
  inode: string;
  /** The folder was restored from a backup, and nobody has said yet that the original is not in use. */
  isRestored?: true;
}

/**
 * Returns the path of the folder that this one is a copy of; null when it is at home, was renamed, or is new. A copy in
 * the same place counts as the original, unless `svc-server restore` made it.
 */
export async function findOrigin(dataDir: string): Promise<string | null> {
  const file = path.join(dataDir, HOME_FILE);
  const home = parseHome(await readFile(file, 'utf8').catch(() => ''));
  if (home?.isRestored === true) return home.path;
  if (home === null || home.path === (await realpath(dataDir))) return null;
  const { ino } = await stat(file, { bigint: true });
  return home.inode === String(ino) ? null : home.path;
}

/** Makes this place the home of the folder. */
export async function settleDataDir(dataDir: string): Promise<void> {
  const here = await realpath(dataDir);
  await writeHome(dataDir, (inode) => ({ path: here, inode }));
}

/** Makes the folder a copy that `findOrigin` names until `settleDataDir`, wherever it is. */
export function markAsCopy(dataDir: string, origin: string): Promise<void> {
  return writeHome(dataDir, (inode) => ({ path: origin, inode, isRestored: true }));
}

async function writeHome(dataDir: string, homeOf: (inode: string) => Home): Promise<void> {
  const file = path.join(dataDir, HOME_FILE);
  const draft = `${file}.draft-${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    const { ino } = await handle.stat({ bigint: true });
    await handle.writeFile(`${JSON.stringify(homeOf(String(ino)))}\n`);
  } finally {
    await handle.close();
  }
  try {
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function parseHome(text: string): Home | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const { path: folder, inode, isRestored } = Object.fromEntries(Object.entries(parsed));
    if (typeof folder !== 'string' || typeof inode !== 'string') return null;
    return { path: folder, inode, ...(isRestored === true ? { isRestored } : {}) };
  } catch {
    return null;
  }
}
