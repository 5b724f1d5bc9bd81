import pg from 'pg';
import { splitDatabaseUrl } from '../../config/database-hosts.ts';
import { createDatabase, type Database, poolTypes } from './db.ts';
import { createPrimary, type Primary } from './primary.ts';
import { createSession, isBehindPooler, sendUnnamed } from './session.ts';

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
 * @param options.directUrl of the database itself, for announcements and notifications, when `url` leads to a connection pooler
 * @param options.onPooler called when these are impossible, because a pooler is in between
 * @param options.onError called when an idle connection breaks; the pool replaces it
 */
export function openPostgres(
  url: string,
  options: {
    maxConnections?: number;
    statementTimeoutMs?: number;
    name?: string;
    directUrl?: string | undefined;
    onPooler?: () => void;
    onError?: (error: Error) => void;
  } = {},
): Database {
  const settings = {
    connectionTimeoutMillis: 10_000,
    query_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    // Detects a lost server while the connection is idle.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: options.name ?? 'svc-server',
  };
  const main = hostsOf(url);
  const direct = options.directUrl === undefined ? main : hostsOf(options.directUrl);
  const pool = new pg.Pool({
    ...settings,
    connectionString: main.url,
    ...(main.primary && { Client: main.primary.Client }),
    max: options.maxConnections ?? 16,
    types: poolTypes,
    async onConnect(client) {
      if (await isBehindPooler(client)) sendUnnamed(client);
    },
  });
  const onError = (error: Error) => options.onError?.(error);
  pool.on('error', onError);
  main.primary?.watch(pool);
  const session = createSession({
    async connect() {
      const Client = direct.primary?.Client ?? pg.Client;
      const client = new Client({ ...settings, connectionString: direct.url });
      await client.connect();
      return client;
    },
    onPooler: () => options.onPooler?.(),
    onError,
  });
  return createDatabase({
    backend: 'postgres',
    pool,
    announce: (...lock) => session.announce(...lock),
    async canAnnounce() {
      if (direct !== main) return true;
      const client = await pool.connect();
      return await isBehindPooler(client)
        .then(
          (isBehind) => !isBehind,
          () => true,
        )
        .finally(() => client.release());
    },
    listen: (channel, onPayload) => session.listen(channel, onPayload),
    async close() {
      main.primary?.stopWatching();
      await session.close();
      await pool.end();
    },
  });
}

/** Returns the URL of the first host, and of several, what finds the one that accepts writes. */
function hostsOf(url: string): { url: string; primary: Primary | null } {
  const urls = splitDatabaseUrl(url) ?? [url];
  return { url: urls[0] ?? url, primary: urls.length > 1 ? createPrimary(urls) : null };
}
