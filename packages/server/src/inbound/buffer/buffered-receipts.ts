/**
 * Receives posts into the ingest buffer. A post that RabbitMQ does not confirm in time is stored in the database directly, under the
 * same id: whether its message is in the queue after all does not matter then. Only when neither takes it, the sequencer is
 * asked to send it again.
 */
import type { Metrics } from '@svc/engine/runtime/metrics';
import { activeSpan } from '@svc/engine/runtime/tracing';
import type { Clock } from '@svc/engine/runtime/clock';
import { createBatcher } from '@svc/engine/store/database/batcher';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import type { KnownPaths } from '../known-paths.ts';
import type { ReceiptStore } from '../receive.ts';
import type { BufferedPost } from './message.ts';
import type { Publisher } from './publisher.ts';
import type { RequestIds } from './request-ids.ts';
import { storePosts, type StoredAs } from './store-posts.ts';

/** Few enough that posts of the largest size do not fill the memory. */
const DIRECT_BATCH_MAX = 32;

export function createBufferedReceipts(options: {
  db: Database;
  clock: Clock;
  metrics: Pick<Metrics, 'ingestPosts' | 'ingestPublishFailures'>;
  paths: KnownPaths;
  ids: RequestIds;
  publisher: Publisher;
  /** Stores posts without the buffer, when no id is left. */
  direct: Pick<ReceiptStore, 'receive'>;
  onStored: () => void;
}): ReceiptStore {
  const { db, clock, metrics, paths, ids, publisher, direct, onStored } = options;
  const storeNow = createBatcher<BufferedPost, StoredAs>({
    run: (posts) => storePosts(db, posts, clock.now()),
    itemsMax: DIRECT_BATCH_MAX,
  });

  return {
    find: (path) => paths.find(path),
    async receive(received) {
      const traceparent = activeSpan()?.traceparent;
      const receivedAt = clock.now();
      const id = ids.take();
      const post =
        id === null ? null : { ...received, id, receivedAt, ...(traceparent === undefined ? {} : { traceparent }) };
      const failure = post === null ? 'no_id' : await publisher.publish(post);
      if (post !== null && failure === null) {
        metrics.ingestPosts.inc({ result: 'buffered' });
        return post.id;
      }
      metrics.ingestPublishFailures.inc({ reason: failure ?? 'no_id' });
      try {
        const stored = post === null ? await direct.receive(received) : await storeDirectly(post);
        metrics.ingestPosts.inc({ result: 'direct' });
        return stored;
      } catch (error) {
        const isNeeded = failure === 'disconnected' && error instanceof DatabaseUnavailableError;
        if (post !== null && isNeeded && (await connectAndPublish(post))) {
          metrics.ingestPosts.inc({ result: 'buffered' });
          return post.id;
        }
        metrics.ingestPosts.inc({ result: 'refused' });
        throw error;
      }
    },
  };

  /** RabbitMQ may be back before the next try to connect is due. */
  async function connectAndPublish(post: BufferedPost): Promise<boolean> {
    return (await publisher.connectNow()) && (await publisher.publish(post)) === null;
  }

  async function storeDirectly(post: BufferedPost): Promise<number | null> {
    const storedAs = await storeNow(post);
    if (storedAs === 'source_gone') {
      paths.forget(post.path);
      return null;
    }
    onStored();
    return post.id;
  }
}
