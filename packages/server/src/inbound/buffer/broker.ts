/**
 * The connection to RabbitMQ, and its two queues. A connection that breaks is made again, first after a quarter of a second, then ever
 * more slowly, and at once when somebody needs it. amqplib is loaded by the first call, so only with `SVC_INGEST_AMQP_URL`.
 */
import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import type { Logger } from 'pino';

/** Posts that wait to be stored. */
export const QUEUE = 'svc.ingest';
/** Messages that no release here could store. */
export const PARKED_QUEUE = 'svc.ingest.parked';

const HEARTBEAT_SECONDS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const RETRY = { initialDelay: 250, maxDelay: 10_000 };

/** Quorum queues: a confirmed message is on the disks of most nodes. */
const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } } satisfies Options.AssertQueue;
const QUEUE_OPTIONS: Options.AssertQueue = {
  durable: true,
  arguments: {
    ...QUORUM.arguments,
    // One process stores all posts, so they keep their order; when it ends, RabbitMQ chooses another one.
    'x-single-active-consumer': true,
    // Newer releases of RabbitMQ give a message up after some deliveries. It must not be lost then.
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': PARKED_QUEUE,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  },
};

export interface Depth {
  waiting: number;
  parked: number;
  /** Processes that are ready to store posts. */
  consumers: number;
}

/** An open channel, with both queues declared. */
export type BrokerChannel = ConfirmChannel;

/** The broker does not answer, or closed the connection. */
export class BrokerUnavailableError extends Error {
  override readonly name = 'BrokerUnavailableError';
}

/** Declares both queues. Fails where a queue of these names has another type or other arguments. */
async function declareQueues(channel: ConfirmChannel): Promise<Depth> {
  const parked = await channel.assertQueue(PARKED_QUEUE, QUORUM);
  const waiting = await channel.assertQueue(QUEUE, QUEUE_OPTIONS);
  return { waiting: waiting.messageCount, parked: parked.messageCount, consumers: waiting.consumerCount };
}

function connectOptions(name: string) {
  return {
    noDelay: true,
    keepAlive: true,
    timeout: CONNECT_TIMEOUT_MS,
    clientProperties: { connection_name: `svc-server ${name}` },
  };
}

/** Adds the heartbeat, unless the URL has one. */
function withHeartbeat(text: string): string {
  const url = new URL(text);
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return url.href;
}

export interface BrokerConnection {
  /** Null while there is no connection, and while RabbitMQ refuses to take messages (its memory or disk is full). */
  channel(): BrokerChannel | null;
  isBlocked(): boolean;
  /** Gives the connection up and makes another. */
  reconnect(): void;
  /** Without a connection: tries to connect at once instead of when the next try is due, and resolves when that try has ended. */
  connectNow(): Promise<void>;
  /** @throws BrokerUnavailableError */
  depth(): Promise<Depth>;
  close(): Promise<void>;
}

/**
 * Begins to connect; does not wait for the first connection.
 *
 * @param options.name shown in RabbitMQ's list of connections
 * @param options.onChannel called with the channel of each new connection, before it is used; an error ends the connection
 */
export async function connectBroker(options: {
  url: string;
  name: string;
  log: Logger;
  onChannel: (channel: BrokerChannel) => Promise<void> | void;
}): Promise<BrokerConnection> {
  const { url, name, log, onChannel } = options;
  const { connect } = await import('amqplib');
  let current: { model: ChannelModel; channel: BrokerChannel } | null = null;
  let isBlocked = false;
  let isClosing = false;
  let lastProblem: string | null = null;
  /** Whether the next try waits for its time. */
  let isWaiting = false;
  /** Resolve when the try under way has ended. */
  let tryEnds: (() => void)[] = [];

  async function setUp(model: ChannelModel): Promise<void> {
    const channel = await model.createConfirmChannel();
    // Without a listener an error of a channel would end the process.
    channel.on('error', (error: Error) => report(error));
    channel.on('close', () => {
      if (current?.channel !== channel) return;
      current = null;
      // A channel is closed alone after a mistake; with its connection otherwise, which is not open then.
      model.close().catch(() => {});
    });
    await declareQueues(channel);
    await onChannel(channel);
    isBlocked = false;
    current = { model, channel };
    if (lastProblem !== null) log.info({ connection: name }, 'the ingest buffer is connected again');
    lastProblem = null;
  }

  /** Logs a problem once, and again when another one follows. Errors of amqplib do not contain the URL. */
  function report(error: Error): void {
    if (isClosing || error.message === lastProblem) return;
    lastProblem = error.message;
    log.warn({ connection: name, problem: error.message }, 'the ingest buffer (RabbitMQ) cannot be used');
  }

  function endTry(): void {
    for (const end of tryEnds.splice(0)) end();
  }

  async function begin() {
    const made = await connect(withHeartbeat(url), {
      ...connectOptions(name),
      recovery: { ...RETRY, waitForConnect: false, setup: setUp },
    });
    made.on('connect', () => {
      isWaiting = false;
      endTry();
    });
    made.on('connect-failed', report);
    made.on('reconnect-scheduled', () => {
      isWaiting = true;
      endTry();
    });
    made.on('error', report);
    made.on('disconnect', (error) => {
      current = null;
      report(error);
    });
    made.on('blocked', (reason) => {
      isBlocked = true;
      report(new Error(`RabbitMQ takes no messages: ${reason}`));
    });
    made.on('unblocked', () => {
      isBlocked = false;
      lastProblem = null;
      log.info({ connection: name }, 'RabbitMQ takes messages again');
    });
    return made;
  }

  let connection = await begin();
  return {
    channel: () => (isBlocked ? null : (current?.channel ?? null)),
    isBlocked: () => isBlocked,
    reconnect() {
      current?.model.close().catch(() => {});
      current = null;
    },
    async connectNow() {
      if (current !== null || isClosing) return;
      const ended = new Promise<void>((resolve) => tryEnds.push(resolve));
      if (isWaiting) {
        isWaiting = false;
        // amqplib cannot be told to try earlier: another connection begins with a try.
        await connection.close();
        connection = await begin();
        if (isClosing) await connection.close();
      }
      await ended;
    },
    async depth() {
      if (current === null) throw new BrokerUnavailableError('There is no connection to RabbitMQ.');
      return declareQueues(current.channel);
    },
    async close() {
      isClosing = true;
      endTry();
      await connection.close();
    },
  };
}

export interface BrokerState extends Depth {
  /** For example `RabbitMQ 3.10.8`. */
  product: string;
}

/**
 * Connects once and reads the state of the queues, declaring those that are missing.
 *
 * @throws Error with RabbitMQ's own words, for example when a queue has another type
 */
export async function readBrokerState(url: string): Promise<BrokerState> {
  const { connect } = await import('amqplib');
  const model = await connect(withHeartbeat(url), connectOptions('doctor'));
  // The errors also reject the call that caused them.
  model.on('error', () => {});
  try {
    const channel = await model.createConfirmChannel();
    channel.on('error', () => {});
    const { product, version } = model.connection.serverProperties;
    return { product: `${product} ${version}`, ...(await declareQueues(channel)) };
  } finally {
    await model.close().catch(() => {});
  }
}
