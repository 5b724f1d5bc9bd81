import { randomBytes } from 'node:crypto';
import { Client, type QueryResult } from 'pg';

export type TestDatabase = {
  /** Connection URL of a fresh, empty database. */
  readonly url: string;
  /** Closes open connections and drops the database. */
  drop(): Promise<void>;
};

/** The prefix of this run's test databases, set by the global setup so that it can drop them in the end. */
export const RUN_VARIABLE = 'SVC_TEST_RUN';

/**
 * Creates an empty database, so that test files can run in parallel.
 *
 * @param baseUrl what `inject('databaseUrl')` gave
 */
export async function createTestDatabase(baseUrl: string): Promise<TestDatabase> {
  const name = `svc_test_${process.env[RUN_VARIABLE] ?? process.pid}_${randomBytes(4).toString('hex')}`;
  await execute(baseUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(baseUrl);
  url.pathname = `/${name}`;
  const drop = async () => void (await execute(baseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return { url: url.href, drop };
}

/** Drops the databases that a run has left on a shared server. */
export async function dropTestDatabases(baseUrl: string, run: string): Promise<void> {
  const { rows } = await execute(baseUrl, `SELECT datname FROM pg_database WHERE datname LIKE 'svc_test_${run}_%'`);
  for (const { datname } of rows) await execute(baseUrl, `DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
}

async function execute(url: string, sql: string): Promise<QueryResult> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
