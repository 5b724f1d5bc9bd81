/** HubSpot's real limits in the simulator: calls in a row, by two processes, with a moved clock. */
import { createCrmConnectors, publishedLimits } from '@svc/crm';
import { startHubspotSimulator } from '@svc/simulators';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { backends } from '../../test/support/backends.ts';
import { type Clock, createManualClock } from '../runtime/clock.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { createCrmQuotas } from './quota.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');

describe.each(backends)('calls within the limits of HubSpot on $name', ({ isAvailable, open }) => {
  test.skipIf(!isAvailable)('1,000 calls in a row of two processes see no 429, and take a minute', async () => {
    const manual = createManualClock(NOW);
    // Who waits moves the time.
    const clock: Clock = {
      now: () => manual.now(),
      monotonicMs: () => manual.monotonicMs(),
      setTimer(callback, delayMs) {
        const handle = setImmediate(() => {
          manual.advance(delayMs);
          callback();
        });
        return () => clearImmediate(handle);
      },
    };
    const db = await open();
    await db.query(`insert into accounts (id, email, created_at) values (1, 'a@example.com', $1)`, [NOW]);
    await db.query(
      `insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
        values (1, 1, 'HUBSPOT', '1', 'example.com', $1)`,
      [NOW],
    );
    const crm = await startHubspotSimulator({ now: () => manual.now() });
    crm.setRateLimit({ max: 190, intervalMs: 10_000 });
    const connector = createCrmConnectors({
      fetch: globalThis.fetch,
      timeoutMs: 60_000,
      now: () => manual.now(),
      baseUrls: { HUBSPOT: crm.url },
    }).get('HUBSPOT');
    if (!connector) throw new Error('There is a connector of HubSpot.');
    const count = sized(1_000);
    let left = count;
    const run = async () => {
      const quota = createCrmQuotas({
        db,
        clock,
        log: pino({ level: 'silent' }),
        metrics: createMetrics([]),
        dailyShare: 0.8,
        limitsOf: publishedLimits,
        signal: new AbortController().signal,
      })({ id: 1, crm: 'HUBSPOT' });
      while (left > 0) {
        left -= 1;
        const answer = await connector.checkAccess({ accessToken: 't', tokenType: 'private', apiUrl: null, quota });
        expect(answer.status).toBe('accepted');
        manual.advance(2);
      }
    };
    await Promise.all([run(), run()]);
    const statuses = crm.requests().map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(count);
    expect(statuses.filter((status) => status === 429)).toHaveLength(0);
    expect(manual.now().getTime() - NOW.getTime()).toBeLessThan(count * 62);
    await crm.close();
    await db.close();
  });
});
