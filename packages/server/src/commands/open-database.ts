import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import type { Database } from '../store/db.ts';
import { assertSchemaCurrent, migrate } from '../store/migrate.ts';
import { makePrivateFolder } from '../store/private-folder.ts';

/** Opens the configured database, or the embedded one in `dataDir`, and brings its schema up to date. */
export async function openDatabase(config: Config, dataDir: string, log: Logger): Promise<Database> {
  return openAndPrepare(config, dataDir, log, async (db) => {
    const applied = await migrate(db, new Date());
    if (applied.length > 0) log.info({ versions: applied }, 'the database schema was brought up to date');
  });
}

/**
 * Opens a database that has the schema of this release, and leaves the schema alone.
 *
 * @throws SchemaError when it has another
 */
export function openCurrentDatabase(config: Config, dataDir: string, log: Logger): Promise<Database> {
  return openAndPrepare(config, dataDir, log, assertSchemaCurrent);
}

/** Opens the database as it is, whatever its schema, and also when it may not answer. */
export function openAnyDatabase(config: Config, dataDir: string, log: Logger): Promise<Database> {
  return open(config, dataDir, log);
}

async function openAndPrepare(
  config: Config,
  dataDir: string,
  log: Logger,
  prepare: (db: Database) => Promise<void>,
): Promise<Database> {
  const db = await open(config, dataDir, log);
  try {
    await prepare(db).catch(explain);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** What whoever set `DATABASE_URL` can mend: a wrong name, user or password, or a missing right. */
const MENDABLE_SQLSTATES = new Set(['3D000', '28P01', '28000', '42501']);

function explain(error: unknown): never {
  if (error instanceof Error && 'code' in error && MENDABLE_SQLSTATES.has(String(error.code))) {
    throw new ConfigError(`DATABASE_URL cannot be used: ${error.message}. Check its database, user and password.`);
  }
  throw error;
}

/** Only the backend that is used is loaded: each is a large part of the start-up. */
async function open(config: Config, dataDir: string, log: Logger): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('../store/postgres.ts');
    return openPostgres(config.databaseUrl, {
      onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    });
  }
  if (await makePrivateFolder(dataDir)) {
    log.warn(
      { dataDir },
      'other users could enter the data directory, which is closed to them now: if there are any on this machine, rotate the API keys and replace the tokens in it',
    );
  }
  const { openPglite } = await import('../store/pglite.ts');
  return openPglite(dataDir);
}
