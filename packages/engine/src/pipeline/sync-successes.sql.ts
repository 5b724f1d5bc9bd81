import { END_JOBS_PARAMETERS, endJobsText } from '../queue/job-ends.ts';
import { insertSyncsText } from '../store/sync-attempts.ts';

const TROUBLE_PARAMETERS = 2;
const SYNCS_FIRST = TROUBLE_PARAMETERS + END_JOBS_PARAMETERS + 1;

/**
 * Ends jobs and adds their syncs, unless a source fails or a connection shows an error. Returns whether one does
 * (`hasTroubles`), and the positions of the jobs that were still held.
 */
export const STORE_SUCCESSES = {
  name: 'syncs-store-successes',
  text: `with troubles as materialized (
      select from sync_health where (source_id, connection_id) in (select * from unnest($1::bigint[], $2::bigint[]))
        and consecutive_failures > 0
      union all
      select from connections where id = any($2) and recorded_error is not null
    ), ${endJobsText(TROUBLE_PARAMETERS + 1, 'not exists (select from troubles)')}, added as (
      ${insertSyncsText(SYNCS_FIRST, 'join held using (position)')}
    )
    select exists (select from troubles) as "hasTroubles", array(select position - 1 from held) as positions`,
};
