/**
 * Chooses where an administrative command runs: with PostgreSQL, in its own process; with the embedded database, in the
 * server that has it open, or else in its own process. A call to a running server does not load database code.
 */
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '@svc/engine/config/config';
import { AdminError } from '@svc/operations/implemented/admin-error';
import type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/declared/index';
import { DataDirInUseError, inspectDataDirLock } from '@svc/engine/store/database/data-dir-lock';
import { assertRestored, hasPgliteDatabase } from '@svc/engine/store/database/pglite-folder';
import { findSocketPath } from './socket/address.ts';
import { callAdminSocket, NoServerError } from './socket/socket-client.ts';

export const DEFAULT_DATA_DIR = '.svc/data';

/** How long to wait while a starting or stopping server, or another command, holds the folder. */
const BUSY_MS = 30_000;
const RETRY_MS = 200;

/**
 * Runs one administrative operation.
 *
 * @throws AdminError, and the errors of opening a database: `ConfigError`, `SchemaError`, `DatabaseUnavailableError`
 */
export async function executeAdmin<Name extends AdminOperationName>(
  config: Config,
  name: Name,
  input: AdminInput<Name>,
): Promise<AdminResult<Name>> {
  const dataDir = config.dataDir ?? DEFAULT_DATA_DIR;
  const runHere = async () => {
    const { runInProcess } = await import('./run-in-process.ts');
    return runInProcess(config, dataDir, name, input);
  };
  if (config.databaseUrl !== undefined) return runHere();
  const callServer = (socketPath: string) => callAdminSocket(socketPath, name, input);
  // A server of the same version gives the result that the declaration names.
  return (await runWithDataDirOwner(dataDir, { callServer, runHere })) as AdminResult<Name>;
}

/**
 * Calls the server that has the folder open, or runs in process when none has. Waits up to `busyMs` for a process that
 * holds the folder without listening.
 */
export async function runWithDataDirOwner(
  dataDir: string,
  ways: { callServer: (socketPath: string) => Promise<object>; runHere: () => Promise<object> },
  busyMs = BUSY_MS,
): Promise<object> {
  const givesUpAt = performance.now() + busyMs;
  for (;;) {
    const socketPath = await findSocketPath(dataDir);
    if (socketPath !== null) await assertSocketOfOwner(dataDir, socketPath);
    const answer = socketPath === null ? null : await ways.callServer(socketPath).catch(nullWithoutServer);
    if (answer !== null) return answer;
    try {
      await assertDatabaseIn(dataDir);
      return await ways.runHere();
    } catch (error) {
      if (!(error instanceof DataDirInUseError)) throw error;
      if (performance.now() >= givesUpAt) throw unreachable(dataDir, error);
    }
    await sleep(RETRY_MS);
  }
}

/**
 * Commands send tokens, so they connect only to a server of the folder's owner: another user who can write to the
 * folder may have put a socket there.
 *
 * @throws ConfigError
 */
async function assertSocketOfOwner(dataDir: string, socketPath: string): Promise<void> {
  const user = process.geteuid?.();
  const [folder, socket] = await Promise.all([dataDir, socketPath].map((file) => stat(file).catch(() => null)));
  if (user === undefined || !folder || !socket) return;
  // Root administers the folders of others.
  if (socket.uid === folder.uid && (socket.uid === user || user === 0)) return;
  throw new ConfigError(
    `The socket ${socketPath} belongs to user ${socket.uid}, its folder to user ${folder.uid}, and this is user ${user}: nothing was sent. Run the command as the user of svc-server, and remove a socket that svc-server did not create.`,
  );
}

/** Without a server nothing was done, so the database may be opened here. */
function nullWithoutServer(error: unknown): null {
  if (error instanceof NoServerError) return null;
  throw error;
}

/** Prevents a mistyped folder from becoming an empty database. */
async function assertDatabaseIn(dataDir: string): Promise<void> {
  assertRestored(dataDir);
  if (hasPgliteDatabase(dataDir)) return;
  const lock = await inspectDataDirLock(dataDir);
  if (lock.state === 'held') throw new DataDirInUseError(`The data directory ${dataDir} is being created.`);
  throw new AdminError(
    'no_database',
    `There is no database in ${dataDir}: svc-server migrate or start creates one. For another folder use --data-dir, for PostgreSQL set DATABASE_URL.`,
  );
}

function unreachable(dataDir: string, error: DataDirInUseError): Error {
  return new AdminError(
    'server_unavailable',
    `${error.message} It does not listen for commands in ${dataDir}: if it is a server, its log says why.`,
  );
}
