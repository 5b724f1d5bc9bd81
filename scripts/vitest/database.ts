import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export type TestDatabase = {
  /** Connection URL of a fresh, empty database. */
  readonly url: string;
  /** Cuts what is still connected and drops the database. */
  drop(): Promise<void>;
};

/**
 * A database of its own for one test file, so that files run in parallel without seeing each other.
 *
 * @param baseUrl what `inject('databaseUrl')` gave
 */
export async function createTestDatabase(baseUrl: string): Promise<TestDatabase> {
  const name = `svc_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await execute(baseUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(baseUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(baseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
