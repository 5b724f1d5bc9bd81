/**
 * A server on two PostgreSQL hosts, of which the second is a synchronous standby: what was acknowledged survives the end of the first, and the
 * server goes on with the second by itself. Real processes; each host is a network namespace where that is possible.
 */
import { readFile } from 'node:fs/promises';
import { parseWorld } from '@svc/domain/world';
import { startHubspotSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { expectStored } from '../support/cluster/expect-stored.ts';
import { createNetwork, hasNamespaces } from '../support/cluster/network.ts';
import { openWorldDatabase } from '../support/cluster/pair-database.ts';
import { type PostgresPair, startPostgresPair } from '../support/cluster/postgres.ts';
import { createServerNode } from '../support/cluster/servers.ts';
import { until } from '../support/cluster/until.ts';
import { startForwarder } from '../support/cluster/forwarder.ts';

const world = parseWorld(
  JSON.parse(await readFile(new URL('../../../../fixtures/minimal-world.json', import.meta.url), 'utf8')),
);

describe.skipIf(inject('databaseUrl') === null)('two PostgreSQL hosts', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function startPair() {
    const network = createNetwork();
    cleanUps.push(() => network.close());
    const pair = await startPostgresPair(network);
    if (pair === null) throw new Error('This machine has a PostgreSQL for tests, but not its programs.');
    cleanUps.push(() => pair.close());
    return { network, pair };
  }

  /** Statements fail until the failover is noticed; returns the messages of the failures. */
  async function insertUntilItWorks(db: ReturnType<typeof openPostgres>, value: number): Promise<void> {
    await until(`the insert of ${value}`, async () => {
      const failure = await db.query('insert into kept values ($1)', [value]).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure !== null) expect(failure).toBeInstanceOf(DatabaseUnavailableError);
      return failure === null;
    });
  }

  test('while posts arrive: every acknowledged one is kept and written once, and the others are answered 503 or not at all', async () => {
    const { network, pair } = await startPair();
    const crm = await startHubspotSimulator();
    cleanUps.push(() => crm.close());
    const forwarder = await startForwarder(network.address, crm.url);
    cleanUps.push(() => forwarder.close());
    const env = {
      DATABASE_URL: pair.url('postgres'),
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'error',
      SVC_HUBSPOT_URL: forwarder.url,
    };
    const db = await openWorldDatabase(env, world);
    cleanUps.push(() => db.close());
    const server = createServerNode({
      host: network.addHost('app'),
      roles: 'api,inbound,worker',
      // A lease takes 1.5 s.
      ...{ rate: 10, epochMs: Date.now(), env },
    });
    cleanUps.push(() => server.signal('SIGKILL'));
    await server.start();
    const [earlier] = (await db.query<{ id: number }>('select coalesce(max(id), 0) as id from requests')).rows;

    const acknowledged = new Map<number, string>();
    const statuses = new Set<number>();
    const posts = 600;
    let next = 0;
    const failovers: Promise<void>[] = [];
    let isFailedOver = false;
    const post = async () => {
      // On until the failover is over, however fast the posts are.
      while (next < posts || !isFailedOver) {
        const key = `event-${(next += 1)}`;
        if (next === posts / 3) failovers.push(pair.failOver().then(() => void (isFailedOver = true)));
        for (let isAcknowledged = false; !isAcknowledged; ) {
          const answer = await fetch(`${server.url}/webhooks/minimal-smartlead`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ event_type: 'EMAIL_SENT', to_email: `${key}@example.org`, stats_id: key }),
          });
          statuses.add(answer.status);
          const { requestId } = JSON.parse(await answer.text());
          isAcknowledged = answer.status === 200;
          if (isAcknowledged) acknowledged.set(requestId, key);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, post));
    await Promise.all(failovers);
    expect(failovers).toHaveLength(1);
    // A post may also wait until the failover is over.
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await expectStored(db, acknowledged, earlier?.id ?? 0);
    const { rows: syncs } = await db.query<{ events: number; firsts: number; successes: number }>(
      `select count(distinct inbound_event_id)::int as events, count(*) filter (where retry_of_sync_id is null)::int as firsts,
          count(*) filter (where status = 'success')::int as successes from syncs where inbound_event_id is not null`,
    );
    expect(syncs).toEqual([{ events: next, firsts: next, successes: next }]);
    expect(crm.state().counts).toMatchObject({ contacts: next, engagements: next });
    await until('the server is ready', async () => (await fetch(`${server.url}/health/ready`)).status === 200);
  });

  test('a former primary that comes back is not written to', async () => {
    const { pair } = await startPair();
    const db = openPostgres(pair.url('postgres'));
    cleanUps.push(() => db.close());
    await db.query('create table kept (value integer)');
    await insertUntilItWorks(db, 1);
    const former = pair.primary;
    await pair.failOver();
    await insertUntilItWorks(db, 2);
    await former.start();
    await former.query(`alter system set synchronous_standby_names = ''`);
    await former.query('select pg_reload_conf()');
    const another = openPostgres(pair.url('postgres'));
    cleanUps.push(() => another.close());
    await insertUntilItWorks(another, 3);
    expect((await former.query('select from kept')).length).toBe(1);
    expect((await db.query('select from kept')).rowCount).toBe(3);
  });

  test.runIf(hasNamespaces())('a primary that answers nothing any more is left for the promoted standby', async () => {
    const { pair } = await startPair();
    const db = openPostgres(pair.url('postgres'));
    cleanUps.push(() => db.close());
    await db.query('create table kept (value integer)');
    pair.primary.host.setLink(false);
    const { standby } = pair as { standby: NonNullable<PostgresPair['standby']> };
    await standby.promote();
    await standby.query(`alter system set synchronous_standby_names = ''`);
    await standby.query('select pg_reload_conf()');
    // Connections that hang are broken once the other host is known, long before their own limit of a minute.
    await insertUntilItWorks(db, 1);
    expect((await standby.query('select from kept')).length).toBe(1);
  });

  test('a host that only reads counts as an outage, not as an error', async () => {
    const { pair } = await startPair();
    const { standby } = pair;
    const db = openPostgres(standby?.url('postgres') ?? '');
    cleanUps.push(() => db.close());
    await expect(db.query('create table kept (value integer)')).rejects.toThrow(DatabaseUnavailableError);
    const none = openPostgres(`${standby?.url('postgres').replace(/\/postgres$/, ',127.0.0.1:9/postgres')}`);
    cleanUps.push(() => none.close());
    await expect(none.query('select 1')).rejects.toThrow('none of the hosts in DATABASE_URL accepts writes');
  });
});
