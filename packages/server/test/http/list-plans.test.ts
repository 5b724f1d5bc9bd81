/**
 * No list of the API and no contact look-up reads more of a log than it shows: neither rows that a filter skips, nor
 * rows for a sort that an index could replace. Metrics read the ends of their range, and sums of the days between.
 * PostgreSQL's execution plans are the measure.
 */
import type { Access } from '@svc/domain/requests/access';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import type { Database, Db, NamedStatement } from '@svc/engine/store/database/db';
import { listDeliveries } from '@svc/engine/store/deliveries';
import { listDeliveriesOfEvent, listEvents } from '@svc/engine/store/events';
import { COUNTED_LOGS, countLog } from '@svc/engine/store/hour-counts';
import { makeMonths } from '@svc/engine/store/log-months';
import { migrate } from '@svc/engine/store/migrations/migrate';
import { readOutreach } from '@svc/engine/store/outreach';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { listReceipts, type ReceiptFilter } from '@svc/engine/store/receipt-log';
import { listRequests } from '@svc/engine/store/requests';
import { LOG_TABLES } from '@svc/engine/store/schema/index';
import { listSyncs } from '@svc/engine/store/syncs';
import { listWebhookDeliveries } from '@svc/engine/store/webhooks';
import { countUntilDone } from '@svc/engine/test/counted-logs';
import { insertLogRows, LOG, type LogRows } from '@svc/engine/test/log-rows';

const databaseUrl = inject('databaseUrl');
const ROWS = 10_000;
const CONNECTIONS = 12;
const LIMIT = 26;
/** A page, and one more row of each merged branch: three types, every connection, and the account. */
const READ_MAX = LIMIT + 3 * (CONNECTIONS + 1);
/** Above every id of a connection. */
const NO_CONNECTION = 1_000_000;

describe.skipIf(databaseUrl === null)(`plans over ${ROWS} rows`, () => {
  let db: Database;
  let log: LogRows;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    drop = () => database.drop();
    db = openPostgres(database.url, { maxConnections: 2 });
    await migrate(db, new Date());
    for (const table of LOG_TABLES) {
      await makeMonths(db, table, new Date('2025-01-15T12:00:00.000Z'));
      await makeMonths(db, table, new Date('2026-03-15T12:00:00.000Z'));
    }
    log = await insertLogRows(db, { rows: ROWS, connections: CONNECTIONS, now: new Date('2026-03-31T12:00:00.000Z') });
    all.connectionIds = log.connectionIds;
  });
  afterAll(async () => {
    await db.close();
    await drop();
  });

  const busy = [LOG.busyConnectionId];
  const owner = (connectionIds: readonly number[]): Access => ({
    accountId: LOG.accountId,
    connectionIds,
    accountScoped: true,
    keyConnectionId: null,
    scopes: ['read'],
  });
  const page = () => ({ range: log.range, limit: LIMIT });
  /** Returns the position of the row with this number; that many rows are older. */
  const below = (row: number) => {
    const { from, to } = log.range;
    return { createdAt: new Date(from.getTime() + ((to.getTime() - from.getTime()) * row) / ROWS), id: row };
  };
  const receiptsOf = (filter: Partial<ReceiptFilter>): ReceiptFilter => ({
    ...{ connectionIds: log.connectionIds, accountIds: [LOG.accountId], from: log.range.from },
    ...filter,
  });
  const { webhookId } = LOG;
  const contact = (identity: string) => ({
    emailKeys: [identity],
    profileKeys: [identity],
    categoryKeys: { emails: [], profiles: [] },
  });

  /** Filter of rows of all connections; set before the tests. */
  const all = { accountId: LOG.accountId, connectionIds: [] as readonly number[], includesDeletedSources: false };

  const lists: Record<string, (on: Db) => Promise<unknown>> = {
    'syncs, first page': (on) => listSyncs(on, all, page()),
    'syncs, last page': (on) => listSyncs(on, all, { ...page(), after: below(60) }),
    'syncs, end of the log': (on) => listSyncs(on, all, { ...page(), after: below(15) }),
    'syncs, of one connection': (on) => listSyncs(on, { ...all, connectionIds: busy }, page()),
    'syncs, of a rare connection': (on) =>
      listSyncs(on, { ...all, connectionIds: log.connectionIds.slice(-1) }, page()),
    'syncs, of a rare status': (on) => listSyncs(on, { ...all, status: 'error' }, page()),
    'syncs, of a common status': (on) => listSyncs(on, { ...all, status: 'success' }, page()),
    'syncs, of an absent status': (on) => listSyncs(on, { ...all, status: 'warning' }, page()),
    'syncs, of a source': (on) => listSyncs(on, { ...all, sourceId: LOG.busySourceId }, page()),
    'syncs, of a rare source': (on) => listSyncs(on, { ...all, sourceId: LOG.rareSourceId }, page()),
    'syncs, of a source and an absent status': (on) =>
      listSyncs(on, { ...all, sourceId: LOG.rareSourceId, status: 'success' }, page()),
    'requests, first page': (on) => listRequests(on, { ...all, includesDeletedSources: true }, page()),
    'requests, last page': (on) =>
      listRequests(on, { ...all, includesDeletedSources: true }, { ...page(), after: below(60) }),
    'requests, end of the log': (on) =>
      listRequests(on, { ...all, includesDeletedSources: true }, { ...page(), after: below(15) }),
    'requests, of a rare source': (on) => listRequests(on, { ...all, sourceId: LOG.rareSourceId }, page()),
    'receipts, first page': (on) => listReceipts(on, receiptsOf({}), { limit: LIMIT }),
    'receipts, last page': (on) => listReceipts(on, receiptsOf({}), { limit: LIMIT, after: below(60) }),
    'receipts, of a rare outcome': (on) => listReceipts(on, receiptsOf({ state: 'duplicate' }), { limit: LIMIT }),
    'receipts, of an absent outcome': (on) => listReceipts(on, receiptsOf({ state: 'unparsed' }), { limit: LIMIT }),
    'receipts, of a common outcome': (on) => listReceipts(on, receiptsOf({ state: 'synced' }), { limit: LIMIT }),
    'receipts, of a source and an absent outcome': (on) =>
      listReceipts(on, receiptsOf({ sourceId: LOG.busySourceId, state: 'duplicate' }), { limit: LIMIT }),
    'deliveries, first page': (on) => listDeliveries(on, all, page()),
    'deliveries, last page': (on) => listDeliveries(on, all, { ...page(), after: below(60) }),
    'deliveries, of a rare status': (on) => listDeliveries(on, { ...all, status: 'error' }, page()),
    'deliveries, of a rare destination': (on) =>
      listDeliveries(on, { ...all, destinationId: LOG.rareDestinationId }, page()),
    'deliveries, of a destination and an absent status': (on) =>
      listDeliveries(on, { ...all, destinationId: LOG.rareDestinationId, status: 'success' }, page()),
    'events, first page': (on) => listEvents(on, owner(log.connectionIds), { types: [], limit: LIMIT }),
    'events, last page': (on) =>
      listEvents(on, owner(log.connectionIds), {
        types: [],
        limit: LIMIT,
        after: { ...below(60), id: 'osevt_0000000060' },
      }),
    'events, of a rare connection': (on) =>
      listEvents(on, owner(log.connectionIds.slice(-1)), { types: [], limit: LIMIT }),
    'events, of a rare type': (on) =>
      listEvents(on, owner(log.connectionIds), { types: ['sync.recovered'], limit: LIMIT }),
    'events, of several types, one of them absent': (on) =>
      listEvents(on, owner(log.connectionIds), { types: ['sync.failed', 'sync.recovered', 'test.ping'], limit: LIMIT }),
    'events, not delivered': (on) =>
      listEvents(on, owner(log.connectionIds), { types: [], delivered: false, limit: LIMIT }),
    'events, of a type and not delivered': (on) =>
      listEvents(on, owner(log.connectionIds), { types: ['sync.failed'], delivered: false, limit: LIMIT }),
    'deliveries of an event': (on) => listDeliveriesOfEvent(on, 'osevt_0000005000'),
    'webhook deliveries, first page': (on) => listWebhookDeliveries(on, webhookId, { limit: LIMIT }),
    'webhook deliveries, of a rare status': (on) =>
      listWebhookDeliveries(on, webhookId, { status: 'DEAD', limit: LIMIT }),
    'webhook deliveries, of an absent status': (on) =>
      listWebhookDeliveries(on, webhookId, { status: 'PENDING', limit: LIMIT }),
    'outreach, by email': (on) => readOutreach(on, owner(log.connectionIds), contact(LOG.contacts.one)),
    'outreach, by profile URL': (on) => readOutreach(on, owner(log.connectionIds), contact(LOG.profiles.one)),
  };

  test.each(Object.keys(lists))('%s', async (name) => {
    const list = lists[name];
    if (!list) throw new Error('no such list');
    const explained: Plan[] = [];
    const rows = await list(explaining(explained));
    // What has no full page may look once more.
    expect(explained.length).toBeLessThanOrEqual(Array.isArray(rows) && rows.length < LIMIT ? 2 : 1);
    const read = readByIndex(explained);
    expect({ name, read, fits: read <= READ_MAX }).toEqual({ name, read, fits: true });
  });

  describe('pages of some connections of an account', () => {
    /** Checks the rows of a page. Returns how many were read for it. */
    const readPages = async (connectionIds: readonly number[], status?: 'error' | 'success') => {
      const explained: Plan[] = [];
      const rows = await listSyncs(explaining(explained), { ...all, connectionIds, status }, page());
      const { rows: expected } = await db.query<{ id: number }>(
        `select id from syncs where connection_id = any($1::bigint[]) and ($2::text is null or status = $2)
          order by created_at desc, id desc limit ${LIMIT}`,
        [connectionIds, status ?? null],
      );
      expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      return readByIndex(explained);
    };

    test('of half of the rows, read few more', async () => {
      expect(await readPages(log.connectionIds.slice(1))).toBeLessThanOrEqual(4 * LIMIT);
      expect(await readPages(log.connectionIds.slice(0, 2))).toBeLessThanOrEqual(4 * LIMIT);
    });

    test('of few of the rows, read a page of each connection at most', async () => {
      const rare = log.connectionIds.slice(-3);
      expect(await readPages(rare)).toBeLessThanOrEqual(2 * 4 * LIMIT + rare.length * LIMIT);
      expect(await readPages(rare, 'error')).toBeLessThanOrEqual(READ_MAX);
    });

    test('of 500 connections, are the statement and the reads of twelve', async () => {
      const more = [...log.connectionIds, ...Array.from({ length: 488 }, (_, index) => NO_CONNECTION + index)];
      const explained: Plan[][] = [[], []];
      await listSyncs(explaining(explained[0] ?? []), all, page());
      await listSyncs(explaining(explained[1] ?? []), { ...all, connectionIds: more }, page());
      const [twelve, many] = explained.map((plans) => plans.map((plan) => nodesOf(plan).map(scanOf)));
      expect(many).toEqual(twelve);
    });

    test('keep their plan', async () => {
      const undone = new Error('undone');
      const kept = db.transaction(async (tx) => {
        for (let call = 0; call < 7; call += 1) {
          await listSyncs(tx, all, page());
          await listSyncs(tx, { ...all, connectionIds: log.connectionIds.slice(-3) }, page());
          await listRequests(tx, { ...all, includesDeletedSources: true }, page());
          await listDeliveries(tx, { ...all, connectionIds: busy }, page());
        }
        const { rows } = await tx.query<{ name: string; kept: number }>(
          `select name, generic_plans as kept from pg_prepared_statements where name like '%-page-%' order by name`,
        );
        // PostgreSQL plans five calls with their values before it compares.
        expect(rows).toEqual([
          { name: 'deliveries-page-connections', kept: 2 },
          { name: 'requests-page-account-all-sources', kept: 2 },
          { name: 'syncs-page-account', kept: 9 },
          { name: 'syncs-page-connections-of-many', kept: 2 },
        ]);
        throw undone;
      });
      await expect(kept).rejects.toBe(undone);
    });
  });

  test('metrics of a month are one statement for each log, which reads sums of days and opens no other month', async () => {
    await countUntilDone(db, log.range.to);
    await db.script('vacuum (analyze) hour_counts, day_counts');
    for (const name of COUNTED_LOGS) {
      const explained: Plan[] = [];
      const ownerIds = [...log.connectionIds, -LOG.accountId];
      await countLog(explaining(explained), name, { ownerIds, partId: undefined }, log.range);
      expect(explained).toHaveLength(1);
      const nodes = explained.flatMap(nodesOf);
      const months = nodes
        .flatMap((node) => node['Relation Name'] ?? [])
        .filter((table) => table.startsWith(`${name}_`));
      expect([...new Set(months)]).toEqual([`${name}_2026_03`]);
      const readOf = (table: string) =>
        nodes.reduce((sum, node) => sum + (node['Relation Name'] === table ? rowsRead(node) : 0), 0);
      const { rows } = await db.query<{ hours: number; days: number }>(
        `select (select count(*) from hour_counts where log = $1) as hours, (select count(*) from day_counts where log = $1) as days`,
        [name],
      );
      const [{ hours, days }] = rows as [(typeof rows)[0]];
      expect(readOf('day_counts')).toBeGreaterThan(days / 2);
      expect(readOf('day_counts')).toBeLessThanOrEqual(days);
      // At most a day at each end.
      expect(readOf('hour_counts')).toBeLessThan(hours / 10);
    }
  });

  test('metrics of twenty connections keep their plan, also with rows in every month', async () => {
    const ownerIds = Array.from({ length: 20 }, (_, index) => LOG.busyConnectionId + index);
    const undone = new Error('undone');
    const kept = db.transaction(async (tx) => {
      await tx.script(`
        insert into syncs (account_id, connection_id, status, event_type, to_email, platform, created_at)
          select ${LOG.accountId}, ${LOG.busyConnectionId} + n % ${CONNECTIONS}, 'success', 'EMAIL_SENT', 'x@example.org',
            'smartlead', month + n * interval '10 minutes'
          from generate_series(1, 1000) n, generate_series(timestamptz '2025-01-01', '2026-02-01', '1 month') month;
        analyze syncs`);
      for (let call = 0; call < 7; call += 1) await countLog(tx, 'syncs', { ownerIds, partId: undefined }, log.range);
      const { rows } = await tx.query(
        `select custom_plans as planned, generic_plans as kept from pg_prepared_statements where name = 'syncs-count'`,
      );
      // PostgreSQL plans five calls with their values before it compares.
      expect(rows).toEqual([{ planned: 5, kept: 2 }]);
      throw undone;
    });
    await expect(kept).rejects.toBe(undone);
  });

  test('a look-up of a contact keeps its plan, and gets one row of any number', async () => {
    await db.transaction(async (tx) => {
      const answered: number[] = [];
      const counting: Db = {
        ...tx,
        async query<Row extends object>(statement: string | NamedStatement, values?: readonly unknown[]) {
          const result = await tx.query<Row>(statement, values);
          answered.push(result.rowCount);
          return result;
        },
      };
      const byEmail = { ...contact(LOG.contacts.many), profileKeys: [] };
      for (let call = 0; call < 7; call += 1) {
        for (const keys of [byEmail, contact(LOG.profiles.many)]) {
          const { sums } = await readOutreach(counting, owner(log.connectionIds), keys);
          expect(sums).toMatchObject([{ eventType: 'EMAIL_SENT', platform: 'smartlead', count: ROWS / 200 }]);
        }
      }
      expect(answered).toEqual(Array(14).fill(1));
      const { rows } = await tx.query(
        `select name, custom_plans as planned, generic_plans as kept from pg_prepared_statements
          where name like 'outreach%' order by name`,
      );
      expect(rows).toEqual([
        { name: 'outreach', planned: 5, kept: 2 },
        { name: 'outreach-of-email', planned: 5, kept: 2 },
      ]);
    });
  });

  test('the check can fail: without its index, a filter reads the log', async () => {
    const explained: Plan[] = [];
    await explaining(explained).query(
      `select * from events where owner_id = $1 and summary = 'nothing' order by created_at desc, id desc limit ${LIMIT}`,
      [LOG.busyConnectionId],
    );
    const read = explained.flatMap(nodesOf).reduce((sum, node) => sum + rowsRead(node), 0);
    expect(read).toBeGreaterThan(READ_MAX);
  });

  /** Explains statements with PostgreSQL instead of returning rows. */
  function explaining(explained: Plan[]): Db {
    const explain = async (text: string, values: readonly unknown[]) => {
      const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      for (const row of rows) explained.push(row['QUERY PLAN'][0].Plan);
    };
    return {
      async query(statement, values = []) {
        const text = typeof statement === 'string' ? statement : statement.text;
        await explain(text, values);
        return db.query(text, values);
      },
      script: () => Promise.reject(new Error('a list is one statement')),
    };
  }
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Returns how often a scan read which table, and how many rows. */
function scanOf(node: Plan): unknown {
  return [node['Node Type'], node['Relation Name'], node['Actual Loops'], rowsRead(node)];
}

/** Counts the rows of logs that the plans read. Each log must have been read by its indexes. */
function readByIndex(plans: readonly Plan[]): number {
  const scans = plans
    .flatMap(nodesOf)
    .filter((node) => LOG_TABLES.some((log) => node['Relation Name']?.startsWith(`${log}_`)));
  expect(scans.length).toBeGreaterThan(0);
  // Months without rows have nothing to look up.
  expect(scans.filter((node) => node['Node Type'] === 'Seq Scan' && rowsRead(node) > 0)).toEqual([]);
  return scans.reduce((sum, node) => sum + rowsRead(node), 0);
}

/** Counts the rows that a scan read, including filtered ones. */
function rowsRead(node: Plan): number {
  if (node['Relation Name'] === undefined) return 0;
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}
