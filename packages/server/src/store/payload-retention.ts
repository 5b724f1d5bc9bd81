/**
 * Received payloads are kept for as long as the operator says (`SVC_PAYLOAD_DAYS`): they hold personal data, and they are most
 * of what the database holds. The receipt itself stays, and so do syncs and deliveries; what is retried or
 * forwarded afterwards says that the payload is not kept any more, and a replay of a delivery answers 404.
 */
import type { Database } from './database/db.ts';

/** Few enough that one statement holds nobody up. */
const BATCH = 500;
/** Of one run; the next one goes on. */
const BATCHES_MAX = 200;
/** Receipts are walked by id, which grows with time, so that no index is needed for it. */
const DROPPED_UP_TO = 'payloads_dropped_up_to';

const DROP = `
with receipts as (
  select id, created_at < $2 as is_old from requests where id > $1 order by id limit ${BATCH}
), due as (
  select id from receipts where id < coalesce((select min(id) from receipts where not is_old), id + 1)
), dropped as (
  update requests set body = null, headers = '{}' from due where requests.id = due.id and requests.body is not null
  returning requests.id
), noted as (
  insert into service_meta (key, value) select '${DROPPED_UP_TO}', max(id)::text from due having count(*) > 0
  on conflict (key) do update set value = excluded.value
)
select (select max(id) from due) as "lastId", (select count(*) from due) as due, (select count(*) from dropped) as dropped`;

/** @returns how many payloads were dropped */
export async function dropOldPayloads(db: Database, before: Date): Promise<number> {
  const { rows } = await db.query<{ value: string }>('select value from service_meta where key = $1', [DROPPED_UP_TO]);
  let lastId = Number(rows[0]?.value ?? 0);
  let dropped = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const answer = await db.query<{ lastId: number | null; due: number; dropped: number }>(DROP, [lastId, before]);
    const [row] = answer.rows;
    if (row === undefined || row.lastId === null) break;
    lastId = row.lastId;
    dropped += row.dropped;
    if (row.due < BATCH) break;
  }
  return dropped;
}
