import type { StartMigration } from './migration.ts';

/**
 * What the logs by month (migration 30) need beside them.
 *
 * - `first_syncs` has each event that was written or refused once, for ever: a unique key of a partitioned table would
 *   contain its month. The trigger fills it for all writers, so a second first sync of an event fails. Earlier syncs are
 *   added by migration 30; until then the index `syncs_first_of_event` refuses them too.
 * - `received_at` is when the receipt of an event was received, so that a write need not look for the receipt in all
 *   months. Null for events of earlier releases.
 */
export const migration0029: StartMigration = {
  version: 29,
  name: 'first-syncs',
  sql: `
create table first_syncs (
  -- In inbound_events.
  event_id bigint primary key
);
create function syncs_note_first() returns trigger language plpgsql as $function$
begin
  -- In one order, so that two transactions never wait for each other.
  insert into first_syncs (event_id)
  select inbound_event_id from added where retry_of_sync_id is null and inbound_event_id is not null order by 1;
  return null;
end
$function$;
create trigger syncs_note_first after insert on syncs referencing new table as added
  for each statement execute function syncs_note_first();

alter table inbound_events add column received_at timestamptz(3);
`,
};
