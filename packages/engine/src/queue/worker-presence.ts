/**
 * Ends the leases of processes that have died, so that their jobs do not wait for the end of these leases.
 *
 * A process that runs jobs has a row of `job_workers`, and its number is on the jobs that it claims. It shares an advisory lock on a connection
 * that stays open, which PostgreSQL releases when the process dies, and it changes its row once a second (a beat). Another process ends its
 * leases only when
 * - nobody holds the lock: a process that hangs or is stopped holds it, and keeps its leases until they end by time, and
 * - the process has surely ended, which another one of the same machine can see, or has given no beat for `SILENT_MS`.
 *
 * The second is for a process that lives but has lost that connection, as in a failover: it goes on giving beats. One that cannot does not
 * trust its leases after `TRUSTED_MS` without a beat (`leases.ts`), so it makes no call for a job that another one has taken. Times are
 * those of the looking process, on a clock that nobody sets.
 *
 * The embedded database has one process, and behind a connection pooler nobody sees locks: there leases only end by time.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import { hasEnded, identifyProcess, type ProcessIdentity } from '../runtime/process-identity.ts';
import { type Database, WORKER_ALIVE_LOCKS } from '../store/database/db.ts';
import { type Instant, instantOf, isWithin } from './instant.ts';

const BEAT_MS = 1_000;
/** How long a process that holds no lock must be silent. */
const SILENT_MS = 3_000;
/** How long a beat proves that nobody has taken this process for dead. The rest of `SILENT_MS` is left for the call. */
const TRUSTED_MS = 2_000;
/** What a dead process has sent may still be worked on, and a repetition of it looks for what is there. */
const CALLS_END_MS = 3_000;

export interface WorkerPresence {
  /** The number on the jobs that this process claims; null when their leases only end by time. */
  readonly id: number | null;
  /** Returns whether no other process can have taken this one for dead. */
  isTrusted(): boolean;
  /** Gives a beat. A process that was taken for dead begins anew with another number; its jobs are lost. */
  beat(): Promise<void>;
  /** Leaves: no more beats. */
  stop(): Promise<void>;
}

interface OtherWorker {
  id: number;
  beat: number;
  machine: string | null;
  pid: number | null;
  started: string | null;
}

const BEAT = {
  name: 'job-workers-beat',
  text: `with beaten as (update job_workers set beat = beat + 1 where id = $1 returning id)
    select (select count(*) from beaten) as beaten, (
      select coalesce(json_agg(others), '[]')
      from (select id, beat, machine, pid, started from job_workers where id <> $1) as others
    ) as others`,
};

/**
 * Makes this process known, and ends the leases of dead ones, of its own predecessor at once.
 *
 * @param options.callingKinds kinds that call something which must not get the call of a dead process again while it still works on it
 * @param options.onLeasesEnded called when jobs of a dead process came due
 * @param options.identity of this process; null when others cannot see whether it has ended
 */
export async function joinWorkers(options: {
  db: Database;
  clock: Clock;
  log: Logger;
  callingKinds: readonly string[];
  onLeasesEnded: () => void;
  identity?: ProcessIdentity | null;
}): Promise<WorkerPresence> {
  const { db, clock, log, onLeasesEnded, identity = identifyProcess() } = options;
  let id: number | null = null;
  let beatAt: Instant = instantOf(clock);
  let beating: Promise<void> | null = null;
  let others: readonly OtherWorker[] = [];
  let isStopped = false;
  let cancelBeat = () => {};
  /** The last beat of each other process, and since when it is known. */
  let seen = new Map<number, { beat: number; sinceMs: number }>();

  async function join(): Promise<void> {
    const startedAt = instantOf(clock);
    const { rows } = await db.query<{ id: number }>(
      'insert into job_workers (machine, pid, started) values ($1, $2, $3) returning id',
      [identity?.machine ?? null, identity?.pid ?? null, identity?.started ?? null],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('The database returned no number for this worker.');
    if (await db.announce(WORKER_ALIVE_LOCKS + row.id)) {
      beatAt = startedAt;
      id = row.id;
      return;
    }
    await leave(row.id);
    id = null;
  }

  async function leave(workerId: number): Promise<void> {
    await db.query('delete from job_workers where id = $1', [workerId]);
  }

  async function beatOnce(): Promise<void> {
    if (id === null) return;
    const startedAt = instantOf(clock);
    const { rows } = await db.query<{ beaten: number; others: OtherWorker[] }>(BEAT, [id]);
    if (rows[0]?.beaten === 1) {
      beatAt = startedAt;
      others = rows[0].others;
      return;
    }
    log.warn({ workerId: id }, 'another process has taken this one for dead: the results of its jobs are dropped');
    await join();
  }

  function beat(): Promise<void> {
    beating ??= beatOnce().finally(() => {
      beating = null;
    });
    return beating;
  }

  async function endLeasesOfDead(): Promise<void> {
    const nowMs = clock.monotonicMs();
    const before = seen;
    seen = new Map(
      others.map((other) => {
        const known = before.get(other.id);
        return [other.id, known?.beat === other.beat ? known : { beat: other.beat, sinceMs: nowMs }];
      }),
    );
    for (const other of others) {
      const { machine, pid, started } = other;
      const isSilent = nowMs - (seen.get(other.id)?.sinceMs ?? nowMs) >= SILENT_MS;
      const isGone = machine !== null && pid !== null && started !== null && hasEnded({ machine, pid, started });
      if (isSilent || isGone) await endLeases(other, isSilent);
    }
  }

  async function endLeases({ id: workerId, beat: lastBeat }: OtherWorker, isSilent: boolean): Promise<void> {
    const now = clock.now();
    // One that has been silent has sent nothing for as long.
    const callsEndAt = isSilent ? now : new Date(now.getTime() + CALLS_END_MS);
    const jobCount = await db.transaction(async (tx) => {
      const { rows } = await tx.query<{ isFree: boolean }>('select pg_try_advisory_xact_lock($1) as "isFree"', [
        WORKER_ALIVE_LOCKS + workerId,
      ]);
      if (rows[0]?.isFree !== true) return null;
      const gone = await tx.query('delete from job_workers where id = $1 and beat = $2', [workerId, lastBeat]);
      if (gone.rowCount === 0) return null;
      // The leases are shortened and not released, so that the jobs come back in their places, like the jobs of any
      // lease that ends.
      const ended = await tx.query(
        `with held as materialized (
            select id from jobs where is_leased and worker_id = $1 order by id for update
          )
          update jobs set due_at = least(due_at, case when kind = any($2) then $3::timestamptz else $4 end),
            is_ready = false, worker_id = null, fence = fence + 1
          from held where jobs.id = held.id`,
        [workerId, options.callingKinds, callsEndAt, now],
      );
      return ended.rowCount;
    });
    if (jobCount === null) return;
    log.info({ workerId, jobCount }, 'a process that ran jobs has died: others take its jobs');
    if (jobCount > 0) onLeasesEnded();
  }

  async function watch(): Promise<void> {
    try {
      await beat();
      await endLeasesOfDead();
    } catch (error) {
      log.debug({ err: error }, 'the other workers could not be looked at');
    }
    if (!isStopped) cancelBeat = clock.setTimer(() => void watch(), BEAT_MS);
  }

  await join();
  if (id !== null) await watch();
  return {
    get id() {
      return id;
    },
    isTrusted: () => id === null || isWithin(beatAt, TRUSTED_MS, clock),
    beat,
    async stop() {
      isStopped = true;
      cancelBeat();
      if (id !== null) await leave(id);
    },
  };
}
