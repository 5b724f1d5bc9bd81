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
  await db.script(readStoredDatabase(name));
  await migrate(db, new Date());
  return db;
}

/** Makes a database with the schema of a stored one, and nobody's rows in it. */
export async function openStoredSchema(backend: Backend, name: string): Promise<Database> {
  const db = await backend.openBlank();
  const rows = /^INSERT INTO public\.(?!schema_|migration_|hour_count_state)[^]*?\);$|^SELECT pg_catalog\.setval.*$/gm;
  await db.script(readStoredDatabase(name).replace(rows, ''));
  return db;
}

/** Names of stored databases, by their schema. */
export const STORED_SCHEMAS = { 5: '2026-11-22-7bcd7aa0', 22: '2026-11-23-07cc9cde', 36: '2026-11-26-da7e4172' };

function readStoredDatabase(name: string): string {
  const dump = gunzipSync(readFileSync(new URL(name + ENDING, FOLDER))).toString('utf8');
  // It changes settings of its connection, such as the search path.
  return `${dump}\nreset all;`;
}
