/** Adds the connections whose CRM does not work at the moment; see `pipeline/crm-outage.ts`. */
export const migration0010 = {
  version: 10,
  name: 'crm-outages',
  sql: `
create table crm_outages (
  connection_id bigint primary key references connections (id),
  -- First failed call without a successful one since.
  failing_since timestamptz(3) not null,
  -- The event that failed first. Once another one fails too, calls stop and the events wait.
  event_id bigint not null,
  is_confirmed boolean not null default false,
  failed_probes integer not null default 0,
  last_call_at timestamptz(3) not null,
  next_probe_at timestamptz(3) not null,
  -- Of the last failed call.
  error jsonb not null,
  -- When the log reported it; null until the first event has an error row.
  reported_at timestamptz(3)
);
`,
} as const;
