/**
 * The only access to the database. PostgreSQL and the embedded PGlite use the same `pg.Pool`, and every statement goes
 * through a handle of this module: the database (`Database`) or one open transaction (`Db`).
 *
 * The embedded backend has only one connection, so a statement on the database handle inside an open transaction would
 * wait forever. `Database.query` therefore throws inside a transaction's callback, on both backends, so that any test
 * finds the mistake.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { inChildSpan, type SpanStart } from '../../runtime/tracing.ts';

/** A statement that is prepared once per connection under its name, for frequent statements. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

export interface QueryResult<Row> {
  rows: Row[];
  rowCount: number;
}

/** A handle that runs statements: the database itself, or one open transaction. */
export interface Db {
  /** Runs one statement. Throws `DatabaseUnavailableError` when the database cannot be reached. */
  query<Row extends object>(statement: string | NamedStatement, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  /**
   * Runs several statements that take no values, such as the DDL of a migration.
   *
   * @param options.isLong allows an hour instead of a minute; in a transaction, its own limit counts
   */
  script(sql: string, options?: { isLong?: boolean }): Promise<void>;
}

export interface Database extends Db {
  readonly backend: 'postgres' | 'pglite';
  /**
   * Shares this advisory lock until `close` with all servers that announce it. Returns whether others can see it: not through a connection
   * pooler, and not on the embedded database, which only one process uses.
   *
   * @param value makes it one of many locks of this number: a signed integer of 32 bits
   */
  announce(lock: number, value?: number): Promise<boolean>;
  /** Returns whether announcements are possible: not through a connection pooler. */
  canAnnounce(): Promise<boolean>;
  /**
   * Calls `onPayload` with the payload of each notification on this channel until `close`, and with null after an interruption, in which some may
   * have been missed. Does nothing on the embedded database.
   */
  listen(channel: string, onPayload: (payload: string | null) => void): Promise<void>;
  /**
   * Holds this advisory lock in a transaction of its own while `work` runs, so that a pooler in transaction mode keeps
   * the lock too. Only the lock's holder works, so `work` is not limited to one transaction. On the embedded database it
   * only runs `work`, because one process uses it.
   *
   * @param work gets a function that throws when the lock was lost with its connection; ask it before each step
   * @returns null when another process holds the lock
   */
  exclusively<T>(lock: number, work: (assertHeld: () => void) => Promise<T>): Promise<T | null>;
  /**
   * Commits when `work` returns, rolls back when it throws. Must not be nested.
   *
   * @param options.isLong allows statements of an hour instead of a minute, for migrations and the like
   */
  transaction<T>(work: (tx: Db) => Promise<T>, options?: { isLong?: boolean }): Promise<T>;
  close(): Promise<void>;
}

/** The database is unreachable, shutting down, or the connection broke. The same call may work later. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

const LONG_STATEMENT_TIMEOUT_MS = 3_600_000;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Parses bigint columns and counts as numbers, because ids stay below 2^53. */
export const poolTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    const parse = pg.types.getTypeParser(oid, format);
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY) return (text: string) => (parse(text) as string[]).map(Number);
    return parse;
  }) as typeof pg.types.getTypeParser,
};

/** Advisory lock shared by all running servers; acquiring it exclusively proves that none runs. */
export const SERVER_LOCK = 0x53_56_43_02;

/** Advisory lock shared by the running servers that run jobs. */
export const WORKER_LOCK = 0x53_56_43_04;

/** Added to the number of a worker process: the advisory lock that it shares while it lives (`queue/worker-presence.ts`). */
export const WORKER_ALIVE_LOCKS = 0x53_56_43_00_00_00;

/** Advisory lock that a server shares once it has seen an untrusted proxy. */
export const UNTRUSTED_PROXY_LOCK = 0x53_56_43_03;

/** Advisory locks that a server shares, one for each encryption key that it has (`store/server-keys.ts`). */
export const ENCRYPTION_KEY_LOCK = 0x53_56_43_07;

const insideTransaction = new AsyncLocalStorage<true>();

export interface DatabaseParts {
  backend: Database['backend'];
  pool: pg.Pool;
  announce: Database['announce'];
  canAnnounce: Database['canAnnounce'];
  listen: Database['listen'];
  close: () => Promise<void>;
}

export function createDatabase({ backend, pool, announce, canAnnounce, listen, close }: DatabaseParts): Database {
  const names = createStatementNames();
  const repeatStale = { names, repeatsStale: true };
  const root = createHandle((query) => pool.query(query), repeatStale);
  const longTiming = { query_timeout: LONG_STATEMENT_TIMEOUT_MS };
  const longRoot = createHandle(
    (query) => pool.query<Record<string, unknown>>({ ...query, ...longTiming }),
    repeatStale,
  );
  return {
    backend,
    query: (statement, values) => {
      assertOutsideTransaction();
      return root.query(statement, values);
    },
    async transaction(work, { isLong = false } = {}) {
      assertOutsideTransaction();
      const client = await withUnavailableError(() => pool.connect());
      let broken: Error | undefined;
      // A connection that breaks between two statements emits 'error' instead of failing one.
      const onError = (error: Error) => {
        broken = error;
      };
      client.on('error', onError);
      const timing = isLong ? longTiming : {};
      try {
        await withUnavailableError(() => client.query('begin'));
        const handle = createHandle((query) => client.query({ ...query, ...timing }), { names, repeatsStale: false });
        const result = await insideTransaction.run(true, () => work(handle));
        await inChildSpan(spanOf('commit'), () => withUnavailableError(() => client.query('commit')));
        return result;
      } catch (error) {
        // A connection that stopped answering would not answer the rollback either; closing it rolls back too.
        if (error instanceof DatabaseUnavailableError && backend === 'postgres') broken = error;
        else {
          await client.query('rollback').catch((rollbackError: Error) => {
            broken = rollbackError;
          });
        }
        throw error;
      } finally {
        client.removeListener('error', onError);
        client.release(broken);
      }
    },
    script: (sql, { isLong = false } = {}) => {
      assertOutsideTransaction();
      return (isLong ? longRoot : root).script(sql);
    },
    announce,
    canAnnounce,
    listen,
    exclusively: (lock, work) => {
      assertOutsideTransaction();
      return backend === 'pglite' ? work(() => {}) : holdLock(pool, lock, work);
    },
    close,
  };
}

/** Often enough that no usual limit of idle transactions ends it. */
const HELD_LOCK_BEAT_MS = 5_000;

async function holdLock<T>(
  pool: pg.Pool,
  lock: number,
  work: (assertHeld: () => void) => Promise<T>,
): Promise<T | null> {
  const client = await withUnavailableError(() => pool.connect());
  let lost: Error | undefined;
  const onError = (error: Error) => {
    lost = error;
  };
  client.on('error', onError);
  let beat: NodeJS.Timeout | undefined;
  try {
    await withUnavailableError(() => client.query('begin'));
    // Without parameters, so that it is a simple query: the result of another kind would keep its snapshot, for which
    // `create index concurrently` would wait.
    const { rows } = await client.query<{ isFree: boolean }>(`select pg_try_advisory_xact_lock(${lock}) as "isFree"`);
    if (rows[0]?.isFree !== true) return null;
    beat = setInterval(() => void client.query('select').catch(onError), HELD_LOCK_BEAT_MS);
    return await work(() => {
      if (lost) throw new DatabaseUnavailableError(`The lock was lost: ${lost.message}`, { cause: lost });
    });
  } finally {
    clearInterval(beat);
    await client.query('rollback').catch(onError);
    client.removeListener('error', onError);
    client.release(lost);
  }
}

/**
 * The names under which statements are prepared. When a migration changes the type of a column, PostgreSQL refuses statements that were
 * prepared before, on their connections for ever; under another name they are prepared anew.
 */
interface StatementNames {
  current(name: string): string;
  /** Ends a name that was refused. */
  end(name: string): void;
}

function createStatementNames(): StatementNames {
  const versions = new Map<string, number>();
  const current = (name: string) => {
    const version = versions.get(name);
    return version === undefined ? name : `${name}/${version}`;
  };
  return {
    current,
    end(refused) {
      const [name = '', version = '0'] = refused.split('/');
      // Other connections may have been refused under the same name.
      if (current(name) === refused) versions.set(name, Number(version) + 1);
    },
  };
}

/** The message of this error is in the language of the server; its place in the source is not. */
function isStalePlan(error: unknown): error is Error {
  const { code, routine } = error instanceof pg.DatabaseError ? error : {};
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** @param options.repeatsStale false in a transaction, which the error has ended: it may work when it is made again */
function createHandle(
  send: (query: pg.QueryConfig) => Promise<pg.QueryResult>,
  { names, repeatsStale }: { names: StatementNames; repeatsStale: boolean },
): Db {
  const sendNamed = async (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    if (config.name === undefined) return send(config);
    const name = names.current(config.name);
    try {
      return await send({ ...config, name });
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      names.end(name);
      if (repeatsStale) return sendNamed(config);
      throw new DatabaseUnavailableError(`A migration has changed the result of ${config.name}.`, { cause: error });
    }
  };
  const execute = async (config: pg.QueryConfig) => {
    // A statement without a name has only its text, which is not for a span.
    const name = config.name ?? 'statement';
    const result = await inChildSpan(spanOf(name), () => withUnavailableError(() => sendNamed(config)));
    return { rows: result.rows, rowCount: result.rowCount ?? 0 };
  };
  return {
    query: (statement, values = []) => {
      const named = typeof statement === 'string' ? { text: statement } : statement;
      return execute({ ...named, values: [...values] });
    },
    // Without values it is sent as a simple query, which may contain several statements.
    script: async (sql) => {
      await execute({ text: sql });
    },
  };
}

function spanOf(name: string): SpanStart {
  return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql' } };
}

function assertOutsideTransaction(): void {
  if (insideTransaction.getStore()) {
    throw new Error('A statement was sent to the database from inside a transaction: use the transaction handle.');
  }
}

/** SQLSTATE classes and codes of temporary failures. 25006: a standby, or a primary that became one. */
const UNAVAILABLE_SQLSTATE = /^(08|53|57P0|25006)/;
const UNAVAILABLE_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What Node says of a certificate that it does not accept. */
const CERTIFICATE_CODES =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID$)/;

/** Returns whether the encryption of the connection failed: a certificate that is not accepted, or a server without TLS. */
export function isEncryptionError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return CERTIFICATE_CODES.test(code) || /The server does not support SSL connections/.test(error.message);
}

async function withUnavailableError<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isUnavailable(error)) {
      throw new DatabaseUnavailableError(`The database is not available: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** Returns whether an error of the driver means that the database cannot be used now. */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    UNAVAILABLE_SQLSTATE.test(code) ||
    UNAVAILABLE_SOCKET.has(code) ||
    /Connection terminated|Query read timeout|timeout (expired|exceeded when trying to connect)|Cannot use a pool after calling end/.test(
      error.message,
    ) ||
    isEncryptionError(error)
  );
}
