/**
 * House-keeping that nobody asks for by a request: rate windows that are over are deleted, payloads that are older than the
 * operator wants to keep them are dropped, and the embedded database gets
 * what PostgreSQL's autovacuum does by itself. It has no background processes, so without it the queue's table would grow
 * with every job that ever ran, and the planner would know no table's size.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from './database/db.ts';
import { dropOldPayloads } from './payload-retention.ts';
import { deleteOldWindows } from './rate-windows.ts';

/** The tables in which rows are updated or deleted all the time, and those whose size the planner must know. */
const TABLES = [
  'jobs',
  'requests',
  'inbound_events',
  'syncs',
  'deliveries',
  'events',
  'webhook_deliveries',
  'blocklist_entries',
];
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const WINDOWS_KEPT_MS = 60 * 60_000;

export interface Maintenance {
  /** Plans no more runs and waits for the one at work. */
  stop(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;

export interface MaintenanceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long received payloads are kept. Default: for ever. */
  readonly payloadDays?: number | undefined;
}

export function startMaintenance(deps: MaintenanceDeps): Maintenance {
  const { clock, log } = deps;
  let isStopped = false;
  let atWork = Promise.resolve();
  let cancel = clock.setTimer(run, FIRST_AFTER_MS);

  // The next run is planned when this one is done, so that a slow database never has two.
  function run(): void {
    atWork = keepHouse(deps)
      .catch((error: unknown) => log.warn({ err: error }, 'house-keeping failed'))
      .then(() => {
        if (!isStopped) cancel = clock.setTimer(run, EVERY_MS);
      });
  }

  return {
    async stop() {
      isStopped = true;
      cancel();
      await atWork;
    },
  };
}

async function keepHouse({ db, clock, log, payloadDays }: MaintenanceDeps): Promise<void> {
  const before = (ms: number) => new Date(clock.now().getTime() - ms);
  await deleteOldWindows(db, before(WINDOWS_KEPT_MS));
  if (payloadDays !== undefined) {
    const dropped = await dropOldPayloads(db, before(payloadDays * DAY_MS));
    if (dropped > 0) log.info({ dropped, payloadDays }, 'received payloads were dropped for their age');
  }
  if (db.backend === 'pglite') await vacuum(db);
}

/** Table by table, so that requests get their turn on the one connection in between. */
async function vacuum(db: Database): Promise<void> {
  for (const table of TABLES) await db.query(`vacuum (analyze) ${table}`);
}
