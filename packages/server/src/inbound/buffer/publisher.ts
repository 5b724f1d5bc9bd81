/**
 * Brings posts into the queue. A post counts as buffered when RabbitMQ has confirmed that its message is on disk.
 */
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import { within } from '@svc/engine/runtime/within';
import { type BrokerChannel, type BrokerConnection, connectBroker, QUEUE } from './broker.ts';
import { type BufferedPost, encodePost, MESSAGE_TYPE } from './message.ts';

/** How long a post waits for a connection that only it needs. */
const CONNECT_TIMEOUT_MS = 2_000;
/** How long a post waits for the confirmation. Then it is stored directly; sequencers wait ten seconds or more. */
const CONFIRM_TIMEOUT_MS = 3_000;
/** After that the connection is made again. */
const GIVEN_UP_AFTER_MS = 60_000;
/** Larger posts are stored directly: a consumer holds 200 messages, and RabbitMQ has a limit of its own. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

/** `stalled`: an earlier message waits for its confirmation too long. */
const PUBLISH_FAILURES = ['disconnected', 'stalled', 'timeout', 'refused', 'returned', 'too_large', 'no_id'] as const;
export type PublishFailure = (typeof PUBLISH_FAILURES)[number];

export interface Publisher {
  /** Returns null once the message is on disk, else why it may not be in the queue. It may be there all the same. */
  publish(post: BufferedPost): Promise<PublishFailure | null>;
  /** Returns whether messages are taken now. */
  isUsable(): boolean;
  /** Tries to connect at once when there is no connection. Returns whether messages are taken then. */
  connectNow(): Promise<boolean>;
  depth: BrokerConnection['depth'];
  close(): Promise<void>;
}

interface Sent {
  sinceMs: number;
  end: (failure: PublishFailure | null) => void;
}

export async function createPublisher(options: { url: string; clock: Clock; log: Logger }): Promise<Publisher> {
  const { clock } = options;
  /** By message id, in the order of sending; those that were given up stay until they are confirmed or the channel ends. */
  let unconfirmed = new Map<string, Sent>();
  const broker = await connectBroker({ ...options, name: 'inbound', onChannel: beginChannel });

  function beginChannel(channel: BrokerChannel): void {
    const sent = new Map<string, Sent>();
    unconfirmed = sent;
    channel.on('return', ({ properties }) => sent.get(String(properties.messageId))?.end('returned'));
    channel.on('close', () => {
      for (const each of sent.values()) each.end('disconnected');
      sent.clear();
    });
  }

  /** While RabbitMQ confirms nothing, posts are stored directly at once instead of after the time-out. */
  function isStalled(): boolean {
    const [oldest] = unconfirmed.values();
    const waitedMs = oldest === undefined ? 0 : clock.now().getTime() - oldest.sinceMs;
    if (waitedMs >= GIVEN_UP_AFTER_MS) broker.reconnect();
    return waitedMs >= CONFIRM_TIMEOUT_MS;
  }

  function send(channel: BrokerChannel, post: BufferedPost, content: Buffer): Promise<PublishFailure | null> {
    return new Promise((resolve) => {
      const messageId = String(post.id);
      const sent = unconfirmed;
      const cancel = clock.setTimer(() => end('timeout'), CONFIRM_TIMEOUT_MS);
      const end = (failure: PublishFailure | null) => {
        cancel();
        resolve(failure);
      };
      sent.set(messageId, { sinceMs: clock.now().getTime(), end });
      const properties = { persistent: true, mandatory: true, messageId, type: MESSAGE_TYPE };
      try {
        channel.publish('', QUEUE, content, properties, (error: unknown) => {
          sent.delete(messageId);
          end(failureOf(error));
        });
      } catch {
        // The channel was closed just now.
        sent.delete(messageId);
        end('disconnected');
      }
    });
  }

  const isUsable = () => broker.channel() !== null && !isStalled();

  return {
    async publish(post) {
      const channel = broker.channel();
      if (channel === null) return 'disconnected';
      if (isStalled()) return 'stalled';
      const content = encodePost(post);
      return content.length > MESSAGE_BYTES_MAX ? 'too_large' : send(channel, post, content);
    },
    isUsable,
    async connectNow() {
      const late = () => new Error('RabbitMQ did not answer in time.');
      await within(clock, CONNECT_TIMEOUT_MS, broker.connectNow(), late).catch(() => {});
      return isUsable();
    },
    depth: () => broker.depth(),
    close: () => broker.close(),
  };
}

/** amqplib calls back with this error for a message that RabbitMQ refused, and with another one when the channel ended. */
function failureOf(error: unknown): PublishFailure | null {
  if (error === null || error === undefined) return null;
  return error instanceof Error && error.message === 'message nacked' ? 'refused' : 'disconnected';
}
