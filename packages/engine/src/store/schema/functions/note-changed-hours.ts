/**
 * `note_hours_of_<log>` writes to `changed_hours` each hour that changes after it was closed, so that it is counted anew (decision 45). Its triggers work
 * for every writer: a release that runs beside this one during an update, and an operator with psql.
 *
 * A statement that writes only open hours pays one look at `hour_count_state`. An update that changes nothing that is counted notes nothing.
 */
const noteChangedHours = (log: string, counted: string) => {
  const rowsOf = (table: string) =>
    `select coalesce(connection_id, -account_id) as owner_id, date_trunc('hour', created_at, 'UTC') as hour, ${counted} from ${table} where created_at < closing`;
  return `
create or replace function note_hours_of_${log}() returns trigger language plpgsql as $function$
declare
  closing timestamptz := 'infinity';
begin
  -- With another isolation, the transaction may not see which hours are closing by now.
  if current_setting('transaction_isolation') = 'read committed' then
    select closing_until into closing from hour_count_state where log = '${log}';
  end if;
  if closing is null then return null; end if;
  if tg_op = 'INSERT' then
    insert into changed_hours (log, owner_id, hour) select distinct '${log}', owner_id, hour from (
      ${rowsOf('new_rows')}
    ) changed;
  elsif tg_op = 'DELETE' then
    insert into changed_hours (log, owner_id, hour) select distinct '${log}', owner_id, hour from (
      ${rowsOf('old_rows')}
    ) changed;
  else
    insert into changed_hours (log, owner_id, hour) select distinct '${log}', owner_id, hour from (
      (${rowsOf('old_rows')}
        except all ${rowsOf('new_rows')})
      union all
      (${rowsOf('new_rows')}
        except all ${rowsOf('old_rows')})
    ) changed;
  end if;
  return null;
end
$function$;
`;
};

const triggersOf = (log: string) => `
create or replace trigger ${log}_hours_after_insert after insert on ${log} referencing new table as new_rows
  for each statement execute function note_hours_of_${log}();
create or replace trigger ${log}_hours_after_update after update on ${log} referencing old table as old_rows new table as new_rows
  for each statement execute function note_hours_of_${log}();
create or replace trigger ${log}_hours_after_delete after delete on ${log} referencing old table as old_rows
  for each statement execute function note_hours_of_${log}();
create or replace trigger ${log}_hours_after_truncate after truncate on ${log}
  for each statement execute function forget_hours('${log}');
`;

export const noteHours = [
  // What a count depends on.
  noteChangedHours('requests', 'source_id'),
  noteChangedHours('syncs', 'source_id, status'),
  noteChangedHours('deliveries', 'destination_id, status, http_status'),
];
export const noteHoursTriggers = ['requests', 'syncs', 'deliveries'].map(triggersOf);
