import { materializeWorld } from '@svc/domain/world';
import type { Config } from '../config/config.ts';
import { loadSecretBox } from '../secrets/key-material.ts';
import { createLogger } from '../runtime/logger.ts';
import { findWorldName, loadWorld } from '../world/load-world.ts';
import { openDatabase } from '../store/database/open-database.ts';
import { readWorldFile, WORLD_DATA_DIR } from './start.ts';

/** Brings the schema up to date and exits; `start` does this too. */
export async function migrateCommand(config: Config): Promise<void> {
  const db = await openDatabase(config, config.dataDir ?? '.svc/data', createLogger(config.logLevel));
  await db.close();
  process.stdout.write('The database schema is up to date.\n');
}

/** Loads a world file into a database that is empty or contains an earlier world, and exits. */
export async function worldLoad(config: Config, file: string): Promise<void> {
  const log = createLogger(config.logLevel);
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
