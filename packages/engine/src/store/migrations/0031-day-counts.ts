import type { StartMigration } from './migration.ts';

const DAY_OF_HOUR = `date_trunc('day', hour, 'UTC')`;
const COUNTS = ['counted', 'success', 'warning', 'error', 'http2xx'] as const;

/** SQL of one row for each day (UTC) of hours. */
const sumOf = (hours: string) => `
  select log, owner_id, ${DAY_OF_HOUR} as day, part_id, ${COUNTS.map((count) => `sum(${count}) as ${count}`).join(', ')}
  from ${hours} group by log, owner_id, ${DAY_OF_HOUR}, part_id`;

const change = (sign: '+' | '-', by: string) =>
  COUNTS.map((count) => `${count} = days.${count} ${sign} ${by}.${count}`).join(', ');

const trigger = (when: string, tables: string) => `
create trigger hour_counts_after_${when} after ${when} on hour_counts ${tables}
  for each statement execute function add_up_days();`;

/**
 * Adds the sums of `hour_counts` by day (UTC), so that the metrics of a month add some thirty rows of a source instead of
 * seven hundred. A trigger keeps each equal to its hours, whoever changes them.
 */
export const migration0031: StartMigration = {
  version: 31,
  name: 'day-counts',
  sql: `
create table day_counts (
  log text collate "C" not null,
  owner_id bigint not null,
  -- Its begin.
  day timestamptz(3) not null,
  part_id bigint not null,
  counted integer not null,
  success integer not null,
  warning integer not null,
  error integer not null,
  http2xx integer not null,
  primary key (log, owner_id, day, part_id) include (counted, success, warning, error, http2xx)
);

create function add_up_days() returns trigger language plpgsql as $function$
begin
  if tg_op <> 'DELETE' then
    insert into day_counts as days (log, owner_id, day, part_id, ${COUNTS.join(', ')}) ${sumOf('new_rows')}
    on conflict (log, owner_id, day, part_id) do update set ${change('+', 'excluded')};
  end if;
  if tg_op <> 'INSERT' then
    update day_counts days set ${change('-', 'gone')} from (${sumOf('old_rows')}) gone
    where days.log = gone.log and days.owner_id = gone.owner_id and days.day = gone.day and days.part_id = gone.part_id;
    delete from day_counts days using (select distinct log, owner_id, ${DAY_OF_HOUR} as day from old_rows) gone
    where days.log = gone.log and days.owner_id = gone.owner_id and days.day = gone.day and days.counted = 0;
  end if;
  return null;
end
$function$;
${trigger('insert', 'referencing new table as new_rows')}
${trigger('update', 'referencing old table as old_rows new table as new_rows')}
${trigger('delete', 'referencing old table as old_rows')}

insert into day_counts (log, owner_id, day, part_id, ${COUNTS.join(', ')}) ${sumOf('hour_counts')};
`,
};
