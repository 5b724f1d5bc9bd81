/**
 * Tells the workers of other processes about new jobs. A process with workers of its own wakes only these; others find what they leave by
 * polling.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../store/database/db.ts';
import type { JobRunner } from './runner.ts';

const CHANNEL = 'svc_jobs';

/** Shortest time between two statements: every worker claims after each. */
const GAP_MS = 10;

// The commit of a notification waits for those of others, so it waits neither for the disk nor for a standby.
const NOTIFY = {
  name: 'jobs-notify',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify($2, payload) from unnest($1::text[]) as sent (payload)`,
};

export interface NotifierDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

/**
 * Returns a function that tells the workers of other processes. Call it after the commit of the jobs. A failure is only logged, because
 * workers also poll.
 *
 * @returns a function that takes the kind of the new jobs; without one, all workers look
 */
export function createJobNotifier(deps: NotifierDeps): (kind?: string) => void {
  const notify = createNotifier(deps, { channel: CHANNEL, gapMs: GAP_MS });
  return (kind = '') => notify(kind);
}

/**
 * Returns a function that notifies other processes, with a statement of its own for all calls of a short time. A failure is only logged.
 *
 * @param options.gapMs shortest time between two statements; a payload is sent once in it
 */
export function createNotifier(
  { db, clock, log }: NotifierDeps,
  { channel, gapMs }: { channel: string; gapMs: number },
): (payload: string) => void {
  const payloads = new Set<string>();
  let isWaiting = false;
  // A caller may be in a transaction's context, in which the database itself refuses statements.
  const outside = AsyncLocalStorage.snapshot();

  function send(): void {
    isWaiting = true;
    const sent = [...payloads];
    payloads.clear();
    db.query(NOTIFY, [sent, channel])
      .catch((error: unknown) => log.debug({ err: error, channel }, 'other processes were not notified'))
      .finally(() => {
        clock.setTimer(() => {
          isWaiting = false;
          if (payloads.size > 0) send();
        }, gapMs);
      });
  }

  return (payload) => {
    payloads.add(payload);
    if (!isWaiting) outside(send);
  };
}

/** Wakes these workers when another process has new jobs, and when it may have had some. */
export async function listenForJobs(db: Database, runner: Pick<JobRunner, 'wake'>): Promise<void> {
  await db.listen(CHANNEL, (kind) => runner.wake(kind === null || kind === '' ? undefined : kind));
}
