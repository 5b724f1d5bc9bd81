/**
 * Keeping what sequencers send. Receipts that arrive together are stored together: one statement looks up the sources,
 * inserts the receipts and enqueues their jobs, so a receipt is answered only after it and its job are committed.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database, NamedStatement } from '../store/db.ts';

export interface InboundPost {
  /** What follows `/webhooks/`: a code, or `hubId/ownerId` on legacy sources. */
  path: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The bytes as they came. */
  body: Buffer;
}

export interface ReceiptStore {
  /** Stores the post; returns its request id, or null when no source has this path. */
  receive(post: InboundPost): Promise<number | null>;
}

/** More posts are waiting for the database than this process may hold: sequencers are asked to send again later. */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
}

/** Bytes of bodies that may wait for the database, so that a slow one cannot fill the memory. */
const WAITING_BYTES_MAX = 128 * 1024 * 1024;
const BATCH_MAX = 200;
/** Ids are taken from the sequence this many at a time, so that a batch needs no second statement. */
const ID_BLOCK = 500;

/** Exported for the benchmark, which sends the very same statement without the server. */
export const RECEIVE: NamedStatement = {
  name: 'inbound-receive',
  text: `
with posts as (
  select * from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::bytea[], $6::text[])
    as posts (id, path, created_at, headers, body, body_sha256)
), receipts as (
  insert into requests (id, account_id, connection_id, source_id, path, created_at, headers, body, body_sha256)
  select posts.id, connections.account_id, connections.id, sources.id, sources.path, posts.created_at,
    posts.headers::jsonb, posts.body, posts.body_sha256
  from posts join sources on sources.path = posts.path join connections on connections.id = sources.connection_id
  returning id, connection_id, created_at
), enqueued as (
  insert into jobs (kind, ref, fairness_key, due_at, created_at)
  select 'process-receipt', id::text, 'connection:' || connection_id, created_at, created_at from receipts
)
select id from receipts`,
};

const TAKE_IDS: NamedStatement = {
  name: 'inbound-take-ids',
  text: `select nextval(pg_get_serial_sequence('requests', 'id')) as id from generate_series(1, $1)`,
};

interface Pending {
  id: number;
  post: InboundPost;
  receivedAt: Date;
  settle: (id: number | null) => void;
  fail: (error: unknown) => void;
}

export function createReceiptStore(options: { db: Database; clock: Clock; onStored: () => void }): ReceiptStore {
  const { db, clock, onStored } = options;
  let waiting: Omit<Pending, 'id'>[] = [];
  let isFlushPlanned = false;
  let ids: number[] = [];
  let waitingBytes = 0;

  async function flush(): Promise<void> {
    isFlushPlanned = false;
    const batch = waiting.slice(0, BATCH_MAX);
    waiting = waiting.slice(BATCH_MAX);
    if (waiting.length > 0) planFlush();
    try {
      const taken = await takeIds(batch.length);
      const pending = batch.map((entry, index) => ({ ...entry, id: taken[index] ?? 0 }));
      await storeAll(pending);
    } catch (error) {
      for (const entry of batch) entry.fail(error);
    }
  }

  function planFlush(): void {
    if (isFlushPlanned) return;
    isFlushPlanned = true;
    setImmediate(() => void flush());
  }

  async function takeIds(count: number): Promise<number[]> {
    if (ids.length < count) {
      const { rows } = await db.query<{ id: number }>(TAKE_IDS, [Math.max(ID_BLOCK, count)]);
      ids = ids.concat(rows.map((row) => row.id));
    }
    return ids.splice(0, count);
  }

  /** One bad row must not take the others of its batch with it, so a failed batch is stored row by row. */
  async function storeAll(pending: Pending[]): Promise<void> {
    try {
      await store(pending);
    } catch (error) {
      if (pending.length === 1) throw error;
      for (const entry of pending) await store([entry]).catch((single: unknown) => entry.fail(single));
    }
  }

  async function store(pending: Pending[]): Promise<void> {
    const { rows } = await db.query<{ id: number }>(RECEIVE, [
      pending.map((entry) => entry.id),
      pending.map((entry) => entry.post.path),
      pending.map((entry) => entry.receivedAt.toISOString()),
      pending.map((entry) => JSON.stringify(entry.post.headers)),
      pending.map((entry) => entry.post.body),
      pending.map((entry) => createHash('sha256').update(entry.post.body).digest('hex')),
    ]);
    const stored = new Set(rows.map((row) => row.id));
    if (stored.size > 0) onStored();
    for (const entry of pending) entry.settle(stored.has(entry.id) ? entry.id : null);
  }

  return {
    receive: (post) =>
      new Promise<number | null>((settle, fail) => {
        if (waitingBytes + post.body.length > WAITING_BYTES_MAX) {
          fail(new TooManyWaitingError('Too many posts wait for the database.'));
          return;
        }
        waitingBytes += post.body.length;
        const done = () => {
          waitingBytes -= post.body.length;
        };
        waiting.push({
          post,
          receivedAt: clock.now(),
          settle: (id) => {
            done();
            settle(id);
          },
          fail: (error) => {
            done();
            fail(error);
          },
        });
        planFlush();
      }),
  };
}
