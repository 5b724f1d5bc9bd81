/**
 * Several PostgreSQL hosts, of which one is the primary: connections go to the one that accepts writes, and move when a standby is
 * promoted. node-postgres knows one host for each connection.
 */
import { setTimeout } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';
import { DatabaseUnavailableError, isUnavailable } from './db.ts';

/** How long a host has to say what it is. */
const ANSWER_MS = 5_000;
/** How long the others have once one host accepts writes. */
const OTHERS_MS = 500;
/** How often the primary is asked whether it still is. */
const WATCH_MS = 5_000;

/**
 * The timeline of a host that accepts writes, else null. Each promotion begins a higher one, so that a former primary that comes back is known
 * as such.
 */
const TIMELINE = `select case when not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean
  then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;

export interface Primary {
  /** The class of a pool's connections. */
  readonly Client: typeof pg.Client;
  /** Breaks the connections of this pool to a host that is not the primary any more, from now on. */
  watch(pool: pg.Pool): void;
  stopWatching(): void;
}

/** @param urls one for each host, equal otherwise; the first of several that accept writes on the newest timeline is used */
export function createPrimary(urls: readonly string[]): Primary {
  const clients = new Set<pg.Client>();
  let known: Promise<string> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const find = () => {
    known ??= findPrimary(urls).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };

  class PrimaryClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      if (callback === undefined) return this.#connectToPrimary();
      callbackify(() => this.#connectToPrimary())(callback);
    }

    async #connectToPrimary(): Promise<pg.Client> {
      const { host, port } = new pg.Client(await find());
      this.host = host;
      this.port = port;
      clients.add(this);
      this.once('end', () => clients.delete(this));
      // It may be another host's turn.
      const forget = () => {
        known = null;
      };
      this.on('error', forget);
      try {
        return await super.connect();
      } catch (error) {
        forget();
        throw error;
      }
    }
  }

  async function check(pool: pg.Pool): Promise<void> {
    const asking = pool.query<{ timeline: string | null }>(TIMELINE).catch(() => null);
    const answer = await Promise.race([asking, setTimeout(ANSWER_MS, null, { ref: false })]);
    if (typeof answer?.rows[0]?.timeline === 'string') return;
    known = null;
    const { host, port } = new pg.Client(await find());
    for (const client of clients) {
      if (client.host !== host || client.port !== port) client.connection.stream.destroy();
    }
  }

  return {
    Client: PrimaryClient,
    watch(pool) {
      timer = setInterval(() => {
        // Without a primary, everything waits for one.
        check(pool).catch(() => {});
      }, WATCH_MS).unref();
    },
    stopWatching: () => clearInterval(timer),
  };
}

/** @throws DatabaseUnavailableError when no host accepts writes */
async function findPrimary(urls: readonly string[]): Promise<string> {
  const answers: { url: string; timeline: string | null; error: unknown }[] = [];
  let onWritable = () => {};
  const isOneWritable = new Promise<void>((resolve) => {
    onWritable = () => void setTimeout(OTHERS_MS).then(resolve);
  });
  const asked = urls.map(async (url) => {
    const answer = await readTimeline(url).then(
      (timeline) => ({ url, timeline, error: null }),
      (error: unknown) => ({ url, timeline: null, error }),
    );
    answers.push(answer);
    if (answer.timeline !== null) onWritable();
  });
  await Promise.race([Promise.all(asked), isOneWritable]);
  answers.sort((a, b) => urls.indexOf(a.url) - urls.indexOf(b.url));
  let best: { url: string; timeline: string } | null = null;
  for (const { url, timeline } of answers) {
    if (timeline !== null && (best === null || timeline > best.timeline)) best = { url, timeline };
  }
  if (best !== null) return best.url;
  // A wrong password is no outage.
  const wrong = answers.find(({ error }) => error !== null && !isUnavailable(error));
  if (wrong !== undefined) throw wrong.error;
  throw new DatabaseUnavailableError(
    'The database is not available: none of the hosts in DATABASE_URL accepts writes.',
    {
      cause: answers.find(({ error }) => error !== null)?.error,
    },
  );
}

async function readTimeline(url: string): Promise<string | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    application_name: 'svc-server',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(TIMELINE);
    return rows[0]?.timeline ?? null;
  } finally {
    // Not awaited: a host that does not answer does not say goodbye either.
    client.end().catch(() => {});
  }
}
