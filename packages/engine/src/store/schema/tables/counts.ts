/** The counts of closed hours and whole days, from which metrics are answered (store/count-hours.ts, decision 45). */
export const countTables = {
  hour_counts: `
create table hour_counts (
  log text collate "C" not null,
  -- A connection, or the negative id of an account for requests of its removed sources.
  owner_id bigint not null,
  -- When the hour begins.
  hour timestamptz(3) not null,
  -- The source, or the destination of a delivery. 0: none.
  part_id bigint not null,
  counted integer not null,
  success integer not null,
  warning integer not null,
  error integer not null,
  http2xx integer not null,
  primary key (log, owner_id, hour, part_id) include (counted, success, warning, error, http2xx)
);
create index hour_counts_by_hour on hour_counts (log, hour);`,

  // The sums of hour_counts by day (UTC).
  day_counts: `
create table day_counts (
  log text collate "C" not null,
  owner_id bigint not null,
  -- When the day begins.
  day timestamptz(3) not null,
  part_id bigint not null,
  counted integer not null,
  success integer not null,
  warning integer not null,
  error integer not null,
  http2xx integer not null,
  primary key (log, owner_id, day, part_id) include (counted, success, warning, error, http2xx)
);`,

  // Hours that changed after they were closed. Without a unique key, on which writers would wait for each other.
  changed_hours: `
create table changed_hours (
  log text collate "C" not null,
  owner_id bigint not null,
  hour timestamptz(3) not null
);
create index changed_hours_by_owner on changed_hours (log, owner_id, hour);`,

  hour_count_state: `
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
insert into hour_count_state (log) values ('requests'), ('syncs'), ('deliveries');`,
};
