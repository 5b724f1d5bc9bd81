import pg from 'pg';
import { createDatabase, type Database, poolTypes } from './db.ts';

const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Opens PostgreSQL.
 *
 * @param url connection string, `postgres://user:password@host:port/database`
 * @param options.maxConnections size of the pool, default 16: where single-row inserts stop gaining on a small machine
 * @param options.statementTimeoutMs how long one statement may go without its answer: a server that is gone without a word
 *   (a failover that drops its address) would otherwise be waited for until TCP gives up, after a quarter of an hour or never.
 *   Default 60,000; long transactions have an hour
 * @param options.onError called when an idle connection breaks; the pool replaces it by itself
 */
export function openPostgres(
  url: string,
  options: { maxConnections?: number; statementTimeoutMs?: number; onError?: (error: Error) => void } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 16,
    connectionTimeoutMillis: 10_000,
    query_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    // Finds out about a server that is gone while nothing is asked of it.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'svc-server',
    types: poolTypes,
  });
  pool.on('error', (error) => options.onError?.(error));
  let announcements: pg.PoolClient | undefined;
  return createDatabase({
    backend: 'postgres',
    pool,
    async announce(lock) {
      const client = announcements ?? (await pool.connect());
      // When this one connection breaks, what was announced merely is no longer.
      if (announcements === undefined) client.on('error', (error) => options.onError?.(error));
      announcements = client;
      await client.query('select pg_advisory_lock_shared($1)', [lock]);
    },
    async close() {
      announcements?.release(true);
      await pool.end();
    },
  });
}
