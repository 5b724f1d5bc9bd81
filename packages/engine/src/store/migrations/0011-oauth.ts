/** Adds consents that users were asked for at a CRM, and the renewals of access tokens that are under way. */
export const migration0011 = {
  version: 11,
  name: 'oauth',
  sql: `
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
  -- What became of it, for the command that waits: the connection, or why there is none.
  result_connection_id bigint,
  result_error text
);
create index on oauth_consents (connection_id);
create index on oauth_consents (expires_at);

create table crm_token_renewals (
  connection_id bigint primary key references connections (id) on delete cascade,
  -- Who may call the token endpoint until lease_until; null: nobody does.
  holder text,
  lease_until timestamptz(3) not null,
  -- SHA-256 of the refresh token of requests whose answers are not known, and their number.
  sent_hash bytea,
  sent_count integer not null default 0
);
`,
} as const;
