import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database, Db } from './database/db.ts';
import { listSyncs } from './syncs.ts';

const at = (text: string) => new Date(`${text}Z`);
const FROM = at('2026-02-10T10:00');
const BETWEEN = at('2026-02-10T11:00');
const TO = at('2026-02-10T12:00');
const AFTER = at('2026-02-10T12:00:00.001');
/** Rows of each connection at each instant. */
const ROWS = 5;
const LIMIT = 2;
/** Most rows are of connection 3, so pages of others look below the newest rows of the account. */
const connections = [1, 2, 3, 3, 3, 3, 3, 3];

describe.each(backends)('pages of syncs on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('with several rows at one instant, where the range begins and ends', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      await db.script(`
        insert into accounts (id, email, created_at) values (1, 'a@example.org', '2020-01-01');
        insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
          select id, 1, 'hubspot', id, 'example.org', '2020-01-01' from generate_series(1, 3) id`);
      await db.query(
        `insert into syncs (account_id, connection_id, status, event_type, to_email, platform, created_at)
          select 1, connection_id, case when n % 2 = 0 then 'success' else 'error' end, 'EMAIL_SENT', 'x@example.org', 'smartlead', at
          from generate_series(1, ${ROWS}) n, unnest($1::timestamptz[]) at, unnest($2::bigint[]) connection_id`,
        [[FROM, BETWEEN, TO, AFTER].map((time) => time.toISOString()), connections],
      );
    });
    afterAll(() => db.close());

    /** Returns the ids of all pages, in their order. */
    async function readAll(tx: Db, connectionIds: readonly number[], status?: 'success'): Promise<number[]> {
      const seen: { id: number; createdAt: Date }[] = [];
      for (;;) {
        const filter = { accountId: 1, connectionIds, status };
        const query = { range: { from: FROM, to: TO }, limit: LIMIT, after: seen.at(-1) };
        const page = await listSyncs(tx, filter, query);
        seen.push(...page);
        if (page.length < LIMIT || seen.length > 1_000) return seen.map(({ id }) => id);
      }
    }

    async function expected(tx: Db, connectionIds: readonly number[], status?: 'success'): Promise<number[]> {
      const { rows } = await tx.query<{ id: number }>(
        `select id from syncs where connection_id = any($1) and ($2::text is null or status = $2)
          and created_at between $3 and $4 order by created_at desc, id desc`,
        [connectionIds, status ?? null, FROM, TO],
      );
      return rows.map(({ id }) => id);
    }

    const cases = [[1], [1, 2], [1, 2, 3], [3, 4]].flatMap((ids) => [
      { ids, status: undefined },
      { ids, status: 'success' as const },
    ]);

    test.each(cases)('show each row once: connections $ids, status $status', async ({ ids, status }) => {
      expect(await readAll(db, ids, status)).toEqual(await expected(db, ids, status));
    });

    test.each(cases)(
      'do so without the index of accounts: connections $ids, status $status',
      async ({ ids, status }) => {
        const undone = new Error('undone');
        const reading = db.transaction(async (tx) => {
          await tx.query('drop index syncs_by_account_status');
          expect(await readAll(tx, ids, status)).toEqual(await expected(tx, ids, status));
          throw undone;
        });
        await expect(reading).rejects.toBe(undone);
      },
    );

    test('begin below a cursor of the last instant, and at the end of the range with a later cursor', async () => {
      const filter = { accountId: 1, connectionIds: [1, 2] };
      const all = await expected(db, [1, 2]);
      const page = (createdAt: Date, id: number) =>
        listSyncs(db, filter, { range: { from: FROM, to: TO }, limit: LIMIT, after: { createdAt, id } });
      const [, , third = 0, fourth] = all;
      expect((await page(TO, third)).map(({ id }) => id)[0]).toBe(fourth);
      expect((await page(AFTER, 1)).map(({ id }) => id)).toEqual(all.slice(0, LIMIT));
    });

    test('are whole when rows are removed between two statements', async () => {
      const undone = new Error('undone');
      const reading = db.transaction(async (tx) => {
        let statements = 0;
        const removing: Db = {
          ...tx,
          async query(statement, values) {
            const result = await tx.query<never>(statement, values);
            statements += 1;
            // As when connection 3 is removed.
            if (statements === 1)
              await tx.query('delete from syncs where connection_id = 3 and created_at > $1', [FROM]);
            return result;
          },
        };
        const ids = [1, 4];
        const rows = await listSyncs(
          removing,
          { accountId: 1, connectionIds: ids },
          { range: { from: FROM, to: TO }, limit: 25 },
        );
        expect(statements).toBe(2);
        expect(rows.map(({ id }) => id)).toEqual(await expected(tx, ids));
        throw undone;
      });
      await expect(reading).rejects.toBe(undone);
    });
  });
});
