import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from './db.ts';
import { copyEmbeddedDatabase } from './embedded-copy.ts';
import { openPglite } from './pglite.ts';
import { pgliteDirOf } from './pglite-folder.ts';

describe('a copy of the embedded database', () => {
  let dir: string;
  let db: Database;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc copy '));
    db = await openPglite(dir);
  });
  afterAll(async () => {
    await db.close();
    await rm(dir, { recursive: true });
  });
  const copyTo = (name: string, from = db) => copyEmbeddedDatabase(from, pgliteDirOf(dir), path.join(dir, name));

  test('a second one at the same time is refused, and does not disturb the first', async () => {
    const [first, second] = await Promise.allSettled([copyTo('first'), copyTo('second')]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ reason: { message: 'The embedded database is being copied already.' } });
    await copyTo('third');
  });

  test('fails when log of its time was deleted', async () => {
    const disturbed = Object.create(db, {
      query: {
        value: async (text: string) => {
          if (text.includes('pg_backup_stop')) {
            await db.query('create table filled as select n from generate_series(1, 10) as n');
            await db.query('select pg_switch_wal()');
            await db.query('checkpoint');
          }
          return db.query(text);
        },
      },
    });
    await expect(copyTo('copy', disturbed)).rejects.toThrow('The log of the copy is incomplete');
  });
});
