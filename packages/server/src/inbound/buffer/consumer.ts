/**
 * Brings buffered posts into PostgreSQL, many with one statement, in the order of the queue. Messages are acknowledged after the
 * commit, so a process that is killed in between leaves them to another one, which finds their ids stored.
 *
 * A message that cannot be read, or that the database refuses for its content, is moved to the parked queue. Every start
 * of a consumer tries the parked messages again: the release may be newer, or the cause gone.
 */
import type { ConsumeMessage } from 'amqplib';
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Metrics } from '@svc/engine/runtime/metrics';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { type BrokerChannel, type BrokerConnection, connectBroker, PARKED_QUEUE, QUEUE } from './broker.ts';
import { type BufferedPost, decodePost, MESSAGE_TYPE } from './message.ts';
import { type StoredAs, storePosts } from './store-posts.ts';

/** Messages that are held at a time; with `MESSAGE_BYTES_MAX` this bounds the memory. */
const HELD_MAX = 200;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 10_000;
/** How long a stop waits for the statement under way; its messages come again otherwise, and are found stored. */
const STOP_GRACE_MS = 5_000;
/** Data that does not fit, a broken constraint, or a limit: the same post would fail again. */
const REFUSED_SQLSTATE = /^(22|23|54)/;

export interface Consumer {
  depth: BrokerConnection['depth'];
  /** Takes no more messages, and acknowledges those that are committed. */
  stop(): Promise<void>;
}

interface Delivery {
  message: ConsumeMessage;
  /** Null when it cannot be read. */
  post: BufferedPost | null;
}

/** What one channel has delivered. */
interface Session {
  channel: BrokerChannel;
  waiting: ConsumeMessage[];
  isOpen: boolean;
}

export async function createConsumer(options: {
  url: string;
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'ingestStored' | 'ingestLag'>;
  onStored: () => void;
}): Promise<Consumer> {
  const { db, clock, log, metrics, onStored } = options;
  let isStopped = false;
  let hasRetriedParked = false;
  let stopWaiting = () => {};
  let working = Promise.resolve();
  const broker = await connectBroker({ ...options, name: 'ingest consumer', onChannel: beginSession });

  async function beginSession(channel: BrokerChannel): Promise<void> {
    const session: Session = { channel, waiting: [], isOpen: true };
    channel.on('close', () => {
      session.isOpen = false;
      stopWaiting();
    });
    if (!hasRetriedParked) await retryParked(channel);
    hasRetriedParked = true;
    await channel.prefetch(HELD_MAX);
    let isWorking = false;
    await channel.consume(QUEUE, (message) => {
      // Null: the queue was deleted. The next connection declares it again.
      if (message === null) return broker.reconnect();
      session.waiting.push(message);
      if (isWorking) return;
      isWorking = true;
      const earlier = working;
      // After the turn of the event loop that brings the other messages.
      working = new Promise((resolve) => setImmediate(resolve))
        .then(() => earlier)
        .then(() => work(session))
        .catch((error: unknown) => {
          log.error({ err: error }, 'buffered posts could not be handled: the connection is made again');
          broker.reconnect();
        })
        .finally(() => {
          isWorking = false;
        });
    });
  }

  /** Moves the messages that are parked now back into the queue, behind the others. */
  async function retryParked(channel: BrokerChannel): Promise<void> {
    const { messageCount } = await channel.checkQueue(PARKED_QUEUE);
    for (let moved = 0; moved < messageCount; moved += 1) {
      const message = await channel.get(PARKED_QUEUE);
      if (message === false) return;
      await move(channel, message.content, QUEUE);
      channel.ack(message);
    }
    if (messageCount > 0) log.info({ messages: messageCount }, 'parked posts are tried again');
  }

  async function work(session: Session): Promise<void> {
    while (session.isOpen && !isStopped && session.waiting.length > 0) {
      const batch = takeBatch(session.waiting);
      const storedAs = await storeAll(session, batch);
      if (storedAs === null) return;
      const last = batch.at(-1);
      // This acknowledges all earlier messages too: batches follow each other.
      if (session.isOpen && last) session.channel.ack(last.message, true);
      for (const result of storedAs) metrics.ingestStored.inc({ result });
      if (storedAs.includes('stored')) onStored();
      if (session.waiting.length === 0) metrics.ingestLag.set(0);
    }
  }

  /** Stores a batch, however long that takes. Returns null when the session or the process ended meanwhile. */
  async function storeAll(session: Session, batch: readonly Delivery[]): Promise<(StoredAs | 'parked')[] | null> {
    let delayMs = RETRY_MIN_MS;
    for (;;) {
      try {
        return await storeBatch(session, batch);
      } catch (error) {
        if (isStopped || !session.isOpen) return null;
        if (delayMs === RETRY_MIN_MS) log.warn({ err: error }, 'buffered posts wait for the database');
        noteLag(batch);
        await wait(delayMs);
        if (isStopped || !session.isOpen) return null;
        delayMs = Math.min(RETRY_MAX_MS, delayMs * 2);
      }
    }
  }

  async function storeBatch(session: Session, batch: readonly Delivery[]): Promise<(StoredAs | 'parked')[]> {
    const posts = batch.flatMap(({ post }) => (post === null ? [] : [post]));
    noteLag(batch);
    try {
      const stored = posts.length === 0 ? [] : await storePosts(db, posts, clock.now());
      const results = new Map(posts.map((post, index) => [post, stored[index] ?? 'source_gone']));
      return await Promise.all(
        batch.map(async ({ message, post }) =>
          post === null ? park(session, message, null) : (results.get(post) ?? 'source_gone'),
        ),
      );
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (batch.length > 1) {
        const results: (StoredAs | 'parked')[] = [];
        for (const entry of batch) results.push(...(await storeBatch(session, [entry])));
        return results;
      }
      return Promise.all(batch.map(({ message }) => park(session, message, error)));
    }
  }

  async function park({ channel }: Session, message: ConsumeMessage, error: unknown): Promise<'parked'> {
    log.error(
      { messageId: String(message.properties.messageId), err: error ?? undefined },
      'a buffered post cannot be stored: its message is kept in the queue svc.ingest.parked',
    );
    await move(channel, message.content, PARKED_QUEUE, message.properties.messageId);
    return 'parked';
  }

  function noteLag(batch: readonly Delivery[]): void {
    const receivedMs = batch.find(({ post }) => post !== null)?.post?.receivedAt.getTime();
    if (receivedMs !== undefined) metrics.ingestLag.set(Math.max(0, clock.now().getTime() - receivedMs) / 1_000);
  }

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(resolve, ms);
      stopWaiting = () => {
        cancel();
        resolve();
      };
    });
  }

  return {
    depth: () => broker.depth(),
    async stop() {
      isStopped = true;
      stopWaiting();
      // A batch that is being stored is acknowledged; the other messages go back when the connection ends.
      await Promise.race([working, wait(STOP_GRACE_MS)]);
      stopWaiting();
      await broker.close();
    },
  };
}

/** Puts a message into a queue; resolves when it is on disk. */
function move(channel: BrokerChannel, content: Buffer, queue: string, messageId?: unknown): Promise<void> {
  const properties = { persistent: true, mandatory: true, type: MESSAGE_TYPE };
  return new Promise((resolve, reject) => {
    // Returned before it is confirmed: the queue is gone. The message stays where it is.
    const onReturn = () => reject(new Error(`The queue ${queue} does not exist.`));
    channel.once('return', onReturn);
    const named = typeof messageId === 'string' ? { ...properties, messageId } : properties;
    channel.sendToQueue(queue, content, named, (error: unknown) => {
      channel.off('return', onReturn);
      if (error === null || error === undefined) resolve();
      else reject(new Error('RabbitMQ did not take the message.'));
    });
  });
}

function takeBatch(waiting: ConsumeMessage[]): Delivery[] {
  let bytes = 0;
  const tooMany = waiting.findIndex(({ content }, index) => {
    bytes += content.length;
    return index > 0 && bytes > BATCH_BYTES_MAX;
  });
  return waiting
    .splice(0, tooMany < 0 ? waiting.length : tooMany)
    .map((message) => ({ message, post: decodePost(message.content) }));
}

function isRefused(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || !(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && REFUSED_SQLSTATE.test(error.code);
}
