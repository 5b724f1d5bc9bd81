import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Brings a database of the first server (schema 5) to the tables of schema 22. No server of schema 5 works beside this release. */
export const migration0022: StartMigration = {
  version: 22,
  name: 'from-first-server',
  sql: [
    `${createTables(
      ...(['audit_log', 'source_mappings', 'inbound_refusals', 'receipt_runs', 'relay_mails', 'job_owners'] as const),
      ...(['oauth_consents', 'crm_token_renewals', 'crm_outages', 'crm_quotas', 'crm_records'] as const),
    )}
alter table api_keys add column expires_at timestamptz(3), add column last_used_at timestamptz(3);
alter table sources
  add column write_state_fields boolean not null default false,
  add column secrets text,
  add column requires_secret boolean not null default false;
alter table blocklists add column instance_url text;
alter table category_signals add column category_id text, add column platform text;
alter table deliveries drop constraint deliveries_destination_id_fkey;
create index requests_unread_by_source on requests (source_id, outcome, created_at, id)
  where outcome in ('unparsed', 'ignored');
create index requests_unread_by_connection on requests (connection_id, outcome, created_at, id)
  where outcome in ('unparsed', 'ignored');

drop index jobs_by_key, jobs_by_due;
alter table jobs
  alter column fairness_key type text collate "C",
  add column run_again_at timestamptz(3),
  add column is_ready boolean not null default false,
  add column ordered_at timestamptz(3),
  add column is_leader boolean not null default false,
  add column failures integer not null default 0;
create index jobs_by_due on jobs (is_ready, kind, due_at);
create index jobs_leased on jobs (kind, fairness_key) where is_leased;
create index jobs_leaders on jobs (fairness_key) where is_leased and is_leader;
create index jobs_waiting_for_crm on jobs (fairness_key) where state ? 'firstFailureMs';`,
  ],
};
