/** Whole databases as earlier releases left them (`fixtures/stored-databases`). */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createSecretBox, type SecretBox } from '../../src/secrets/secret-box.ts';
import type { Database } from '../../src/store/database/db.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import type { Backend } from './backends.ts';

const FOLDER = new URL('../../../../fixtures/stored-databases/', import.meta.url);
const ENDING = '.sql.gz';

/** Opens the secrets of every stored database. */
export const STORED_SECRETS: SecretBox = createSecretBox([Buffer.alloc(32, 7).toString('base64')]);

/** Returns the names of the stored databases, the earliest first. */
export function listStoredDatabases(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted();
}

/** Restores a stored database, and brings it up to date as an update of the server does. */
export async function openStoredDatabase(backend: Backend, name: string): Promise<Database> {
  const db = await backend.openBlank();
  await db.script(gunzipSync(readFileSync(new URL(name + ENDING, FOLDER))).toString('utf8'));
  // A dump changes settings of its connection, such as the search path.
  await db.script('reset all');
  await migrate(db, new Date());
  return db;
}
