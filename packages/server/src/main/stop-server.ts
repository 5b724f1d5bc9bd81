/** How a server stops, in bounded time even when a CRM or the database hangs. */
import type { Logger } from 'pino';
import type { Config } from '@svc/engine/config/config';
import type { BoundServer } from '../http/listen.ts';
import type { JobRunner } from '@svc/engine/queue/runner';
import type { Clock } from '@svc/engine/runtime/clock';

/** How long running requests may take. */
const REQUESTS_GRACE_MS = 5_000;
/** The part of this time in which the answers to posts whose bodies did not become complete must arrive. */
const LAST_ANSWERS_MS = 1_000;
/**
 * How long idle connections stay open after the signal. A client may have sent a request that has not arrived, and common clients and
 * proxies do not send a POST again when its connection is closed.
 */
export const IDLE_CONNECTIONS_MS = 1_000;
/** The time that jobs have to store the results of their last calls. */
const RESULTS_MS = 3_000;
/** How long the database may take after all that. Docker kills a container after ten seconds by default, and jobs have eight. */
const END_MS = 1_500;

type Drain = Pick<Config, 'drainMs' | 'drainDelayMs'>;

export interface StopParts {
  config: Drain;
  clock: Clock;
  log: Logger;
  bound: BoundServer | null;
  adminBound: BoundServer | null;
  idleConnectionsMs: number;
  runner: JobRunner;
  /** Answers the posts whose bodies are not complete yet, so that they are sent again. */
  endBodies: () => void;
  /** Aborts calls to CRMs and sequencers. */
  abortCalls: () => void;
  /** Ends everything that runs without requests and jobs, and closes the database. */
  end: () => Promise<void>;
}

/** Returns how long a stop takes at most, without sending the last spans of traces. */
export function longestStopMs({ drainMs, drainDelayMs }: Drain): number {
  return Math.max(drainMs, drainDelayMs + REQUESTS_GRACE_MS) + END_MS;
}

/**
 * Workers stop claiming at once. Posts to customers' endpoints are not aborted, because that would count as a failed attempt; those that
 * do not end in time are made again by other workers.
 */
export async function stopServer(parts: StopParts): Promise<void> {
  const { clock, log, bound, runner } = parts;
  const { drainMs, drainDelayMs } = parts.config;
  const timers: (() => void)[] = [];
  const after = (ms: number) =>
    new Promise<'late'>((resolve) => timers.push(clock.setTimer(() => resolve('late'), ms)));

  // From now on, so that clients do not send their next request on a connection that is about to be closed.
  bound?.endKeepAlive();
  timers.push(clock.setTimer(parts.endBodies, drainDelayMs + REQUESTS_GRACE_MS - LAST_ANSWERS_MS));
  const jobsEnded = runner.stop(after(drainMs));
  timers.push(clock.setTimer(parts.abortCalls, Math.max(0, drainMs - RESULTS_MS)));
  const tooLate = after(longestStopMs(parts.config));
  const ending = (async () => {
    if (bound !== null && drainDelayMs > 0) await after(drainDelayMs);
    await bound?.close(REQUESTS_GRACE_MS, Math.max(0, parts.idleConnectionsMs - drainDelayMs));
    await jobsEnded.catch((error: unknown) =>
      log.warn({ err: error }, 'stopping: jobs wait for the end of their leases'),
    );
    await parts.end();
  })();
  if ((await Promise.race([ending, tooLate])) === 'late') {
    ending.catch(() => {});
    log.error('stopping: the database did not answer in time; other servers take over the jobs when their leases end');
  }
  for (const cancel of timers) cancel();
  // Last, so that probes are answered until the end.
  await parts.adminBound?.close(0);
}
