/**
 * `syncs_note_first` adds each event that was written or refused once to `first_syncs`, whoever inserts the sync. So a second first sync of an event
 * fails by the primary key of `first_syncs`; a unique key of `syncs` would have to contain the month.
 */
export const syncsNoteFirst = `
create or replace function syncs_note_first() returns trigger language plpgsql as $function$
begin
  -- In one order, so that two transactions never wait for each other.
  insert into first_syncs (event_id)
  select inbound_event_id from added where retry_of_sync_id is null and inbound_event_id is not null order by 1;
  return null;
end
$function$;
`;

export const syncsNoteFirstTrigger = `
create or replace trigger syncs_note_first after insert on syncs referencing new table as added
  for each statement execute function syncs_note_first();
`;
