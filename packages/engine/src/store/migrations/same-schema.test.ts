/**
 * A database that was made anew and one that was upgraded have the same schema, down to the order of columns; of the embedded database,
 * `stored-databases.long.test.ts` shows it.
 */
import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { postgresBackend } from '../../../test/support/backends.ts';
import { dumpSchema, readSchema } from '../../../test/support/database-schema.ts';
import { listStoredDatabases, openStoredSchema, STORED_SCHEMAS } from '../../../test/support/stored-databases.ts';
import type { Database } from '../database/db.ts';
import { functionsAndTriggers } from '../schema/index.ts';
import { FOLDED_SCHEMA, UPGRADED_SCHEMAS } from './index.ts';
import { installFunctions } from './install-functions.ts';
import { finishMigrating, migrate } from './migrate.ts';

const NOW = new Date('2026-03-15T12:00:00.000Z');

/** SHA-256 of the text of all functions and triggers, by the number of the migration that installs it. */
const INSTALLED = { version: 58, sha256: '9bff03e3fba1dc78d718dd9577161597972ea60f398e5a067a803323a3870c04' };

test('a changed function or trigger has a new number of `installFunctions`', () => {
  const sha256 = createHash('sha256').update(functionsAndTriggers.join('')).digest('hex');
  // Did you change a file of store/schema/functions? Give `installFunctions` the next free number, and write both here.
  expect({ version: installFunctions.version, sha256 }).toEqual(INSTALLED);
});

test('there is a stored database of each schema that is upgraded', () => {
  expect(Object.keys(STORED_SCHEMAS).map(Number)).toEqual([...UPGRADED_SCHEMAS, FOLDED_SCHEMA]);
  expect(Object.values(STORED_SCHEMAS)).toEqual(listStoredDatabases());
});

test.skipIf(!postgresBackend.isAvailable)(
  'each stored database gets the schema of a new one',
  async () => {
    const read = async (opened: Promise<Database>) => {
      const db = await opened;
      onTestFinished(() => db.close());
      await migrate(db, NOW);
      await finishMigrating(db, () => NOW, { isForced: true });
      return { schema: await readSchema(db), dump: await dumpSchema(db) };
    };
    const fresh = await read(postgresBackend.openBlank());
    expect(Object.keys(fresh.schema).length).toBeGreaterThan(500);
    for (const name of listStoredDatabases()) {
      expect({ name, ...(await read(openStoredSchema(postgresBackend, name))) }).toEqual({ name, ...fresh });
    }
  },
  180_000,
);
