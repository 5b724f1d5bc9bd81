/**
 * One connection of a process that stays open: it holds the advisory locks that say what runs here, and hears notifications. When it
 * breaks, it is made again, with its locks and channels.
 *
 * A connection pooler in transaction mode gives each statement another session, so locks and channels would be left behind in sessions of
 * others. Such a connection is closed and not made again.
 */
import pg from 'pg';
import type { Db } from './db.ts';

/** How long a broken connection waits to be made again, at first and at most. */
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5_000;
/** How often an idle connection is tried, because one whose server has disappeared reports nothing. */
const CHECK_MS = 10_000;

/** How long the server has to close a connection. */
const END_MS = 1_000;

export interface Session {
  /** Shares this lock from now on; see `Database.announce`. Returns whether others can see it: not behind a pooler. */
  announce(lock: number, value?: number): Promise<boolean>;
  /** See `Database.listen`. */
  listen(channel: string, onPayload: (payload: string | null) => void): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param options.connect makes a connection to one database server
 * @param options.onPooler called when there is a pooler in between, so that nothing is held or heard
 */
export function createSession(options: {
  connect: () => Promise<pg.Client>;
  onPooler: () => void;
  onError: (error: Error) => void;
}): Session {
  const locks: Lock[] = [];
  const channels = new Map<string, (payload: string | null) => void>();
  let opening: Promise<pg.Client | null> | null = null;
  let isClosed = false;
  let retryMs = RETRY_FIRST_MS;
  let timer: NodeJS.Timeout | undefined;

  /** Resolves with null behind a pooler. */
  function open(): Promise<pg.Client | null> {
    if (opening !== null) return opening;
    const own: Promise<pg.Client | null> = connect().catch((error: unknown) => {
      // It may have ended long before its statement failed, and another one be open.
      if (opening === own) opening = null;
      throw error;
    });
    opening = own;
    return own;
  }

  async function connect(): Promise<pg.Client | null> {
    const client = await options.connect();
    let isLost = false;
    const onLost = () => {
      if (isLost) return;
      isLost = true;
      clearInterval(check);
      opening = null;
      if (!isClosed) reopenLater();
    };
    // An error is followed by the end.
    client.on('error', options.onError);
    client.on('end', onLost);
    const check = setInterval(() => {
      client.query('select 1').catch(() => client.connection.stream.destroy());
    }, CHECK_MS);
    check.unref();
    client.on('notification', ({ channel, payload = '' }) => channels.get(channel)?.(payload));
    try {
      if (await isBehindPooler(client)) {
        client.removeListener('end', onLost);
        clearInterval(check);
        client.end().catch(options.onError);
        options.onPooler();
        return null;
      }
      for (const lock of locks) await hold(client, lock);
      for (const channel of channels.keys()) await client.query(`listen ${channel}`);
      return client;
    } catch (error) {
      isLost = true;
      clearInterval(check);
      client.connection.stream.destroy();
      throw error;
    }
  }

  function reopenLater(): void {
    // One that breaks while it is made is reported twice: by its end and by its failure.
    clearTimeout(timer);
    timer = setTimeout(() => {
      retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
      open().then(
        () => {
          retryMs = RETRY_FIRST_MS;
          // What was sent meanwhile is lost.
          for (const onPayload of channels.values()) onPayload(null);
        },
        () => {
          if (!isClosed) reopenLater();
        },
      );
    }, retryMs);
    timer.unref();
  }

  return {
    async announce(number, value) {
      const client = await open();
      const lock = { number, value };
      locks.push(lock);
      if (client !== null) await hold(client, lock);
      return client !== null;
    },
    async listen(channel, onPayload) {
      const client = await open();
      channels.set(channel, onPayload);
      if (client !== null) await client.query(`listen ${channel}`);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const client = await opening?.catch(() => null);
      if (!client) return;
      // A server that disappeared does not answer.
      const cut = setTimeout(() => client.connection.stream.destroy(), END_MS);
      await client.end().catch(options.onError);
      clearTimeout(cut);
    },
  };
}

interface Lock {
  number: number;
  value: number | undefined;
}

async function hold(client: pg.Client, { number, value }: Lock): Promise<void> {
  if (value === undefined) await client.query('select pg_advisory_lock_shared($1)', [number]);
  else await client.query('select pg_advisory_lock_shared($1::int, $2::int)', [number, value]);
}

/** Returns whether the connection ends at a pooler, which gives it a process id of its own. */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return !('processID' in client) || client.processID !== rows[0]?.pid;
}

/**
 * Sends named statements of this connection without their names: they would be prepared in one session and executed in another.
 */
export function sendUnnamed(client: pg.ClientBase): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((config: unknown, ...more: unknown[]) => send(withoutName(config), ...more)) as typeof client.query;
}

function withoutName(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || !('name' in config)) return config;
  const { name: _name, ...unnamed } = config;
  return unnamed;
}

/** Returns whether a server on this PostgreSQL database has announced this lock. */
export async function isAnnounced(db: Db, lock: number): Promise<boolean> {
  const { rows } = await db.query<{ isAnnounced: boolean }>(
    `select exists (select from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.objsubid = 1 and l.classid = 0 and l.objid::bigint = $1
        and l.mode = 'ShareLock' and l.granted and d.datname = current_database()) as "isAnnounced"`,
    [lock],
  );
  return rows[0]?.isAnnounced ?? false;
}
