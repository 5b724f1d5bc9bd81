import { startPostgresCluster } from '../../scripts/vitest/postgres-cluster.ts';

/** A PostgreSQL server for new databases. */
export type PostgresServer = { readonly url: string; stop(): void };

/** Returns the server of `TEST_DATABASE_URL`, else a temporary one; null with a message when there is none. */
export async function findPostgres(): Promise<PostgresServer | null> {
  const url = process.env.TEST_DATABASE_URL;
  if (url !== undefined && url !== '') return { url, stop: () => {} };
  const cluster = await startPostgresCluster();
  if (cluster === null) process.stderr.write('PostgreSQL is not installed: measured without it.\n');
  return cluster;
}
