/**
 * `jobs_lock_key` says whether a job of the key can be claimed, and locks what `jobs_claim` then takes: the first job of each kind, and each serial group
 * that no worker has. `serials` names each locked group with the key.
 *
 * A range of one key instead of `=`: only the index of the turns has this order. With `=` it is the order of the ids, and statistics of another time
 * could make PostgreSQL read all jobs in that order.
 */
export const jobsLockKey = `
create or replace function jobs_lock_key(
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
        select from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key between key and key
        order by j.fairness_key, j.id limit 1
      ) as j
      where k.serial is not null group by k.serial
    loop
      if jobs_lock_serial(claim_at, serial, key) then serials := serials || (serial || ' ' || key); end if;
    end loop;
  end if;
  -- Locked, so that claims at the same time take different jobs.
  perform from unnest(kinds, serial_kinds) as k (kind, serial) cross join lateral (
    select from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key between key and key
    order by j.fairness_key, j.id limit 1 for update skip locked
  ) as j
  where k.serial is null;
  is_claimable := found or cardinality(serials) > 0;
end
$function$;
`;
