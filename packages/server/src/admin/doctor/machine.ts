/** The doctor's checks of this machine and shell. */
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { inspectEnvironment } from '@svc/engine/config/config';
import type { UnknownVariable } from '@svc/engine/config/unknown-variables';
import { keyFileOf } from '@svc/engine/secrets/key-material';
import { findOrigin } from '@svc/engine/store/database/data-dir-home';
import { inspectDataDirLock } from '@svc/engine/store/database/data-dir-lock';
import { assertRestored, hasPgliteDatabase } from '@svc/engine/store/database/pglite-folder';
import { findFolderProblem, type FolderProblem } from '@svc/engine/store/database/private-folder';
import { type Check, fail, messageOf, pass, warn } from '@svc/operations/doctor/check';

const FREE_BYTES_WARN = 1024 ** 3;
const FREE_BYTES_FAIL = 100 * 1024 ** 2;

export function checkConfiguration({ problems, unknown }: ReturnType<typeof inspectEnvironment>): Check[] {
  const name = 'configuration';
  const checks = [
    ...problems.map(({ variable, message }) => fail(name, `${variable} ${message}`, `Correct or unset ${variable}.`)),
    ...unknown.map((one) => warn(name, `${one.variable} is set, but svc-server has no such variable`, toFix(one))),
  ];
  return checks.length > 0 ? checks : [pass(name, 'all variables are valid')];
}

function toFix({ variable, nearest }: UnknownVariable): string {
  return nearest === null
    ? 'Check its spelling; svc-server help environment lists all variables.'
    : `Did you mean ${nearest}? Rename or unset ${variable}.`;
}

/** @param engines the range in package.json, such as `>=22.19` */
export function checkNode(version: string, engines: string): Check {
  const [major = 0, minor = 0] = numbersOf(version);
  const [neededMajor = 0, neededMinor = 0] = numbersOf(engines);
  const isNew = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  if (isNew) return pass('Node', `version ${version}`);
  return fail('Node', `version ${version}`, `Install Node ${neededMajor}.${neededMinor} or newer.`);
}

function numbersOf(version: string): number[] {
  return version
    .replace(/^[^\d]*/, '')
    .split('.')
    .map(Number);
}

/** Checks folder, free space and lock holder. A missing folder is no failure: the first start creates it. */
export async function checkDataDir(
  dataDir: string,
  readFreeBytes: (folder: string) => Promise<number> = freeBytes,
): Promise<Check[]> {
  const name = 'data directory';
  const folder = path.resolve(dataDir);
  const found = await stat(folder).catch(() => null);
  if (found === null) return [warn(name, `${folder} does not exist yet`, 'svc-server start or migrate creates it.')];
  const fix = 'Make it a folder that the user of svc-server may write to, or name another with --data-dir.';
  if (!found.isDirectory()) return [fail(name, `${folder} is not a folder`, fix)];
  const problem = await findFolderProblem(folder);
  const isWritable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return [fail(name, `${folder} cannot be written to by this user`, fix)];
  return [
    checkSpace(folder, await readFreeBytes(folder)),
    ...(problem === null ? [] : [checkPrivacy(problem)]),
    ...(await checkKeyFile(folder)),
    ...checkRestore(folder),
    ...(await checkOrigin(folder)),
    await checkLock(folder),
  ];
}

/** A folder of another user is fine only when root checks that user's server. */
function checkPrivacy({ kind, message, fix }: FolderProblem): Check {
  if (kind === 'foreign') return warn('data directory', message, fix);
  return fail(
    'data directory',
    message,
    kind === 'open' ? `${fix}; the next start does this too. Other users may know its keys and tokens.` : fix,
  );
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function checkSpace(folder: string, bytes: number): Check {
  const message = `${folder} is writable, ${formatBytes(bytes)} free`;
  const fix = 'Free some space: the service cannot write to a full disk.';
  if (bytes < FREE_BYTES_FAIL) return fail('data directory', message, fix);
  return bytes < FREE_BYTES_WARN ? warn('data directory', message, fix) : pass('data directory', message);
}

/** The key decrypts every stored token, so only its owner may read it. */
async function checkKeyFile(folder: string): Promise<Check[]> {
  const file = keyFileOf(folder);
  const found = await stat(file).catch(() => null);
  if (found === null || (found.mode & 0o077) === 0) return [];
  return [warn('data directory', `${file} can be read by other users`, `chmod 600 ${file}`)];
}

function checkRestore(folder: string): Check[] {
  try {
    assertRestored(folder);
    return [];
  } catch (error) {
    return [fail('data directory', messageOf(error), 'svc-server start refuses this folder until then.')];
  }
}

/** A restored or copied folder, which `start` refuses until somebody says that it is the only one in use. */
async function checkOrigin(folder: string): Promise<Check[]> {
  const origin = await findOrigin(folder);
  if (origin === null) return [];
  const fix = `If no server uses ${origin} any more: svc-server start --accept-copy --data-dir ${folder}`;
  return [warn('data directory', `${folder} is a copy of ${origin}, and two servers must not use both`, fix)];
}

async function checkLock(folder: string): Promise<Check> {
  const name = 'lock';
  const lock = await inspectDataDirLock(folder);
  switch (lock.state) {
    case 'free':
      return pass(name, hasPgliteDatabase(folder) ? 'no server has the folder open' : 'free, without a database yet');
    case 'held':
      return pass(name, `process ${lock.pid} has the folder open`);
    case 'stale':
      return pass(name, `process ${lock.pid} had the folder open and is gone; the next start takes over`);
    case 'copied':
      return warn(
        name,
        `the folder was copied while process ${lock.pid} had ${lock.original} open, so its database may be damaged`,
        'Copy the folder again while no server has it open.',
      );
    case 'elsewhere':
      return warn(
        name,
        `process ${lock.pid} of another container or machine has or had the folder open`,
        'Run commands where that server runs; after a crash the next start takes over.',
      );
  }
}

function formatBytes(bytes: number): string {
  return bytes < 1024 ** 3 ? `${Math.round(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
