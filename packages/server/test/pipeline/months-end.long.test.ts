/**
 * Clocks that pass the end of a month, and the end of summer time, while events come and months are dropped for their age: logs with
 * their real partitions, a second process whose clock is late, and a client that pages. Process and database are in a zone with summer time.
 */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { createManualClock } from '@svc/engine/runtime/clock';
import type { RunningServer } from '../../src/main/server.ts';
import type { Database } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { listPartitions } from '@svc/engine/store/log-months';
import { startMaintenance } from '@svc/engine/store/maintenance';
import { migrate } from '@svc/engine/store/migrations/migrate';
import { LOG_TABLES } from '@svc/engine/store/schema/index';
import { createRandom } from '../chaos/random.ts';
import { backends } from '@svc/engine/test/backends';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

const ZONE = 'Europe/Berlin';
/** The address of a source of connection 1, a HubSpot account. One destination gets its sent mails. */
const PATH = '/webhooks/demo-smartlead';
const SOURCE = 1;
/** At the begin of June all of April is older. */
const LOG_DAYS = 31;
const LATE_MS = 2_000;
const databaseUrl = inject('databaseUrl');
const log = pino({ level: 'silent' });
const at = (text: string) => new Date(text);

/** Opens a migrated database of its own in the zone. */
async function openInZone(name: Database['backend']): Promise<Database> {
  let db: Database;
  if (name === 'postgres') {
    const { url } = await createTestDatabase(databaseUrl ?? '');
    const first = openPostgres(url, { maxConnections: 1 });
    await first.script(`alter database ${new URL(url).pathname.slice(1)} set timezone to '${ZONE}'`);
    await first.close();
    db = openPostgres(url, { maxConnections: 8 });
  } else {
    db = (await backends.find((backend) => backend.name === name)?.openBlank()) ?? expect.fail();
    await db.script(`set timezone to '${ZONE}'`);
  }
  await migrate(db, NOW);
  return db;
}

describe.each(backends)('time that passes on $name', ({ name, isAvailable }) => {
  describe.skipIf(!isAvailable)('with logs by month', () => {
    const ownZone = process.env['TZ'];
    let server: TestServer;
    let late: RunningServer;
    let isRefusing = false;
    let posted: { id: number; at: Date; body: object }[] = [];
    beforeAll(async () => {
      process.env['TZ'] = ZONE;
      server = await startTestServer(
        {
          name,
          isAvailable,
          openBlank: () => openInZone(name),
          async open(content) {
            const db = await openInZone(name);
            await content?.load(db);
            return db;
          },
        },
        {
          fetch: async (input, init) =>
            isRefusing ? Response.json({ message: 'refused' }, { status: 403 }) : fetch(input, init),
        },
      );
      const { clock } = server;
      late = await server.startAnother({}, undefined, {
        ...clock,
        now: () => new Date(clock.now().getTime() - LATE_MS),
      });
      await server.db.query('delete from jobs');
    });
    afterAll(async () => {
      if (ownZone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = ownZone;
      await late.close();
      await server.close();
    });

    const goTo = (time: string) => server.clock.advance(at(time).getTime() - server.clock.now().getTime());
    const maintain = async () => {
      const clock = createManualClock(new Date(server.clock.now().getTime() - 60_000));
      const maintenance = startMaintenance({ db: server.db, clock, log, logDays: LOG_DAYS, payloadDays: 30 });
      clock.advance(60_000);
      await maintenance.stop();
    };
    const post = async () => {
      const number = posted.length + 1;
      const body = {
        event_type: 'EMAIL_SENT',
        to_email: `lead-${number % 5}@lead.example`,
        stats_id: `month-${number}`,
      };
      const createdAt = server.clock.now();
      const answer = await server.post(PATH, body);
      expect(answer.status).toBe(200);
      posted.push({ id: answer.json.requestId, at: createdAt, body });
    };
    /** Runs jobs in both processes, moving the clock to the next one, until none is due within a day. */
    const settle = async () => {
      for (let round = 0; round < 100; round += 1) {
        await Promise.all([server.running.runner.runDue(), late.runner.runDue()]);
        const { rows } = await server.db.query<{ due: Date | null }>('select min(due_at) as due from jobs');
        const waitMs = (rows[0]?.due?.getTime() ?? Infinity) - server.clock.now().getTime();
        if (waitMs > 86_400_000) return;
        server.clock.advance(Math.max(0, waitMs));
      }
      expect.fail('jobs are left');
    };
    const months = async (table: (typeof LOG_TABLES)[number]) =>
      (await listPartitions(server.db, table)).map((partition) => partition.name.replace(`${table}_`, ''));
    const partitionsInUse = async (table: string) =>
      (
        await server.db.query<{ name: string; rows: number }>(
          `select tableoid::regclass::text as name, count(*)::int as rows from ${table} where source_id = $1 group by 1 order by 1`,
          [SOURCE],
        )
      ).rows.map(({ name: partition }) => partition);
    type Row = { id: number; createdAt: string };
    const page = async (
      list: 'requests' | 'syncs',
      range: Record<string, string>,
      cursor: string | null,
      limit = 7,
    ) => {
      const query = new URLSearchParams({ ...range, sourceId: String(SOURCE), limit: String(limit) });
      if (cursor !== null) query.set('cursor', cursor);
      const operation = list === 'requests' ? 'listRequests' : 'listSyncs';
      const { status, json } = await server.get(operation, `/api/v1/${list}?${query}`);
      expect(status).toBe(200);
      return { data: json.data as Row[], nextCursor: json.nextCursor as string | null };
    };
    const allPages = async (list: 'requests' | 'syncs', range: Record<string, string>, from: string | null = null) => {
      const rows: Row[] = [];
      for (let cursor = from; ; ) {
        const { data, nextCursor } = await page(list, range, cursor);
        rows.push(...data);
        if (nextCursor === null) return rows;
        cursor = nextCursor;
      }
    };
    const expectMetrics = async (range: Record<string, string>, rows: { requests: number; syncs: number }) => {
      const query = new URLSearchParams({ ...range, sourceId: String(SOURCE) });
      const requests = await server.get('getRequestMetrics', `/api/v1/requests/metrics?${query}`);
      const syncs = await server.get('getSyncMetrics', `/api/v1/syncs/metrics?${query}`);
      const { success, warning, error } = syncs.json;
      expect([requests.json.count, success + warning + error]).toEqual([rows.requests, rows.syncs]);
    };
    const idsPosted = (from: string, to: string) =>
      posted
        .filter((entry) => entry.at >= at(from) && entry.at <= at(to))
        .map(({ id }) => id)
        .toReversed();
    const writtenKeys = () => server.crm.engagements().length;

    test('events around the end of a month: each is written once, forwarded once, and in one list', async () => {
      await maintain();
      for (const table of LOG_TABLES) expect(await months(table)).toEqual(['earlier', '2026_05', '2026_06', 'later']);
      const before = writtenKeys();
      goTo('2026-04-30T23:59:50.000Z');
      const random = createRandom(7);
      let failures = 2;
      server.receiver.answerAlways(({ path }) => (path === '/svc-events' && failures-- > 0 ? 500 : 200));
      for (let step = 0; step < 40; step += 1) {
        if (step === 20) goTo('2026-05-01T00:00:00.000Z');
        else server.clock.advance(random.between(0, 500));
        isRefusing = step >= 10 && step < 34;
        await Promise.all([
          post(),
          ...(step % 3 === 0 ? [late.runner.runDue()] : []),
          ...(step % 4 === 1 ? [server.running.runner.runDue()] : []),
          ...(step % 10 === 9 ? [maintain()] : []),
        ]);
      }
      isRefusing = false;
      await settle();
      for (const table of ['requests', 'syncs', 'deliveries'])
        expect(await partitionsInUse(table)).toEqual([`${table}_2026_05`, `${table}_earlier`]);
      const range = { from: '2026-04-30T23:00:00Z', to: '2026-05-02T00:00:00Z' };
      const requests = await allPages('requests', range);
      expect(requests.map(({ id }) => id)).toEqual(idsPosted(range.from, range.to));
      const { rows } = await server.db.query<{ first: number; ok: number; sent: number }>(
        `select (select count(*)::int from syncs s where s.payload_id = r.id and retry_of_sync_id is null) as first,
            (select count(*)::int from syncs s where s.payload_id = r.id and status = 'success') as ok,
            (select count(*)::int from deliveries d where d.payload_id = r.id and status = 'success') as sent
          from requests r where source_id = $1 and created_at >= $2`,
        [SOURCE, at(range.from)],
      );
      expect(rows).toHaveLength(posted.length);
      expect(rows.filter(({ first, sent }) => first !== 1 || sent !== 1)).toEqual([]);
      const written = rows.filter(({ ok }) => ok === 1).length;
      expect(rows.filter(({ ok }) => ok > 1)).toEqual([]);
      expect(written).toBeLessThan(posted.length);
      expect(writtenKeys() - before).toBe(written);
      const syncs = await allPages('syncs', range);
      expect(new Set(syncs.map(({ id }) => id)).size).toBe(syncs.length);
      await expectMetrics(range, { requests: requests.length, syncs: syncs.length });
      goTo('2026-05-01T02:00:00.000Z');
      await maintain();
      await expectMetrics(range, { requests: requests.length, syncs: syncs.length });
      // The incident is in one month and its end in the next one; both reached the webhooks, although the first posts failed.
      expect(failures).toBeLessThanOrEqual(0);
      const { rows: told } = await server.db.query<{ type: string; month: string; statuses: string[] }>(
        `select e.type, e.tableoid::regclass::text as month, array_agg(distinct d.status) as statuses
          from events e join webhook_deliveries d on d.event_id = e.id
          where e.source_id = $1 and e.created_at >= $2 group by e.type, e.tableoid order by e.type`,
        [SOURCE, at(range.from)],
      );
      expect(told).toEqual([
        { type: 'sync.failed', month: 'events_earlier', statuses: ['SUCCEEDED'] },
        { type: 'sync.recovered', month: 'events_2026_05', statuses: ['SUCCEEDED'] },
      ]);
    });

    test('a month that ends its time is dropped while a client pages, but not while a retry needs it', async () => {
      const range = { from: '2026-04-30T12:00:00Z', to: '2026-05-31T11:00:00Z' };
      goTo('2026-05-20T12:00:00.000Z');
      for (let count = 0; count < 10; count += 1) {
        await post();
        server.clock.advance(60_000);
      }
      await settle();
      goTo('2026-05-31T23:59:59.000Z');
      await maintain();
      const { rows: failed } = await server.db.query<{ id: number; createdAt: Date }>(
        `select id, created_at as "createdAt" from syncs where status = 'error' and source_id = $1 and created_at < '2026-05-01Z'`,
        [SOURCE],
      );
      const first = failed[0]?.id ?? expect.fail('no sync has failed');
      const retry = await server.post(`/api/v1/syncs/${first}/retry`, '', { authorization: 'Bearer osapi_demo_write' });
      expect(retry.status).toBe(200);
      const isKept = ({ createdAt }: { createdAt: string }) => at(createdAt) >= at('2026-05-01T00:00:00Z');
      const lists = [];
      for (const list of ['requests', 'syncs'] as const) {
        const all = await allPages(list, range);
        const begun = await page(list, range, null);
        lists.push({ list, all, begun });
        expect(all.some((row) => !isKept(row))).toBe(true);
      }
      goTo('2026-06-01T00:00:00.000Z');
      await Promise.all([maintain(), post()]);
      expect(await months('deliveries')).toEqual([
        'earlier',
        '2026_05',
        '2026_06',
        '2026_07',
        '2026_08',
        '2026_09',
        'later',
      ]);
      for (const table of ['requests', 'syncs'] as const)
        expect(await partitionsInUse(table)).toContain(`${table}_earlier`);
      await settle();
      expect((await server.get('getSync', `/api/v1/syncs/${first}`)).status).toBe(200);
      await maintain();
      for (const table of ['requests', 'syncs'] as const)
        expect(await partitionsInUse(table)).not.toContain(`${table}_earlier`);
      expect((await server.get('getSync', `/api/v1/syncs/${first}`)).status).toBe(404);
      for (const { list, all, begun } of lists) {
        const rest = await allPages(list, range, begun.nextCursor);
        expect([...begun.data, ...rest].map(({ id }) => id)).toEqual(all.filter(isKept).map(({ id }) => id));
        await expect(allPages(list, range)).resolves.toEqual(all.filter(isKept));
      }
      // An event of a dropped month is still known.
      const before = writtenKeys();
      const [known] = posted;
      expect((await server.post(PATH, known?.body ?? {})).status).toBe(200);
      await settle();
      expect(writtenKeys()).toBe(before);
    });

    test('the hour that summer time repeats: lists and metrics have each row once', async () => {
      goTo('2026-10-24T22:05:00.000Z');
      await maintain();
      const offsets = [];
      for (let minute = 0; minute < 240; minute += 10) {
        offsets.push(server.clock.now().getTimezoneOffset());
        await post();
        await settle();
        server.clock.advance(600_000);
      }
      // This process has summer time, and its end.
      expect(new Set(offsets)).toEqual(new Set([-120, -60]));
      const ranges = [
        ['2026-10-24T22:00:00Z', '2026-10-25T02:00:00Z'],
        // The two halves of one hour on the wall.
        ['2026-10-25T02:00:00+02:00', '2026-10-25T02:59:59.999+02:00'],
        ['2026-10-25T02:00:00+01:00', '2026-10-25T02:59:59.999+01:00'],
        ['2026-10-24', '2026-10-25'],
      ] as const;
      for (const isCounted of [false, true]) {
        if (isCounted) {
          goTo('2026-10-26T12:00:00.000Z');
          await maintain();
        }
        for (const [from, to] of ranges) {
          const ids = idsPosted(from, to);
          expect(ids.length).toBeGreaterThan(5);
          expect((await allPages('requests', { from, to })).map(({ id }) => id)).toEqual(ids);
          expect(await allPages('syncs', { from, to })).toHaveLength(ids.length);
          await expectMetrics({ from, to }, { requests: ids.length, syncs: ids.length });
        }
      }
    });
  });
});
