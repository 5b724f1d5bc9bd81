/**
 * Vacuums the queue while jobs end or come. A claim reads the jobs in the order of their turns, and steps over each ended one that stands before them
 * until a vacuum removes it. And where a queue was small when a connection planned a statement, the plan reads all jobs, until a vacuum sees that the
 * queue has grown. Autovacuum looks once a minute, and the embedded database has none.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import { type Repeated, repeat } from '../runtime/repeat.ts';
import type { Database } from '../store/database/db.ts';

const EVERY_MS = 5_000;
/** Versions of rows that are left of ended jobs and earlier states before a vacuum pays, beside a share of the jobs that are there. */
const DEAD_ROWS = 5_000;
const DEAD_SHARE = 0.2;
/** Pages that the queue has beyond twice those of the last vacuum or analysis: some thousands of jobs. */
const NEW_PAGES = 100;

export function startQueueVacuum({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): Repeated {
  return repeat(clock, { firstMs: EVERY_MS, everyMs: EVERY_MS }, () =>
    vacuumQueue(db).catch((error: unknown) => log.debug({ err: error }, 'the queue could not be vacuumed')),
  );
}

async function vacuumQueue(db: Database): Promise<void> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-need-vacuum',
      text: `select from pg_stat_user_tables as rows join pg_class as pages on pages.oid = rows.relid
        where rows.relid = 'jobs'::regclass and (rows.n_dead_tup > $1::float8 + $2::float8 * rows.n_live_tup
          or pg_relation_size(rows.relid) / current_setting('block_size')::int > $3::int + 2 * pages.relpages)`,
    },
    [DEAD_ROWS, DEAD_SHARE, NEW_PAGES],
  );
  // Not while another process or autovacuum does it, and without the moment in which nobody else can use the table.
  if (rowCount > 0) await db.query('vacuum (skip_locked, truncate off) jobs');
}
