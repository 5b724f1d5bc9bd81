/**
 * `GET /dashboard/api/live`: server-sent events that tell a page to refresh. They name kinds of jobs and nothing of a tenant.
 */
import type { Changes } from '@svc/engine/queue/changes';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Response } from 'express';
import { DashboardError } from './errors.ts';

const STREAMS_PER_USER_MAX = 20;
const STREAMS_MAX = 500;
const HEARTBEAT_MS = 20_000;
/** How long a browser waits before it opens an ended stream again. */
const RETRY_MS = 3_000;

export interface Live {
  /**
   * Sends events until the client, the session or the server ends.
   *
   * @param isSignedIn asked at each heartbeat; an error counts as yes, because the database may be away for a moment
   * @throws DashboardError when there are too many streams
   */
  open(response: Response, user: { id: number }, isSignedIn: () => Promise<boolean>): void;
  /** Ends all streams. */
  close(): void;
}

interface Stream {
  readonly userId: number;
  readonly response: Response;
  /** Kinds that wait because the client reads slowly; null when it has all. */
  waiting: Set<string> | null;
  end(): void;
}

export function createLive({ changes, clock }: { changes: Pick<Changes, 'watch'>; clock: Clock }): Live {
  const streams = new Set<Stream>();
  let isClosed = false;
  let unwatch: (() => void) | null = null;

  function tellAll(kinds: readonly string[]): void {
    for (const stream of streams) {
      stream.waiting = new Set([...(stream.waiting ?? []), ...kinds]);
      sendWaiting(stream);
    }
  }

  function add(response: Response, userId: number, isSignedIn: () => Promise<boolean>): void {
    let cancel = () => {};
    const remove = () => {
      cancel();
      if (!streams.delete(stream) || streams.size > 0) return;
      unwatch?.();
      unwatch = null;
    };
    const stream: Stream = {
      userId,
      response,
      waiting: null,
      end() {
        remove();
        // The end would wait behind what the client has not read.
        if (response.writableNeedDrain) response.destroy();
        else response.end();
      },
    };
    const beat = async () => {
      const isOver = response.writableNeedDrain || !(await isSignedIn().catch(() => true));
      if (!streams.has(stream)) return;
      if (isOver) return stream.end();
      response.write(': \n\n');
      sendWaiting(stream);
      beatLater();
    };
    const beatLater = () => {
      cancel = clock.setTimer(() => void beat(), HEARTBEAT_MS);
    };
    streams.add(stream);
    unwatch ??= changes.watch(tellAll);
    response.once('close', remove);
    beatLater();
  }

  return {
    open(response, { id: userId }, isSignedIn) {
      const own = [...streams].filter((stream) => stream.userId === userId).length;
      if (own >= STREAMS_PER_USER_MAX || streams.size >= STREAMS_MAX) {
        throw new DashboardError(429, 'too_many_requests', 'Too many pages are open: close some of them.', 60);
      }
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store, no-transform',
        // The end of the stream is the end of the connection, so a stopping server does not wait for it.
        Connection: 'close',
        // nginx passes events on at once.
        'X-Accel-Buffering': 'no',
      });
      response.write(`retry: ${RETRY_MS}\n\n`);
      // A stopping server ends it at once; the browser comes back, to another process or after the restart.
      if (isClosed) {
        response.end();
        return;
      }
      response.write('event: hello\ndata: {}\n\n');
      add(response, userId, isSignedIn);
    },
    close() {
      isClosed = true;
      for (const stream of streams) stream.end();
    },
  };
}

/** A client that reads slowly gets one event for all that happened meanwhile, so that nothing piles up. */
function sendWaiting(stream: Stream): void {
  if (stream.waiting === null || stream.response.writableNeedDrain) return;
  stream.response.write(changeEvent([...stream.waiting]));
  stream.waiting = null;
}

function changeEvent(kinds: readonly string[]): string {
  return `event: change\ndata: ${JSON.stringify({ kinds })}\n\n`;
}
