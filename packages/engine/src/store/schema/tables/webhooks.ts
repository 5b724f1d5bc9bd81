/** Webhooks, and the platform events that go to them. Events and webhook deliveries are partitioned by month, as `logs.ts` says. */
export const webhookTables = {
  webhooks: `
create table webhooks (
  id text collate "C" primary key,
  account_id bigint not null references accounts (id),
  url text not null,
  description text not null default '',
  enabled_events text[] not null default '{}',
  is_active boolean not null default true,
  auto_disabled_at timestamptz(3),
  consecutive_dead_count integer not null default 0,
  secret text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  -- What configuration files call it; null: its kind and id.
  name text
);
create index webhooks_by_account on webhooks (account_id, created_at, id) where deleted_at is null;
create unique index webhooks_by_name on webhooks (account_id, name) where deleted_at is null;`,

  // Each combination of filters of the list has an index that ends with the list's order.
  events: `
create table events (
  id text collate "C" not null,
  account_id bigint not null references accounts (id),
  connection_id bigint references connections (id),
  source_id bigint,
  type text not null,
  summary text not null,
  data jsonb not null,
  created_at timestamptz(3) not null,
  -- Whether at least one delivery of the event has succeeded.
  is_delivered boolean not null default false,
  -- Who sees the event: the id of its connection, or the negative id of its account.
  owner_id bigint not null generated always as (coalesce(connection_id, -account_id)) stored
);
create unique index events_by_id on events (id, created_at);
create index events_by_owner on events (owner_id, created_at, id);
create index events_by_owner_type on events (owner_id, type, created_at, id);
create index events_by_owner_delivered on events (owner_id, is_delivered, created_at, id);
create index events_by_owner_type_delivered on events (owner_id, type, is_delivered, created_at, id);`,

  webhook_deliveries: `
create table webhook_deliveries (
  id text collate "C" not null,
  event_id text collate "C" not null,
  webhook_id text collate "C" not null references webhooks (id),
  status text not null check (status in ('PENDING', 'SUCCEEDED', 'FAILED', 'DEAD')),
  attempt_count integer not null default 0,
  last_attempt_at timestamptz(3),
  last_http_status integer,
  last_error text,
  next_attempt_at timestamptz(3),
  replay_of_delivery_id text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index webhook_deliveries_by_id on webhook_deliveries (id, created_at);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, created_at, id);
create index webhook_deliveries_by_webhook_status on webhook_deliveries (webhook_id, status, created_at, id);
create index webhook_deliveries_by_event on webhook_deliveries (event_id);`,
};
