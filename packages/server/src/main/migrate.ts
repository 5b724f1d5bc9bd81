import type { Config } from '../config/config.ts';
import { createLogger } from '../runtime/logger.ts';
import { openDatabase } from '../store/database/open-database.ts';

/** Brings the schema up to date and exits; `start` does this too. */
export async function migrateCommand(config: Config): Promise<void> {
  const db = await openDatabase(config, config.dataDir ?? '.svc/data', createLogger(config.logLevel));
  await db.close();
  process.stdout.write('The database schema is up to date.\n');
}
