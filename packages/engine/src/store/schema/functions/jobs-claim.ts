/**
 * `jobs_claim` leases due jobs to up to `workers` idle workers of one process until `lease_until`, and returns them. The rules are those of
 * `queue/claims.ts`; decision 33 explains the steps.
 *
 * It promises:
 * - Two claims never return the same job: each takes only rows that it has locked, and skips locked ones.
 * - Jobs with the same `place` are for one worker, in the order of `nth`; they have one kind and one key, and are in the order of their ids.
 * - Its cost depends on the number of workers, not on how many keys or jobs wait.
 *
 * `all_batch_sizes` says how many jobs of a kind one worker gets at most. `all_serial_kinds` names the kinds that a kind excludes at the same key, the
 * kind itself among them, separated by commas; null: none. `last_key` is the key that this process was dealt last, `claimer` its row in `job_workers`.
 */
export const jobsClaim = String.raw`
create or replace function jobs_claim(
  claim_at timestamptz, all_kinds text[], all_batch_sizes integer[], all_serial_kinds text[], workers integer,
  lease_until timestamptz, last_key text, claimer integer
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
    bound := case when last_key like '%/%' then split_part(last_key, '/', 1) || '0' else last_key || e'\x01' end;
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
    bound := case when next_key like '%/%' then split_part(next_key, '/', 1) || '0' else next_key || e'\x01' end;
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
    wanted := greatest(1, (workers - greatest(idle_owners, 1) + 1) / 2);
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

  -- A range of one key, here and below, for the reason that jobs_lock_key gives.
  with open_kinds as (
    select o.key, o.owner_place, o.key_place, split_part(o.key, '/', 1) as owner, o.key like '%/%' as is_shared,
      k.kind, k.batch_size, k.serial
    from unnest(open_keys, open_key_owners) with ordinality as o (key, owner_place, key_place)
    cross join unnest(kinds, batch_sizes, serial_kinds) as k (kind, batch_size, serial)
  ), units as (
    select o.*, j.id, j.order_time, 1 as nth_of_serial from open_kinds o cross join lateral (
      select j.id, coalesce(j.ordered_at, j.due_at) as order_time from jobs j
      where j.is_ready and j.kind = o.kind and j.fairness_key between o.key and o.key
      order by j.fairness_key, j.id limit case when o.batch_size > 1 then 1 else wanted end
      for update skip locked
    ) as j where o.serial is null
    union all
    select o.*, j.id, j.order_time,
      row_number() over (partition by o.key, o.serial order by j.order_time, j.id) as nth_of_serial
    from open_kinds o cross join lateral (
      select j.id, coalesce(j.ordered_at, j.due_at) as order_time from jobs j
      where j.is_ready and j.kind = o.kind and j.fairness_key between o.key and o.key
      order by j.fairness_key, j.id limit 1
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
        select j.id, j.failures from jobs j
        where j.is_ready and j.kind = p.kind and j.fairness_key between p.key and p.key
        order by j.fairness_key, j.id limit p.batch_size for update skip locked
      ) as b
      window in_order as (order by b.id)
    ) as m where not p.is_single and (m.nth = 1 or not m.is_after_failing)
  ), claimed as (
    update jobs set worker_id = claimer, is_ready = false, is_leased = true, is_leader = members.nth = 1, due_at = lease_until,
      ordered_at = coalesce(jobs.ordered_at, jobs.due_at), fence = jobs.fence + 1, attempts = jobs.attempts + 1,
      failures = jobs.failures + 1
    from members where jobs.id = members.id
    returning jobs.id, jobs.kind, jobs.ref, jobs.fairness_key, jobs.fence, jobs.attempts, jobs.state, jobs.created_at,
      members.place, members.nth
  )
  select * from claimed order by claimed.place, claimed.nth;
end
$function$;
`;
