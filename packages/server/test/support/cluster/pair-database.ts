import { type World, materializeWorld } from '@svc/domain/world';
import { pino } from 'pino';
import { readConfig } from '@svc/engine/config/config';
import { createSecretBox } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { openDatabase } from '@svc/engine/store/database/open-database';
import { loadWorld } from '@svc/engine/world/load-world';

/** Opens and migrates the database of `DATABASE_URL`, and loads a world into it. The caller closes it. */
export async function openWorldDatabase(env: Readonly<Record<string, string>>, world: World): Promise<Database> {
  const config = readConfig(env);
  const db = await openDatabase(config, '', pino({ level: 'silent' }));
  const now = new Date();
  await loadWorld({ db, secrets: createSecretBox(config.encryptionKeys ?? []), now }, materializeWorld(world, now));
  return db;
}
