/** What is known of each connection's CRM: consents and tokens, outages, limits and remembered records. */
export const crmTables = {
  // Consents that users were asked for at a CRM.
  oauth_consents: `
create table oauth_consents (
  id bigint generated always as identity primary key,
  -- SHA-256 of the state, which only the consent page and its callback know.
  state_hash bytea not null unique,
  crm text not null,
  -- Null: begun at the CRM, so the account follows from the organization.
  account_id bigint references accounts (id) on delete cascade,
  -- Only this connection may be reconnected; null: the account's connection to the organization, or a new one.
  connection_id bigint references connections (id) on delete cascade,
  -- Only while it is disconnected: nobody with access to this server began it.
  is_public boolean not null,
  -- SHA-256 of the cookie of the browser that began it; null when a command did.
  session_hash bytea,
  login_url text not null,
  redirect_uri text not null,
  -- Settings of a new connection.
  settings jsonb not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Set by the one callback that may use it.
  used_at timestamptz(3),
  -- What became of the consent, for the command that waits: the connection, or why there is none.
  result_connection_id bigint,
  result_error text
);
create index on oauth_consents (connection_id);
create index on oauth_consents (expires_at);`,

  // Renewals of access tokens that are under way.
  crm_token_renewals: `
create table crm_token_renewals (
  connection_id bigint primary key references connections (id) on delete cascade,
  -- Who may call the token endpoint until lease_until; null: nobody does.
  holder text,
  lease_until timestamptz(3) not null,
  -- SHA-256 of the refresh token of requests whose answers are not known, and their number.
  sent_hash bytea,
  sent_count integer not null default 0
);`,

  // Connections whose CRM does not work at the moment (queue/crm-outages.ts).
  crm_outages: `
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
  -- The error of the last failed call.
  error jsonb not null,
  -- When the log reported the outage; null until the first event has an error row.
  reported_at timestamptz(3)
);`,

  // What is known of the limits of a connection's CRM, and how much of them is used (crm/quota.ts).
  crm_quotas: `
create table crm_quotas (
  connection_id bigint primary key references connections (id),
  -- Grows with every change: a change is stored only over the version that it was made from.
  version bigint not null,
  -- CrmQuotaState of the domain.
  state jsonb not null,
  -- While the share of the day is used up: when the next call finds out whether the CRM counts anew. Else null.
  look_at timestamptz(3)
);`,

  // What is remembered of a CRM's records (crm/records.ts).
  crm_records: `
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
create index crm_records_marks on crm_records (checked_at) where identity like 'activity:%';`,
};
