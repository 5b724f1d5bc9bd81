import { startPostgresCluster } from '../scripts/vitest/postgres-cluster.ts';

/** A PostgreSQL in which databases can be made. */
export type PostgresServer = { readonly url: string; stop(): void };

/** The one of `TEST_DATABASE_URL`, else a temporary one; null, and a line that says so, where there is none. */
export async function findPostgres(): Promise<PostgresServer | null> {
  const url = process.env.TEST_DATABASE_URL;
  if (url !== undefined && url !== '') return { url, stop: () => {} };
  const cluster = await startPostgresCluster();
  if (cluster === null) process.stderr.write('PostgreSQL is not on this machine: measured without it.\n');
  return cluster;
}
