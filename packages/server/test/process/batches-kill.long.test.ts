/**
 * Batches of events that are written while calls fail, answers are lost, events are refused and servers are killed: real
 * processes, real HTTP, one PostgreSQL. Each event has one engagement and one first sync. The clocks of the servers run
 * faster, so that the leases of the killed ones and the waits after failures take seconds.
 */
import { fileURLToPath } from 'node:url';
import { startHubspotSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { type MovedClockServer, runServerCommandHere, startMovedClockServer } from '../support/processes.ts';

const EVENTS = sized(1_500);
const CONTACTS = Math.ceil(EVENTS / 3);
/** The CRM refuses one contact in a hundred. */
const isBad = (contact: number) => contact % 100 === 50;
const FAULTS = ['lost-answer', 429, 503, 429, 'reset'] as const;
/** One server is killed when the CRM gets a call of this number: in mid-batch. */
const KILLED_AT_CALLS = [12, 25, 40];
/** How much faster the servers' clocks run: a lease takes 1.5 s. */
const RATE = 10;
const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

describe.skipIf(databaseUrl === null)('batches of two servers on one PostgreSQL', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test(`${EVENTS} events, 20 % failed calls, ${KILLED_AT_CALLS.length} SIGKILLs: one engagement and one first sync each`, async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const servers: MovedClockServer[] = [];
    const clock = { receiverPort: 0, offsetMs: 0, rate: RATE, epochMs: Date.now() };
    let areCallsFailing = true;
    let calls = 0;
    let onKill = async () => {};
    const kills: Promise<void>[] = [];
    const crm = await startHubspotSimulator({
      validationRule: (type, values) =>
        type === 'contacts' && isBad(Number(/^lead-(\d+)@/.exec(values['email'] ?? '')?.[1] ?? 0))
          ? 'a rule of the account'
          : null,
      faults: () => {
        calls += 1;
        if (KILLED_AT_CALLS.includes(calls)) kills.push(onKill());
        // The same numbers in every run: 20 % of the calls fail.
        return areCallsFailing && (calls * 7) % 5 === 0 ? (FAULTS[(calls / 5) % FAULTS.length] ?? null) : null;
      },
    });
    cleanUps.push(() => crm.close());
    const env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'error',
      SVC_HUBSPOT_URL: crm.url,
    };
    expect(await runServerCommandHere(['world', 'load', minimalWorld], env)).toMatchObject({ code: 0 });
    const db = openPostgres(database.url, { maxConnections: 2 });
    cleanUps.push(() => db.close());
    const { rows: last } = await db.query<{ id: number }>('select max(id) as id from requests');
    const start = async (index: number) => {
      const server = await startMovedClockServer(clock, env);
      cleanUps.push(() => server.stop('SIGKILL'));
      servers[index] = server;
    };
    await start(0);
    await start(1);
    let victim = 0;
    onKill = async () => {
      victim = 1 - victim;
      await servers[victim]?.stop('SIGKILL');
      await start(victim);
    };

    const acknowledged: number[] = [];
    let next = 0;
    const sendMany = async () => {
      while (next < EVENTS) {
        const number = next;
        next += 1;
        const body = JSON.stringify({
          event_type: 'EMAIL_SENT',
          to_email: `lead-${number % CONTACTS}@example.org`,
          stats_id: `event-${number}`,
        });
        // A post that a killed server does not answer is sent again, as sequencers do.
        for (;;) {
          const answer = await fetch(`${servers[number % 2]?.url}/webhooks/minimal-smartlead`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
            .then(async (response) => ({ status: response.status, text: await response.text() }))
            .catch(() => null);
          if (answer?.status !== 200) continue;
          acknowledged.push(JSON.parse(answer.text).requestId);
          break;
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, sendMany));
    await expect.poll(() => calls, { timeout: 300_000 }).toBeGreaterThan(KILLED_AT_CALLS.at(-1) ?? 0);
    areCallsFailing = false;
    await Promise.all(kills);
    await expect
      .poll(async () => (await db.query('select from jobs')).rowCount, { timeout: 400_000, interval: 250 })
      .toBe(0);
    for (const server of servers) await server.stop();

    const { rows: events } = await db.query<{ contact: number; statuses: string[]; firsts: number }>(
      `select substring(e.to_email from '\\d+')::int as contact, array_agg(s.status order by s.id) as statuses,
          count(*) filter (where s.retry_of_sync_id is null)::int as firsts
        from inbound_events e join syncs s on s.inbound_event_id = e.id group by e.id`,
    );
    expect(events).toHaveLength(EVENTS);
    expect(events.filter(({ firsts }) => firsts !== 1)).toEqual([]);
    const good = events.filter(({ contact }) => !isBad(contact));
    expect(good.length).toBeLessThan(EVENTS);
    expect(good.filter(({ statuses }) => statuses.at(-1) !== 'success')).toEqual([]);
    expect(good.filter(({ statuses }) => statuses.filter((status) => status === 'success').length !== 1)).toEqual([]);
    expect(events.filter(({ contact, statuses }) => isBad(contact) && statuses.at(-1) !== 'error')).toEqual([]);
    expect(crm.state().counts).toMatchObject({ engagements: good.length });

    const { rows: outcomes } = await db.query<{ outcome: string | null; count: number }>(
      'select outcome, count(*)::int as count from requests where id > $1 group by outcome',
      [last[0]?.id ?? 0],
    );
    const countOf = (outcome: string) => outcomes.find((row) => row.outcome === outcome)?.count ?? 0;
    expect(countOf('synced')).toBe(EVENTS);
    // The rest repeats an event whose acknowledgement was lost.
    expect(outcomes.reduce((sum, { count }) => sum + count, 0)).toBe(EVENTS + countOf('duplicate'));
    expect(countOf('synced') + countOf('duplicate')).toBeGreaterThanOrEqual(acknowledged.length);
  }, 600_000);
});
