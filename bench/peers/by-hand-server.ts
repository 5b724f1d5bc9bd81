/**
 * What a team would write in an afternoon instead: Express takes the post, pg-boss keeps the job, a worker makes three
 * calls to HubSpot and stores a row. `node by-hand-server.ts PG_BOSS PORT DATABASE_URL HUBSPOT_URL`, where PG_BOSS is the path of the
 * module of pg-boss.
 */
import { pathToFileURL } from 'node:url';
import express from 'express';
import pg from 'pg';
import { type Reply, writeReply } from './hubspot-calls.ts';

const [pgBoss = '', port = '', connectionString = '', url = ''] = process.argv.slice(2);
const { PgBoss } = await import(pathToFileURL(pgBoss).href);

const QUEUE = 'replies';
/** Workers, each with a batch: up to 64 events are written at once. */
const WORKERS = 4;
const BATCH = 16;
/** How soon the jobs of a process that died are found. pg-boss takes no less. */
const HEARTBEAT_SECONDS = 10;

const pool = new pg.Pool({ connectionString, max: 10 });
await pool.query(
  `create table if not exists written (
     event_id text primary key, contact_id text not null, email_id text not null, written_at timestamptz not null default now())`,
);

const boss = new PgBoss({
  connectionString,
  useListenNotify: true,
  superviseIntervalSeconds: HEARTBEAT_SECONDS,
  monitorIntervalSeconds: HEARTBEAT_SECONDS,
});
boss.on('error', (error: Error) => process.stderr.write(`${error.message}\n`));
await boss.start();
await boss.createQueue(QUEUE, {
  ...{ notify: true, retryLimit: 10, retryBackoff: true },
  ...{ heartbeatSeconds: HEARTBEAT_SECONDS, expireInSeconds: 60 },
});
await boss.work(
  QUEUE,
  { localConcurrency: WORKERS, batchSize: BATCH, burstWhenBatchFull: true, perJobResults: true },
  (jobs: readonly { id: string; data: Reply }[]) => Promise.all(jobs.map(run)),
);

const app = express();
app.post('/webhooks/smartlead', express.json({ limit: '2mb' }), async (request, response) => {
  await boss.send(QUEUE, request.body);
  response.json({ received: true });
});
app.get('/healthz', (_request, response) => void response.send('ok'));
app.listen(Number(port), '127.0.0.1');

async function run({
  id,
  data,
}: {
  id: string;
  data: Reply;
}): Promise<{ id: string; status: string; output?: object }> {
  try {
    // Sequencers repeat posts, and pg-boss repeats jobs.
    const { rowCount } = await pool.query('select from written where event_id = $1', [data.stats_id]);
    if (rowCount === 0) {
      const { contactId, emailId } = await writeReply({ url, token: 'any-text' }, data);
      await pool.query(
        'insert into written (event_id, contact_id, email_id) values ($1, $2, $3) on conflict (event_id) do nothing',
        [data.stats_id, contactId, emailId],
      );
    }
    return { id, status: 'completed' };
  } catch (error) {
    return { id, status: 'failed', output: { message: String(error) } };
  }
}
