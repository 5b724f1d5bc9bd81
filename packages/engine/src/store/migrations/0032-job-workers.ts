import { CLAIM_OF_16, replaceOnce } from './0016-smaller-claims.ts';

/** `jobs_claim` with one more parameter: the worker that gets the leases. */
export const CLAIM_OF_32 = replaceOnce(
  replaceOnce(
    CLAIM_OF_16,
    'lease_until timestamptz, last_key text\n)',
    'lease_until timestamptz, last_key text, claimer integer\n)',
  ),
  'update jobs set is_ready = false, is_leased = true,',
  'update jobs set worker_id = claimer, is_ready = false, is_leased = true,',
);

/**
 * Tells which process holds a lease, so that the leases of a dead one end at once (`queue/worker-presence.ts`).
 *
 * - `job_workers`: the processes that run jobs. `beat` grows while one lives; `machine`, `pid` and `started` say which process of which machine
 *   it is, null where that is unknown.
 * - `jobs.worker_id`: who holds the lease; null when it only ends by time. It is null whenever the job is not leased.
 *
 * Processes of the release before call `jobs_claim` without a worker.
 */
export const migration0032 = {
  version: 32,
  name: 'job-workers',
  sql: `
create table job_workers (
  id integer generated always as identity primary key,
  beat bigint not null default 0,
  machine text,
  pid integer,
  started text
);
alter table jobs add column worker_id integer;

${CLAIM_OF_32}

create or replace function jobs_claim(
  claim_at timestamptz, all_kinds text[], all_batch_sizes integer[], all_serial_kinds text[], workers integer,
  lease_until timestamptz, last_key text
) returns table (
  id bigint, kind text, ref text, fairness_key text, fence bigint, attempts integer, state jsonb,
  created_at timestamptz, place bigint, nth bigint
)
language sql as $function$
  select * from jobs_claim(claim_at, all_kinds, all_batch_sizes, all_serial_kinds, workers, lease_until, last_key, null)
$function$;

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
`,
} as const;
