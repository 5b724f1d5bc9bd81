/**
 * Claims whose cost does not depend on how many fairness keys have jobs (decision 33; `queue/claims.ts` states the
 * rules).
 *
 * - `jobs.is_ready`: a claim saw that the job is due, or it was due when it was enqueued. Claims look only among these, so
 *   parked jobs cost nothing. It never decides: a claim first marks jobs that came due, and takes none that is not due.
 * - `jobs.ordered_at`: the due time that decides the order while `due_at` is the end of a lease; null otherwise.
 * - `jobs.is_leader`: the first of the jobs that a claim gave to one worker, so that leaders count workers.
 * - `jobs.failures`: claims since a handler last settled the job.
 * - `job_owners`: the key of an owner that was dealt last; the next claim continues after it.
 */
export const migration0015 = {
  version: 15,
  name: 'claims',
  sql: `
drop index jobs_by_key, jobs_by_due;
alter table jobs
  -- Bytewise, so that the keys of one owner are neighbours.
  alter column fairness_key type text collate "C",
  add column is_ready boolean not null default false,
  add column ordered_at timestamptz(3),
  add column is_leader boolean not null default false,
  add column failures integer not null default 0;
update jobs set is_ready = true where due_at <= now();

create index jobs_by_turn on jobs (is_ready, kind, fairness_key, coalesce(ordered_at, due_at), id);
create index jobs_by_due on jobs (is_ready, kind, due_at);
create index jobs_leased on jobs (is_leader, fairness_key) where is_leased;

-- If a crash empties it, the turns of each owner's keys begin anew.
create unlogged table job_owners (
  owner text collate "C" primary key,
  last_key text not null
);

-- Returns whether no worker has jobs of these kinds of the key, and keeps other claims from them until the transaction
-- ends. Takes the jobs away from workers whose leases have ended.
create function jobs_lock_serial(claim_at timestamptz, serial_kinds text, key text) returns boolean
language plpgsql as $function$
declare
  live_count integer;
  ended_count integer;
  revoked_count integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended(serial_kinds || ' ' || key, 15)) then return false; end if;
  -- A statement of its own, so that it sees what earlier holders of the lock have claimed.
  with leased as materialized (
    select j.kind, j.due_at from jobs j where j.is_leased and j.is_leader in (true, false) and j.fairness_key = key
  )
  select count(*) filter (where l.due_at > claim_at), count(*) filter (where l.due_at <= claim_at)
  into live_count, ended_count
  from leased l where l.kind = any(string_to_array(serial_kinds, ','));
  if live_count > 0 then return false; end if;
  if ended_count = 0 then return true; end if;
  with ended as (
    select j.id from jobs j
    where j.is_leased and j.is_leader in (true, false) and j.fairness_key = key
      and j.kind = any(string_to_array(serial_kinds, ',')) and j.due_at <= claim_at
    for update skip locked
  )
  update jobs set is_leased = false, is_leader = false, is_ready = true, fence = fence + 1
  from ended where jobs.id = ended.id;
  get diagnostics revoked_count = row_count;
  -- A job that is locked is just being settled by its worker.
  return revoked_count = ended_count;
end
$function$;

-- Returns whether a job of the key can be claimed. serials: each of the serial kinds that it has locked, with the key.
create function jobs_lock_key(
  claim_at timestamptz, kinds text[], serial_kinds text[], key text, out is_claimable boolean, out serials text[]
)
language plpgsql as $function$
declare
  serial text;
begin
  serials := '{}';
  if array_remove(serial_kinds, null) <> '{}' then
    for serial in
      select k.serial from unnest(kinds, serial_kinds) as k (kind, serial) cross join lateral (
        select from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key = key and j.due_at <= claim_at
        order by coalesce(j.ordered_at, j.due_at), j.id limit 1
      ) as j
      where k.serial is not null group by k.serial
    loop
      if jobs_lock_serial(claim_at, serial, key) then serials := serials || (serial || ' ' || key); end if;
    end loop;
  end if;
  -- Locked, so that claims at the same time take different jobs.
  perform from unnest(kinds, serial_kinds) as k (kind, serial) cross join lateral (
    select from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key = key and j.due_at <= claim_at
    order by coalesce(j.ordered_at, j.due_at), j.id limit 1 for update skip locked
  ) as j
  where k.serial is null;
  is_claimable := found or cardinality(serials) > 0;
end
$function$;

-- Returns the first keys of an owner with several, in their turn, of those with jobs that can be claimed; at most wanted
-- of them have no worker.
create function jobs_lock_owner(
  claim_at timestamptz, kinds text[], serial_kinds text[], first_key text, wanted integer, busy_keys text[]
) returns table (key text, serials text[])
language plpgsql as $function$
declare
  owner_name text := split_part(first_key, '/', 1);
  last_turn text;
  bound text;
  is_second_pass boolean := false;
  is_claimable boolean;
  idle_count integer := 0;
begin
  select o.last_key into last_turn from job_owners o where o.owner = owner_name;
  bound := coalesce(last_turn || e'\\x01', owner_name || '/');
  while idle_count < wanted loop
    select min(n.fairness_key) into key from unnest(kinds) as k (kind) cross join lateral (
      select j.fairness_key from jobs j where j.is_ready and j.kind = k.kind
        and j.fairness_key >= bound and j.fairness_key < owner_name || '0'
      order by j.fairness_key limit 1
    ) as n;
    if key is null or is_second_pass and key > last_turn then
      exit when is_second_pass or last_turn is null;
      is_second_pass := true;
      bound := owner_name || '/';
      continue;
    end if;
    bound := key || e'\\x01';
    select l.is_claimable, l.serials into is_claimable, serials
    from jobs_lock_key(claim_at, kinds, serial_kinds, key) l;
    continue when not is_claimable;
    if array_position(busy_keys, key) is null then idle_count := idle_count + 1; end if;
    return next;
  end loop;
end
$function$;

-- Claims jobs for up to the given number of idle workers. Jobs with the same place are for one worker, in the order of
-- nth. all_batch_sizes: most jobs of a kind for one worker. all_serial_kinds: the kinds that a kind excludes at the same
-- key, with itself, separated by commas; or null.
create function jobs_claim(
  claim_at timestamptz, all_kinds text[], all_batch_sizes integer[], all_serial_kinds text[], workers integer,
  lease_until timestamptz, last_key text
) returns table (
  id bigint, kind text, ref text, fairness_key text, fence bigint, attempts integer, state jsonb,
  created_at timestamptz, place bigint, nth bigint
)
language plpgsql
-- The same plan is always the best, and the statistics of a queue are always outdated.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan
as $function$
#variable_conflict use_column
declare
  -- The kinds with jobs that may be claimed.
  kinds text[];
  batch_sizes integer[];
  serial_kinds text[];
  -- Workers by key and by owner, over all processes.
  busy_keys text[];
  busy_key_workers integer[];
  busy_owners text[];
  busy_owner_workers integer[];
  -- A key of each owner in their turn; then the keys that may be claimed, in theirs.
  owner_keys text[] := '{}';
  idle_owners integer := 0;
  open_keys text[] := '{}';
  open_key_owners integer[] := '{}';
  -- Serial kinds and key, of those that are locked.
  open_serials text[] := '{}';
  wanted integer := 1;
  found_key record;
  found_serials text[];
  is_found boolean;
  next_key text;
  bound text := '';
  end_bound text;
  is_second_pass boolean := last_key = '';
  picked_ids bigint[];
  picked_kinds text[];
  picked_keys text[];
  picked_places bigint[];
  picked_sizes integer[];
  picked_singles boolean[];
begin
  with due as materialized (
    select j.id from unnest(all_kinds) as k (kind) cross join lateral (
      select j.id from jobs j where not j.is_ready and j.kind = k.kind and j.due_at <= claim_at
      order by j.due_at limit 100 for update skip locked
    ) as j
  )
  update jobs set is_ready = true from due where jobs.id = due.id;

  select array_agg(k.kind), array_agg(k.batch_size), array_agg(k.serial) into kinds, batch_sizes, serial_kinds
  from unnest(all_kinds, all_batch_sizes, all_serial_kinds) as k (kind, batch_size, serial)
  cross join lateral (
    select from jobs j where j.is_ready and j.kind = k.kind order by j.fairness_key limit 1
  ) as ready;
  if kinds is null then return; end if;

  -- Materialized, so that the kinds do not choose the index.
  with leaders as materialized (
    select j.fairness_key, j.kind, j.due_at from jobs j where j.is_leased and j.is_leader
  )
  select array_agg(w.fairness_key), array_agg(w.workers) into busy_keys, busy_key_workers
  from (
    select l.fairness_key, count(*)::integer as workers from leaders l
    where l.due_at > claim_at and l.kind = any(all_kinds) group by l.fairness_key
  ) as w;
  select array_agg(w.owner), array_agg(w.workers) into busy_owners, busy_owner_workers
  from (
    select split_part(b.key, '/', 1) as owner, sum(b.workers)::integer as workers
    from unnest(busy_keys, busy_key_workers) as b (key, workers) group by 1
  ) as w;

  -- Visit owners, from the one after the last dealt key, until there is one without workers for each idle worker.
  if last_key <> '' then
    bound := case when last_key like '%/%' then split_part(last_key, '/', 1) || '0' else last_key || e'\\x01' end;
    end_bound := bound;
  end if;
  while idle_owners < workers loop
    select min(n.fairness_key) into next_key from unnest(kinds) as k (kind) cross join lateral (
      select j.fairness_key from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key >= bound
      order by j.fairness_key limit 1
    ) as n;
    if next_key is null or is_second_pass and next_key >= end_bound then
      exit when is_second_pass;
      is_second_pass := true;
      bound := '';
      continue;
    end if;
    bound := case when next_key like '%/%' then split_part(next_key, '/', 1) || '0' else next_key || e'\\x01' end;
    is_found := false;
    if next_key like '%/%' then
      for found_key in
        select l.key, l.serials from jobs_lock_owner(claim_at, kinds, serial_kinds, next_key, 1, busy_keys) as l
      loop
        is_found := true;
        open_keys := open_keys || found_key.key;
        open_key_owners := open_key_owners || cardinality(owner_keys) + 1;
        open_serials := open_serials || found_key.serials;
      end loop;
    else
      select l.is_claimable, l.serials into is_found, found_serials
      from jobs_lock_key(claim_at, kinds, serial_kinds, next_key) as l;
      if is_found then
        open_keys := open_keys || next_key;
        open_key_owners := open_key_owners || cardinality(owner_keys) + 1;
        open_serials := open_serials || found_serials;
      end if;
    end if;
    continue when not is_found;
    owner_keys := owner_keys || next_key;
    if array_position(busy_owners, split_part(next_key, '/', 1)) is null then idle_owners := idle_owners + 1; end if;
  end loop;

  -- All owners were visited and workers are left: an owner may get several jobs.
  if idle_owners < workers then
    wanted := workers - greatest(idle_owners, 1) + 1;
    for owner_place in 1 .. cardinality(owner_keys) loop
      continue when owner_keys[owner_place] not like '%/%';
      for found_key in
        select l.key, l.serials
        from jobs_lock_owner(claim_at, kinds, serial_kinds, owner_keys[owner_place], wanted, busy_keys) as l
      loop
        continue when found_key.key = any(open_keys);
        open_keys := open_keys || found_key.key;
        open_key_owners := open_key_owners || owner_place;
        open_serials := open_serials || found_key.serials;
      end loop;
    end loop;
  end if;

  with open_kinds as (
    select o.key, o.owner_place, o.key_place, split_part(o.key, '/', 1) as owner, o.key like '%/%' as is_shared,
      k.kind, k.batch_size, k.serial
    from unnest(open_keys, open_key_owners) with ordinality as o (key, owner_place, key_place)
    cross join unnest(kinds, batch_sizes, serial_kinds) as k (kind, batch_size, serial)
  ), units as (
    select o.*, j.id, j.order_time, 1 as nth_of_serial from open_kinds o cross join lateral (
      select j.id, coalesce(j.ordered_at, j.due_at) as order_time from jobs j
      where j.is_ready and j.kind = o.kind and j.fairness_key = o.key and j.due_at <= claim_at
      order by coalesce(j.ordered_at, j.due_at), j.id limit case when o.batch_size > 1 then 1 else wanted end
      for update skip locked
    ) as j where o.serial is null
    union all
    select o.*, j.id, j.order_time,
      row_number() over (partition by o.key, o.serial order by j.order_time, j.id) as nth_of_serial
    from open_kinds o cross join lateral (
      select j.id, coalesce(j.ordered_at, j.due_at) as order_time from jobs j
      where j.is_ready and j.kind = o.kind and j.fairness_key = o.key and j.due_at <= claim_at
      order by coalesce(j.ordered_at, j.due_at), j.id limit 1
    ) as j where o.serial || ' ' || o.key = any(open_serials)
  ), turns as (
    select u.*, coalesce(b.workers, 0) + row_number() over (partition by u.key order by u.order_time, u.id) as turn
    from units u left join unnest(busy_keys, busy_key_workers) as b (key, workers) on b.key = u.key
    where u.nth_of_serial = 1
  ), owner_turns as (
    select t.*, coalesce(b.workers, 0)
      + row_number() over (partition by t.owner order by t.turn, t.key_place) as owner_turn
    from turns t left join unnest(busy_owners, busy_owner_workers) as b (owner, workers) on b.owner = t.owner
  ), dealt as (
    select o.*, row_number() over (order by o.owner_turn, o.owner_place) as place from owner_turns o
  )
  select array_agg(d.id order by d.place), array_agg(d.kind order by d.place), array_agg(d.key order by d.place),
    array_agg(d.place order by d.place), array_agg(d.batch_size order by d.place),
    array_agg(d.batch_size = 1 and d.serial is null order by d.place)
  into picked_ids, picked_kinds, picked_keys, picked_places, picked_sizes, picked_singles
  from dealt d
  where d.place <= workers and (d.owner_turn = 1 or d.owner_turn <= workers - d.place)
    and (not d.is_shared or d.turn = 1 or 2 * d.turn <= workers - d.place);
  if picked_ids is null then return; end if;

  insert into job_owners (owner, last_key)
  select split_part(p.key, '/', 1), (array_agg(p.key order by p.place desc))[1]
  from unnest(picked_keys, picked_places) as p (key, place) where p.key like '%/%' group by 1 order by 1
  on conflict (owner) do update set last_key = excluded.last_key where job_owners.last_key <> excluded.last_key;

  return query
  with picked as (
    select * from unnest(picked_ids, picked_kinds, picked_keys, picked_places, picked_sizes, picked_singles)
      as p (id, kind, key, place, batch_size, is_single)
  ), members as materialized (
    select p.id, p.place, 1::bigint as nth from picked p where p.is_single
    union all
    select m.id, p.place, m.nth from picked p cross join lateral (
      select b.id, row_number() over in_order as nth, bool_or(b.failures >= 2) over in_order as is_after_failing
      from (
        select j.id, j.failures, coalesce(j.ordered_at, j.due_at) as order_time from jobs j
        where j.is_ready and j.kind = p.kind and j.fairness_key = p.key and j.due_at <= claim_at
        order by coalesce(j.ordered_at, j.due_at), j.id limit p.batch_size for update skip locked
      ) as b
      window in_order as (order by b.order_time, b.id)
    ) as m where not p.is_single and (m.nth = 1 or not m.is_after_failing)
  ), claimed as (
    update jobs set is_ready = false, is_leased = true, is_leader = members.nth = 1, due_at = lease_until,
      ordered_at = coalesce(jobs.ordered_at, jobs.due_at), fence = jobs.fence + 1, attempts = jobs.attempts + 1,
      failures = jobs.failures + 1
    from members where jobs.id = members.id
    returning jobs.id, jobs.kind, jobs.ref, jobs.fairness_key, jobs.fence, jobs.attempts, jobs.state, jobs.created_at,
      members.place, members.nth
  )
  select * from claimed order by claimed.place, claimed.nth;
end
$function$;
`,
} as const;
