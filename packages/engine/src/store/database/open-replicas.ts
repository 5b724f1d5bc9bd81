import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { splitHosts } from '../../config/database-hosts.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from './db.ts';
import { createReplicas, type ReplicaHost, type Replicas } from './replicas.ts';

/** A page of a log takes milliseconds; when a standby hangs, the primary is asked instead. */
const STATEMENT_TIMEOUT_MS = 5_000;

/** Opens the standbys of `DATABASE_READ_URL`; null without the variable, with the embedded database, and in processes without the API. */
export async function openReplicas(
  config: Pick<Config, 'databaseReadUrl' | 'databaseConnections' | 'roles'>,
  { db, clock, log }: { db: Database; clock: Clock; log: Logger },
): Promise<Replicas | null> {
  if (config.databaseReadUrl === undefined || db.backend !== 'postgres' || !config.roles.has('api')) return null;
  const hosts = await openReplicaHosts(config.databaseReadUrl, config.databaseConnections);
  return createReplicas({ primary: db, hosts, clock, log });
}

/** @param url with one host or several */
export async function openReplicaHosts(url: string, maxConnections: number): Promise<ReplicaHost[]> {
  const { openPostgres } = await import('./postgres.ts');
  return (splitHosts(url) ?? [url]).map((one) => ({
    name: new URL(one).host,
    db: openPostgres(one, { maxConnections, statementTimeoutMs: STATEMENT_TIMEOUT_MS, name: 'svc-server-reads' }),
  }));
}
