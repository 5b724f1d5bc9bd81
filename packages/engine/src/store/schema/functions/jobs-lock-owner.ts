/**
 * `jobs_lock_owner` returns keys of one owner that has several keys, in the turn of the keys. It leaves out keys whose jobs cannot be claimed, and stops after
 * `wanted` keys without a worker. The turn continues after the key that `job_owners` remembers.
 */
export const jobsLockOwner = String.raw`
create or replace function jobs_lock_owner(
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
  bound := coalesce(last_turn || e'\x01', owner_name || '/');
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
    bound := key || e'\x01';
    select l.is_claimable, l.serials into is_claimable, serials
    from jobs_lock_key(claim_at, kinds, serial_kinds, key) l;
    continue when not is_claimable;
    if array_position(busy_keys, key) is null then idle_count := idle_count + 1; end if;
    return next;
  end loop;
end
$function$;
`;
