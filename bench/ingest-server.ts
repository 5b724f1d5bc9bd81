/**
 * What `ingest.bench.ts` posts to, each kind in a process of its own: `node ingest-server.ts KIND [DATABASE_URL]`.
 * Prints its URL once it listens, and ends with its stdin.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { materializeWorld, parseWorld } from '@svc/domain/world';
import express from 'express';
import { systemClock } from '../packages/server/src/clock.ts';
import { openDatabase } from '../packages/server/src/commands/open-database.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { bindServer } from '../packages/server/src/http/listen.ts';
import { createLogger } from '../packages/server/src/logger.ts';
import { createOutbound, systemDial, systemResolve } from '../packages/server/src/outbound/outbound.ts';
import { createSecretBox, generateEncryptionKey } from '../packages/server/src/secrets.ts';
import { startServer } from '../packages/server/src/server.ts';
import { startHubspotSimulator } from '../packages/server/src/simulators/hubspot.ts';
import { loadWorld } from '../packages/server/src/world/load-world.ts';

const [kind = '', databaseUrl = ''] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const url = kind === 'express' ? await startBareExpress() : await startOurs();
process.stdout.write(`${url}\n`);
process.stdin.on('end', () => {
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
});
process.stdin.resume();

/** The least a server on Express can do with such a post: read it, see that it is JSON, answer. */
async function startBareExpress(): Promise<string> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/webhooks/:code', express.raw({ type: () => true, limit: '2mb' }), (request, response) => {
    JSON.parse(String(request.body));
    response.json({ received: true, requestId: 1 });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startOurs(): Promise<string> {
  const simulator = await startHubspotSimulator({ tokens: 'any' });
  const config = readConfig({
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_HUBSPOT_URL: simulator.url,
    ...(databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl }),
  });
  const log = createLogger(config.logLevel);
  const db = await openDatabase(config, directory, log);
  const secrets = createSecretBox([generateEncryptionKey()]);
  const world = parseWorld(
    JSON.parse(readFileSync(new URL('../fixtures/minimal-world.json', import.meta.url), 'utf8')),
  );
  await loadWorld({ db, secrets, now: new Date() }, materializeWorld(world, new Date()));
  const outbound = createOutbound({ resolve: systemResolve, dial: systemDial, allowedCidrs: [] });
  const running = await startServer(
    {
      bound: await bindServer(0, '127.0.0.1'),
      outbound,
      config,
      db,
      secrets,
      clock: systemClock,
      log,
      fetch: globalThis.fetch,
    },
    { startWorkers: kind === 'with-workers' },
  );
  return running.url;
}
