import { inject } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import type { Database } from '../../src/store/database/db.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { createPglite, wrapPglite } from '../../src/store/database/pglite.ts';
import { openPostgres } from '../../src/store/database/postgres.ts';
import { type Content, EMPTY, type Restored, restore } from './database-content.ts';

export interface Backend {
  name: Database['backend'];
  isAvailable: boolean;
  /**
   * Opens a migrated database for exclusive use until it is closed. Opening takes seconds, so a closed database is
   * restored and reused: tests may change rows, but not the schema.
   *
   * @param content the rows it contains, default none
   */
  open(content?: Content): Promise<Database>;
  /** Opens a database without any table for exclusive use until it is closed, for tests that change the schema. */
  openBlank(): Promise<Database>;
}

const postgresUrl = inject('databaseUrl');

/** Creates a database that lives as long as the process, and returns how to connect to it. */
type Create = () => Promise<() => Database>;

const createPgliteOfTest: Create = async () => {
  const pglite = await createPglite();
  const connection = { execProtocolRawStream: pglite.execProtocolRawStream.bind(pglite), close: async () => {} };
  return () => wrapPglite(connection);
};

const createPostgresOfTest: Create = async () => {
  if (postgresUrl === null) throw new Error('There is no PostgreSQL for tests.');
  const { url } = await createTestDatabase(postgresUrl);
  return () => openPostgres(url, { maxConnections: 8 });
};

/** For tests of what only PostgreSQL has, such as several connections. */
export const postgresBackend: Backend = {
  name: 'postgres',
  isAvailable: postgresUrl !== null,
  open: reuse(createPostgresOfTest),
  openBlank: reuseBlank(createPostgresOfTest),
};

/** Both backends; each proof runs on both. */
export const backends: readonly Backend[] = [
  {
    name: 'pglite',
    isAvailable: true,
    open: reuse(createPgliteOfTest),
    openBlank: reuseBlank(createPgliteOfTest),
  },
  postgresBackend,
];

const [firstAvailable] = backends.filter(({ isAvailable }) => isAvailable).toReversed();
if (firstAvailable === undefined) throw new Error('There is no database.');
/** PostgreSQL if there is one: for tests of what does not depend on the database, such as the failures of endpoints. */
export const anyBackend: Backend = firstAvailable;

/** On a busy machine the sessions of a closed database, and the locks that say what runs, outlive their connections by a moment. */
const END_OTHER_SESSIONS = `select pg_terminate_backend(pid, 60000) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** Free databases of each backend. One with the same content is restored in a tenth of the time. */
const KEPT = 2;

function reuse(create: Create): Backend['open'] {
  const free: { connect: () => Database; restored: Restored }[] = [];
  return async (content = EMPTY) => {
    const same = free.findIndex(({ restored }) => restored.content === content.name);
    const [used] = same < 0 && free.length < KEPT ? [] : free.splice(same, 1);
    const connect = used?.connect ?? (await create());
    const db = connect();
    if (used === undefined) await migrate(db, new Date());
    else if (db.backend === 'postgres') await db.query(END_OTHER_SESSIONS);
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

/** A new database, also the embedded one, has tables or schemas of its template. */
const DROP_ALL = `do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
    create schema public;
  end $$`;

function reuseBlank(create: Create): Backend['openBlank'] {
  const free: (() => Database)[] = [];
  return async () => {
    const connect = free.pop() ?? (await create());
    const db = connect();
    if (db.backend === 'postgres') await db.query(END_OTHER_SESSIONS);
    // A test may have changed settings of the embedded database's only session, such as the time zone.
    await db.script(`reset all; ${DROP_ALL}`);
    let isClosed = false;
    return {
      ...db,
      async close() {
        await db.close();
        if (!isClosed) free.push(connect);
        isClosed = true;
      },
    };
  };
}
