/**
 * `jobs_claim` as servers of schema 22 call it during a rolling update: without the worker, so that their leases end by time only.
 */
export const jobsClaimWithoutWorker = `
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
`;
