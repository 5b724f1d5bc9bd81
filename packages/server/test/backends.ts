import { inject } from 'vitest';
import { createTestDatabase } from '../../../scripts/vitest/database.ts';
import type { Database } from '../src/store/db.ts';
import { migrate } from '../src/store/migrate.ts';
import { IN_MEMORY, openPglite } from '../src/store/pglite.ts';
import { openPostgres } from '../src/store/postgres.ts';

export interface Backend {
  name: Database['backend'];
  isAvailable: boolean;
  /** A database of its own, migrated and empty; `close` also removes it. */
  open(): Promise<Database>;
}

const postgresUrl = inject('databaseUrl');

/** Both backends: whatever is proven on one is proven on the other. */
export const backends: readonly Backend[] = [
  {
    name: 'pglite',
    isAvailable: true,
    async open() {
      const db = await openPglite(IN_MEMORY);
      await migrate(db, new Date());
      return db;
    },
  },
  {
    name: 'postgres',
    isAvailable: postgresUrl !== null,
    async open() {
      if (postgresUrl === null) throw new Error('There is no PostgreSQL for tests.');
      const database = await createTestDatabase(postgresUrl);
      const db = openPostgres(database.url, { maxConnections: 8 });
      await migrate(db, new Date());
      return {
        ...db,
        close: async () => {
          await db.close();
          await database.drop();
        },
      };
    },
  },
];
