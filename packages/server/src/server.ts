/** Puts the parts together into one running process: database, workers, inbound host and API. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { createCrmConnectors } from './connectors/crm/index.ts';
import type { Context, PublicUrls } from './context.ts';
import { createReceiptStore } from './inbound/receive.ts';
import { createProcessReceiptHandler, PROCESS_RECEIPT } from './jobs/process-receipt.ts';
import { releaseAllLeases } from './jobs/queue.ts';
import { createJobRunner, type JobRunner } from './jobs/runner.ts';
import { createWriteCrmHandler, WRITE_CRM } from './jobs/write-crm.ts';
import type { SecretBox } from './secrets.ts';
import type { Database } from './store/db.ts';

export interface ServerParts {
  config: Config;
  /** Open and migrated; the server closes it. */
  db: Database;
  secrets: SecretBox;
  clock: Clock;
  log: Logger;
  /** For calls to CRMs. */
  fetch: typeof globalThis.fetch;
}

export interface RunningServer {
  /** Address the server listens on, `http://127.0.0.1:4000`. */
  readonly url: string;
  readonly ctx: Context;
  readonly runner: JobRunner;
  /** Takes no more requests, finishes those and the jobs at work, and closes the database. */
  close(): Promise<void>;
}

/** The port is taken or may not be used; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Longest wait for one answer of a CRM. */
const CRM_TIMEOUT_MS = 10_000;

/**
 * Starts everything on one port.
 *
 * @param parts.config.port 0 picks a free port
 * @param options.startWorkers false leaves the jobs to `runner.runDue()`. Default true.
 * @throws ListenError
 */
export async function startServer(
  parts: ServerParts,
  options: { startWorkers?: boolean } = {},
): Promise<RunningServer> {
  const { config, db, clock, log } = parts;
  const connectors = createCrmConnectors({
    fetch: parts.fetch,
    timeoutMs: CRM_TIMEOUT_MS,
    now: () => clock.now(),
    baseUrls: { HUBSPOT: config.hubspotUrl },
  });
  let urls: PublicUrls | undefined;
  let isWorking = false;
  let runner: JobRunner | undefined;
  const ctx: Context = {
    db,
    clock,
    log,
    secrets: parts.secrets,
    urls: () => {
      if (!urls) throw new Error('The addresses are known only once the server listens.');
      return urls;
    },
    crmConnector: (crm) => connectors.get(crm),
    wakeWorkers: () => runner?.wake(),
    areWorkersRunning: () => isWorking,
  };
  runner = createJobRunner({
    db,
    clock,
    log,
    handlers: { [PROCESS_RECEIPT]: createProcessReceiptHandler(ctx), [WRITE_CRM]: createWriteCrmHandler(ctx) },
  });
  // The embedded database has one owner, so whoever held a lease before is gone.
  if (db.backend === 'pglite') await releaseAllLeases(db, clock.now());

  const receipts = createReceiptStore({ db, clock, onStored: ctx.wakeWorkers });
  const http = createServer(createApp(ctx, { receipts, inboundBodyLimitBytes: config.inboundBodyLimitBytes }));
  const url = await listen(http, config.port, config.host);
  urls = publicUrls(config, url);
  if (options.startWorkers !== false) {
    runner.start();
    isWorking = true;
  }
  const jobs = runner;
  return {
    url,
    ctx,
    runner,
    async close() {
      await closeHttp(http);
      isWorking = false;
      await jobs.stop();
      await db.close();
    },
  };
}

function publicUrls(config: Config, boundUrl: string): PublicUrls {
  const api = config.publicUrl ?? boundUrl;
  return {
    api,
    sync: config.syncUrl ?? api,
    dashboard: config.dashboardUrl ?? `${api}/dashboard`,
    docs: config.docsUrl ?? `${api}/docs`,
  };
}

async function listen(http: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, port, host)));
    http.listen(port, host, resolve);
  });
  const { port: boundPort } = http.address() as AddressInfo;
  return `http://${urlHost(host)}:${boundPort}`;
}

/** Listening on every address still needs one that can be called from here. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function toListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `Port ${port} on ${host} is taken: stop what listens there, or choose another with --port (0 picks a free one).`,
      );
    case 'EACCES':
      return new ListenError(`Port ${port} may not be used by this user: choose one above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(
        `The address ${host} is not one of this machine: set SVC_HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`,
      );
    default:
      return error;
  }
}

async function closeHttp(http: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  await closed;
}
