import type { Logger } from 'pino';
import { type Config, ConfigError } from '../../config/config.ts';
import { type Database, isEncryptionError } from './db.ts';
import { assertSchemaCurrent, connectionName, migrate } from '../migrations/migrate.ts';
import { makePrivateFolder } from './private-folder.ts';

/**
 * Opens the configured database, or the embedded one in `dataDir`, and migrates it.
 *
 * @param assertUsable asked about the folder of the embedded one, once it is locked. Default: it is usable
 */
export async function openDatabase(
  config: Config,
  dataDir: string,
  log: Logger,
  assertUsable?: () => Promise<void>,
): Promise<Database> {
  return prepare(await open(config, dataDir, log, assertUsable), async (db) => {
    const applied = await migrate(db, new Date());
    if (applied.length > 0) log.info({ versions: applied }, 'the database schema was brought up to date');
  });
}

/**
 * Opens a database with this release's schema, without changing it.
 *
 * @throws SchemaError when it has another schema
 */
export async function openCurrentDatabase(config: Config, dataDir: string, log: Logger): Promise<Database> {
  return prepare(await open(config, dataDir, log), assertSchemaCurrent);
}

/** Opens the database whatever its schema, and even if it does not answer. */
export function openAnyDatabase(config: Config, dataDir: string, log: Logger): Promise<Database> {
  return open(config, dataDir, log);
}

async function prepare(db: Database, run: (db: Database) => Promise<void>): Promise<Database> {
  try {
    await run(db).catch(explain);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Errors that the user can fix in `DATABASE_URL`: a wrong name, user or password, or a missing permission. */
const FIXABLE_SQLSTATES = new Set(['3D000', '28P01', '28000', '42501']);

function explain(error: unknown): never {
  if (error instanceof Error && 'code' in error && FIXABLE_SQLSTATES.has(String(error.code))) {
    throw new ConfigError(`DATABASE_URL cannot be used: ${error.message}. Check its database, user and password.`);
  }
  if (error instanceof Error && isEncryptionError(error.cause)) {
    const [what] = error.cause.message.split(';');
    throw new ConfigError(
      `DATABASE_URL cannot be used: ${what}. With encryption, PostgreSQL needs ssl = on, and the URL ends with ?sslmode=verify-full&sslrootcert=FILE, which names the certificate of its authority.`,
    );
  }
  throw error;
}

const POOLER =
  'the database is reached through a connection pooler, so workers learn of new jobs by asking once a second, and commands do not see that this server runs: set DATABASE_DIRECT_URL to the address of the database itself';

/** Loads only the used backend, because each is a large part of the startup time. */
async function open(
  config: Config,
  dataDir: string,
  log: Logger,
  assertUsable?: () => Promise<void>,
): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(config.databaseUrl, {
      name: connectionName(),
      directUrl: config.databaseDirectUrl,
      maxConnections: config.databaseConnections,
      onPooler: () => log.warn(POOLER),
      onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    });
  }
  if (await makePrivateFolder(dataDir)) {
    log.warn(
      { dataDir },
      'other users could enter the data directory, which is closed to them now: if this machine has other users, rotate the API keys and replace the tokens in it',
    );
  }
  const { openPglite } = await import('./pglite.ts');
  return openPglite(dataDir, assertUsable);
}
