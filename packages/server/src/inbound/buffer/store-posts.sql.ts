import { connectionKeySql, PROCESS_RECEIPT } from '@svc/engine/jobs/kinds';
import { TRACEPARENT } from '@svc/engine/queue/queue';
import type { NamedStatement } from '@svc/engine/store/database/db';
import { EXPECTED_OUTCOME } from '@svc/engine/store/receipts';

/** Stores posts whose path has a source, and enqueues jobs of the new ones. Returns the id of each, and whether it is new. */
export const STORE: NamedStatement = {
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
  insert into requests (id, account_id, connection_id, source_id, path, created_at, headers, body, body_sha256, outcome)
  select id, account_id, connection_id, source_id, path, created_at, headers::jsonb, body, body_sha256, '${EXPECTED_OUTCOME}'
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
