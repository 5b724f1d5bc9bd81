import { replaceOnce } from './0016-smaller-claims.ts';
import { CLAIM_OF_32 } from './0032-job-workers.ts';

/** What the claim of migration 32 says, and what it says now. */
const CHANGES: readonly (readonly [string, string])[] = [
  [
    `where j.is_ready and j.kind = o.kind and j.fairness_key = o.key and j.due_at <= claim_at
      order by coalesce(j.ordered_at, j.due_at), j.id limit case`,
    `where j.is_ready and j.kind = o.kind and j.fairness_key = o.key
      order by j.id limit case`,
  ],
  [
    `where j.is_ready and j.kind = o.kind and j.fairness_key = o.key and j.due_at <= claim_at
      order by coalesce(j.ordered_at, j.due_at), j.id limit 1
    ) as j where o.serial || ' '`,
    `where j.is_ready and j.kind = o.kind and j.fairness_key = o.key
      order by j.id limit 1
    ) as j where o.serial || ' '`,
  ],
  [
    `select j.id, j.failures, coalesce(j.ordered_at, j.due_at) as order_time from jobs j
        where j.is_ready and j.kind = p.kind and j.fairness_key = p.key and j.due_at <= claim_at
        order by coalesce(j.ordered_at, j.due_at), j.id limit`,
    `select j.id, j.failures from jobs j
        where j.is_ready and j.kind = p.kind and j.fairness_key = p.key
        order by j.id limit`,
  ],
  ['window in_order as (order by b.order_time, b.id)', 'window in_order as (order by b.id)'],
];

/**
 * The jobs of a kind and key come in the order in which they were enqueued, which the database knows: their due times come from the clocks of
 * several processes. For the same reason a job is due once any process has seen that it is (`is_ready`), also for one whose clock is behind.
 *
 * Between kinds, turns still follow the times (`ordered_at`, `due_at`).
 *
 * `jobs_held`: the jobs that wait for another one of their contact, or for the quota of their CRM (`pipeline/sync-attempt.ts`).
 */
export const migration0033 = {
  version: 33,
  name: 'jobs-in-order',
  sql: `
drop index jobs_by_turn;
create index jobs_in_turn on jobs (kind, fairness_key, id) where is_ready;
create index jobs_held on jobs (fairness_key) where state ? 'isHeld';

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
        select from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key = key order by j.id limit 1
      ) as j
      where k.serial is not null group by k.serial
    loop
      if jobs_lock_serial(claim_at, serial, key) then serials := serials || (serial || ' ' || key); end if;
    end loop;
  end if;
  -- Locked, so that claims at the same time take different jobs.
  perform from unnest(kinds, serial_kinds) as k (kind, serial) cross join lateral (
    select from jobs j where j.is_ready and j.kind = k.kind and j.fairness_key = key
    order by j.id limit 1 for update skip locked
  ) as j
  where k.serial is null;
  is_claimable := found or cardinality(serials) > 0;
end
$function$;

${CHANGES.reduce((text, [from, to]) => replaceOnce(text, from, to), CLAIM_OF_32)}`,
} as const;
