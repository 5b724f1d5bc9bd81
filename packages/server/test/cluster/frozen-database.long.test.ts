/** A PostgreSQL whose processes are all stopped: its connections stay open, and nothing answers. */
import { readFile } from 'node:fs/promises';
import { parseWorld } from '@svc/domain/world';
import { startHubspotSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { expectStored } from '../support/cluster/expect-stored.ts';
import { createNetwork } from '../support/cluster/network.ts';
import { openWorldDatabase } from '../support/cluster/pair-database.ts';
import { startPostgresPair } from '../support/cluster/postgres.ts';
import { createServerNode, type ServerNode } from '../support/cluster/servers.ts';
import { until } from '../support/cluster/until.ts';
import { hasRabbitmq, startRabbitmq } from '../support/rabbitmq.ts';

const world = parseWorld(
  JSON.parse(await readFile(new URL('../../../../fixtures/minimal-world.json', import.meta.url), 'utf8')),
);
/** The clock of the servers is faster, so that a post is answered within 1.6 s. Without an own bound it takes a minute. */
const RATE = 5;
const ANSWER_MS = 30_000;
const SENDERS = 8;

describe.skipIf(inject('databaseUrl') === null)('a frozen PostgreSQL', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function start(roles: readonly string[], moreEnv: Readonly<Record<string, string>> = {}) {
    const network = createNetwork({ isLoopback: true });
    cleanUps.push(() => network.close());
    const pair = await startPostgresPair(network, { hasStandby: false });
    if (pair === null) throw new Error('This machine has a PostgreSQL for tests, but not its programs.');
    cleanUps.push(() => pair.close());
    const crm = await startHubspotSimulator();
    cleanUps.push(() => crm.close());
    const env = {
      DATABASE_URL: pair.primary.url('postgres'),
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'fatal',
      SVC_HUBSPOT_URL: crm.url,
      ...moreEnv,
    };
    const db = await openWorldDatabase(env, world);
    cleanUps.push(() => db.close());
    const servers: ServerNode[] = [];
    for (const [index, role] of roles.entries()) {
      const host = network.addHost(`server-${index}`);
      const server = createServerNode({ host, roles: role, rate: RATE, epochMs: Date.now(), env });
      cleanUps.push(() => server.signal('SIGKILL'));
      await server.start();
      servers.push(server);
    }
    const [earlier] = (await db.query<{ id: number }>('select coalesce(max(id), 0) as id from requests')).rows;
    const [inbound] = servers;
    const health = async (path: string) =>
      (await fetch(`${inbound?.url}/health/${path}`, { signal: AbortSignal.timeout(ANSWER_MS) })).status;

    const acknowledged = new Map<number, string>();
    const answers = { 200: 0, 503: 0 };
    let isEnding = false;
    let next = 0;
    /** Posts one event after the other, each until it is accepted. */
    const send = async () => {
      while (!isEnding) {
        const key = `event-${(next += 1)}`;
        for (let isAcknowledged = false; !isAcknowledged; ) {
          const answer = await fetch(`${inbound?.url}/webhooks/minimal-smartlead`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ event_type: 'EMAIL_SENT', to_email: `${key}@example.org`, stats_id: key }),
            signal: AbortSignal.timeout(ANSWER_MS),
          });
          const { requestId } = JSON.parse(await answer.text());
          isAcknowledged = answer.status === 200;
          if (isAcknowledged) acknowledged.set(requestId, key);
          else expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
          answers[isAcknowledged ? 200 : 503] += 1;
        }
      }
    };
    const sending = Promise.all(Array.from({ length: SENDERS }, send));
    const untilMore = (status: 200 | 503) => {
      const wanted = answers[status] + 2 * SENDERS;
      return until(`posts are answered ${status}`, () => answers[status] >= wanted, { timeoutMs: 2 * ANSWER_MS });
    };
    return {
      database: pair.primary,
      health,
      untilMore,
      /** Ends the posts and waits for all work; then each accepted post is a receipt, and each event was written once. */
      async expectConserved() {
        isEnding = true;
        await sending;
        await expectStored(db, acknowledged, earlier?.id ?? 0);
        const { rows: syncs } = await db.query<object>(
          `select count(distinct inbound_event_id)::int as events, count(*)::int as syncs from syncs
            where inbound_event_id is not null and status = 'success'`,
        );
        expect(syncs).toEqual([{ events: next, syncs: next }]);
        expect(crm.state().counts).toMatchObject({ contacts: next, engagements: next });
      },
    };
  }

  test('the server is not ready, answers each post 503 in time, and loses and doubles nothing', async () => {
    const { database, health, untilMore, expectConserved } = await start(['api,inbound,worker']);
    await untilMore(200);
    database.freeze();
    await untilMore(503);
    expect([await health('ready'), await health('live')]).toEqual([503, 200]);
    database.thaw();
    await until('the server is ready', async () => (await health('ready')) === 200);
    await untilMore(200);
    await expectConserved();
  }, 300_000);

  test.skipIf(!hasRabbitmq())(
    'with the ingest buffer, posts are accepted meanwhile, and nothing is lost or doubled',
    async () => {
      const rabbitmq = await startRabbitmq();
      cleanUps.push(() => rabbitmq.dispose());
      const env = { SVC_INGEST_AMQP_URL: rabbitmq.url };
      const { database, health, untilMore, expectConserved } = await start(['inbound', 'worker'], env);
      await untilMore(200);
      database.freeze();
      // More events than those that were under way.
      for (let times = 0; times < 3; times += 1) await untilMore(200);
      expect([await health('ready'), await health('live')]).toEqual([200, 200]);
      database.thaw();
      await untilMore(200);
      await expectConserved();
    },
    300_000,
  );
});
