/**
 * The contenders of `webhooks.bench.ts`, each in its own process: `node webhooks-server.ts KIND [PORT] [DATABASE_URL]`.
 * `receiver` prints its port; the others send as many posts to it as a line requests, and answer how many per second.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { HEADERS } from '@svc/contract/vocabulary';
import { toEnvelope } from '@svc/domain/webhooks/webhook-delivery';
import { signPayload } from '@svc/domain/webhooks/webhook-signature';
import { Pool } from 'undici';
import { createOutbound, type Outbound } from '@svc/engine/outbound/outbound';
import { systemDial } from '@svc/engine/outbound/system-network';
import type { RunningServer } from '../../packages/server/src/main/server.ts';
import { answerLines } from './process.ts';
import { serve } from './serve.ts';

/** Number of concurrent posts with which undici sends the most. */
const CONCURRENCY = 16;
const WEBHOOKS = 20;
/** The webhooks belong to so many accounts, between which the queue shares its workers. */
const ACCOUNTS = 5;

const [kind = '', port = '', databaseUrl = ''] = process.argv.slice(2);
if (kind === 'receiver') await receive();
else if (kind === 'undici') sendByUndici();
else await sendByServer();

/** A customer's endpoint that reads a post and answers 200. */
async function receive(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end('received'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  answerLines(
    String((server.address() as AddressInfo).port),
    async (line) => line,
    () => server.close(),
  );
}

/** The minimal cost of signed posts: no database, no guard, and persistent connections. */
function sendByUndici(): void {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  const sendOne = async (id: number) => {
    const at = new Date();
    const event = { id: `osevt_${id}`, type: 'test.ping', createdAt: at, summary: 'Test event', data: { id } };
    const payload = JSON.stringify(toEnvelope(event));
    const timestampSeconds = Math.floor(at.getTime() / 1_000);
    const answer = await pool.request({
      path: '/hook',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [HEADERS.eventId]: event.id,
        [HEADERS.deliveryId]: `oswhd_${id}`,
        [HEADERS.signature]: await signPayload({ payload, secret: 'oswhsec_bench', timestampSeconds }),
      },
      body: payload,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  };
  answerLines(
    'ready',
    (line) =>
      perSecond(Number(line), async (count) => {
        let left = count;
        const sendMany = async () => {
          while (left > 0) await sendOne(left--);
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, sendMany));
      }),
    () => {},
  );
}

async function sendByServer(): Promise<void> {
  const toReceiver: Outbound = createOutbound({
    resolve: async () => ['93.184.215.14'],
    dial: (target) =>
      systemDial({ ...target, addresses: ['127.0.0.1'], host: '127.0.0.1', port: Number(port), isTls: false }),
    allowedCidrs: [],
  });
  const toNobody: Outbound = { ...toReceiver, post: async () => ({ httpStatus: 200, error: null, isRefused: false }) };
  const outbound = kind === 'unsent' ? toNobody : toReceiver;
  const { running, cleanUp } = await serve({ databaseUrl, startWorkers: false, outbound });
  const webhookIds: string[] = [];
  for (let index = 0; index < WEBHOOKS; index += 1) webhookIds.push(await createWebhook(running.url, index));
  let round = 0;
  const answer = async (line: string) => {
    round += 1;
    await queueDeliveries(running, webhookIds, `${round}_`, Number(line));
    return perSecond(Number(line), () => untilDelivered(running));
  };
  answerLines(running.url, answer, cleanUp);
}

async function createWebhook(url: string, index: number): Promise<string> {
  const response = await fetch(`${url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: 'Bearer osapi_minimal', 'content-type': 'application/json' },
    body: JSON.stringify({ url: `https://hooks-${index}.example.com/hook` }),
  });
  return JSON.parse(await response.text()).id;
}

/** Inserts the rows that this many test events would leave; inserting them is not measured. */
async function queueDeliveries({ ctx: { db } }: RunningServer, webhookIds: string[], prefix: string, count: number) {
  const at = new Date();
  const rows = `select $1 || n as ref, $4::text[] as ids, n % array_length($4::text[], 1) + 1 as place, $2::timestamptz as at
    from generate_series(1, $3) n`;
  const values = [prefix, at, count, webhookIds];
  await db.query(
    `insert into events (id, account_id, type, summary, data, created_at)
      select 'osevt_' || ref, 1, 'test.ping', 'Test event', jsonb_build_object('webhookId', ids[place]), at from (${rows}) r`,
    values,
  );
  await db.query(
    `insert into webhook_deliveries (id, event_id, webhook_id, status, next_attempt_at, created_at, updated_at)
      select 'oswhd_' || ref, 'osevt_' || ref, ids[place], 'PENDING', at, at, at from (${rows}) r`,
    values,
  );
  await db.query(
    `insert into jobs (kind, ref, fairness_key, due_at, created_at, is_ready)
      select 'deliver-webhook', 'oswhd_' || ref, 'account:' || place % ${ACCOUNTS} || '/webhook:' || ids[place], at, at, true
      from (${rows}) r`,
    values,
  );
  // Autovacuum or the server's maintenance analyzes the tables in between.
  for (const table of ['jobs', 'webhook_deliveries', 'events']) await db.query(`vacuum (analyze) ${table}`);
}

async function untilDelivered({ ctx: { db }, runner }: RunningServer): Promise<void> {
  runner.start();
  while ((await db.query('select from jobs limit 1')).rowCount > 0) await wait(20);
  await runner.stop();
  const { rowCount } = await db.query(`select from webhook_deliveries where status <> 'SUCCEEDED' limit 1`);
  if (rowCount > 0) throw new Error('a delivery did not succeed');
}

async function perSecond(count: number, work: (count: number) => Promise<void>): Promise<string> {
  const started = performance.now();
  await work(count);
  return String((count * 1_000) / (performance.now() - started));
}
