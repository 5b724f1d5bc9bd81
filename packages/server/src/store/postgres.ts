import pg from 'pg';
import { createDatabase, type Database, poolTypes, SERVER_LOCK } from './db.ts';

/**
 * Opens PostgreSQL.
 *
 * @param url connection string, `postgres://user:password@host:port/database`
 * @param options.maxConnections size of the pool, default 16: where single-row inserts stop gaining on a small machine
 * @param options.onError called when an idle connection breaks; the pool replaces it by itself
 */
export function openPostgres(
  url: string,
  options: { maxConnections?: number; onError?: (error: Error) => void } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 16,
    connectionTimeoutMillis: 10_000,
    application_name: 'svc-server',
    types: poolTypes,
  });
  pool.on('error', (error) => options.onError?.(error));
  let announcement: pg.PoolClient | undefined;
  return createDatabase({
    backend: 'postgres',
    pool,
    async announceServer() {
      announcement = await pool.connect();
      // When this one connection breaks, the server is merely no longer announced.
      announcement.on('error', (error) => options.onError?.(error));
      await announcement.query('select pg_advisory_lock_shared($1)', [SERVER_LOCK]);
    },
    async close() {
      announcement?.release(true);
      await pool.end();
    },
  });
}
