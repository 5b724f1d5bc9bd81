import { expect, test } from 'vitest';
import { IN_MEMORY, openPglite } from './pglite.ts';

test('a start of the embedded database runs no statement but those that clear the session', async () => {
  const db = await openPglite(IN_MEMORY);
  const { rows } = await db.query(`select virtualtransaction from pg_locks where locktype = 'virtualxid'`);
  await db.close();
  // The transactions before it: PostgreSQL's own when it starts, and the two of the session.
  expect(rows).toEqual([{ virtualtransaction: '0/4' }]);
});
