/**
 * Deletes received payloads after `SVC_PAYLOAD_DAYS`: they contain personal data and are most of the database.
 * Receipts, syncs and deliveries stay. Later retries and forwardings report the missing payload, and a replay returns
 * 404.
 */
import type { Database } from './database/db.ts';

/** Few enough to keep each statement short. */
const BATCH = 500;
/** Per run; the next run continues. */
const BATCHES_MAX = 200;
/** Receipts are visited by id, which grows with time, so no additional index is needed. */
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

/** @returns the number of deleted payloads */
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

/** Makes the next run visit the receipts from this id on again: they were stored long after they were received. */
export async function revisitPayloads(db: Database, fromId: number): Promise<void> {
  await db.query('update service_meta set value = $2 where key = $1 and value::bigint >= $3', [
    DROPPED_UP_TO,
    String(fromId - 1),
    fromId,
  ]);
}
