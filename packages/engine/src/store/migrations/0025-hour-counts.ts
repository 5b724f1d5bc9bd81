/**
 * Adds the counts of closed hours, from which metrics are answered (`hour-counts.ts` reads them, `count-hours.ts` makes
 * them; decision 45).
 *
 * Triggers note the hours that change after they were closed. They work for every writer: a release before this one,
 * which runs beside it during an update, and an operator with psql. A statement that writes only open hours pays one
 * look at `hour_count_state`.
 */

/** What a count depends on, by log. */
const COUNTED_COLUMNS = {
  requests: 'source_id',
  syncs: 'source_id, status',
  deliveries: 'destination_id, status, http_status',
} as const;

const OWNER = 'coalesce(connection_id, -account_id)';
const HOUR = `date_trunc('hour', created_at, 'UTC')`;

/** SQL of the function and the triggers of one log. */
function noteChanges(log: keyof typeof COUNTED_COLUMNS): string {
  const counted = (rows: string) =>
    `select ${OWNER} as owner_id, ${HOUR} as hour, ${COUNTED_COLUMNS[log]} from ${rows} where created_at < closing`;
  const note = (rows: string) =>
    `insert into changed_hours (log, owner_id, hour) select distinct '${log}', owner_id, hour from (${rows}) changed;`;
  const trigger = (when: string, tables: string) => `
create trigger ${log}_hours_after_${when} after ${when} on ${log} ${tables}
  for each statement execute function note_hours_of_${log}();`;
  return `
create function note_hours_of_${log}() returns trigger language plpgsql as $function$
declare
  closing timestamptz := 'infinity';
begin
  -- With another isolation, the transaction may not see which hours are closing by now.
  if current_setting('transaction_isolation') = 'read committed' then
    select closing_until into closing from hour_count_state where log = '${log}';
  end if;
  if closing is null then return null; end if;
  if tg_op = 'INSERT' then
    ${note(counted('new_rows'))}
  elsif tg_op = 'DELETE' then
    ${note(counted('old_rows'))}
  else
    ${note(`(${counted('old_rows')} except all ${counted('new_rows')})
      union all (${counted('new_rows')} except all ${counted('old_rows')})`)}
  end if;
  return null;
end
$function$;
${trigger('insert', 'referencing new table as new_rows')}
${trigger('update', 'referencing old table as old_rows new table as new_rows')}
${trigger('delete', 'referencing old table as old_rows')}
create trigger ${log}_hours_after_truncate after truncate on ${log}
  for each statement execute function forget_hours('${log}');
insert into hour_count_state (log) values ('${log}');
`;
}

export const migration0025 = {
  version: 25,
  name: 'hour-counts',
  sql: `
create table hour_counts (
  log text collate "C" not null,
  -- A connection, or the negative id of an account for requests of its removed sources.
  owner_id bigint not null,
  -- Its begin.
  hour timestamptz(3) not null,
  -- The source; of deliveries the destination. 0: none.
  part_id bigint not null,
  counted integer not null,
  success integer not null,
  warning integer not null,
  error integer not null,
  http2xx integer not null,
  primary key (log, owner_id, hour, part_id) include (counted, success, warning, error, http2xx)
);
create index hour_counts_by_hour on hour_counts (log, hour);

-- Hours that changed after they were closed. Without a unique key, on which writers would wait for each other.
create table changed_hours (
  log text collate "C" not null,
  owner_id bigint not null,
  hour timestamptz(3) not null
);
create index changed_hours_by_owner on changed_hours (log, owner_id, hour);

create table hour_count_state (
  log text collate "C" primary key,
  -- Counts are complete from here to counted_until, but for changed hours. Null before the first count.
  counted_from timestamptz(3),
  counted_until timestamptz(3),
  -- Changes of rows before this are noted in changed_hours.
  closing_until timestamptz(3),
  -- Once all transactions before this one have ended, every later change before closing_until is noted.
  closing_xid xid8,
  check ((counted_from is null) = (counted_until is null))
);

create function forget_hours() returns trigger language plpgsql as $function$
begin
  delete from hour_counts where log = tg_argv[0];
  delete from changed_hours where log = tg_argv[0];
  update hour_count_state set counted_from = null, counted_until = null, closing_until = null, closing_xid = null
  where log = tg_argv[0];
  return null;
end
$function$;
${noteChanges('requests')}${noteChanges('syncs')}${noteChanges('deliveries')}`,
} as const;
