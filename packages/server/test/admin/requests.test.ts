/** `svc-server requests list` and `show`, on both databases, and that they read no more than they show. */
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { listConnectionFacts } from '@svc/engine/store/connections';
import type { Db } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { migrate } from '@svc/engine/store/migrations/migrate';
import { getReceipt, listReceipts, listUnreadSources, type ReceiptState } from '@svc/engine/store/receipt-log';
import { listReceiptsOfRun } from '@svc/engine/store/receipt-runs';
import { type Administration, expectRefusal, makePipeline, NOW, openAdministration } from '../support/admin-harness.ts';
import { backends } from '@svc/engine/test/backends';

const MINUTE_MS = 60_000;

describe.each(backends)('requests on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('as operators see them', () => {
    let admin: Administration;
    let kim: Awaited<ReturnType<typeof makePipeline>>;
    let lee: Awaited<ReturnType<typeof makePipeline>>;
    /** Minutes. */
    let age: number;
    beforeEach(async () => {
      age = 0;
      admin = await openAdministration(backend);
      kim = await makePipeline(admin, 'kim@example.com');
      lee = await makePipeline(admin, 'lee@example.com');
    });
    afterEach(async () => {
      await admin.close();
    });

    /** Stores a request, each a minute older than the one before; returns its id. */
    const receive = async (
      of: typeof kim,
      outcome: string | null,
      {
        body = '{}',
        headers = {},
        reason = null,
      }: { body?: string | Buffer; headers?: object; reason?: string | null } = {},
    ) => {
      age += 1;
      const { rows } = await admin.ctx.db.query<{ id: number }>(
        `insert into requests (account_id, connection_id, source_id, path, headers, body, outcome, outcome_reason, created_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
        [
          of.account.id,
          of.connection.id,
          of.source.id,
          'the-secret-path',
          JSON.stringify(headers),
          Buffer.from(body),
          outcome,
          reason,
          new Date(NOW.getTime() - age * MINUTE_MS),
        ],
      );
      return rows[0]?.id ?? 0;
    };
    const ids = async (input: Parameters<typeof admin.run<'requests/list'>>[1]) =>
      (await admin.run('requests/list', input)).requests.map(({ id }) => id);

    test('list: newest first, by source, connection, account, outcome and age', async () => {
      const read = await receive(kim, 'synced');
      const unread = await receive(kim, 'unparsed', { reason: 'no event name' });
      const other = await receive(lee, 'unparsed');
      const repeated = await receive(kim, 'duplicate');
      const ignored = await receive(kim, 'ignored');
      expect(await ids({})).toEqual([read, unread, other, repeated, ignored]);
      expect(await ids({ accountId: kim.account.id })).toEqual([read, unread, repeated, ignored]);
      expect(await ids({ connectionId: lee.connection.id })).toEqual([other]);
      expect(await ids({ sourceId: kim.source.id, outcome: 'unparsed' })).toEqual([unread]);
      expect(await ids({ outcome: 'unparsed' })).toEqual([unread, other]);
      expect(await ids({ outcome: 'ignored', accountId: lee.account.id })).toEqual([]);
      expect(await ids({ since: '150s' })).toEqual([read, unread]);
      expect(await ids({ until: '150s' })).toEqual([other, repeated, ignored]);
      expect(await ids({ since: '270s', until: '150s' })).toEqual([other, repeated]);
      const { requests } = await admin.run('requests/list', { sourceId: kim.source.id, outcome: 'unparsed' });
      expect(requests).toEqual([
        {
          id: unread,
          accountId: kim.account.id,
          connectionId: kim.connection.id,
          sourceId: kim.source.id,
          platform: 'smartlead',
          outcome: 'unparsed',
          reason: 'no event name',
          bodyBytes: 2,
          backfillRunId: null,
          eventTypes: [],
          createdAt: expect.stringMatching(/^2026-03-31T/),
        },
      ]);
    });

    test('list: those that wait, of a removed source, and pages', async () => {
      const first = await receive(kim, 'synced');
      expect(await ids({ outcome: 'waiting' })).toEqual([]);
      const waiting = await receive(kim, null);
      await admin.ctx.db.query(
        `insert into jobs (kind, ref, fairness_key, due_at, created_at)
          select 'process-receipt', id::text, 'connection:1', created_at, created_at from requests where id = $1`,
        [waiting],
      );
      expect(await ids({ outcome: 'waiting' })).toEqual([waiting]);
      const more = [await receive(kim, 'synced'), await receive(kim, 'synced')];
      const page = await admin.run('requests/list', { accountId: kim.account.id, limit: 3 });
      expect(page.requests.map(({ id }) => id)).toEqual([first, waiting, more[0]]);
      expect(page.next).toBe(more[0]);
      const last = await admin.run('requests/list', { accountId: kim.account.id, limit: 3, before: page.next ?? 0 });
      expect([last.requests.map(({ id }) => id), last.next]).toEqual([[more[1]], null]);
      await admin.ctx.db.query('delete from jobs');
      await admin.run('sources/remove', { id: kim.source.id, isConfirmed: true });
      expect(await ids({ accountId: kim.account.id })).toHaveLength(4);
      expect(await ids({ accountId: lee.account.id })).toEqual([]);
    });

    test.each([null, 'synced'])(
      'list: a request stored with the outcome %s waits while it has its job',
      async (stored) => {
        const id = await receive(kim, stored);
        const read = await receive(kim, 'synced');
        await admin.ctx.db.query(
          `insert into jobs (kind, ref, fairness_key, due_at, created_at)
          select 'process-receipt', id::text, 'connection:1', created_at, created_at from requests where id = $1`,
          [id],
        );
        const source = { sourceId: kim.source.id };
        expect(await ids({ ...source, outcome: 'waiting' })).toEqual([id]);
        expect(await ids({ ...source, outcome: 'synced' })).toEqual([read]);
        expect((await admin.run('requests/show', { id })).request.outcome).toBe('waiting');
        await admin.run('sources/remove', { id: kim.source.id, isConfirmed: true });
        expect(await ids({ accountId: kim.account.id, outcome: 'waiting' })).toEqual([]);
        const kept = await admin.run('requests/list', { accountId: kim.account.id });
        expect(kept.requests.map(({ outcome, reason }) => [outcome, reason])).toEqual([
          ['ignored', 'The source is gone.'],
          ['synced', null],
        ]);
      },
    );

    test('list: refuses what does not exist or belong together', async () => {
      const mine = await receive(kim, 'synced');
      expect(await expectRefusal('not_found', ids({ sourceId: 987_654 }))).toContain('There is no source 987654');
      expect(await expectRefusal('not_found', ids({ before: 987_654 }))).toContain('There is no request 987654');
      await expectRefusal('conflict', ids({ sourceId: kim.source.id, accountId: lee.account.id }));
      await expectRefusal('invalid_input', admin.runUnchecked('requests/list', { outcome: 'odd' }));
      expect(mine).toBeGreaterThan(0);
    });

    test('show: headers and payload without secrets, and the events with their syncs', async () => {
      const body = {
        event: 'reply',
        secret: 'hunter-1',
        nested: [{ api_key: 'hunter-2', accessToken: { deep: 'hunter-3' }, ok: true, signature: null }],
        link: 'https://x.example.org/?a=1&token=hunter-4&b=2',
        hook: 'https://svc.example.org/webhooks/the-secret-path',
        text: 'Yes!\u001b[31m',
      };
      const id = await receive(kim, 'synced', {
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          'x-salesloft-event': 'reply',
          'x-smartlead-signature': 'hunter-5',
          'x-event-token': 'hunter-6',
          'x-unknown': 'hunter-7',
        },
      });
      await admin.ctx.db.query(
        `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
            normalized, created_at) values ($1, $2, $3, 'k', 'EMAIL_REPLY', 'lead@example.org', 'smartlead', '{}', $4)`,
        [id, kim.source.id, kim.connection.id, NOW],
      );
      const { request } = await admin.run('requests/show', { id });
      expect(JSON.stringify(request)).not.toMatch(/hunter|the-secret-path/);
      expect(request.body).toMatchObject({
        event: 'reply',
        secret: '[hidden]',
        nested: [{ api_key: '[hidden]', accessToken: '[hidden]', ok: true, signature: null }],
        link: 'https://x.example.org/?a=1&token=[hidden]&b=2',
      });
      expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'x-salesloft-event': 'reply' });
      expect(request.events).toEqual([
        {
          id: expect.any(Number),
          eventType: 'EMAIL_REPLY',
          toEmail: 'lead@example.org',
          syncId: null,
          syncStatus: null,
          heldUntil: null,
        },
      ]);
      expect(await expectRefusal('not_found', admin.run('requests/show', { id: 987_654 }))).toContain('request 987654');
    });

    test('show: attempts of the request alone, forwardings and mails, oldest first', async () => {
      const id = await receive(kim, 'synced');
      const { db } = admin.ctx;
      const event = await db.query<{ id: number }>(
        `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
            normalized, created_at) values ($1, $2, $3, 'k', 'EMAIL_REPLY', 'Lead@example.org', 'smartlead', '{}', $4)
          returning id`,
        [id, kim.source.id, kim.connection.id, NOW],
      );
      const eventId = event.rows[0]?.id ?? 0;
      const sync = async (payloadId: number, status: string, retryOf: number | null, error: object | null) => {
        const { rows } = await db.query<{ id: number }>(
          `insert into syncs (account_id, connection_id, source_id, payload_id, inbound_event_id, retry_of_sync_id, status,
              event_type, to_email, platform, error, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, 'EMAIL_REPLY', 'lead@example.org', 'smartlead', $8, $9) returning id`,
          [
            ...[
              kim.account.id,
              kim.connection.id,
              kim.source.id,
              payloadId,
              payloadId === id ? eventId : null,
              retryOf,
            ],
            ...[status, error, NOW],
          ],
        );
        return rows[0]?.id ?? 0;
      };
      const failed = await sync(id, 'error', null, { message: 'the CRM refused it' });
      const retried = await sync(id, 'success', failed, null);
      await sync(await receive(kim, 'synced'), 'success', null, null);
      await db.query(
        `insert into deliveries (account_id, connection_id, destination_id, destination_url, status, http_status, source_id,
            event_type, to_email, payload_id, created_at)
          values ($1, $2, 5, 'https://example.org/hook', 'error', 500, $3, 'EMAIL_REPLY', 'lead@example.org', $4, $5)`,
        [kim.account.id, kim.connection.id, kim.source.id, id, NOW],
      );
      const relay = await db.query<{ id: number }>(
        `insert into reply_relays (connection_id, cc_email, created_at) values ($1, 'rep@example.com', $2)
          returning id`,
        [kim.connection.id, NOW],
      );
      await db.query(
        `insert into relay_mails (account_id, connection_id, relay_id, event_id, status, received_at, due_at, created_at)
          values ($1, $2, $3, $4, 'waiting', $5, $5, $5)`,
        [kim.account.id, kim.connection.id, relay.rows[0]?.id, eventId, NOW],
      );
      const { request } = await admin.run('requests/show', { id });
      expect(request.syncs).toMatchObject([
        { id: failed, retryOfSyncId: null, status: 'error', error: { message: 'the CRM refused it' } },
        { id: retried, retryOfSyncId: failed, status: 'success', error: null },
      ]);
      expect(request.deliveries).toMatchObject([{ destinationId: 5, status: 'error', httpStatus: 500 }]);
      expect(request.mails).toMatchObject([{ eventId, status: 'waiting', attempts: 0 }]);
    });

    test('show: any stored bytes', async () => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const shown: unknown[] = [];
      for (const body of [
        deep,
        '"\\ud800"',
        'null',
        Buffer.from([0x22, 0xff, 0x22]),
        Buffer.from([0x00, 0xff]),
        '{"a":',
      ]) {
        const id = await receive(kim, 'unparsed', { body });
        const { request } = await admin.run('requests/show', { id });
        shown.push(JSON.stringify(request.body).slice(0, 12));
      }
      expect(shown).toEqual(['[[[[[[[[[[[[', '"\\ud800"', 'null', '"\ufffd"', '"\\u0000\ufffd"', '"{\\"a\\":"']);
      await admin.ctx.db.query('update requests set body = null');
      const [id] = await ids({ limit: 1 });
      expect((await admin.run('requests/show', { id: id ?? 0 })).request).toMatchObject({
        body: null,
        bodyBytes: null,
      });
    });
  });
});

const databaseUrl = inject('databaseUrl');
const ROWS = 50_000;
const LIMIT = 50;

describe.skipIf(databaseUrl === null)(`plans over ${ROWS} requests`, () => {
  test('no list, no request, no step of a run and no warning reads more than it shows', async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    const db = openPostgres(database.url, { maxConnections: 2 });
    try {
      await migrate(db, new Date());
      // One in 5,000 was not understood, one in 10,000 ignored: far apart.
      await db.script(`
        insert into accounts (email, created_at) values ('kim@example.com', '2026-01-01');
        insert into connections (account_id, crm, organization_id, organization_domain, created_at)
          select 1, 'HUBSPOT', i, 'x.example.com', '2026-01-01' from generate_series(1, 3) i;
        insert into sources (connection_id, platform, path, created_at)
          select 1 + i % 3, 'smartlead', 'path-' || i, '2026-01-01' from generate_series(0, 5) i;
        insert into requests (account_id, connection_id, source_id, path, body, outcome, created_at)
          select 1, 1 + (i % 6) % 3, 1 + i % 6, 'x', '{}',
            case when i % 5000 = 0 then 'unparsed' when i % 10000 = 1 then 'ignored' else 'synced' end,
            timestamptz '2026-03-31T12:00:00Z' - i * interval '1 second'
          from generate_series(1, ${ROWS}) i;
        insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
            normalized, created_at)
          select id, source_id, connection_id, id, 'EMAIL_SENT', 'x@example.org', 'smartlead', '{}', created_at
          from requests where id % 10 = 0;
        analyze;
      `);
      const all = { connectionIds: [1, 2, 3], accountIds: [1] };
      const page = { limit: LIMIT };
      const list = (filter: object, state?: ReceiptState) => (on: Db) =>
        listReceipts(on, { ...all, ...filter, state }, page);
      const run = {
        ...{ id: 1, sourceId: 1, from: new Date(0), until: NOW, lastRequestId: ROWS, outcomes: null },
        ...{ isForwarding: false, isDryRun: false, total: 0, state: 'running' as const, stopReason: null },
        ...{ counts: {} as never, createdAt: NOW, endedAt: null },
        position: { at: new Date(NOW.getTime() - 10_000_000), id: 5 },
      };
      const reads: Record<string, { on: (db: Db) => Promise<unknown>; most: number }> = {
        'first page': { on: list({}), most: 4 * LIMIT },
        'of a source': { on: list({ sourceId: 2 }), most: LIMIT },
        'not understood': { on: list({}, 'unparsed'), most: LIMIT },
        'not understood of a source': { on: list({ sourceId: 2 }, 'unparsed'), most: LIMIT },
        'ignored of a connection': { on: list({ connectionIds: [2], accountIds: [] }, 'ignored'), most: LIMIT },
        waiting: { on: list({}, 'waiting'), most: 0 },
        'one request': { on: (on) => getReceipt(on, 40_000), most: 2 },
        'step of a run': { on: (on) => listReceiptsOfRun(on, run, LIMIT), most: LIMIT },
        // Two looks at 200 rows would be those of the sources with a request that was not understood.
        'account status': { on: (on) => listConnectionFacts(on, { ...ACCESS }, NOW), most: 6 * 201 },
        doctor: { on: (on) => listUnreadSources(on, NOW), most: 6 * 201 },
      };
      const found: string[] = [];
      for (const [name, { on, most }] of Object.entries(reads)) {
        const plans: Plan[] = [];
        await on(explaining(db, plans)).catch(() => {});
        const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === 'requests_earlier');
        const read = scans.reduce((sum, node) => sum + rowsRead(node), 0);
        const sequential = scans.filter((node) => node['Node Type'] === 'Seq Scan').length;
        if (read > most || sequential > 0 || (scans.length === 0 && name !== 'waiting')) found.push(`${name}: ${read}`);
      }
      expect(found).toEqual([]);
    } finally {
      await db.close();
      await database.drop();
    }
  });
});

const ACCESS = {
  accountId: 1,
  connectionIds: [1, 2, 3],
  accountScoped: true,
  keyConnectionId: null,
  scopes: ['read'],
} as const;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Explains statements, and then runs them. */
function explaining(db: Db, plans: Plan[]): Db {
  return {
    ...db,
    async query(statement, values = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      for (const row of rows) plans.push(row['QUERY PLAN'][0].Plan);
      return db.query(text, values);
    },
  };
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function rowsRead(node: Plan): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}
