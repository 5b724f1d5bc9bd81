import { SYNC_STATUSES, type SyncStatus } from '@svc/contract/vocabulary';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { bothCounts, countUntilDone, insertLog } from '../../test/support/counted-logs.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { Database } from './database/db.ts';
import { COUNTED_LOGS } from './hour-counts.ts';
import { dropMonths, listLateLogs, listPartitions, makeMonths } from './log-months.ts';
import { startMaintenance } from './maintenance.ts';
import { migrate } from './migrations/migrate.ts';
import { LOG_TABLES } from './schema/index.ts';
import { insertNewEvents, listReceiptsToProcess } from './receipts.ts';
import { ANY_TIME } from './row-times.ts';
import { listSyncs } from './syncs.ts';

const at = (text: string) => new Date(`${text}Z`);
const log = pino({ level: 'silent' });

describe.each(backends)('logs by month on $name', ({ isAvailable, openBlank }) => {
  describe.skipIf(!isAvailable)('in their partitions', () => {
    let db: Database;
    beforeAll(async () => {
      db = await openBlank();
      await migrate(db, at('2026-01-01T00:00'));
      await db.script(`
        insert into accounts (id, email, created_at) values (1, 'a@example.org', '2020-01-01');
        insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
          values (1, 1, 'hubspot', '1', 'example.org', '2020-01-01'), (2, 1, 'hubspot', '2', 'example.org', '2020-01-01'),
            (3, 1, 'hubspot', '3', 'example.org', '2020-01-01');
        insert into sources (id, connection_id, platform, path, created_at) values (1, 1, 'smartlead', 'x', '2020-01-01')`);
    });
    beforeEach(async () => {
      await db.script(
        'truncate jobs, requests, syncs, deliveries, events, webhook_deliveries, inbound_events, first_syncs, service_meta',
      );
    });
    afterAll(() => db.close());

    const addSyncs = (times: readonly Date[], connectionId = 1, status: SyncStatus = 'success') =>
      db.query(
        `insert into syncs (account_id, connection_id, source_id, status, event_type, to_email, platform, created_at)
          select 1, $1, 1, $3, 'email_reply', 'lead@example.org', 'smartlead', at from unnest($2::timestamptz[]) at`,
        [connectionId, times.map((time) => time.toISOString()), status],
      );
    const addReceipt = async (time: Date) => {
      const { rows } = await db.query<{ id: number }>(
        `insert into requests (account_id, connection_id, source_id, path, created_at)
          values (1, 1, 1, 'x', $1) returning id`,
        [time],
      );
      return rows[0]?.id ?? 0;
    };
    const partitionOf = async (table: string) =>
      (await db.query<{ name: string }>(`select tableoid::regclass::text as name from ${table} order by id`)).rows.map(
        ({ name }) => name,
      );
    const names = async (table: (typeof LOG_TABLES)[number]) =>
      (await listPartitions(db, table)).map(({ name }) => name);

    // The months that later tests have: earlier, 2026_02 to 2026_08, later.
    test('months are made three ahead; rows of every time have a place, and stay in it when months are added', async () => {
      await addSyncs([at('2019-05-05T00:00'), at('2026-01-10T12:00')]);
      expect(await names('syncs')).toEqual(['syncs_earlier']);
      for (const table of LOG_TABLES) {
        expect(await makeMonths(db, table, at('2026-01-10T12:00'))).toEqual(
          ['02', '03', '04'].map((month) => `${table}_2026_${month}`),
        );
        expect(await makeMonths(db, table, at('2026-01-31T23:59'))).toEqual([]);
      }
      // From a clock that is ahead, and one that was set back.
      await addSyncs([
        at('2026-06-30T23:59:59.999'),
        at('2026-07-01T00:00'),
        at('2031-01-01T00:00'),
        at('2001-01-01T00:00'),
      ]);
      const last = 'syncs_later';
      expect(await partitionOf('syncs')).toEqual(['syncs_earlier', 'syncs_earlier', last, last, last, 'syncs_earlier']);
      expect(await listLateLogs(db, at('2026-03-31T23:59'))).toEqual([]);
      expect(await listLateLogs(db, at('2026-04-01T00:00'))).toContainEqual({
        table: 'requests',
        until: at('2026-05-01T00:00'),
      });
      for (const table of LOG_TABLES) await makeMonths(db, table, at('2026-05-01T00:00'));
      expect(await listLateLogs(db, at('2026-05-01T00:00'))).toEqual([]);
      expect((await partitionOf('syncs')).slice(2, 5)).toEqual(['syncs_2026_06', 'syncs_2026_07', last]);
      expect(await names('syncs')).toEqual([
        'syncs_earlier',
        ...[2, 3, 4, 5, 6, 7, 8].map((month) => `syncs_2026_0${month}`),
        last,
      ]);
    });

    test('pages across months, of all connections and of some, have the rows and the order of one table', async () => {
      const range = { from: at('2026-01-01T00:00'), to: at('2026-12-31T00:00') };
      const time = fc
        .integer({ min: 0, max: 26 })
        .map((halfMonths) => new Date(Date.UTC(2026, 0, 1 + halfMonths * 14, halfMonths % 3)));
      // Most rows are of connections that only some pages show.
      const connectionId = fc.constantFrom(1, 2, 3, 3, 3, 3, 3, 3);
      const row = fc.record({ time, connectionId, status: fc.constantFrom(...SYNC_STATUSES) });
      const list = {
        rows: fc.array(row, { maxLength: 40 }),
        limit: fc.integer({ min: 1, max: 7 }),
        connectionIds: fc.constantFrom([1], [1, 2], [1, 2, 3]),
        status: fc.option(fc.constantFrom(...SYNC_STATUSES), { nil: undefined }),
      };
      await fc.assert(
        fc.asyncProperty(list.rows, list.limit, list.connectionIds, list.status, async (rows, limit, ids, status) => {
          await db.script('truncate syncs');
          for (const entry of rows) await addSyncs([entry.time], entry.connectionId, entry.status);
          const seen: { id: number; createdAt: Date }[] = [];
          for (;;) {
            const filter = { accountId: 1, connectionIds: ids, status };
            const page = await listSyncs(db, filter, { range, limit, after: seen.at(-1) });
            seen.push(...page);
            if (page.length < limit) break;
          }
          const { rows: all } = await db.query<{ id: number; createdAt: Date }>(
            `select id, created_at as "createdAt" from syncs
              where connection_id = any($1::bigint[]) and ($2::text is null or status = $2)`,
            [ids, status ?? null],
          );
          const expected = all
            .filter(({ createdAt }) => createdAt >= range.from && createdAt <= range.to)
            .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
          expect(seen.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        }),
        { numRuns: 20 },
      );
    });

    test('a month with a row that a job needs is kept until the job has ended', async () => {
      const [needed] = [await addReceipt(at('2026-02-10T00:00')), await addReceipt(at('2026-03-10T00:00'))];
      await db.query(
        `insert into jobs (kind, ref, fairness_key, due_at, created_at)
          values ('process-receipt', $1, 'connection:1', '2026-02-10', '2026-02-10')`,
        [needed],
      );
      expect(await dropMonths(db, 'requests', at('2026-04-01T00:00'))).toEqual([]);
      await db.query('delete from jobs');
      await db.query(
        `with retried as (
            insert into syncs (account_id, connection_id, payload_id, status, event_type, to_email, platform, created_at)
            values (1, 1, $1, 'error', 'email_reply', 'lead@example.org', 'smartlead', '2026-04-02') returning id)
          insert into jobs (kind, ref, fairness_key, due_at, created_at)
            select 'retry-sync', id, 'connection:1', '2026-04-02', '2026-04-02' from retried`,
        [needed],
      );
      expect(await dropMonths(db, 'requests', at('2026-04-01T00:00'))).toEqual([]);
      await db.query('delete from jobs');
      const dropped = ['requests_earlier', 'requests_2026_02', 'requests_2026_03'];
      expect(await dropMonths(db, 'requests', at('2026-04-01T00:00'))).toEqual(dropped);
      expect(await partitionOf('requests')).toEqual([]);
      expect(await dropMonths(db, 'requests', at('2026-04-01T00:00'))).toEqual([]);
      // A clock that was set back.
      await addReceipt(at('2026-02-11T00:00'));
      expect(await partitionOf('requests')).toEqual(['requests_earlier']);
    });

    test('an event whose logs were dropped is still known, without its content', async () => {
      const send = async (time: Date) => {
        const id = await addReceipt(time);
        const event = { eventKey: 'key', eventType: 'email_reply', toEmail: 'lead@example.org' } as never;
        const source = { id: 1, platform: 'smartlead', connectionId: 1 };
        return insertNewEvents(db, [{ receipt: { id, accountId: 1, receivedAt: time, source }, event }], time);
      };
      const [first] = await send(at('2026-04-10T00:00'));
      await db.query(
        `insert into syncs (account_id, connection_id, inbound_event_id, status, event_type, to_email, platform, created_at)
          values (1, 1, $1, 'success', 'email_reply', 'lead@example.org', 'smartlead', '2026-04-10')`,
        [first?.id],
      );
      const clock = createManualClock(at('2026-07-20T00:00'));
      const maintenance = startMaintenance({ db, clock, log, logDays: 60 });
      clock.advance(60_000);
      await maintenance.stop();
      expect(await partitionOf('requests')).toEqual([]);
      expect(await partitionOf('syncs')).toEqual([]);
      expect(await names('syncs')).toContain('syncs_2026_10');
      const { rows } = await db.query('select to_email as "toEmail", normalized, event_key as key from inbound_events');
      expect(rows).toEqual([{ toEmail: '', normalized: {}, key: 'key' }]);
      expect(await send(at('2026-07-20T00:00'))).toEqual([]);
      const [receipt] = await partitionOf('requests');
      expect(receipt).toBe('requests_2026_07');
    });

    test('an event has one first sync, in whichever months', async () => {
      const add = (time: string, retryOf: number | null) =>
        db.query(
          `insert into syncs (account_id, connection_id, inbound_event_id, retry_of_sync_id, status, event_type, to_email,
              platform, created_at)
            values (1, 1, 7, $1, 'success', 'email_reply', 'lead@example.org', 'smartlead', $2)`,
          [retryOf, at(time)],
        );
      await add('2026-07-31T23:00', null);
      await add('2026-08-01T01:00', 1);
      await expect(add('2026-08-01T01:00', null)).rejects.toThrow('first_syncs');
    });

    test('what goes wrong with one log stops neither the others nor what follows', async () => {
      await db.script('create table requests_2026_11 ()');
      const clock = createManualClock(at('2026-08-05T00:00'));
      const maintenance = startMaintenance({ db, clock, log });
      clock.advance(60_000);
      await maintenance.stop();
      expect(await names('requests')).not.toContain('requests_2026_11');
      expect(await names('webhook_deliveries')).toContain('webhook_deliveries_2026_11');
      await db.script('drop table requests_2026_11');
    });

    test('a receipt is found in any month', async () => {
      const ids = [await addReceipt(at('2026-07-31T23:00')), await addReceipt(at('2026-08-01T01:00'))];
      expect(await listReceiptsToProcess(db, ids, ANY_TIME)).toHaveLength(2);
      const times = { from: at('2026-08-01T00:00'), until: at('2026-08-02T00:00') };
      expect((await listReceiptsToProcess(db, ids, times)).map(({ id }) => id)).toEqual([ids[1]]);
    });

    test('metrics after months were dropped count the rows that are left', async () => {
      const times = ['2026-08-10T10:30', '2026-08-31T23:59:59.999', '2026-09-01T00:00', '2026-09-20T10:30'];
      const rows = [1, 2, null].flatMap((connectionId) =>
        times.map((time) => ({ connectionId, partId: 1, status: 'success' as const, httpStatus: 200, at: at(time) })),
      );
      const query = {
        ownerIds: [1, 2, -1],
        partId: undefined,
        range: { from: at('2026-08-01T00:10'), to: at('2026-09-30T23:50') },
      };
      const countRows = async () => {
        const both = await bothCounts(db, query);
        expect(both.metrics).toEqual(both.rows);
        return both.metrics.map(({ counted }) => counted);
      };
      for (const counted of COUNTED_LOGS) await insertLog(db, counted, rows);
      await countUntilDone(db, at('2026-10-01T00:10'));
      expect(await countRows()).toEqual([12, 12, 12]);
      for (const counted of COUNTED_LOGS) {
        expect(await dropMonths(db, counted, at('2026-09-01T00:00'))).toContain(`${counted}_2026_08`);
      }
      expect(await countRows()).toEqual([6, 6, 6]);
      // A late row of a month that is gone, and one of an hour that is counted.
      for (const counted of COUNTED_LOGS) await insertLog(db, counted, rows.slice(1, 3));
      expect(await countRows()).toEqual([8, 8, 8]);
      await countUntilDone(db, at('2026-10-01T00:10'));
      expect(await countRows()).toEqual([8, 8, 8]);
    });

    test('a drop that is killed anywhere drops nothing, and sends nothing between its lock and its end', async () => {
      const before = await names('syncs');
      let sent: string[] = [];
      const killedAt = (statement: number): Database => ({
        ...db,
        transaction: (work, options) =>
          db.transaction((tx) => {
            const noted = (text: string) => {
              sent.push(text);
              if (sent.length > statement) throw new Error('killed');
            };
            return work({
              query: (statementOrText, values) => {
                noted(typeof statementOrText === 'string' ? statementOrText : statementOrText.text);
                return tx.query(statementOrText, values);
              },
              script: (text) => {
                noted(text);
                return tx.script(text);
              },
            });
          }, options),
      });
      let kills = 0;
      for (let dropped: string[] = []; dropped.length === 0; kills += 1) {
        sent = [];
        dropped = await dropMonths(killedAt(kills), 'syncs', at('2026-10-01T00:00')).catch((error: Error) => {
          expect(error.message).toBe('killed');
          return [];
        });
        if (dropped.length === 0) expect(await names('syncs')).toEqual(before);
      }
      expect(kills).toBeGreaterThan(3);
      expect(sent.findIndex((text) => text.startsWith('lock table syncs '))).toBe(sent.length - 1);
      expect(await names('syncs')).toEqual([
        'syncs_earlier',
        ...before.filter((name) => /_2026_1|_2027|_later/.test(name)),
      ]);
    });

    test('nothing is deleted for its age by a process whose clock is far ahead', async () => {
      const yesterday = new Date(Date.now() - 24 * 60 * 60_000);
      const id = await addReceipt(yesterday);
      await db.query(`update requests set body = 'x' where id = $1`, [id]);
      const clock = createManualClock(new Date(yesterday.getTime() + 365 * 24 * 60 * 60_000));
      const maintenance = startMaintenance({ db, clock, log, logDays: 60, payloadDays: 60 });
      clock.advance(60_000);
      await maintenance.stop();
      const { rows } = await db.query('select id from requests where body is not null');
      expect(rows).toEqual([{ id }]);
    });
  });
});

describe.each(backends.filter(({ name }) => name === 'postgres'))('logs of an earlier release on $name', (backend) => {
  const { isAvailable, openBlank } = backend;
  test.skipIf(!isAvailable)('their old rows are deleted although their partition stays', async () => {
    const db = await openBlank();
    onTestFinished(() => db.close());
    await migrate(db, at('2026-01-01T00:00'));
    await db.script(`
      insert into accounts (id, email, created_at) values (1, 'a@example.org', '2020-01-01');
      insert into requests (account_id, path, created_at)
        select 1, 'x', timestamptz '2025-01-15 00:00Z' + i * interval '1 hour' from generate_series(0, 6000) i`);
    const clock = createManualClock(at('2025-09-20T00:00'));
    const maintenance = startMaintenance({ db, clock, log, logDays: 90 });
    clock.advance(60_000);
    await maintenance.stop();
    const { rows } = await db.query<{ first: Date; months: number }>(
      `select min(created_at) as first, count(distinct tableoid) as months from requests`,
    );
    expect(rows).toEqual([{ first: at('2025-06-01T00:00'), months: 1 }]);
  });
});
