import { migration0015 } from './0015-claims.ts';

const CREATE_CLAIM = 'create function jobs_claim(';

/**
 * An owner of a claim gets at most half of the workers that the idle owners leave: each of its workers leaves another one
 * idle. Claims have looked at, and locked, twice as many jobs of each key.
 */
export const CLAIM_OF_16 = replaceOnce(
  `create or replace function jobs_claim(${splitOnce(migration0015.sql, CREATE_CLAIM)[1]}`,
  'wanted := workers - greatest(idle_owners, 1) + 1;',
  'wanted := greatest(1, (workers - greatest(idle_owners, 1) + 1) / 2);',
);

export function replaceOnce(text: string, from: string, to: string): string {
  return splitOnce(text, from).join(to);
}

/** @throws Error when the text does not contain the separator exactly once, because a migration would then lack its change */
function splitOnce(text: string, separator: string): [string, string] {
  const [before, after, ...more] = text.split(separator);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`An earlier migration does not contain exactly once: ${separator}`);
  }
  return [before, after];
}

/**
 * Cheaper claims: `jobs_by_turn` has only the jobs that its readers look for, so that a claim adds no entries,
 * `jobs_lock_serial` stops at the first job that a worker holds, and `jobs_claim` locks fewer jobs that it does not take.
 */
export const migration0016 = {
  version: 16,
  name: 'smaller-claims',
  sql: `
drop index jobs_by_turn, jobs_leased;
create index jobs_by_turn on jobs (kind, fairness_key, coalesce(ordered_at, due_at), id) where is_ready;
create index jobs_leased on jobs (kind, fairness_key) where is_leased;
create index jobs_leaders on jobs (fairness_key) where is_leased and is_leader;

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
  update jobs set is_leased = false, is_leader = false, is_ready = true, fence = fence + 1
  from ended where jobs.id = ended.id;
  get diagnostics revoked_count = row_count;
  -- A job that is locked is just being settled by its worker.
  return revoked_count = ended_count;
end
$function$;

${CLAIM_OF_16}`,
} as const;
