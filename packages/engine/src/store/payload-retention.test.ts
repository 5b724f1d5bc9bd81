import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from './database/db.ts';
import { dropOldPayloads } from './payload-retention.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const at = (hours: number) => new Date(START + hours * 3_600_000);

describe.each(backends)('received payloads on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('are deleted by age', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });
    beforeEach(async () => {
      await db.query('truncate accounts, requests, service_meta restart identity cascade');
      await db.query(
        `insert into accounts (id, email, can_use_webhooks, created_at) values (1, 'a@example.com', true, $1)`,
        [at(0)],
      );
    });

    /** Inserts one receipt per hour. */
    const receive = (count: number) =>
      db.query(
        `insert into requests (account_id, path, headers, body, created_at)
          select 1, 'code', '{"user-agent": "x"}', 'secret'::bytea, $1::timestamptz + i * interval '1 hour'
          from generate_series(0, $2 - 1) i`,
        [at(0), count],
      );
    const kept = async () =>
      (await db.query<{ kept: number; all: number }>(`select count(body) as kept, count(*) as all from requests`))
        .rows[0];

    test('deletes payloads and headers before the instant and keeps receipts', async () => {
      await receive(10);
      expect(await dropOldPayloads(db, at(4))).toBe(4);
      expect(await kept()).toEqual({ kept: 6, all: 10 });
      const { rows } = await db.query('select id from requests where headers = $1 order by id', ['{}']);
      expect(rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    });

    test('works in batches and reads no row twice', async () => {
      await receive(1_300);
      expect(await dropOldPayloads(db, at(1_201))).toBe(1_201);
      expect(await dropOldPayloads(db, at(1_201))).toBe(0);
      await db.query(`update requests set body = 'again' where id = 1`);
      expect(await dropOldPayloads(db, at(1_250))).toBe(49);
      expect(await kept()).toEqual({ kept: 51, all: 1_300 });
    });

    test('does nothing when nothing is old enough', async () => {
      expect(await dropOldPayloads(db, at(4))).toBe(0);
      await receive(2);
      expect(await dropOldPayloads(db, at(-1))).toBe(0);
      expect(await kept()).toEqual({ kept: 2, all: 2 });
    });
  });
});
