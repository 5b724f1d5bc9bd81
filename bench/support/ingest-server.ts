/**
 * The targets of `ingest.bench.ts`, each in its own process: `node ingest-server.ts KIND [DATABASE_URL [AMQP_URL]]`. Prints its
 * URL once it listens, and ends with its stdin.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { startHubspotSimulator } from '@svc/simulators';
import { answerLines } from './process.ts';
import { serve } from './serve.ts';

const [kind = '', databaseUrl = '', amqpUrl = ''] = process.argv.slice(2);
const { url, cleanUp } = kind === 'express' ? await startBareExpress() : await startOurs();
answerLines(url, async (line) => line, cleanUp);

/** The least that an Express server can do with such a post: read it, check that it is JSON, and answer. */
async function startBareExpress(): Promise<{ url: string; cleanUp: () => void }> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/webhooks/:code', express.raw({ type: () => true, limit: '2mb' }), (request, response) => {
    JSON.parse(String(request.body));
    response.json({ received: true, requestId: 1 });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cleanUp: () => {} };
}

async function startOurs(): Promise<{ url: string; cleanUp: () => void }> {
  const simulator = await startHubspotSimulator({ tokens: 'any' });
  const startWorkers = kind === 'with-workers';
  const { running, cleanUp } = await serve({
    databaseUrl,
    startWorkers,
    env: { SVC_HUBSPOT_URL: simulator.url, ...ingestOf() },
  });
  return { url: running.url, cleanUp };
}

/** `buffered` only fills the ingest buffer, `with-consumer` also empties it. */
function ingestOf(): Record<string, string> {
  if (amqpUrl === '') return {};
  return { SVC_INGEST_AMQP_URL: amqpUrl, SVC_ROLE: kind === 'buffered' ? 'inbound' : 'inbound,worker' };
}
