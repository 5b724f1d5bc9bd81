/**
 * Standbys that answer reads of logs in place of the primary, while they are at most two seconds behind (decision 41).
 *
 * Every half second the primary is asked for its position in the write-ahead log, and each standby for the position that it has replayed. A
 * standby that has replayed the primary's position of an instant shows everything that was committed before it. So its lag needs no clocks
 * of other machines, and an idle primary is no lag. An answer that does not come makes the known lag grow, and after two seconds the
 * standby is not used.
 */
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import type { Database, Db } from './db.ts';

/** Reads are this old at most. */
export const LAG_MAX_MS = 2_000;
const MEASURE_MS = 500;
/** Two minutes: a standby that is further behind is taken for as far behind as when it was last closer. */
const POSITIONS_MAX = 240;
/** How long a standby must be usable before its next failure is worth another warning. */
const CALM_MS = 60_000;

export type ReplicaChoice = { db: Database } | { db: null; reason: 'behind' | 'own_write' };

export interface Replicas {
  /**
   * Returns a standby that shows everything up to two seconds ago, and the last write of a key.
   *
   * @param lastWriteLsn position of that write; null without one
   */
  choose(lastWriteLsn: string | null): ReplicaChoice;
  /** Returns how far the best standby is behind at most; null when none was ever compared with the primary. */
  lagMs(): number | null;
  /** Stops measuring and closes the connections. */
  close(): Promise<void>;
}

export interface ReplicaHost {
  /** Host and port, for the log. */
  name: string;
  db: Database;
}

interface Standby extends ReplicaHost {
  replayed: bigint | null;
  /** The latest instant up to which it shows everything; monotonic. Null before the first comparison. */
  shownUntilMs: number | null;
  isAsked: boolean;
  /** Why it cannot be used; null while it can. */
  problem: string | null;
}

export interface PrimaryPosition {
  lsn: string;
  /** Tells clusters apart: a standby has the identifier of its primary. */
  system: string;
}

export interface StandbyPosition {
  /** Null on a host that is not a standby. */
  lsn: string | null;
  system: string;
}

const SYSTEM = '(select system_identifier::text from pg_control_system()) as system';

export async function readPrimaryPosition(db: Db): Promise<PrimaryPosition> {
  const text = `select pg_current_wal_lsn()::text as lsn, ${SYSTEM}`;
  const { rows } = await db.query<PrimaryPosition>({ name: 'wal-position', text });
  if (!rows[0]) throw new Error('The database returned no position.');
  return rows[0];
}

export async function readStandbyPosition(db: Db): Promise<StandbyPosition> {
  const text = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as lsn, ${SYSTEM}`;
  const { rows } = await db.query<StandbyPosition>({ name: 'wal-replayed', text });
  if (!rows[0]) throw new Error('The database returned no position.');
  return rows[0];
}

/** Returns the number of a position such as `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** @param hosts in the order of preference: the first one that is not behind is used */
export function createReplicas({
  primary,
  hosts,
  clock,
  log,
}: {
  primary: Db;
  hosts: readonly ReplicaHost[];
  clock: Clock;
  log: Logger;
}): Replicas {
  const standbys: Standby[] = hosts.map((host) => ({
    ...host,
    ...{ replayed: null, shownUntilMs: null, isAsked: false, problem: 'it was not asked yet' },
  }));
  /** Positions of the primary, oldest first, each with an instant before it was read. */
  let positions: { atMs: number; lsn: bigint }[] = [];
  let system: string | null = null;
  let isPrimaryAsked = false;
  let isClosed = false;
  let cancel = () => {};
  let usableSinceMs: number | null = null;
  let isWarned = false;

  const now = () => clock.monotonicMs();

  async function askPrimary(): Promise<void> {
    if (isPrimaryAsked) return;
    isPrimaryAsked = true;
    const atMs = now();
    try {
      const position = await readPrimaryPosition(primary);
      ({ system } = position);
      const lsn = parseLsn(position.lsn);
      // A promoted standby may continue below the end of the primary that was lost.
      positions = [...positions.filter((one) => one.lsn <= lsn), { atMs, lsn }].slice(-POSITIONS_MAX);
    } catch {
      // Reads go to the primary soon, and say what is wrong with it.
    } finally {
      isPrimaryAsked = false;
    }
  }

  async function askStandby(standby: Standby): Promise<void> {
    if (standby.isAsked) return;
    standby.isAsked = true;
    try {
      const { lsn, system: its } = await readStandbyPosition(standby.db);
      standby.problem =
        lsn === null
          ? 'it is not a standby'
          : system !== null && its !== system
            ? 'it belongs to another database'
            : null;
      standby.replayed = lsn === null ? null : parseLsn(lsn);
    } catch (error) {
      standby.problem = error instanceof Error ? error.message : String(error);
    } finally {
      standby.isAsked = false;
    }
  }

  function compare(standby: Standby): void {
    const { replayed, problem } = standby;
    if (replayed === null || problem !== null) return;
    const shown = positions.findLast(({ lsn }) => lsn <= replayed);
    if (shown !== undefined) standby.shownUntilMs = Math.max(shown.atMs, standby.shownUntilMs ?? shown.atMs);
  }

  function isUsable({ problem, shownUntilMs }: Standby): boolean {
    return problem === null && shownUntilMs !== null && now() - shownUntilMs <= LAG_MAX_MS;
  }

  async function measure(): Promise<void> {
    await askPrimary();
    await Promise.all(
      standbys.map(async (standby) => {
        await askStandby(standby);
        compare(standby);
      }),
    );
    if (!isClosed) report();
  }

  function report(): void {
    if (!standbys.some(isUsable)) {
      usableSinceMs = null;
      if (isWarned) return;
      isWarned = true;
      const hostsNow = standbys.map(({ name, problem }) => ({
        host: name,
        problem: problem ?? `it is more than ${LAG_MAX_MS / 1_000} seconds behind`,
      }));
      log.warn({ hosts: hostsNow }, 'logs are read from the primary, because no host of DATABASE_READ_URL can be used');
      return;
    }
    usableSinceMs ??= now();
    if (!isWarned || now() - usableSinceMs < CALM_MS) return;
    isWarned = false;
    log.info('logs are read from a host of DATABASE_READ_URL again');
  }

  function tick(): void {
    if (isClosed) return;
    measure().catch((error: unknown) => log.error({ err: error }, 'the lag of replicas could not be measured'));
    cancel = clock.setTimer(tick, MEASURE_MS);
  }

  tick();
  return {
    choose(lastWriteLsn) {
      const usable = standbys.filter(isUsable);
      if (usable.length === 0) return { db: null, reason: 'behind' };
      const written = lastWriteLsn === null ? 0n : parseLsn(lastWriteLsn);
      const chosen = usable.find(({ replayed }) => replayed !== null && replayed >= written);
      return chosen === undefined ? { db: null, reason: 'own_write' } : { db: chosen.db };
    },
    lagMs() {
      const shown = standbys.flatMap(({ shownUntilMs }) => shownUntilMs ?? []);
      return shown.length === 0 ? null : now() - Math.max(...shown);
    },
    async close() {
      isClosed = true;
      cancel();
      await Promise.all(standbys.map(({ db }) => db.close().catch(() => {})));
    },
  };
}
