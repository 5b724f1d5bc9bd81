/**
 * `add_up_days` keeps each row of `day_counts` equal to the sum of its hours in `hour_counts`, whoever changes them. So the metrics of a month add some
 * thirty rows of a source instead of seven hundred. A day without hours has no row.
 */
const daysOf = (hours: string) => `
      select log, owner_id, date_trunc('day', hour, 'UTC') as day, part_id, sum(counted) as counted,
        sum(success) as success, sum(warning) as warning, sum(error) as error, sum(http2xx) as http2xx
      from ${hours} group by log, owner_id, date_trunc('day', hour, 'UTC'), part_id`;

export const addUpDays = `
create or replace function add_up_days() returns trigger language plpgsql as $function$
begin
  if tg_op <> 'DELETE' then
    insert into day_counts as days (log, owner_id, day, part_id, counted, success, warning, error, http2xx)${daysOf('new_rows')}
    on conflict (log, owner_id, day, part_id) do update set counted = days.counted + excluded.counted,
      success = days.success + excluded.success, warning = days.warning + excluded.warning,
      error = days.error + excluded.error, http2xx = days.http2xx + excluded.http2xx;
  end if;
  if tg_op <> 'INSERT' then
    update day_counts days set counted = days.counted - gone.counted, success = days.success - gone.success,
      warning = days.warning - gone.warning, error = days.error - gone.error, http2xx = days.http2xx - gone.http2xx
    from (${daysOf('old_rows')}
    ) gone
    where days.log = gone.log and days.owner_id = gone.owner_id and days.day = gone.day and days.part_id = gone.part_id;
    delete from day_counts days
    using (select distinct log, owner_id, date_trunc('day', hour, 'UTC') as day from old_rows) gone
    where days.log = gone.log and days.owner_id = gone.owner_id and days.day = gone.day and days.counted = 0;
  end if;
  return null;
end
$function$;
`;

export const addUpDaysTriggers = `
create or replace trigger hour_counts_after_insert after insert on hour_counts referencing new table as new_rows
  for each statement execute function add_up_days();
create or replace trigger hour_counts_after_update after update on hour_counts referencing old table as old_rows new table as new_rows
  for each statement execute function add_up_days();
create or replace trigger hour_counts_after_delete after delete on hour_counts referencing old table as old_rows
  for each statement execute function add_up_days();
`;
