/**
 * Where an administrative command does its work: on PostgreSQL in its own process, on the embedded database in the process
 * that has it open, and where nobody has, in its own. A call to a running server loads nothing of the database.
 */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config.ts';
import { AdminError } from '../services/admin/admin-error.ts';
import type { AdminInput, AdminOperationName, AdminResult } from '../services/admin/index.ts';
import { DataDirInUseError, inspectDataDirLock } from '../store/data-dir-lock.ts';
import { hasPgliteDatabase } from '../store/pglite-folder.ts';
import { findSocketPath } from './address.ts';
import { callAdminSocket, NoServerError } from './call.ts';

export const DEFAULT_DATA_DIR = '.svc/data';

/** A server on its way up or down, or another command, has the folder for a moment. */
const BUSY_MS = 30_000;
const LOOK_AGAIN_MS = 200;

/**
 * Does one administrative operation.
 *
 * @throws AdminError, and what opening a database throws: `ConfigError`, `SchemaError`, `DatabaseUnavailableError`
 */
export async function executeAdmin<Name extends AdminOperationName>(
  config: Config,
  name: Name,
  input: AdminInput<Name>,
): Promise<AdminResult<Name>> {
  const dataDir = config.dataDir ?? DEFAULT_DATA_DIR;
  const directly = async () => {
    const { executeDirectly } = await import('./directly.ts');
    return executeDirectly(config, dataDir, name, input);
  };
  const result = await (config.databaseUrl === undefined
    ? whereTheFolderIsOpen(dataDir, { ask: (socket) => callAdminSocket(socket, name, input), directly })
    : directly());
  // The table of operations pairs each name with its result; a call by name has lost that.
  return result as AdminResult<Name>;
}

/**
 * Asks the server that has the folder open, or works directly where nobody has. Somebody who has it and does not listen is
 * waited for, at most `busyMs`.
 */
export async function whereTheFolderIsOpen(
  dataDir: string,
  ways: { ask: (socketPath: string) => Promise<object>; directly: () => Promise<object> },
  busyMs = BUSY_MS,
): Promise<object> {
  const givesUpAt = performance.now() + busyMs;
  for (;;) {
    const socketPath = await findSocketPath(dataDir);
    if (socketPath !== null) await assertSocketOfOwner(dataDir, socketPath);
    const answer = socketPath === null ? null : await ways.ask(socketPath).catch(nullWithoutServer);
    if (answer !== null) return answer;
    try {
      await assertDatabaseIn(dataDir);
      return await ways.directly();
    } catch (error) {
      if (!(error instanceof DataDirInUseError)) throw error;
      if (performance.now() >= givesUpAt) throw unreachable(dataDir, error);
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

/**
 * A command sends tokens, so it talks to the server of the folder's owner only; whoever could write to the folder may have left a
 * socket of his own there.
 *
 * @throws ConfigError
 */
async function assertSocketOfOwner(dataDir: string, socketPath: string): Promise<void> {
  const user = process.geteuid?.();
  const [folder, socket] = [await lookAt(dataDir), await lookAt(socketPath)];
  if (user === undefined || folder === null || socket === null) return;
  // Root administers the folders of others.
  if (socket.uid === folder.uid && (socket.uid === user || user === 0)) return;
  throw new ConfigError(
    `The socket ${socketPath} belongs to user ${socket.uid}, its folder to user ${folder.uid}, and this is user ${user}: nothing was sent. Run the command as the user of svc-server; remove a socket that svc-server did not make.`,
  );
}

function lookAt(file: string): Promise<Stats | null> {
  return stat(file).catch(() => null);
}

/** Nothing was done then, so the database may be opened here. */
function nullWithoutServer(error: unknown): null {
  if (error instanceof NoServerError) return null;
  throw error;
}

/** A folder that was mistyped must not become an empty database. */
async function assertDatabaseIn(dataDir: string): Promise<void> {
  if (hasPgliteDatabase(dataDir)) return;
  const lock = await inspectDataDirLock(dataDir);
  if (lock.state === 'held') throw new DataDirInUseError(`The data directory ${dataDir} is being made.`);
  throw new AdminError(
    'no_database',
    `There is no database in ${dataDir}: svc-server migrate makes one, and so does start. For another folder give --data-dir, for PostgreSQL set DATABASE_URL.`,
  );
}

function unreachable(dataDir: string, error: DataDirInUseError): Error {
  return new AdminError(
    'server_unavailable',
    `${error.message} It does not listen for commands in ${dataDir}: the log of a server says why.`,
  );
}
