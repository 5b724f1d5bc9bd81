/**
 * A CRM that is down for hours while one of two servers is killed during a probe: real processes, real HTTP, one
 * PostgreSQL. The clocks of all processes are moved together whenever no work is due.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { openPostgres } from '@svc/engine/store/database/postgres';
import type { MovedClockOrder } from '../support/moved-clock-server.ts';
import {
  getJson,
  type MovedClockServer,
  runServerCommandHere,
  startMovedClockServer,
  startSimulatorProcess,
} from '../support/processes.ts';

const EVENTS = sized(400);
const HOUR_MS = 60 * 60 * 1000;
const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

describe.skipIf(databaseUrl === null)('an outage of a CRM for two servers on one PostgreSQL', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test(`${EVENTS} events, one SIGKILL during a probe: each is written once, the log has two warnings`, async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'warn',
    };
    expect(await runServerCommandHere(['world', 'load', minimalWorld], env)).toMatchObject({ code: 0 });
    const db = openPostgres(database.url, { maxConnections: 2 });
    cleanUps.push(() => db.close());
    const simulator = await startSimulatorProcess();
    cleanUps.push(() => simulator.stop());

    let offsetMs = 0;
    let isDown = true;
    let calls = 0;
    const servers: MovedClockServer[] = [];
    const all: MovedClockServer[] = [];
    const nowMs = () => Date.now() + offsetMs;
    const start = async (onCall: () => void = () => {}) => {
      const url = await startGate(simulator.url, () => {
        calls += 1;
        onCall();
        return isDown;
      });
      const server = await startMovedClockServer({ receiverPort: 0, offsetMs }, { ...env, SVC_HUBSPOT_URL: url });
      cleanUps.push(() => server.stop('SIGKILL'));
      servers.push(server);
      all.push(server);
      return server;
    };
    const orderAll = (order: MovedClockOrder) => Promise.all(servers.map((server) => server.order(order)));
    const untilIdle = () =>
      expect
        .poll(
          async () =>
            (await db.query('select from jobs where is_leased or due_at <= $1', [new Date(nowMs())])).rowCount,
          { timeout: 120_000, interval: 50 },
        )
        .toBe(0);
    /** Moves the clocks from one due job to the next until none is left, or `isEnough`. */
    const letTimePass = async (isEnough: () => boolean) => {
      for (;;) {
        await untilIdle();
        const { rows } = await db.query<{ due: Date | null }>('select min(due_at) as due from jobs');
        const due = rows[0]?.due?.getTime();
        if (due === undefined || isEnough()) return;
        await orderAll('rest');
        offsetMs = Math.max(offsetMs, due - Date.now());
        await orderAll({ offsetMs });
        await orderAll('work');
      }
    };

    let killsAtNextCall = false;
    let isKilled = false;
    const killed = await start(() => {
      if (!killsAtNextCall || isKilled) return;
      isKilled = true;
      killed.child.kill('SIGKILL');
    });
    const stays = await start();
    for (let index = 0; index < EVENTS; index += 1) {
      const answer = await fetch(`${servers[index % 2]?.url}/webhooks/minimal-smartlead`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          event_type: 'EMAIL_SENT',
          to_email: `lead-${index}@example.org`,
          stats_id: `s${index}`,
        }),
      });
      expect(answer.status).toBe(200);
    }
    const startedMs = nowMs();
    await letTimePass(() => nowMs() - startedMs > HOUR_MS);
    killsAtNextCall = true;
    await orderAll('rest');
    const { rows: probes } = await db.query<{ due: Date }>(`select due_at as due from jobs where kind = 'probe-crm'`);
    offsetMs = Math.max(offsetMs, (probes[0]?.due.getTime() ?? 0) - Date.now());
    await orderAll({ offsetMs });
    // The other one rests, so this one makes the probe.
    await killed.order('work');
    await expect.poll(() => isKilled).toBe(true);
    await killed.stop('SIGKILL');
    servers.splice(servers.indexOf(killed), 1);
    // Past the ends of its leases.
    offsetMs += 3 * 60_000;
    await stays.order({ offsetMs });
    await start();
    await orderAll('work');
    await letTimePass(() => nowMs() - startedMs > 3 * HOUR_MS);
    // The burst before the outage was known, 10 probes in the first 17 minutes, then 4 an hour.
    expect(calls).toBeLessThanOrEqual(32 + 10 + 4 * 4 + 4);
    isDown = false;
    await letTimePass(() => false);

    const { rows } = await db.query<{ statuses: string[] }>(
      `select array_agg(status order by id) as statuses from syncs where to_email like 'lead-%' group by to_email`,
    );
    expect(rows.filter(({ statuses }) => statuses.join() === 'error,success')).toHaveLength(EVENTS);
    expect((await getJson(`${simulator.url}/__sim/state`)).counts.engagements).toBe(EVENTS);
    expect((await db.query('select from crm_outages')).rowCount).toBe(0);
    for (const server of servers) await server.stop();
    const lines = all.flatMap((server) =>
      server
        .stderr()
        .split('\n')
        .filter((line) => line !== ''),
    );
    // The clocks jump one process after the other: on a busy machine, one whose clock is still behind counts as dead. Maintenance gives way
    // to what runs all the time.
    const messages = lines
      .map((line): string => JSON.parse(line).msg)
      .filter((msg) => !/taken this one for dead|the months of a log are in use/.test(msg));
    expect(messages).toEqual([
      expect.stringMatching(/does not work: its events wait/),
      expect.stringMatching(/outage of a CRM is over/),
    ]);
  }, 600_000);

  /** Starts a proxy to the CRM that closes connections while the CRM is down. */
  async function startGate(crmUrl: string, isDown: () => boolean): Promise<string> {
    const http = createServer((request, response) => {
      if (isDown()) {
        request.socket.destroy();
        return;
      }
      void (async () => {
        const body = await buffer(request);
        const { authorization = '', 'content-type': contentType = 'application/json' } = request.headers;
        const answer = await fetch(crmUrl + (request.url ?? ''), {
          method: request.method ?? 'GET',
          headers: { authorization, 'content-type': contentType },
          ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
        });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })();
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    cleanUps.push(async () => {
      http.close();
      http.closeAllConnections();
    });
    const address = http.address();
    if (address === null || typeof address === 'string') throw new Error('The gate has no port.');
    return `http://127.0.0.1:${address.port}`;
  }
});
