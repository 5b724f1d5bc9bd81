/** The two kinds of migrations; `migrate.ts` runs them, and docs/upgrading.md tells operators when. */
import type { Db } from '../database/db.ts';

/**
 * Runs when the first process of a release starts, while processes of the release before still work. So it only adds
 * what they tolerate, and locks no table for longer than a moment.
 */
export interface StartMigration {
  readonly version: number;
  readonly name: string;
  /** Each runs in a transaction of its own, in this order. One that is done does not run again when a later one was interrupted. */
  readonly sql: readonly string[];
}

/** Changes what processes of the release before rely on, so it runs once none is left. */
export interface FinishMigration {
  readonly version: number;
  readonly name: string;
  readonly steps: readonly FinishStep[];
}

export type Migration = StartMigration | FinishMigration;

export interface FinishStep {
  /** Unique in its migration: steps that are done are stored by this name. */
  readonly name: string;
  /** What it does and what it locks, for `svc-server migrate --plan`. */
  readonly does: string;
  /** The table whose size decides how long it takes. */
  readonly table: string;
  /** Must be able to run again after it was interrupted anywhere. */
  run(work: StepWork): Promise<void>;
}

export interface StepWork {
  /** Whether others use the tables meanwhile. If not, the whole step is part of one transaction. */
  readonly isOnline: boolean;
  /** Statements that commit at once when others use the tables, such as `create index concurrently`. */
  readonly db: Db;
  /** Runs short statements together, again and again until their locks were free within half a second each. */
  together(work: (tx: Db) => Promise<void>): Promise<void>;
}

export function isFinish(migration: Migration): migration is FinishMigration {
  return 'steps' in migration;
}
