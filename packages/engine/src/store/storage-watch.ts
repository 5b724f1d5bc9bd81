/**
 * Whether posts can be stored. A database that answers may still take no rows: its disk is full, or it accepts no writes. So after a
 * post could not be stored, the server is not ready until a write of that size succeeds again.
 */
import type { Database } from './database/db.ts';

export interface StorageWatch {
  /** A post could not be stored because of the database. */
  noteFailure(): void;
  /** Throws when the database does not answer, or takes no writes since a post could not be stored. */
  check(): Promise<void>;
}

/** Rolls back what the probe has written. */
class ProbeEnd extends Error {
  override readonly name = 'ProbeEnd';
}

/** 256 KB of text that cannot be compressed much: more than the free space of a page, so that the file must grow. */
const PROBE = `insert into service_meta (key, value)
  select 'write probe ' || gen_random_uuid(), string_agg(md5(random()::text), '') from generate_series(1, 8192)`;

export function createStorageWatch(db: Database): StorageWatch {
  let hasFailed = false;
  let probing: Promise<void> | null = null;

  async function probe(): Promise<void> {
    try {
      await db.transaction(async (tx) => {
        await tx.query(PROBE);
        throw new ProbeEnd();
      });
    } catch (error) {
      if (!(error instanceof ProbeEnd)) throw error;
    }
    hasFailed = false;
  }

  return {
    noteFailure() {
      hasFailed = true;
    },
    async check() {
      if (!hasFailed) {
        await db.query('select 1');
        return;
      }
      // Probes of load balancers come at any time; one write at a time is enough.
      probing ??= probe().finally(() => {
        probing = null;
      });
      await probing;
    },
  };
}
