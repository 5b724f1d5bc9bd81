import { materializeWorld } from '@svc/domain/world';
import { type Config, ConfigError } from '@svc/engine/config/config';
import { loadSecretBox } from '@svc/engine/secrets/key-material';
import { createLogger } from '@svc/engine/runtime/logger';
import { loadWorld } from '@svc/engine/world/load-world';
import { findWorldName } from '@svc/engine/world/load-world.sql';
import type { Database } from '@svc/engine/store/database/db';
import { openAnyDatabase, openCurrentDatabase, openDatabase } from '@svc/engine/store/database/open-database';
import { finishMigrating, readSchemaState } from '@svc/engine/store/migrations/migrate';
import { describePlan } from '@svc/engine/store/migrations/plan';
import { readWorldFile, WORLD_DATA_DIR } from './start.ts';

export interface MigrateOptions {
  /** Prints what would run, and changes nothing. */
  plan?: boolean;
  /** Runs the steps that wait until no process of an earlier release is left. */
  finish?: boolean;
  /** With `finish`: although such processes seem to be connected. */
  force?: boolean;
}

/** Brings the schema up to date and exits; `start` does this too, except for the steps of `--finish`. */
export async function migrateCommand(config: Config, { plan, finish, force }: MigrateOptions): Promise<void> {
  if (plan && finish) throw new ConfigError('Give either --plan or --finish.');
  if (force && !finish) throw new ConfigError('--force belongs to --finish.');
  const open = plan ? openAnyDatabase : finish ? openCurrentDatabase : openDatabase;
  const db = await open(config, config.dataDir ?? '.svc/data', createLogger(config));
  try {
    const lines = plan ? await describePlan(db) : finish ? await finishMigrations(db, force) : await describeEnd(db);
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await db.close();
  }
}

async function finishMigrations(db: Database, isForced = false): Promise<string[]> {
  const applied = await finishMigrating(db, () => new Date(), {
    isForced,
    onStep: ({ version }, { name, does }) => process.stdout.write(`${version} ${name}: ${does}\n`),
  });
  return [applied.length === 0 ? 'No step waits.' : 'The migrations are finished.'];
}

async function describeEnd(db: Database): Promise<string[]> {
  const { missing } = await readSchemaState(db);
  if (missing.length === 0) return ['The database schema is up to date.'];
  return [
    'The database schema is up to date for this release.',
    'Once no server of an earlier release runs, finish with: svc-server migrate --finish',
  ];
}

/** Loads a world file into a database that is empty or contains an earlier world, and exits. */
export async function worldLoad(config: Config, file: string): Promise<void> {
  const log = createLogger(config);
  const world = await readWorldFile(file, config.branding);
  const dataDir = config.dataDir ?? WORLD_DATA_DIR;
  const db = await openDatabase(config, dataDir, log);
  try {
    const secrets = await loadSecretBox({
      configuredKeys: config.encryptionKeys,
      dataDir,
      mayGenerate: config.databaseUrl === undefined,
      db: (await findWorldName(db)) === null ? db : null,
    });
    const now = new Date();
    await loadWorld({ db, secrets, now }, materializeWorld(world, now));
  } finally {
    await db.close();
  }
  process.stdout.write(
    `Loaded the world "${world.name}": ${world.connections.length} connections, ${world.syncs.length} syncs.\n`,
  );
}
