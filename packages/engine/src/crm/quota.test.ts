import { type CrmQuota, publishedLimits } from '@svc/crm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createManualClock, type ManualClock } from '../runtime/clock.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { type Database, DatabaseUnavailableError } from '../store/database/db.ts';
import { createCrmQuotas, type CrmQuotasOptions } from './quota.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');
const HUBSPOT = { id: 1, crm: 'HUBSPOT' };
const CALL = { operation: 'read_records', cost: 1 };

describe.each(backends)('the quota of a CRM on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('quota', () => {
    let db: Database;
    let clock: ManualClock;
    let logged: Record<string, unknown>[];
    beforeAll(async () => {
      db = await open();
      await db.query(`insert into accounts (id, email, created_at) values (1, 'a@example.com', $1)`, [NOW]);
      await db.query(
        `insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
          values (1, 1, 'HUBSPOT', '1', 'example.com', $1), (2, 1, 'SALESFORCE', '2', 'example.com', $1)`,
        [NOW],
      );
    });
    afterAll(async () => {
      await db.close();
    });
    beforeEach(async () => {
      clock = createManualClock(NOW);
      logged = [];
      await db.query('delete from crm_quotas');
    });

    /** The quotas of one process. */
    const startProcess = (options: Partial<CrmQuotasOptions> = {}) =>
      createCrmQuotas({
        db,
        clock,
        log: pino({ base: null, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) }),
        metrics: createMetrics([]),
        dailyShare: 0.8,
        limitsOf: publishedLimits,
        signal: new AbortController().signal,
        ...options,
      });
    /** A handle that counts its statements. */
    const counting = () => {
      const statements: string[] = [];
      const counted: Database = {
        ...db,
        query: (statement, values) => {
          statements.push(typeof statement === 'string' ? statement : statement.name);
          return db.query(statement, values);
        },
      };
      return { statements, db: counted };
    };
    const allowedNow = async (quota: CrmQuota, count: number) => {
      for (let call = 0; call < count; call += 1) expect(await quota.take(CALL)).toBeNull();
    };

    test('a permission is one statement, and an answer that says nothing new is none', async () => {
      const counted = counting();
      const quota = startProcess({ db: counted.db })(HUBSPOT);
      await allowedNow(quota, 1);
      expect(counted.statements).toEqual(['crm-quotas-get', 'crm-quotas-insert']);
      await quota.report(CALL, {
        httpStatus: 200,
        window: { remaining: 189, resetMs: 10_000, limit: 190 },
        daily: { remaining: 649_999, limit: 650_000 },
      });
      counted.statements.length = 0;
      await allowedNow(quota, 20);
      await quota.report(CALL, {
        httpStatus: 200,
        window: { remaining: 169, resetMs: 10_000, limit: 190 },
        daily: { remaining: 649_979, limit: 650_000 },
      });
      expect(counted.statements).toEqual(Array.from({ length: 20 }, () => 'crm-quotas-update'));
    });

    test('calls that are made at the same moment get their permissions with one statement', async () => {
      const counted = counting();
      const quota = startProcess({ db: counted.db })(HUBSPOT);
      await allowedNow(quota, 1);
      counted.statements.length = 0;
      expect(await Promise.all(Array.from({ length: 5 }, () => quota.take(CALL)))).toEqual(Array(5).fill(null));
      expect(counted.statements).toEqual(['crm-quotas-update']);
    });

    test('processes that ask at the same moment get exactly the limit together, and each other later on', async () => {
      const processes = Array.from({ length: 4 }, () => startProcess()(HUBSPOT));
      const comeBack = (untilMs: number) =>
        new Promise<void>((resolve) => {
          clock.setTimer(resolve, untilMs - clock.now().getTime());
        });
      const times: number[] = [];
      let running = processes.length;
      const asking = processes.map(async (quota) => {
        for (let call = 0; call < 40; ) {
          const refusal = await quota.take(CALL);
          if (refusal === null) {
            call += 1;
            times.push(clock.now().getTime() - NOW.getTime());
          } else await comeBack(refusal.untilMs);
        }
        running -= 1;
      });
      while (running > 0) {
        // All that can happen now happens before time passes.
        for (let idle = 0; idle < 3; ) {
          const before = times.length;
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          await db.query('select');
          idle = times.length === before ? idle + 1 : 0;
        }
        clock.advance(100);
      }
      await Promise.all(asking);
      expect(times).toHaveLength(160);
      // HubSpot's limit before an answer has told another one.
      for (const from of times) {
        expect(times.filter((at) => at >= from && at <= from + 10_000).length).toBeLessThanOrEqual(100);
      }
      expect(Math.max(...times)).toBeLessThan(26_000);
    });

    test('what one process learns holds for the others', async () => {
      const [one, other] = [startProcess()(HUBSPOT), startProcess()(HUBSPOT)];
      await allowedNow(one, 1);
      await allowedNow(other, 1);
      await one.report(CALL, { httpStatus: 429, window: { remaining: 0, resetMs: 10_000, limit: 190 } });
      const refusal = await other.take(CALL);
      expect(refusal).toEqual({
        untilMs: NOW.getTime() + 10_000,
        error: { code: 'rate_limited', message: expect.stringContaining('HUBSPOT refused a call'), httpStatus: null },
      });
      clock.advance(11_000);
      await allowedNow(other, 1);
      await allowedNow(one, 1);
    });

    test('a short wait is waited, and a process that stops waits no longer', async () => {
      const stopping = new AbortController();
      const quota = startProcess({ signal: stopping.signal })(HUBSPOT);
      await quota.report(CALL, { httpStatus: 200, window: { remaining: 0, resetMs: 10_000, limit: 100 } });
      let state = 'waiting';
      const waiting = quota.take(CALL).then((refusal) => {
        state = refusal === null ? 'allowed' : 'refused';
      });
      clock.advance(10_000);
      await db.query('select');
      expect(state).toBe('waiting');
      clock.advance(1_000);
      await waiting;
      expect(state).toBe('allowed');
      await quota.report(CALL, { httpStatus: 200, window: { remaining: 0, resetMs: 10_000, limit: 100 } });
      const stopped = quota.take(CALL);
      stopping.abort();
      // Its call is aborted before it is sent.
      expect(await stopped).toBeNull();
    });

    test('the share of the day is refused until the next look, and logged once by all processes together', async () => {
      const [one, other] = [startProcess(), startProcess()].map((process) => process({ id: 2, crm: 'SALESFORCE' }));
      if (!one || !other) throw new Error('There are two processes.');
      await allowedNow(one, 1);
      await one.report(CALL, { httpStatus: 200, daily: { remaining: 2_500, limit: 15_000 } });
      const refusals = [await other.take(CALL), await one.take(CALL), await other.take(CALL)];
      for (const refusal of refusals) {
        expect(refusal).toEqual({
          untilMs: NOW.getTime() + 3_600_000,
          error: {
            code: 'daily_limit_reached',
            message: expect.stringMatching(/used 12500 of its 15000 calls to SALESFORCE/),
            httpStatus: null,
          },
        });
      }
      expect(logged).toMatchObject([
        { level: 40, connectionId: 2, used: 12_500, limit: 15_000, nextLookAt: '2026-03-31T13:00:00.000Z' },
      ]);
      clock.advance(3_600_000);
      await allowedNow(one, 1);
      await one.report(CALL, { httpStatus: 200, daily: { remaining: 14_999, limit: 15_000 } });
      await allowedNow(other, 3);
      expect(logged.slice(1)).toMatchObject([{ level: 30, connectionId: 2, used: 2 }]);
    });

    test('while the database is away no call is allowed, and nothing is thrown', async () => {
      const away = () => Promise.reject(new DatabaseUnavailableError('away'));
      const quota = startProcess({ db: { ...db, query: away } })(HUBSPOT);
      expect(await quota.take(CALL)).toMatchObject({
        untilMs: NOW.getTime() + 5_000,
        error: { code: 'rate_limited', message: expect.stringContaining('database') },
      });
      await quota.report(CALL, { httpStatus: 429 });
      expect(logged).toHaveLength(2);
    });

    test('a CRM type of a later release has no limits', async () => {
      const quota = startProcess()({ id: 1, crm: 'ZOHO' });
      for (let call = 0; call < 300; call += 1) expect(await quota.take(CALL)).toBeNull();
    });
  });
});
