/**
 * Ids of receipts, taken from the database ahead: the answer to a post contains the id of its receipt, also while the
 * database is away. Ids that are left over at the end of the process are never used.
 *
 * They come from the sequence that gives all receipts their ids. The ids of several processes therefore do not grow with time;
 * the order of receipts is that of `created_at`.
 */
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Database } from '@svc/engine/store/database/db';
import { TAKE } from './request-ids.sql.ts';

/** Ids in store: what one process can accept without the database. */
export const IDS_MAX = 1_000_000;
/** Ids of one statement, which takes some ten milliseconds. */
const IDS_PER_STATEMENT = 50_000;
/** After that ids are not used, so that the order of ids is nearly that of time: old payloads are found by their ids. */
const USED_FOR_MS = 24 * 3_600_000;
const RETRY_MS = 5_000;

interface Range {
  next: number;
  last: number;
  takenMs: number;
}

export interface RequestIds {
  /** Returns null when none is left. */
  take(): number | null;
  stop(): void;
}

/** Resolves when the first ids are there. */
export async function createRequestIds(options: { db: Database; clock: Clock; log: Logger }): Promise<RequestIds> {
  const { db, clock, log } = options;
  let ranges: Range[] = [];
  /** Ids that are not too old. */
  let left = 0;
  let isTaking = false;
  let isStopped = false;
  let cancelRetry = () => {};

  async function takeMore(): Promise<void> {
    const takenMs = clock.now().getTime();
    const { rows } = await db.query<{ next: number; last: number }>(TAKE, [IDS_PER_STATEMENT]);
    ranges.push(...rows.map((row) => ({ ...row, takenMs })));
    left += IDS_PER_STATEMENT;
  }

  /** One statement after another, so that other work comes between them. */
  async function fill(): Promise<void> {
    if (isTaking || left > IDS_MAX - IDS_PER_STATEMENT) return;
    isTaking = true;
    try {
      while (!isStopped && left <= IDS_MAX - IDS_PER_STATEMENT) await takeMore();
      isTaking = false;
    } catch (error) {
      log.debug({ err: error }, 'no ids for receipts could be taken ahead');
      cancelRetry = clock.setTimer(() => {
        isTaking = false;
        if (!isStopped) void fill();
      }, RETRY_MS);
    }
  }

  const isOld = ({ takenMs }: Range) => clock.now().getTime() - takenMs > USED_FOR_MS;

  /** Ids that are too old are only used while there are no others. */
  function dropOld(): void {
    const kept = ranges.filter((range) => !isOld(range));
    left = kept.reduce((sum, { next, last }) => sum + last - next + 1, 0);
    if (kept.length > 0) ranges = kept;
  }

  await takeMore();
  void fill();
  return {
    take() {
      if (ranges[0] !== undefined && isOld(ranges[0])) dropOld();
      const [range] = ranges;
      const id = range?.next ?? null;
      if (range !== undefined) {
        range.next += 1;
        left = Math.max(0, left - 1);
        if (range.next > range.last) ranges.shift();
      }
      void fill();
      return id;
    },
    stop() {
      isStopped = true;
      cancelRetry();
    },
  };
}
