import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds runs that read the past activity of a source, and which requests they brought. */
export const migration0053: StartMigration = {
  version: 53,
  name: 'backfills',
  sql: [createTables('backfill_runs'), 'alter table requests add column if not exists backfill_run_id bigint'],
};
