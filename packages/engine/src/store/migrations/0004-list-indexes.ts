/**
 * Lets the lists of events and webhook deliveries read no more than a page with any filters.
 *
 * - `owner_id` says who sees an event: the id of its connection, or the negative id of its account.
 * - `is_delivered` says that at least one delivery of the event has succeeded.
 * - Each combination of filters has an index that ends with the list's order.
 */
export const migration0004 = {
  version: 4,
  name: 'list-indexes',
  sql: `
alter table events
  add column is_delivered boolean not null default false,
  add column owner_id bigint not null generated always as (coalesce(connection_id, -account_id)) stored;
update events set is_delivered = true
  where exists (select from webhook_deliveries d where d.event_id = events.id and d.status = 'SUCCEEDED');

create index events_by_owner on events (owner_id, created_at, id);
create index events_by_owner_type on events (owner_id, type, created_at, id);
create index events_by_owner_delivered on events (owner_id, is_delivered, created_at, id);
create index events_by_owner_type_delivered on events (owner_id, type, is_delivered, created_at, id);
-- Its rows were mixed with those of connections that the key does not see.
drop index events_by_account;

create index webhook_deliveries_by_webhook_status on webhook_deliveries (webhook_id, status, created_at, id);
`,
} as const;
