/**
 * Counts posts that were refused for a missing or wrong secret: in memory, and every ten seconds in the database, so that a flood
 * of them costs no statements. A crash loses the counts of the last seconds.
 *
 * A signature that is genuine but too old counts as a wrong one. What is wrong is not the secret but a clock, or a sender that
 * repeats posts without signing them anew, so the log says it.
 */
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Metrics } from '@svc/engine/runtime/metrics';
import type { Database } from '@svc/engine/store/database/db';
import { addRefusals, type Refusals } from '@svc/engine/store/source-secrets';
import type { Authenticity } from '@svc/sequencers/authenticity';

const WRITE_EVERY_MS = 10_000;
const TOO_OLD =
  'posts were refused: their signature is genuine, but its time differs from this clock by more than the tolerance of the source';

export interface RefusalCounts {
  note(sourceId: number, reason: Exclude<Authenticity, 'ok'>): void;
  /** Writes the counts that are not stored yet. */
  stop(): Promise<void>;
}

export function createRefusalCounts(options: {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'inboundRefused'>;
}): RefusalCounts {
  const { db, clock, log, metrics } = options;
  let counts = new Map<string, Refusals>();
  /** How many of them by source were genuine, but too old. */
  let stale = new Map<number, number>();
  let cancel = () => {};
  let isPlanned = false;
  let writing = Promise.resolve();

  function count(added: Refusals): void {
    const key = `${added.sourceId}/${added.day}`;
    const counted = counts.get(key) ?? { ...added, missing: 0, wrong: 0 };
    counted.missing += added.missing;
    counted.wrong += added.wrong;
    counts.set(key, counted);
    if (isPlanned) return;
    isPlanned = true;
    cancel = clock.setTimer(write, WRITE_EVERY_MS);
  }

  function write(): void {
    isPlanned = false;
    for (const [sourceId, posts] of stale) log.warn({ sourceId, posts }, TOO_OLD);
    stale = new Map();
    const counted = [...counts.values()];
    counts = new Map();
    // One write at a time, so that `stop` waits for all of them.
    writing = writing
      .then(() => addRefusals(db, counted))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'refused posts could not be counted');
        for (const each of counted) count(each);
      });
  }

  return {
    note(sourceId, reason) {
      metrics.inboundRefused.inc({ reason });
      if (reason === 'stale') stale.set(sourceId, (stale.get(sourceId) ?? 0) + 1);
      const day = clock.now().toISOString().slice(0, 10);
      count({ sourceId, day, missing: 0, wrong: 0, [reason === 'missing' ? 'missing' : 'wrong']: 1 });
    },
    async stop() {
      cancel();
      await writing;
      if (counts.size === 0) return;
      write();
      await writing;
      cancel();
    },
  };
}
