/**
 * An event is remembered for ever by its key, so that a repeat of it is known although its logs are gone. What it
 * contains is deleted with them.
 */
import type { Database } from './database/db.ts';
import { FIRST_HELD_EVENT } from './held-events.ts';
import { FIRST_NEEDED_EVENT } from './job-rows.ts';

const BATCH = 1_000;
/** Per run; the next run continues. */
const BATCHES_MAX = 500;
const EMPTIED_UP_TO = 'events_emptied_up_to';

/** Events that a job or a mail still needs or that a policy holds, and all after them, wait. */
const EMPTY = `
with kept as materialized (
  select least(
    ${FIRST_NEEDED_EVENT},
    ${FIRST_HELD_EVENT},
    (select min(event_id) from relay_mails where ended_at is null)) as first_id
), oldest as (
  select id, created_at < $2 as is_old from inbound_events where id > $1 order by id limit ${BATCH}
), due as materialized (
  select id from oldest, kept
  where id < coalesce((select min(id) from oldest where not is_old), id + 1) and id < coalesce(kept.first_id, id + 1)
), emptied as (
  update inbound_events set to_email = '', normalized = '{}' from due where inbound_events.id = due.id
), forgotten as (
  delete from first_syncs using due where first_syncs.event_id = due.id
), noted as (
  insert into service_meta (key, value) select '${EMPTIED_UP_TO}', max(id)::text from due having count(*) > 0
  on conflict (key) do update set value = excluded.value
)
select max(id) as "lastId", count(*) as count from due`;

/** Deletes the content of events from before this instant. Returns how many there were. */
export async function emptyOldEvents(db: Database, before: Date): Promise<number> {
  const { rows } = await db.query<{ value: string }>('select value from service_meta where key = $1', [EMPTIED_UP_TO]);
  let lastId = Number(rows[0]?.value ?? 0);
  let total = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const answer = await db.query<{ lastId: number | null; count: number }>(EMPTY, [lastId, before]);
    const [row] = answer.rows;
    if (row === undefined || row.lastId === null) break;
    lastId = row.lastId;
    total += row.count;
    if (row.count < BATCH) break;
  }
  return total;
}
