/**
 * Vacuums the queue while jobs end. A claim reads the jobs in the order of their turns, and steps over each ended one that stands before them
 * until a vacuum removes it. Autovacuum looks once a minute, and the embedded database has none.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import { type Repeated, repeat } from '../runtime/repeat.ts';
import type { Database } from '../store/database/db.ts';

const EVERY_MS = 5_000;
/** Versions of rows that are left of ended jobs and earlier states before a vacuum pays, beside a share of the jobs that are there. */
const DEAD_ROWS = 5_000;
const DEAD_SHARE = 0.2;

export function startQueueVacuum({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): Repeated {
  return repeat(clock, { firstMs: EVERY_MS, everyMs: EVERY_MS }, () =>
    vacuumQueue(db).catch((error: unknown) => log.debug({ err: error }, 'the queue could not be vacuumed')),
  );
}

async function vacuumQueue(db: Database): Promise<void> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-dead-rows',
      text: `select from pg_stat_user_tables
        where relid = 'jobs'::regclass and n_dead_tup > $1::float8 + $2::float8 * n_live_tup`,
    },
    [DEAD_ROWS, DEAD_SHARE],
  );
  // Not while another process or autovacuum does it, and without the moment in which nobody else can use the table.
  if (rowCount > 0) await db.query('vacuum (skip_locked, truncate off) jobs');
}
