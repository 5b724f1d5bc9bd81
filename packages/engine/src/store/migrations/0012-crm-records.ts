/** Adds what is remembered of a CRM's records (`crm/records.ts`), and an index for events that wait for their CRM. */
export const migration0012 = {
  version: 12,
  name: 'crm-records',
  sql: `
create table crm_records (
  connection_id bigint not null references connections (id),
  identity text collate "C" not null,
  record_type text not null,
  record_id text not null,
  details_hash text,
  owner_id text,
  company_id text,
  -- When the CRM showed or confirmed the record last.
  checked_at timestamptz(3) not null,
  primary key (connection_id, identity)
);
-- Marks of written events, which are deleted by age; contacts and companies stay.
create index crm_records_marks on crm_records (checked_at) where identity like 'activity:%';

-- Few of many jobs: each batch of writes asks for those of its connection.
create index jobs_waiting_for_crm on jobs (fairness_key) where state ? 'firstFailureMs';
`,
} as const;
