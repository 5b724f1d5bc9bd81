/**
 * The database's clock, with which that of a process is compared: times that one process stores decide when others act. Nothing is stored
 * or claimed by it.
 */
import type { Logger } from 'pino';
import { ConfigError } from '../../config/config.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Db } from './db.ts';

/** A process whose clock differs by more does not start, and runs no jobs. */
export const CLOCK_OFFSET_MAX_MS = 5_000;
/** How often the database is asked, and the own clocks are compared. */
const ASK_MS = 10_000;
const COMPARE_MS = 1_000;
/** A clock that moved by more since then, against one that nobody sets, was set. */
const SET_MS = 1_000;

export async function readDatabaseClock(db: Db): Promise<Date> {
  const { rows } = await db.query<{ at: Date }>({ name: 'database-clock', text: 'select clock_timestamp() as at' });
  if (!rows[0]) throw new Error('The database returned no time.');
  return rows[0].at;
}

/** Returns how far a clock is ahead of the database's, negative when it is behind; 0 when that could be the time that the answer took. */
export async function measureClockOffset(db: Db, clock: Clock): Promise<number> {
  const before = clock.now().getTime();
  const database = (await readDatabaseClock(db)).getTime();
  const after = clock.now().getTime();
  return Math.max(0, before - database) - Math.max(0, database - after);
}

export interface ClockWatch {
  isRight(): boolean;
  /** Calls the listener when the clock became wrong or right. */
  onChange(listener: (isRight: boolean) => void): void;
  stop(): void;
}

/** @throws ConfigError when the clock of this process is wrong */
export async function watchClock({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Promise<ClockWatch> {
  const first = await measureClockOffset(db, clock);
  if (Math.abs(first) > CLOCK_OFFSET_MAX_MS) throw new ConfigError(`${describeOffset(first)} ${FIX}`);
  const aheadOfMonotonic = () => clock.now().getTime() - clock.monotonicMs();
  let isRight = true;
  let known = { aheadMs: aheadOfMonotonic(), askedMs: clock.monotonicMs() };
  let listener = (_isRight: boolean) => {};
  let isStopped = false;
  let cancel = () => {};

  async function look(): Promise<void> {
    const wasSet = Math.abs(aheadOfMonotonic() - known.aheadMs) > SET_MS;
    if (!wasSet && clock.monotonicMs() - known.askedMs < ASK_MS) return;
    const asked = { aheadMs: aheadOfMonotonic(), askedMs: clock.monotonicMs() };
    const offsetMs = await measureClockOffset(db, clock);
    known = asked;
    const isRightNow = Math.abs(offsetMs) <= CLOCK_OFFSET_MAX_MS;
    if (isStopped || isRightNow === isRight) return;
    isRight = isRightNow;
    if (isRight) log.info('the clock is right again: jobs run');
    else
      log.error(
        { offsetMs },
        `${describeOffset(offsetMs)} This server is not ready, and runs no jobs until it is right. ${FIX}`,
      );
    listener(isRight);
  }

  function plan(): void {
    cancel = clock.setTimer(() => {
      look()
        .catch((error: unknown) => log.debug({ err: error }, 'the clock of the database could not be read'))
        .finally(() => {
          if (!isStopped) plan();
        });
    }, COMPARE_MS);
  }
  plan();
  return {
    isRight: () => isRight,
    onChange(onChange) {
      listener = onChange;
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

const FIX =
  'Jobs would come due too late or too early. Synchronize the clocks of this machine and of the database (NTP); svc-server doctor compares them.';

function describeOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  return `The clock of this machine is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} that of the database.`;
}

/** Returns the time by the clock that is behind: what is deleted for its age does not come back when a clock was ahead. */
export async function earlierTime(db: Db, clock: Clock): Promise<Date> {
  const [own, databases] = [clock.now(), await readDatabaseClock(db)];
  return own < databases ? own : databases;
}
