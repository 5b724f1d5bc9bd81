import pg from 'pg';
import { splitDatabaseUrl } from '../../config/database-hosts.ts';
import { createDatabase, type Database, poolTypes } from './db.ts';
import { createPrimary } from './primary.ts';

const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Opens PostgreSQL.
 *
 * @param url connection string, `postgres://user:password@host:port/database`; of several hosts (`host1:port,host2:port`), the one that
 *   accepts writes is used, also after a failover
 * @param options.maxConnections size of the pool, default 16, above which single-row inserts gain nothing on a small
 *   machine
 * @param options.statementTimeoutMs how long a statement may wait for its answer, default 60,000; long transactions
 *   have an hour. Without it, a server that disappeared (a failover that drops its address) would block for at least a
 *   quarter of an hour
 * @param options.name `application_name` of the connections, default svc-server
 * @param options.onError called when an idle connection breaks; the pool replaces it
 */
export function openPostgres(
  url: string,
  options: {
    maxConnections?: number;
    statementTimeoutMs?: number;
    name?: string;
    onError?: (error: Error) => void;
  } = {},
): Database {
  const urls = splitDatabaseUrl(url) ?? [url];
  const primary = urls.length > 1 ? createPrimary(urls) : null;
  const pool = new pg.Pool({
    connectionString: urls[0],
    ...(primary && { Client: primary.Client }),
    max: options.maxConnections ?? 16,
    connectionTimeoutMillis: 10_000,
    query_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    // Detects a lost server while the connection is idle.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: options.name ?? 'svc-server',
    types: poolTypes,
  });
  pool.on('error', (error) => options.onError?.(error));
  primary?.watch(pool);
  let announcements: pg.PoolClient | undefined;
  return createDatabase({
    backend: 'postgres',
    pool,
    async announce(lock) {
      const client = announcements ?? (await pool.connect());
      // If this connection breaks, its announcements end.
      if (announcements === undefined) client.on('error', (error) => options.onError?.(error));
      announcements = client;
      await client.query('select pg_advisory_lock_shared($1)', [lock]);
    },
    async close() {
      primary?.stopWatching();
      announcements?.release(true);
      await pool.end();
    },
  });
}
