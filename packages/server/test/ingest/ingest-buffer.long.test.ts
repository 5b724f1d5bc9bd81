/**
 * The ingest buffer with a real RabbitMQ and real processes: what is accepted becomes one receipt, whatever ends or is away
 * meanwhile.
 */
import { fileURLToPath } from 'node:url';
import { connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { PARKED_QUEUE, QUEUE } from '../../src/inbound/buffer/broker.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { type Process, runServerCommand, startServerProcess, startSimulatorProcess } from '../support/processes.ts';
import { hasRabbitmq, type Rabbitmq, startRabbitmq } from '../support/rabbitmq.ts';
import { startTcpSwitch, type TcpSwitch } from '../support/tcp-switch.ts';
import { parseScrape } from '../support/scrape.ts';

const databaseUrl = inject('databaseUrl');
const world = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));
/** Posts of each phase. */
const POSTS = sized(120);

interface Answer {
  status: number;
  retryAfter: string | null;
  json: { received?: boolean; requestId?: number };
}

describe.skipIf(databaseUrl === null || !hasRabbitmq())('the ingest buffer', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const running: Process[] = [];
  let rabbitmq: Rabbitmq;
  let amqpUrl: string;
  let database: TcpSwitch;
  let db: Database;
  let env: Record<string, string>;
  let before: number;
  let nextLead = 0;
  /** The id and lead of every accepted post. */
  const accepted = new Map<number, string>();

  beforeAll(async () => {
    const created = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => created.drop());
    db = openPostgres(created.url);
    cleanUps.push(() => db.close());
    rabbitmq = await startRabbitmq();
    cleanUps.push(() => rabbitmq.dispose());
    // As documented: a user that may use its own queues only, in a virtual host of its own.
    await rabbitmq.control('add_vhost', 'svc');
    await rabbitmq.control('add_user', 'svc', 'the-password');
    const permissions = ['^svc\\.ingest.*', '^(amq\\.default|svc\\.ingest.*)$', '^svc\\.ingest.*'];
    await rabbitmq.control('set_permissions', '-p', 'svc', 'svc', ...permissions);
    amqpUrl = rabbitmq.url.replace('guest:guest', 'svc:the-password').concat('svc');
    database = await startTcpSwitch(created.url);
    cleanUps.push(() => database.off());
    const crm = await startSimulatorProcess();
    cleanUps.push(() => crm.stop());
    env = {
      DATABASE_URL: database.url,
      SVC_INGEST_AMQP_URL: amqpUrl,
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_HUBSPOT_URL: crm.url,
      SVC_PORT: '0',
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'fatal',
    };
    expect(await runServerCommand(['world', 'load', world], env)).toMatchObject({ code: 0 });
    const { rows } = await db.query<{ last: number }>('select max(id) as last from requests');
    before = rows[0]?.last ?? 0;
    // In which order receipts are stored.
    await db.script(`
      create table stored_order (place bigint generated always as identity, created_at timestamptz not null);
      create function note_order() returns trigger language plpgsql as $$
        begin insert into stored_order (created_at) values (new.created_at); return new; end $$;
      create trigger note_order after insert on requests for each row execute function note_order()`);
  }, 600_000);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }, 600_000);

  async function start(role: string): Promise<Process> {
    const started = await startServerProcess(['--world', '--role', role], { ...env, SVC_ADMIN_PORT: '0' });
    running.push(started);
    return started;
  }

  const post = async (server: Process, body: string, path = 'minimal-smartlead'): Promise<Answer> => {
    const response = await fetch(`${server.url}/webhooks/${path}`, { method: 'POST', body });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      json: JSON.parse(await response.text()),
    };
  };

  const eventOf = (lead: string) =>
    JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: `${lead}@example.org`, stats_id: lead, reply_body: 'Yes' });

  /** Sends one new event until a server accepts it, as sequencers do. */
  async function send(servers: () => readonly Process[]): Promise<void> {
    nextLead += 1;
    const lead = `lead-${nextLead}`;
    for (let attempt = 0; ; attempt += 1) {
      const all = servers();
      const server = all[(nextLead + attempt) % all.length];
      const answer = server === undefined ? null : await post(server, eventOf(lead)).catch(() => null);
      if (answer?.status === 200 && answer.json.requestId !== undefined) {
        accepted.set(answer.json.requestId, lead);
        return;
      }
      expect(answer?.status ?? 503).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends `count` events, eight at a time; `during` runs when half of them are accepted. */
  async function sendMany(count: number, servers: () => readonly Process[], during = async () => {}): Promise<void> {
    let left = count;
    let accident = Promise.resolve();
    let hasHappened = false;
    const sender = async () => {
      while (left > 0) {
        left -= 1;
        if (left <= count / 2 && !hasHappened) {
          hasHappened = true;
          accident = during();
        }
        await send(servers);
      }
    };
    await Promise.all(Array.from({ length: 8 }, sender));
    await accident;
  }

  const storedCount = async () =>
    (await db.query<{ count: number }>('select count(*) from requests where id > $1', [before])).rows[0]?.count ?? 0;

  /** Every accepted post is one receipt, with its own id and body, and every event has one first sync. */
  async function expectConserved(): Promise<void> {
    await expect
      .poll(
        async () => {
          const { rows } = await db.query<{ id: number }>('select id from requests where id > $1', [before]);
          const ids = new Set(rows.map(({ id }) => id));
          return [...accepted.keys()].filter((id) => !ids.has(id)).length;
        },
        { timeout: 60_000 },
      )
      .toBe(0);
    const idle = `select count(*) as jobs from jobs where kind in ('process-receipt', 'write-crm')`;
    await expect.poll(async () => (await db.query<{ jobs: number }>(idle)).rows[0]?.jobs, { timeout: 120_000 }).toBe(0);
    const { rows: receipts } = await db.query<{ id: number; lead: string; outcome: string }>(
      `select id, convert_from(body, 'UTF8')::jsonb ->> 'stats_id' as lead, outcome from requests where id > $1`,
      [before],
    );
    const leadOf = new Map(receipts.map(({ id, lead }) => [id, lead]));
    expect([...accepted].filter(([id, lead]) => leadOf.get(id) !== lead)).toEqual([]);
    // More than accepted: a post whose answer was lost was sent again.
    expect(new Set(leadOf.values()).size).toBe(accepted.size);
    expect(receipts.filter(({ outcome }) => outcome === 'synced')).toHaveLength(accepted.size);
    const { rows: syncs } = await db.query<{ event: number; syncs: number }>(
      `select events.id as event, count(syncs.id) as syncs from inbound_events events
        left join syncs on syncs.inbound_event_id = events.id and syncs.retry_of_sync_id is null
        where events.request_id > $1 group by events.id`,
      [before],
    );
    expect(syncs).toHaveLength(accepted.size);
    expect(syncs.filter((row) => row.syncs !== 1)).toEqual([]);
  }

  const scrape = async ({ url }: Process) => parseScrape(await (await fetch(`${url}/metrics`)).text());

  async function depth(queue: string): Promise<number> {
    const connection = await connect(amqpUrl);
    try {
      const channel = await connection.createChannel();
      return (await channel.checkQueue(queue)).messageCount;
    } finally {
      await connection.close();
    }
  }

  async function putIntoQueue(...contents: readonly string[]): Promise<void> {
    const connection = await connect(amqpUrl);
    const channel = await connection.createConfirmChannel();
    for (const content of contents) channel.sendToQueue(QUEUE, Buffer.from(content), { persistent: true });
    await channel.waitForConfirms();
    await connection.close();
  }

  test('accepts posts while the database is away, also after RabbitMQ was killed, and stores each once, in order', async () => {
    const inbound = await start('inbound');
    await start('worker');
    await send(() => [inbound]);
    await expect.poll(storedCount).toBe(1);
    await database.off();
    await sendMany(POSTS, () => [inbound]);
    expect((await fetch(`${inbound.url}/health/ready`)).status).toBe(200);
    expect((await post(inbound, eventOf('nobody'), 'unknown')).status).toBe(503);
    await rabbitmq.signal('SIGKILL');
    const refused = await post(inbound, eventOf('refused'));
    expect(refused).toMatchObject({ status: 503, retryAfter: '5' });
    expect((await fetch(`${inbound.url}/health/ready`)).status).toBe(503);
    await rabbitmq.start();
    // The first post connects.
    const { status, json } = await post(inbound, eventOf('refused'));
    expect(status).toBe(200);
    accepted.set(json.requestId ?? 0, 'refused');
    await sendMany(20, () => [inbound]);
    expect(await storedCount()).toBe(1);
    await database.on();
    await expectConserved();
    const { rows } = await db.query<{ inOrder: boolean }>(
      `select bool_and(created_at >= earlier) as "inOrder" from (
          select created_at, lag(created_at) over (order by place) as earlier from stored_order) ordered`,
    );
    expect(rows[0]?.inOrder).toBe(true);
  }, 300_000);

  test('loses and doubles nothing when inbound processes, consumers, RabbitMQ and connections to the database are killed in turn', async () => {
    const inbound = [await start('inbound'), await start('inbound')];
    let workers = [await start('worker'), await start('worker')];
    const replace = async (list: Process[], index: number, role: string) => {
      await list[index]?.stop('SIGKILL');
      list[index] = await start(role);
    };
    const servers = () => inbound;
    await sendMany(POSTS, servers, () => replace(inbound, 0, 'inbound'));
    await sendMany(POSTS, servers, () => replace(workers, 0, 'worker'));
    await sendMany(POSTS, servers, () => replace(workers, 1, 'worker'));
    await sendMany(POSTS, servers, async () => {
      await rabbitmq.signal('SIGKILL');
      await rabbitmq.start();
    });
    await sendMany(POSTS, servers, async () => {
      await database.off();
      await sendMany(20, servers);
      await database.on();
    });
    // A broker that hangs: posts are stored directly, and the messages that arrive later add nothing.
    await sendMany(POSTS, servers, async () => {
      await rabbitmq.signal('SIGSTOP');
      await sendMany(20, servers);
      await rabbitmq.signal('SIGCONT');
    });
    // A stop acknowledges what is committed.
    await sendMany(POSTS, servers, async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      workers = [await start('worker')];
    });
    await expectConserved();
    await expect.poll(() => depth(QUEUE)).toBe(0);
    expect(await depth(PARKED_QUEUE)).toBe(0);
  }, 600_000);

  test('keeps what cannot be stored, says so, and tries it again at the next start', async () => {
    const id = before + 900_000_000;
    const head = { version: 1, id, path: 'minimal-smartlead', receivedAt: '2026-01-01T00:00:00.000Z', headers: {} };
    const good = `${JSON.stringify(head)}\n${eventOf('by-hand')}`;
    const gone = `${JSON.stringify({ ...head, id: id + 1, path: 'was-removed' })}\n{}`;
    const newer = `${JSON.stringify({ ...head, version: 2 })}\n{}`;
    const refused = `${JSON.stringify({ ...head, id: id + 2, headers: { 'x-event': '\0' } })}\n{}`;
    let worker = await start('worker');
    // Twice, as after a lost acknowledgement.
    await putIntoQueue('not a post', good, gone, newer, refused, good);
    await expect.poll(() => depth(PARKED_QUEUE)).toBe(3);
    await expect.poll(() => depth(QUEUE)).toBe(0);
    const rowsOf = async () => (await db.query('select from requests where id between $1 and $1 + 9', [id])).rowCount;
    expect(await rowsOf()).toBe(1);
    const metrics = await scrape(worker);
    const stored = (result: string) => metrics.get(`svc_ingest_stored_total{result="${result}"}`);
    expect(['stored', 'repeated', 'source_gone', 'parked'].map(stored)).toEqual([1, 1, 1, 3]);
    expect(metrics.get('svc_ingest_messages{queue="parked"}')).toBe(3);
    const doctor = await runServerCommand(['doctor', '--json'], env);
    const checks: { name: string; status: string; message: string }[] = JSON.parse(doctor.stdout).checks;
    expect(checks.find(({ name }) => name === 'ingest buffer')).toMatchObject({
      status: 'PASS',
      message: expect.stringMatching(/^RabbitMQ \d+\.\d+\.\d+ answers, svc\.ingest is a quorum queue with 0 posts$/),
    });
    expect(checks.find(({ name }) => name === 'parked posts')).toMatchObject({
      status: 'WARN',
      message: '3 posts in svc.ingest.parked could not be stored',
    });
    await worker.stop();
    worker = await start('worker');
    // Once through the queue and back.
    const triedAgain = async () => (await scrape(worker)).get('svc_ingest_stored_total{result="parked"}');
    await expect.poll(triedAgain).toBe(3);
    await expect.poll(() => depth(PARKED_QUEUE)).toBe(3);
    expect(await worker.stop()).toBe(0);
  }, 600_000);

  test('stores posts directly while RabbitMQ takes none because its disk is full, and when they are large', async () => {
    const inbound = await start('inbound');
    const count = await storedCount();
    await rabbitmq.control('set_disk_free_limit', '1000000GB');
    try {
      await send(() => [inbound]);
      await send(() => [inbound]);
      expect(await storedCount()).toBe(count + 2);
    } finally {
      await rabbitmq.control('set_disk_free_limit', '1MB');
    }
    const large = JSON.stringify({
      event_type: 'EMAIL_REPLY',
      to_email: 'large@example.org',
      reply_body: 'x'.repeat(1_100_000),
    });
    expect((await post(inbound, large)).status).toBe(200);
    expect(await storedCount()).toBe(count + 3);
    await expect
      .poll(async () => {
        await send(() => [inbound]);
        return depth(QUEUE);
      })
      .toBeGreaterThan(0);
  }, 600_000);

  test('doctor and the log name what is wrong, and never the password', async () => {
    const url = new URL(amqpUrl);
    url.password = 'wrong-password';
    const wrong = { ...env, SVC_INGEST_AMQP_URL: url.href, SVC_LOG_LEVEL: 'debug' };
    const doctor = await runServerCommand(['doctor', '--json'], wrong);
    const check = JSON.parse(doctor.stdout).checks.find(({ name }: { name: string }) => name === 'ingest buffer');
    expect(check.status).toBe('FAIL');
    expect(check.fix).toContain('Check user, password and virtual host');
    const server = await startServerProcess(['--world', '--role', 'inbound'], wrong);
    running.push(server);
    expect((await post(server, eventOf('direct'))).status).toBe(200);
    await expect.poll(() => server.stderr()).toContain('the ingest buffer (RabbitMQ) cannot be used');
    expect(doctor.stdout + doctor.stderr + server.stdout() + server.stderr()).not.toContain('wrong-password');
  }, 600_000);
});
