/** Receipts and events that wait together: what they share, and what each has for itself. */
import { readFile } from 'node:fs/promises';
import type { CrmBatch, CrmOutcome, CrmWrite } from '@svc/crm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { recordStatements } from '../support/database-probes.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);
const HOUR_MS = 60 * 60 * 1000;

const written: CrmOutcome = { status: 'success', contactId: '1', engagementId: '2' };
const failed = (changes: object): CrmOutcome => ({
  status: 'error',
  error: { code: 'refused', message: 'refused', httpStatus: 400 },
  retry: 'never',
  disconnected: false,
  ...changes,
});
const unavailable = failed({
  error: { code: 'unavailable', message: 'down', httpStatus: 503 },
  retry: { afterMs: null },
  isUnavailable: true,
});

describe.each(backends)('batches on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('pipeline', () => {
    let server: TestServer;
    let posted: number;
    beforeEach(async () => {
      posted = 0;
      server = await startTestServer(backend);
      await server.db.query('delete from jobs');
      await server.db.query('delete from sync_health');
      server.crm.reset();
      server.clock.advance(1_000);
    });
    afterEach(async () => {
      await server.close();
    });

    const post = async (count: number, changes: object = {}) => {
      for (let index = 0; index < count; index += 1) {
        posted += 1;
        const body = {
          ...reply,
          stats_id: `batch-${posted}`,
          sl_lead_email: `batch-${posted}@example.org`,
          ...changes,
        };
        expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      }
    };
    const runDue = () => server.running.runner.runDue();
    /** Writes with this function instead of the CRM. Returns the batches that it got. */
    const writeWith = (outcomeOf: (write: CrmWrite, batch: CrmBatch) => CrmOutcome, batchSize = 100) => {
      const batches: CrmWrite[][] = [];
      const { ctx } = server.running;
      const connector = ctx.crmConnector('HUBSPOT');
      if (!connector) throw new Error('There is no connector.');
      ctx.crmConnector = () => ({
        ...connector,
        batchSize,
        writeEvents: async (batch) => {
          batches.push([...batch.events]);
          return batch.events.map((write) => outcomeOf(write, batch));
        },
      });
      return batches;
    };
    const numberOf = ({ event }: CrmWrite) => Number(/\d+/.exec(event.toEmail)?.[0]);
    const rows = async () =>
      (
        await server.db.query<{ number: number; status: string; code: string | null }>(
          `select substring(to_email from '\\d+')::int as number, status, error->>'code' as code from syncs
            where to_email like 'batch-%' order by id`,
        )
      ).rows;
    const jobs = async () =>
      (
        await server.db.query<{ kind: string; due: Date; error: string | null; tries: number | null }>(
          `select kind, due_at as due, last_error as error, (state->>'tries')::int as tries from jobs
            where kind in ('process-receipt', 'write-crm', 'retry-sync') order by id`,
        )
      ).rows;
    const outages = async () =>
      (
        await server.db.query<{ isConfirmed: boolean }>(
          'select is_confirmed as "isConfirmed" from crm_outages where connection_id = 1',
        )
      ).rows;

    test('100 receipts take few statements and few calls', async () => {
      await server.db.query('update connections set capability_destinations = false');
      // The first one creates the properties of the account.
      await post(1);
      await runDue();
      await post(100);
      const callsBefore = server.crm.requests().length;
      const recorded = recordStatements(server);
      await runDue();
      recorded.stop();
      expect(await rows()).toHaveLength(101);
      expect(server.crm.engagements()).toHaveLength(101);
      const own = recorded.statements.filter((text) => !/jobs_claim|crm_quotas/.test(text));
      // Receipts: 1 to read, 6 to store. Events: 1 to read, 7 to store, and those of the CRM's records.
      expect(own.length).toBeLessThanOrEqual(20);
      // The contacts, a company, emails, tasks, and what belongs together.
      expect(server.crm.requests().length - callsBefore).toBeLessThanOrEqual(8);
    });

    test('events are written in the order in which they were received, in full batches', async () => {
      await post(25);
      const batches = writeWith(() => written, 10);
      await runDue();
      expect(batches.map((batch) => batch.length)).toEqual([10, 10, 5]);
      expect(batches.flat().map(numberOf)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
      expect((await rows()).map(({ number }) => number)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    });

    test('a receipt that cannot be processed fails alone', async () => {
      await post(5);
      await server.db.query(
        `update requests set body = '{' where id = (select max(ref::bigint) - 2 from jobs where kind = 'process-receipt')`,
      );
      await runDue();
      expect((await rows()).map(({ number }) => number)).toEqual([1, 2, 4, 5]);
      expect(await jobs()).toMatchObject([{ kind: 'process-receipt', error: expect.stringContaining('JSON') }]);
    });

    test('two receipts with the same event in one batch: the first one is synced, the other a duplicate', async () => {
      await post(2, { stats_id: 'the-same', sl_lead_email: 'batch-1@example.org' });
      await runDue();
      const { rows: receipts } = await server.db.query<{ outcome: string }>(
        'select outcome from requests order by id desc limit 2',
      );
      expect(receipts.map(({ outcome }) => outcome)).toEqual(['duplicate', 'synced']);
      expect(await rows()).toHaveLength(1);
    });

    test('only the jobs that are still held get a row', async () => {
      await post(5);
      const { transaction } = server.db;
      writeWith(() => written);
      const { ctx } = server.running;
      const connector = ctx.crmConnector('HUBSPOT');
      ctx.crmConnector = () =>
        connector && {
          ...connector,
          writeEvents: async (batch) => {
            // As if the lease of the second event had ended, and another worker had claimed it.
            await server.db.query(
              `update jobs set fence = fence + 1, due_at = $1 where id in (
                select id from jobs where kind = 'write-crm' order by id offset 1 limit 1)`,
              [new Date(server.clock.now().getTime() + HOUR_MS)],
            );
            return connector.writeEvents(batch);
          },
        };
      await runDue();
      expect((await rows()).map(({ number }) => number)).toEqual([1, 3, 4, 5]);
      expect(await jobs()).toMatchObject([{ kind: 'write-crm', error: null }]);
      server.db.transaction = transaction;
    });

    test('a worker that lost its jobs to another one stops after the batch that it was writing', async () => {
      await post(25);
      const batches = writeWith(() => written, 10);
      const { ctx } = server.running;
      const connector = ctx.crmConnector('HUBSPOT');
      ctx.crmConnector = () =>
        connector && {
          ...connector,
          writeEvents: async (batch) => {
            // As if its lease had ended, and another worker had claimed the jobs.
            await server.db.query(`update jobs set fence = fence + 1, due_at = $1 where kind = 'write-crm'`, [
              new Date(server.clock.now().getTime() + HOUR_MS),
            ]);
            return connector.writeEvents(batch);
          },
        };
      await runDue();
      expect(batches.map((batch) => batch.length)).toEqual([10]);
      expect(await rows()).toEqual([]);
      expect(await jobs()).toHaveLength(25);
    });

    test('each event has its own outcome', async () => {
      await post(5);
      writeWith((write) => (numberOf(write) === 3 ? failed({}) : written));
      await runDue();
      expect((await rows()).map(({ status }) => status)).toEqual(['success', 'success', 'error', 'success', 'success']);
      expect(await jobs()).toEqual([]);
    });

    test("a later event of a contact waits while an earlier one is tried again, but not beyond the earlier one's error row", async () => {
      const toOne = { sl_lead_email: 'batch-1@example.org' };
      await post(1, toOne);
      let isLocked = true;
      const locked = failed({
        error: { code: 'locked', message: 'locked', httpStatus: 423 },
        retry: { afterMs: null },
      });
      const keys: string[] = [];
      let lockedKey: string | undefined;
      writeWith(({ event }) => {
        lockedKey ??= event.eventKey;
        if (isLocked && event.eventKey === lockedKey) return locked;
        keys.push(event.eventKey);
        return written;
      });
      await runDue();
      await post(1, toOne);
      await post(1);
      await runDue();
      // The other contact's event was written, the same contact's waits.
      expect((await rows()).map(({ number }) => number)).toEqual([3]);
      isLocked = false;
      server.clock.advance(1_000);
      await runDue();
      expect((await rows()).map(({ number }) => number)).toEqual([3, 1, 1]);
      expect(keys).toHaveLength(3);
      expect(keys[1]).toBe(lockedKey);

      isLocked = true;
      lockedKey = undefined;
      await server.db.query('delete from syncs where to_email = $1', [toOne.sl_lead_email]);
      await post(1, { ...toOne, stats_id: 'batch-1-again' });
      await runDue();
      await post(1, toOne);
      for (let second = 0; second < 70; second += 1) {
        await runDue();
        server.clock.advance(1_000);
      }
      expect((await rows()).slice(1).map(({ status }) => status)).toEqual(['error', 'success']);
    });

    test('retries of many syncs share a call, and two retries of one event follow each other', async () => {
      await post(4);
      let isRefused = true;
      const batches = writeWith(() => (isRefused ? failed({}) : written));
      await runDue();
      const { rows: syncs } = await server.db.query<{ id: number }>(
        `select id from syncs where to_email like 'batch-%' order by id`,
      );
      const retry = async (id: number | undefined) =>
        server.post(`/api/v1/syncs/${id}/retry`, '', { authorization: 'Bearer osapi_demo_write' });
      for (const { id } of syncs) expect((await retry(id)).status).toBe(200);
      await runDue();
      expect(batches.map((batch) => batch.length)).toEqual([4, 4]);
      isRefused = false;
      const { rows: again } = await server.db.query<{ id: number }>(
        `select id from syncs where to_email = 'batch-1@example.org' order by id`,
      );
      expect(again).toHaveLength(2);
      for (const { id } of again) expect((await retry(id)).status).toBe(200);
      await runDue();
      expect(batches.slice(2).map((batch) => batch.length)).toEqual([1, 1]);
      expect(
        batches
          .slice(1)
          .flat()
          .every(({ isRepeated }) => isRepeated),
      ).toBe(true);
    });

    // Both databases run the same statements, so rules that bring no new kind of them are proven on one.
    if (backend !== anyBackend) return;

    test('a connector that breaks its word fails the batch, and each event is tried alone', async () => {
      await post(3);
      const { ctx } = server.running;
      const connector = ctx.crmConnector('HUBSPOT');
      const seen: { events: number; isRepeated: boolean }[] = [];
      ctx.crmConnector = () =>
        connector && {
          ...connector,
          batchSize: 100,
          writeEvents: async ({ events }) => {
            seen.push({ events: events.length, isRepeated: events.every(({ isRepeated }) => isRepeated) });
            return events.length > 1 ? [] : [written];
          },
        };
      await runDue();
      expect(await rows()).toHaveLength(3);
      expect(seen).toEqual([
        { events: 3, isRepeated: false },
        { events: 1, isRepeated: true },
        { events: 1, isRepeated: true },
        { events: 1, isRepeated: true },
      ]);
    });

    test('a batch without an answer confirms an outage at once, and one probe ends it', async () => {
      await post(20);
      let isDown = true;
      const batches = writeWith(() => (isDown ? unavailable : written));
      await runDue();
      expect(batches.map((batch) => batch.length)).toEqual([20]);
      expect(await outages()).toEqual([{ isConfirmed: true }]);
      isDown = false;
      server.clock.advance(1_000);
      await runDue();
      expect(batches.slice(1).map((batch) => batch.length)).toEqual([1, 19]);
      expect(await outages()).toEqual([]);
      expect((await rows()).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'success'));
    });

    test('an answer after a failed call in the same batch ends the outage', async () => {
      await post(3);
      writeWith((write) => (numberOf(write) === 2 ? unavailable : written));
      await runDue();
      expect(await outages()).toEqual([]);
      expect((await rows()).map(({ number }) => number)).toEqual([1, 3]);
      expect(await jobs()).toMatchObject([{ kind: 'write-crm', tries: 1 }]);
    });

    test('a daily limit gives one event of the batch an error row; the others wait', async () => {
      await post(10);
      const cooldownUntilMs = server.clock.now().getTime() + HOUR_MS;
      let isLimited = true;
      const limit = failed({
        error: { code: 'daily_limit_reached', message: 'limit', httpStatus: 429 },
        retry: { afterMs: HOUR_MS },
        cooldownUntilMs,
      });
      const batches = writeWith(() => (isLimited ? limit : written));
      await runDue();
      expect(await rows()).toEqual([{ number: 1, status: 'error', code: 'daily_limit_reached' }]);
      expect((await jobs()).every(({ due }) => due.getTime() >= cooldownUntilMs)).toBe(true);
      isLimited = false;
      server.clock.advance(2 * HOUR_MS);
      for (let round = 0; round < 2; round += 1) {
        await runDue();
        server.clock.advance(HOUR_MS);
      }
      expect((await rows()).filter(({ status }) => status === 'success')).toHaveLength(10);
      // One probe, then the others.
      expect(batches[1]).toHaveLength(1);
    });

    test('a wait for the quota adds no sync and counts as no failure; the error of the connection reports a used up share', async () => {
      await post(3);
      const wait = failed({
        error: { code: 'daily_limit_reached', message: 'share', httpStatus: null },
        retry: { afterMs: 5_000 },
        isQuotaWait: true,
      });
      let isWaiting = true;
      writeWith(() => (isWaiting ? wait : written));
      await runDue();
      expect(await rows()).toEqual([]);
      const at = server.clock.now().getTime();
      expect(await jobs()).toMatchObject(
        Array.from({ length: 3 }, () => ({ due: new Date(at + 5_000), error: 'share', tries: null })),
      );
      const error = async () =>
        (
          await server.db.query<{ error: string | null }>(
            'select recorded_error as error from connections where id = 1',
          )
        ).rows[0]?.error;
      expect(await error()).toMatch(/daily limit/);
      expect(await outages()).toEqual([]);
      isWaiting = false;
      server.clock.advance(5_000);
      await runDue();
      expect((await rows()).map(({ status }) => status)).toEqual(['success', 'success', 'success']);
      expect(await error()).toBeNull();
    });

    test('incidents that begin and end within one batch create their events in order', async () => {
      await post(7);
      writeWith((write) => (numberOf(write) === 4 ? written : failed({})));
      await runDue();
      const { json } = await server.get('listEvents', '/api/v1/events');
      const types = json.data
        .filter(({ sourceId }: { sourceId: number }) => sourceId === 1)
        .map(({ type }: { type: string }) => type);
      expect(types.slice(0, 3)).toEqual(['sync.failed', 'sync.recovered', 'sync.failed']);
    });
  });
});
