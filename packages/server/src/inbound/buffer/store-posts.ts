/**
 * Stores posts that have their ids already, and enqueues their jobs. A post whose id is stored is left out, so a message that
 * arrives twice, and a post that was stored directly because its message was not confirmed in time, become one receipt.
 */
import { createHash } from 'node:crypto';
import { connectionKeySql, PROCESS_RECEIPT } from '@svc/engine/jobs/kinds';
import { TRACEPARENT } from '@svc/engine/queue/queue';
import type { Database, NamedStatement } from '@svc/engine/store/database/db';
import { revisitPayloads } from '@svc/engine/store/payload-retention';
import type { BufferedPost } from './message.ts';

/** `source_gone`: no source has the path any more. */
export type StoredAs = 'stored' | 'repeated' | 'source_gone';

const STORE: NamedStatement = {
  name: 'ingest-store',
  text: `
with posts as materialized (
  select posts.id, posts.position, posts.created_at, posts.headers, posts.body, posts.body_sha256, sources.path,
    sources.id as source_id, connections.id as connection_id, connections.account_id, trace
  from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::bytea[], $6::text[], $7::text[])
      with ordinality as posts (id, path, created_at, headers, body, body_sha256, trace, position)
    join sources on sources.path = posts.path
    join connections on connections.id = sources.connection_id
), receipts as (
  insert into requests (id, account_id, connection_id, source_id, path, created_at, headers, body, body_sha256)
  select id, account_id, connection_id, source_id, path, created_at, headers::jsonb, body, body_sha256
  from posts order by position
  on conflict do nothing
  returning id, connection_id, created_at
), enqueued as (
  insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at, state)
  select '${PROCESS_RECEIPT}', receipts.id::text, ${connectionKeySql('receipts.connection_id')}, receipts.created_at, true,
    receipts.created_at, jsonb_strip_nulls(jsonb_build_object('${TRACEPARENT}', trace))
  from receipts join posts on posts.id = receipts.id order by posts.position
)
select posts.id, receipts.id is not null as "isNew" from posts left join receipts on receipts.id = posts.id`,
};

/** A post that is stored later than this may have been passed by the job that drops old payloads. */
const LATE_MS = 24 * 3_600_000;

/** @returns one result per post, in order */
export async function storePosts(db: Database, posts: readonly BufferedPost[], now: Date): Promise<StoredAs[]> {
  // A message that was sent twice may be in one batch twice.
  const firstIndex = new Map<number, number>();
  for (const [index, { id }] of posts.entries()) if (!firstIndex.has(id)) firstIndex.set(id, index);
  const distinct = posts.filter(({ id }, index) => firstIndex.get(id) === index);
  const { rows } = await db.query<{ id: number; isNew: boolean }>(STORE, [
    distinct.map(({ id }) => id),
    distinct.map(({ path }) => path),
    distinct.map(({ receivedAt }) => receivedAt.toISOString()),
    distinct.map(({ headers }) => JSON.stringify(headers)),
    distinct.map(({ body }) => body),
    distinct.map(({ body }) => createHash('sha256').update(body).digest('hex')),
    distinct.map(({ traceparent }) => traceparent ?? null),
  ]);
  const late = distinct.filter(({ receivedAt }) => now.getTime() - receivedAt.getTime() > LATE_MS);
  if (late.length > 0) await revisitPayloads(db, Math.min(...late.map(({ id }) => id)));
  const isNew = new Map(rows.map((row) => [row.id, row.isNew]));
  return posts.map(({ id }, index) => {
    const found = isNew.get(id);
    if (found === undefined) return 'source_gone';
    return found && firstIndex.get(id) === index ? 'stored' : 'repeated';
  });
}
