/**
 * Stores what sequencers send. Receipts that arrive together are stored together: one statement looks up the sources,
 * inserts the receipts and enqueues their jobs, so a receipt is acknowledged only after it and its job are committed.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import { activeSpan, type OpenSpan, runInSpan } from '@svc/engine/runtime/tracing';
import type { SecretBox } from '@svc/engine/secrets/secret-box';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { TooManyHeldPostsError } from './held-bodies.ts';
import { createKnownPaths, type KnownSource } from './known-paths.ts';
import { RECEIVE, RECEIVE_TRACED } from './receive.sql.ts';

export interface InboundPost {
  /** The path after `/webhooks/`: a code, or `hubId/ownerId` for legacy sources. */
  path: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The received bytes. */
  body: Buffer;
}

export interface ReceiptStore {
  /**
   * Returns the source that has this path; null when there is none. Asked before a body is read, so that callers without
   * a code use no memory for bodies. Whether the source still exists is decided when the post is stored.
   */
  find(path: string): Promise<KnownSource | null>;
  /** Stores the post; returns its request id, or null when no source has this path. */
  receive(post: InboundPost): Promise<number | null>;
}

/** Bytes of bodies that may wait for the database, so that a slow one does not exhaust the memory. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
/**
 * Batches that are with PostgreSQL at a time. Others wait and go together: two larger statements store more posts than many small
 * ones, and leave connections to other work.
 */
const BATCHES_MAX = 2;
/** A batch that takes longer does not count: it may wait for a lock of one account, and the others are not to wait with it. */
const SLOW_BATCH_MS = 100;

interface Pending {
  post: InboundPost;
  span: OpenSpan | undefined;
  receivedAt: Date;
  settle: (id: number | null) => void;
  fail: (error: unknown) => void;
}

export function createReceiptStore(options: {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  log: Logger;
  onStored: () => void;
}): ReceiptStore {
  const { db, clock, onStored } = options;
  const knownPaths = createKnownPaths(options);
  let waiting: Pending[] = [];
  let waitingBytes = 0;
  let isFlushPlanned = false;
  const isEmbedded = db.backend === 'pglite';
  // The embedded database has one connection: other work would wait behind many small statements, instead of one.
  const batchesMax = isEmbedded ? 1 : BATCHES_MAX;
  const counted = new Set<readonly Pending[]>();

  async function flush(): Promise<void> {
    isFlushPlanned = false;
    const batch = takeBatch();
    counted.add(batch);
    const discount = () => {
      counted.delete(batch);
      planFlush();
    };
    planFlush();
    const cancel = isEmbedded ? () => {} : clock.setTimer(discount, SLOW_BATCH_MS);
    try {
      const span = batch.find((entry) => entry.span !== undefined)?.span;
      await runInSpan(span, () => storeAll(batch));
    } catch (error) {
      for (const entry of batch) entry.fail(error);
    } finally {
      cancel();
      discount();
    }
  }

  /** Returns the next posts, few enough that building their statement does not block other work. */
  function takeBatch(): Pending[] {
    let bytes = 0;
    const tooMany = waiting.findIndex((entry, index) => {
      bytes += entry.post.body.length;
      return index > 0 && (index >= BATCH_MAX || bytes > BATCH_BYTES_MAX);
    });
    const batch = tooMany < 0 ? waiting : waiting.slice(0, tooMany);
    waiting = waiting.slice(batch.length);
    return batch;
  }

  function planFlush(): void {
    if (isFlushPlanned || waiting.length === 0 || counted.size >= batchesMax) return;
    isFlushPlanned = true;
    setImmediate(() => void flush());
  }

  /** Stores a batch; if that fails, stores row by row so that one bad row does not fail the others. */
  async function storeAll(batch: readonly Pending[]): Promise<void> {
    try {
      await store(batch);
    } catch (error) {
      // Without the database, each row would only wait for it again.
      if (batch.length === 1 || error instanceof DatabaseUnavailableError) throw error;
      for (const entry of batch) await store([entry]).catch((single: unknown) => entry.fail(single));
    }
  }

  async function store(batch: readonly Pending[]): Promise<void> {
    const traces = batch.map((entry) => entry.span?.traceparent ?? null);
    const isTraced = traces.some((trace) => trace !== null);
    const { rows } = await db.query<{ id: number; position: number }>(isTraced ? RECEIVE_TRACED : RECEIVE, [
      batch.map((entry) => entry.post.path),
      batch.map((entry) => entry.receivedAt.toISOString()),
      batch.map((entry) => JSON.stringify(entry.post.headers)),
      batch.map((entry) => entry.post.body.length),
      Buffer.concat(batch.map((entry) => entry.post.body)),
      batch.map((entry) => createHash('sha256').update(entry.post.body).digest('hex')),
      ...(isTraced ? [traces] : []),
    ]);
    if (rows.length > 0) onStored();
    const ids = new Map(rows.map((row) => [row.position, row.id]));
    // Positions start at 1.
    for (const [index, entry] of batch.entries()) {
      const id = ids.get(index + 1) ?? null;
      if (id === null) knownPaths.forget(entry.post.path);
      entry.settle(id);
    }
  }

  return {
    find: (path) => knownPaths.find(path),
    receive: (post) =>
      new Promise<number | null>((settle, fail) => {
        if (waitingBytes + post.body.length > WAITING_BYTES_MAX) {
          fail(new TooManyHeldPostsError('Too many posts wait for the database.'));
          return;
        }
        waitingBytes += post.body.length;
        const done = () => {
          waitingBytes -= post.body.length;
        };
        waiting.push({
          post,
          span: activeSpan(),
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
