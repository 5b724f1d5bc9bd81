/**
 * Connections to customers' endpoints that are kept between posts, for a short time and in small numbers.
 *
 * 1. A connection is kept for one origin (scheme, host and port) and used for that origin only. Its address, and with
 *    TLS its certificate, were checked when it was opened; it is not used longer than `AGE_MAX_MS`, so that changed
 *    addresses take effect.
 * 2. It is kept only after a complete answer that allows it, and for at most `IDLE_MAX_MS`. Servers close idle
 *    connections after 2 seconds or more, so a post rarely meets a connection that is being closed.
 * 3. A connection that was closed, or got bytes that nobody asked for, is not used again. A post that was written to a
 *    connection is never repeated, because the endpoint may have received it: its failure counts as an attempt.
 * 4. An origin that closes kept connections early, while idle or instead of an answer, gets a new connection for every
 *    post during the next `DISTRUST_MS`.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';

const IDLE_MAX_MS = 1_000;
const AGE_MAX_MS = 30_000;
const DISTRUST_MS = 5 * 60_000;
/** Idle connections of one origin: about as many as one endpoint has attempts at the same time. */
const IDLE_PER_ORIGIN_MAX = 16;
/** Idle connections of all origins; beyond it the oldest are closed. */
const IDLE_MAX = 256;
const DISTRUSTED_MAX = 1_000;

export interface Connection {
  readonly origin: string;
  /** Has a listener for errors that happen between two posts. */
  readonly socket: Socket;
  readonly openedAtMs: number;
  /** Whether it was kept after an earlier post. */
  isReused: boolean;
}

export interface KeptConnections {
  /** Returns an idle connection of the origin, or null. The caller owns it until `keep` or its end. */
  take(origin: string): Promise<Connection | null>;
  /** Keeps a connection after a complete answer, or closes it. */
  keep(connection: Connection, answer: IncomingMessage): void;
  /** Records that a reused connection ended instead of bringing an answer. */
  distrust(origin: string): void;
  /** Closes all idle connections. */
  close(): void;
}

interface Idle {
  connection: Connection;
  /** Ends the idle time; the connection is then used or destroyed. */
  release(): void;
}

export function createKeptConnections(clock: Pick<Clock, 'now' | 'setTimer'>): KeptConnections {
  /** By origin, the most recently used last. */
  const idle = new Map<string, Idle[]>();
  let idleCount = 0;
  const distrustedUntilMs = new Map<string, number>();
  const nowMs = () => clock.now().getTime();

  function remove(origin: string, entry: Idle): void {
    const entries = idle.get(origin);
    const place = entries?.indexOf(entry) ?? -1;
    if (entries === undefined || place < 0) return;
    entries.splice(place, 1);
    idleCount -= 1;
    if (entries.length === 0) idle.delete(origin);
    entry.release();
  }

  function add(connection: Connection, idleMs: number): void {
    const { origin, socket } = connection;
    connection.isReused = true;
    const onEnd = () => {
      remove(origin, entry);
      distrust(origin);
      socket.destroy();
    };
    const cancelTimer = clock.setTimer(() => {
      remove(origin, entry);
      socket.destroy();
    }, idleMs);
    const events = ['data', 'end', 'error', 'close'];
    const entry: Idle = {
      connection,
      release() {
        cancelTimer();
        for (const event of events) socket.off(event, onEnd);
      },
    };
    for (const event of events) socket.on(event, onEnd);
    const entries = idle.get(origin) ?? [];
    idle.set(origin, entries);
    entries.push(entry);
    idleCount += 1;
    const [oldest] = entries.length > IDLE_PER_ORIGIN_MAX ? entries : idleCount > IDLE_MAX ? firstOf(idle) : [];
    if (oldest === undefined) return;
    remove(oldest.connection.origin, oldest);
    oldest.connection.socket.destroy();
  }

  function distrust(origin: string): void {
    distrustedUntilMs.delete(origin);
    distrustedUntilMs.set(origin, nowMs() + DISTRUST_MS);
    const [first] = distrustedUntilMs.keys();
    if (distrustedUntilMs.size > DISTRUSTED_MAX && first !== undefined) distrustedUntilMs.delete(first);
  }

  return {
    async take(origin) {
      if (!idle.has(origin)) return null;
      // A close that has already arrived is noticed while the event loop polls once.
      await nextPoll();
      const entry = idle.get(origin)?.at(-1);
      if (entry === undefined) return null;
      remove(origin, entry);
      const { connection } = entry;
      if (nowMs() - connection.openedAtMs < AGE_MAX_MS) return connection;
      connection.socket.destroy();
      return null;
    },
    keep(connection, answer) {
      const idleMs = Math.min(IDLE_MAX_MS, allowedIdleMs(answer));
      const isTrusted = (distrustedUntilMs.get(connection.origin) ?? 0) <= nowMs();
      const isYoung = nowMs() - connection.openedAtMs < AGE_MAX_MS;
      if (isTrusted && isYoung && idleMs > 0 && isUsable(connection.socket)) add(connection, idleMs);
      else connection.socket.destroy();
    },
    distrust,
    close() {
      for (const entries of [...idle.values()]) {
        for (const entry of [...entries]) {
          remove(entry.connection.origin, entry);
          entry.connection.socket.destroy();
        }
      }
    },
  };
}

function firstOf(idle: ReadonlyMap<string, readonly Idle[]>): readonly Idle[] {
  for (const entries of idle.values()) return entries;
  return [];
}

function isUsable(socket: Socket): boolean {
  return socket.readable && socket.writable && !socket.readableEnded;
}

/** Returns how long the endpoint keeps the connection, less a second for the way; unlimited when it does not say. */
function allowedIdleMs({ headers }: IncomingMessage): number {
  const timeout = /(?:^|[\s,;])timeout=(\d{1,6})(?:[\s,;]|$)/i.exec(String(headers['keep-alive'] ?? ''))?.[1];
  return timeout === undefined ? Number.POSITIVE_INFINITY : (Number(timeout) - 1) * 1_000;
}

/** Resolves after the event loop has polled at least once. */
function nextPoll(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
