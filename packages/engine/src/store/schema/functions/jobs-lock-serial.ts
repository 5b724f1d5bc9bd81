/**
 * `jobs_lock_serial` says whether no worker has jobs of a serial group at this key, and keeps other claims from the group until the transaction ends. It
 * takes the jobs away from workers whose leases have ended: their fence grows, so that they can no longer settle them.
 */
export const jobsLockSerial = `
create or replace function jobs_lock_serial(claim_at timestamptz, serial_kinds text, key text) returns boolean
language plpgsql as $function$
declare
  group_kinds text[] := string_to_array(serial_kinds, ',');
  ended_count integer;
  revoked_count integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended(serial_kinds || ' ' || key, 15)) then return false; end if;
  -- Statements of their own, so that they see what earlier holders of the lock have claimed.
  perform from jobs j
  where j.is_leased and j.kind = any(group_kinds) and j.fairness_key = key and j.due_at > claim_at limit 1;
  if found then return false; end if;
  select count(*) into ended_count from jobs j
  where j.is_leased and j.kind = any(group_kinds) and j.fairness_key = key;
  if ended_count = 0 then return true; end if;
  with ended as (
    select j.id from jobs j
    where j.is_leased and j.kind = any(group_kinds) and j.fairness_key = key and j.due_at <= claim_at
    for update skip locked
  )
  update jobs set is_leased = false, is_leader = false, worker_id = null, is_ready = true, fence = fence + 1
  from ended where jobs.id = ended.id;
  get diagnostics revoked_count = row_count;
  -- A job that is locked is just being settled by its worker.
  return revoked_count = ended_count;
end
$function$;
`;
