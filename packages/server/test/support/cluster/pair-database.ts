import { type World, materializeWorld } from '@svc/domain/world';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import { createSecretBox } from '../../../src/secrets/secret-box.ts';
import type { Database } from '../../../src/store/database/db.ts';
import { openDatabase } from '../../../src/store/database/open-database.ts';
import { loadWorld } from '../../../src/world/load-world.ts';

/** Opens and migrates the database of `DATABASE_URL`, and loads a world into it. The caller closes it. */
export async function openWorldDatabase(env: Readonly<Record<string, string>>, world: World): Promise<Database> {
  const config = readConfig(env);
  const db = await openDatabase(config, '', pino({ level: 'silent' }));
  const now = new Date();
  await loadWorld({ db, secrets: createSecretBox(config.encryptionKeys ?? []), now }, materializeWorld(world, now));
  return db;
}
