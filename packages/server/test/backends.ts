import { inject } from 'vitest';
import { createTestDatabase } from '../../../scripts/vitest/database.ts';
import type { Database } from '../src/store/db.ts';
import { migrate } from '../src/store/migrate.ts';
import { createPglite, wrapPglite } from '../src/store/pglite.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { type Content, EMPTY, type Restored, restore } from './database-content.ts';

export interface Backend {
  name: Database['backend'];
  isAvailable: boolean;
  /**
   * A migrated database that nobody else uses until it is closed. Opening one takes seconds, so a closed one is restored and
   * handed out again: tests may change rows, but not the schema.
   *
   * @param content the rows it holds, default none
   */
  open(content?: Content): Promise<Database>;
}

const postgresUrl = inject('databaseUrl');

/** Both backends: whatever is proven on one is proven on the other. */
export const backends: readonly Backend[] = [
  {
    name: 'pglite',
    isAvailable: true,
    open: reuse(async () => {
      const pglite = await createPglite();
      const connection = { execProtocolRaw: pglite.execProtocolRaw.bind(pglite), close: async () => {} };
      return () => wrapPglite(connection);
    }),
  },
  {
    name: 'postgres',
    isAvailable: postgresUrl !== null,
    open: reuse(async () => {
      if (postgresUrl === null) throw new Error('There is no PostgreSQL for tests.');
      const { url } = await createTestDatabase(postgresUrl);
      return () => openPostgres(url, { maxConnections: 8 });
    }),
  },
];

/** @param create makes a database and returns how to connect to it; it lives as long as the process */
function reuse(create: () => Promise<() => Database>): Backend['open'] {
  const free: { connect: () => Database; restored: Restored }[] = [];
  return async (content = EMPTY) => {
    const used = free.pop();
    const connect = used?.connect ?? (await create());
    const db = connect();
    if (used === undefined) await migrate(db, new Date());
    const restored = await restore(db, content, used?.restored ?? null);
    let isClosed = false;
    return {
      ...db,
      async close() {
        await db.close();
        if (!isClosed) free.push({ connect, restored });
        isClosed = true;
      },
    };
  };
}
