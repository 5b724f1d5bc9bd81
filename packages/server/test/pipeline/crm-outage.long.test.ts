/** A CRM that does not work for hours, on both databases, through real HTTP. */
import { Writable } from 'node:stream';
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AdminResult, performAdmin } from '@svc/operations/perform';
import type { RunningServer } from '../../src/main/server.ts';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { dropOldPayloads } from '@svc/engine/store/payload-retention';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { settleWithin } from '../support/replies.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NIGHT_MS = 9 * HOUR_MS;
const AUTHORIZATION = { authorization: 'Bearer osapi_demo_write' };
/** Calls until the outage is known: every worker may have one under way. */
const CALLS_AT_ONCE = 16;
const BEGIN = /does not work: its events wait/;
const END = /outage of a CRM is over/;

interface Row {
  id: number;
  toEmail: string;
  status: string;
  code: string | null;
  message: string | null;
  retryOf: number | null;
  at: Date;
}

describe.each(backends)('a CRM that does not work on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('outage', () => {
    let server: TestServer;
    let others: RunningServer[];
    let logged: { level: number; msg: string; [field: string]: unknown }[];
    let posted: number;
    /** Decides whether a call to the CRM fails, by the text of its body. */
    let isDown: (body: string) => boolean;
    let callCount: number;
    let underWay: number;
    let underWayMax: number;
    beforeEach(async () => {
      others = [];
      logged = [];
      posted = 0;
      underWay = 0;
      underWayMax = 0;
      isDown = () => false;
      callCount = 0;
      const sink = new Writable({
        write(chunk, _encoding, done) {
          logged.push(JSON.parse(String(chunk)));
          done();
        },
      });
      server = await startTestServer(backend, {
        log: pino({ level: 'warn' }, sink),
        fetch: async (input, init) => {
          callCount += 1;
          underWay += 1;
          underWayMax = Math.max(underWayMax, underWay);
          try {
            const request = new Request(input, init);
            if (!isDown(await request.clone().text())) return await fetch(request);
            return new Response('down', { status: 503 });
          } finally {
            underWay -= 1;
          }
        },
      });
      await server.db.query('delete from jobs');
      await server.db.query('delete from sync_health');
      server.crm.reset();
      server.clock.advance(1_000);
    });
    afterEach(async () => {
      const failures = logged.filter(({ level }) => level >= 50);
      for (const other of others) await other.close();
      await server.close();
      expect(failures).toEqual([]);
    });

    const runners = () => [server.running, ...others].map(({ runner }) => runner);
    const runDue = () => Promise.all(runners().map((runner) => runner.runDue()));
    const send = async (source = 'demo-smartlead') => {
      posted += 1;
      const body = { ...reply, stats_id: `outage-${posted}`, sl_lead_email: `outage-${posted}@example.org` };
      const answer = await server.post(`/webhooks/${source}`, body);
      expect(answer.status).toBe(200);
    };
    const post = async (count: number) => {
      for (let index = 0; index < count; index += 1) await send();
      await runDue();
    };
    const settle = (withinMs: number) => settleWithin(server, withinMs, runDue);
    const rows = async () =>
      (
        await server.db.query<Row>(
          `select id, to_email as "toEmail", status, error->>'code' as code, error->>'message' as message,
            retry_of_sync_id as "retryOf", created_at as at from syncs where to_email like 'outage-%' order by id`,
        )
      ).rows;
    const statusesOf = async (number: number) =>
      (await rows()).filter(({ toEmail }) => toEmail === `outage-${number}@example.org`).map(({ status }) => status);
    const calls = () => callCount;
    const fail = () => {
      isDown = () => true;
    };
    const repair = () => {
      isDown = () => false;
    };
    const warnings = () =>
      logged
        .filter(({ msg }) => BEGIN.test(msg) || END.test(msg))
        .map(({ msg }) => (BEGIN.test(msg) ? 'begin' : 'end'));
    const jobs = async () =>
      (await server.db.query<{ kind: string }>('select kind from jobs order by id')).rows.map(({ kind }) => kind);
    const retry = async (id: number | undefined) => server.post(`/api/v1/syncs/${id}/retry`, '', AUTHORIZATION);
    const events = async () =>
      (
        await server.db.query<{ type: string }>(
          `select type from events where created_at > $1 and connection_id = 1 order by created_at, id`,
          [new Date('2026-03-31T12:00:00.500Z')],
        )
      ).rows.map(({ type }) => type);

    test('a night: one error row and one success per event, one probe at a time, two warnings, nobody is needed', async () => {
      fail();
      for (let hour = 0; hour < 9; hour += 1) {
        await post(25);
        await settle(NIGHT_MS / 9);
      }
      const inOutage = calls();
      // 10 probes in 17 minutes, then one every quarter of an hour.
      expect(inOutage).toBeLessThanOrEqual(CALLS_AT_ONCE + 10 + (NIGHT_MS / MINUTE_MS - 17) / 15 + 1);
      expect(inOutage).toBeGreaterThan(35);
      const failed = await rows();
      expect(failed).toHaveLength(posted);
      expect(new Set(failed.map(({ toEmail }) => toEmail)).size).toBe(posted);
      for (const row of failed) expect(row).toMatchObject({ status: 'error', code: 'unavailable', retryOf: null });
      expect(warnings()).toEqual(['begin']);
      expect(await events()).toEqual(['sync.failed']);

      repair();
      const repairedAt = server.clock.now().getTime();
      await settle(15 * MINUTE_MS + 1_000);
      const done = (await rows()).slice(failed.length);
      expect(done.map(({ toEmail }) => toEmail).toSorted()).toEqual(failed.map(({ toEmail }) => toEmail).toSorted());
      const idOf = new Map(failed.map(({ toEmail, id }) => [toEmail, id]));
      for (const { status, retryOf, toEmail } of done) {
        expect({ status, retryOf }).toEqual({ status: 'success', retryOf: idOf.get(toEmail) });
      }
      expect((done.at(-1)?.at.getTime() ?? Infinity) - repairedAt).toBeLessThanOrEqual(15 * MINUTE_MS);
      expect(server.crm.engagements()).toHaveLength(posted);
      expect(await events()).toEqual(['sync.failed', 'sync.recovered']);
      expect(await jobs()).not.toContain('write-crm');
      expect(await jobs()).not.toContain('probe-crm');
      expect(warnings()).toEqual(['begin', 'end']);
      expect(logged.filter(({ msg }) => !BEGIN.test(msg) && !END.test(msg))).toEqual([]);
      expect(logged.find(({ msg }) => END.test(msg))).toMatchObject({
        connectionId: 1,
        crm: 'HUBSPOT',
        waitingEvents: posted,
        durationSeconds: expect.any(Number),
      });
    });

    test('operators see how many events wait, since when, and the next probe', async () => {
      const failingSince = server.clock.now();
      fail();
      await post(7);
      const list = async () =>
        ((await performAdmin(server.running.ctx, 'connections/list', {}, 'a test')) as AdminResult<'connections/list'>)
          .notices;
      const gauges = async () =>
        Object.fromEntries(
          [
            ...(await (await fetch(`${server.url}/metrics`)).text()).matchAll(
              /^svc_crm_(outage\w*)\{crm="HUBSPOT"\} (\S+)$/gm,
            ),
          ].map(([, name, value]) => [name, Number(value)]),
        );
      expect(await list()).toEqual([]);
      const none = { outages: 0, outage_waiting_events: 0, outage_seconds: 0 };
      expect(await gauges()).toEqual(none);
      await settle(HOUR_MS);
      const { rows: stored } = await server.db.query<{ at: Date }>('select next_probe_at as at from crm_outages');
      const nextProbeAt = stored[0]?.at ?? new Date(0);
      const text = `7 events wait for connection 1 (HUBSPOT): not working since ${failingSince.toISOString()}, next probe at ${nextProbeAt.toISOString()} (last: HubSpot answered 503 to the contact)`;
      expect(await list()).toEqual([text]);
      const { checks } = (await performAdmin(
        server.running.ctx,
        'doctor/check',
        {},
        'a test',
      )) as AdminResult<'doctor/check'>;
      expect(checks.filter(({ name }) => name === 'CRM outage')).toMatchObject([{ status: 'WARN', message: text }]);
      expect(await gauges()).toEqual({
        outages: 1,
        outage_waiting_events: 7,
        outage_seconds: HOUR_MS / 1_000,
        outage_next_probe_seconds: (nextProbeAt.getTime() - server.clock.now().getTime()) / 1_000,
      });
      repair();
      await settle(16 * MINUTE_MS);
      expect(await list()).toEqual([]);
      expect(await gauges()).toEqual(none);
    });

    test('two processes make one probe at a time', async () => {
      others = [await server.startAnother()];
      fail();
      await post(40);
      await settle(2 * MINUTE_MS);
      underWayMax = 0;
      const before = calls();
      await settle(2 * HOUR_MS);
      expect(underWayMax).toBe(1);
      expect(calls() - before).toBeLessThanOrEqual(15);
      repair();
      await settle(16 * MINUTE_MS);
      expect(server.crm.engagements()).toHaveLength(40);
      expect((await rows()).filter(({ status }) => status === 'success')).toHaveLength(40);
      expect(await rows()).toHaveLength(80);
      expect(warnings()).toEqual(['begin', 'end']);
    });

    test('a restart in between changes nothing', async () => {
      fail();
      await post(10);
      await settle(HOUR_MS);
      await server.running.runner.stop();
      const restarted = await server.startAnother();
      server.running.runner.runDue = restarted.runner.runDue;
      others = [restarted];
      await settle(HOUR_MS);
      repair();
      await settle(16 * MINUTE_MS);
      for (let number = 1; number <= 10; number += 1) expect(await statusesOf(number)).toEqual(['error', 'success']);
      expect(warnings()).toEqual(['begin', 'end']);
    });

    test('a worker that dies during the probe delays it by its lease', async () => {
      fail();
      await post(5);
      await settle(HOUR_MS);
      // A process that claimed the probe and the event, and was killed.
      const dead = new Date(server.clock.now().getTime() + 2 * MINUTE_MS);
      await server.db.query(
        `update jobs set is_leased = true, fence = fence + 1, due_at = $1
          where kind = 'probe-crm' or id = (select min(id) from jobs where kind = 'write-crm')`,
        [dead],
      );
      repair();
      await settle(17 * MINUTE_MS);
      for (let number = 1; number <= 5; number += 1) expect(await statusesOf(number)).toEqual(['error', 'success']);
      expect(server.crm.engagements()).toHaveLength(5);
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('a probe that the database fails after a night is made again within seconds', async () => {
      fail();
      await post(5);
      await settle(NIGHT_MS);
      const { query } = server.db;
      server.db.query = (statement, values) => {
        if (typeof statement === 'string' || statement.name !== 'connections-get-probe-target') {
          return query(statement, values);
        }
        server.db.query = query;
        return Promise.reject(new DatabaseUnavailableError('away'));
      };
      repair();
      await settle(16 * MINUTE_MS);
      for (let number = 1; number <= 5; number += 1) expect(await statusesOf(number)).toEqual(['error', 'success']);
      expect(logged.splice(0).filter(({ level }) => level >= 50)).toMatchObject([{ kind: 'probe-crm' }]);
    });

    test('gives an event up after 24 hours with one more error row, which a retry can still write', async () => {
      fail();
      await post(3);
      await settle(24 * HOUR_MS - MINUTE_MS);
      expect(await rows()).toHaveLength(3);
      await settle(2 * MINUTE_MS);
      const made = await rows();
      expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'error'));
      const first = made.slice(0, 3).map(({ id }) => id);
      for (const { message, retryOf } of made.slice(3)) {
        expect(message).toMatch(/503.*\(given up after 24 hours: retry the sync\)$/);
        expect(first).toContain(retryOf);
      }
      await settle(20 * MINUTE_MS);
      expect(await jobs()).toEqual([]);
      expect(warnings()).toEqual(['begin', 'end']);
      repair();
      expect((await retry(made[3]?.id)).status).toBe(200);
      await settle(MINUTE_MS);
      expect((await rows()).slice(6)).toMatchObject([{ status: 'success', retryOf: made[3]?.id }]);
    });

    test('one event alone is tried with growing gaps, and its outage is logged', async () => {
      fail();
      await post(1);
      await settle(2 * HOUR_MS);
      expect(await statusesOf(1)).toEqual(['error']);
      expect(calls()).toBeGreaterThanOrEqual(15);
      expect(calls()).toBeLessThanOrEqual(20);
      expect(warnings()).toEqual(['begin']);
      repair();
      await settle(16 * MINUTE_MS);
      expect(await statusesOf(1)).toEqual(['error', 'success']);
      expect(warnings()).toEqual(['begin', 'end']);
    });

    test('an event that was given up alone leaves no outage, and the next one is an outage of its own', async () => {
      const list = async () =>
        ((await performAdmin(server.running.ctx, 'connections/list', {}, 'a test')) as AdminResult<'connections/list'>)
          .outages;
      fail();
      await post(1);
      await settle(HOUR_MS);
      expect(await list()).toMatchObject([{ waiting: 1 }]);
      await settle(24 * HOUR_MS);
      expect(await statusesOf(1)).toEqual(['error', 'error']);
      expect(await list()).toEqual([]);
      server.clock.advance(7 * 24 * HOUR_MS);
      const failingSince = server.clock.now();
      await post(2);
      await settle(HOUR_MS);
      expect(await list()).toMatchObject([{ waiting: 2, since: failingSince.toISOString() }]);
      expect(warnings()).toEqual(['begin', 'begin']);
      repair();
      await settle(16 * MINUTE_MS);
      for (const number of [2, 3]) expect(await statusesOf(number)).toEqual(['error', 'success']);
      expect(warnings()).toEqual(['begin', 'begin', 'end']);
    });

    test.each([
      ['a record that stays locked', 423, {}],
      ['a limit that is never free', 429, { retryAfterSeconds: 10 }],
    ])('%s is tried with growing gaps for 24 hours, and stops no other event', async (_name, status, options) => {
      server.crm.failNext(1_000_000, status, options);
      await post(1);
      await settle(2 * HOUR_MS);
      expect(calls()).toBeGreaterThanOrEqual(10);
      expect(calls()).toBeLessThanOrEqual(20);
      await settle(23 * HOUR_MS);
      expect(await statusesOf(1)).toEqual(['error', 'error']);
      expect((await rows()).at(-1)?.message).toContain('given up after 24 hours');
      expect(await jobs()).not.toContain('write-crm');
      expect((await server.db.query('select from crm_outages')).rowCount).toBe(0);
    });

    test('an outage that ends within a minute leaves no error row and no warning', async () => {
      fail();
      await post(20);
      await settle(10_000);
      repair();
      await settle(MINUTE_MS);
      expect((await rows()).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'success'));
      expect(warnings()).toEqual([]);
    });

    test('a refusal by the CRM is the next row at once, and ends the outage', async () => {
      fail();
      await post(6);
      await settle(HOUR_MS);
      repair();
      server.crm.failNext(1, 400);
      await settle(16 * MINUTE_MS);
      const made = (await rows()).slice(6);
      expect(made.map(({ status }) => status).toSorted()).toEqual([
        'error',
        ...Array.from({ length: 5 }, () => 'success'),
      ]);
      expect(made.find(({ status }) => status === 'error')).toMatchObject({ code: 'refused' });
      expect(await jobs()).not.toContain('write-crm');
    });

    test('an event that fails by itself neither stops nor delays the others', async () => {
      isDown = (body) => body.includes('outage-1@');
      await post(1);
      for (let minute = 0; minute < 60; minute += 1) {
        await post(1);
        await settle(MINUTE_MS);
      }
      for (let number = 2; number <= posted; number += 1) expect(await statusesOf(number)).toEqual(['success']);
      expect(await statusesOf(1)).toEqual(['error']);
      expect(warnings()).toEqual([]);
      await settle(23 * HOUR_MS + MINUTE_MS);
      expect(await statusesOf(1)).toEqual(['error', 'error']);
    });

    test('several events that fail by themselves delay others at first only', async () => {
      isDown = (body) => /outage-[1-5]@/.test(body);
      await post(5);
      for (let round = 0; round < 30; round += 1) {
        await settle(15 * MINUTE_MS);
        await post(1);
      }
      await settle(10_000);
      for (let number = 6; number <= posted; number += 1) expect((await statusesOf(number)).at(-1)).toBe('success');
      for (let number = 20; number <= posted; number += 1) expect(await statusesOf(number)).toEqual(['success']);
    });

    describe('a retry by hand', () => {
      test('is the next probe at once, adds no row when it fails, and no second try', async () => {
        fail();
        await post(4);
        await settle(2 * HOUR_MS);
        const made = await rows();
        const failed = made.find(({ toEmail }) => toEmail === 'outage-3@example.org');
        const before = calls();
        server.clock.advance(2 * MINUTE_MS);
        expect((await retry(failed?.id)).json).toEqual({ queued: true, syncId: failed?.id });
        await runDue();
        expect(calls() - before).toBe(1);
        expect(await rows()).toHaveLength(4);
        expect((await jobs()).filter((kind) => kind !== 'probe-crm')).toEqual(
          Array.from({ length: 4 }, () => 'write-crm'),
        );
        // More of them are not tried at once.
        for (const { id } of made) expect((await retry(id)).status).toBe(200);
        await runDue();
        expect(calls() - before).toBe(1);
        repair();
        await settle(16 * MINUTE_MS);
        for (let number = 1; number <= 4; number += 1) expect(await statusesOf(number)).toEqual(['error', 'success']);
        expect(server.crm.engagements()).toHaveLength(4);
      });

      test('ends the outage at once when the CRM works again', async () => {
        fail();
        await post(4);
        await settle(2 * HOUR_MS);
        repair();
        server.clock.advance(MINUTE_MS);
        await retry((await rows())[0]?.id);
        await settle(2_000);
        expect((await rows()).filter(({ status }) => status === 'success')).toHaveLength(4);
        expect(warnings()).toEqual(['begin', 'end']);
      });

      test('of an event that was refused before the outage gets its row after a minute, and is tried on', async () => {
        server.crm.failNext(1, 400);
        await post(1);
        const [refused] = await rows();
        fail();
        await post(3);
        await settle(HOUR_MS);
        await retry(refused?.id);
        await settle(HOUR_MS);
        expect(await statusesOf(1)).toEqual(['error', 'error']);
        await retry(refused?.id);
        await retry((await rows()).at(-1)?.id);
        await settle(MINUTE_MS);
        repair();
        await settle(16 * MINUTE_MS);
        expect(await statusesOf(1)).toEqual(['error', 'error', 'success']);
      });
    });

    test('a daily limit after the outage is handled as a daily limit', async () => {
      fail();
      await post(5);
      await settle(HOUR_MS);
      repair();
      server.crm.failNext(1, 'daily');
      await settle(16 * MINUTE_MS);
      expect((await rows()).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'error'));
      expect(warnings()).toEqual(['begin', 'end']);
      await settle(2 * HOUR_MS);
      for (let number = 1; number <= 5; number += 1) expect(await statusesOf(number)).toEqual(['error', 'success']);
    });

    test('a token that is refused afterwards gives every event its row', async () => {
      fail();
      await post(4);
      await settle(HOUR_MS);
      repair();
      server.crm.failNext(1, 401);
      await settle(16 * MINUTE_MS);
      const made = (await rows()).slice(4).map(({ code }) => code);
      expect(made.toSorted()).toEqual(['crm_disconnected', 'crm_disconnected', 'crm_disconnected', 'disconnected']);
      expect(await jobs()).not.toContain('write-crm');
    });

    test('syncing switched off: the events end without a call or a row', async () => {
      fail();
      await post(4);
      await settle(HOUR_MS);
      await server.db.query('update connections set capability_sync = false where id = 1');
      const before = calls();
      await settle(16 * MINUTE_MS);
      expect(calls()).toBe(before);
      expect(await rows()).toHaveLength(4);
      expect(await jobs()).toEqual([]);
      expect((await server.db.query('select from crm_outages')).rowCount).toBe(0);
    });

    test.each(['sources', 'connections'] as const)('removed %s end it', async (kind) => {
      fail();
      await post(4);
      await settle(HOUR_MS);
      const { rows: sources } = await server.db.query<{ id: number }>('select id from sources where connection_id = 1');
      const ids = kind === 'connections' ? [1] : sources.map(({ id }) => id);
      for (const id of ids)
        await performAdmin(server.running.ctx, `${kind}/remove`, { id, isConfirmed: true }, 'a test');
      await settle(16 * MINUTE_MS);
      expect((await jobs()).filter((job) => job.endsWith('-crm'))).toEqual([]);
      expect((await server.db.query('select from crm_outages')).rowCount).toBe(0);
    });

    test('payloads that are deleted meanwhile are not needed', async () => {
      fail();
      await post(2);
      await settle(HOUR_MS);
      await dropOldPayloads(server.db, new Date(server.clock.now().getTime() + 1));
      repair();
      await settle(16 * MINUTE_MS);
      expect(await statusesOf(1)).toEqual(['error', 'success']);
      expect(await statusesOf(2)).toEqual(['error', 'success']);
    });
  });
});
