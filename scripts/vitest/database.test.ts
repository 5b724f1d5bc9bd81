import { Client } from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from './database.ts';

const baseUrl = inject('databaseUrl');

describe.skipIf(baseUrl === null)('createTestDatabase', () => {
  test('gives each caller an empty database that the other cannot see, and drops it under an open connection', async () => {
    if (baseUrl === null) throw new Error('guarded by skipIf');
    const [first, second] = await Promise.all([createTestDatabase(baseUrl), createTestDatabase(baseUrl)]);
    const client = new Client({ connectionString: first.url });
    client.on('error', () => {}); // cut by drop()
    await client.connect();
    await client.query('CREATE TABLE only_here (id int)');
    const other = new Client({ connectionString: second.url });
    await other.connect();
    const seen = await other.query("SELECT to_regclass('only_here') AS name");
    await other.end();
    expect(seen.rows).toEqual([{ name: null }]);

    await first.drop();
    await second.drop();
    const base = new Client({ connectionString: baseUrl });
    await base.connect();
    const names = [first.url, second.url].map((url) => new URL(url).pathname.slice(1));
    const left = await base.query('SELECT datname FROM pg_database WHERE datname = ANY($1)', [names]);
    await base.end();
    expect(left.rows).toEqual([]);
  });
});
