import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Brings a database of schema 22 to the tables of schema 36, but for what waits for `0030-logs-by-month.ts`. */
export const migration0036: StartMigration = {
  version: 36,
  name: 'from-schema-22',
  sql: [
    createTables(
      ...(['hour_counts', 'day_counts', 'changed_hours', 'hour_count_state', 'first_syncs'] as const),
      ...(['relay_digest_replies', 'relay_hours', 'job_workers', 'set_aside_jobs', 'schema_programs'] as const),
    ),
    'alter table requests add column repeated_event_ids bigint[]',
    'alter table inbound_events add column received_at timestamptz(3)',
    'alter table api_keys add column last_write_lsn pg_lsn',
    // Not valid, so that it need not read the table while it locks it: migration 37 validates it.
    `alter table relay_mails
      alter column event_id drop not null,
      drop constraint relay_mails_status_check,
      add constraint relay_mails_status_check
        check (status in ('waiting', 'sending', 'sent', 'digest', 'skipped', 'failed')) not valid`,
    `alter table jobs add column worker_id integer, add column throws integer not null default 0;
    drop index if exists jobs_by_turn;
    create index jobs_in_turn on jobs (kind, fairness_key, id) where is_ready;
    create index jobs_held on jobs (fairness_key) where state ? 'isHeld'`,
  ],
};
