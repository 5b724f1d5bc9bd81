import { connectionKeySql, PROCESS_RECEIPT } from '@svc/engine/jobs/kinds';
import { TRACEPARENT } from '@svc/engine/queue/queue';
import type { NamedStatement } from '@svc/engine/store/database/db';
import { EXPECTED_OUTCOME } from '@svc/engine/store/receipts';

/**
 * Stores posts whose path has a source, and enqueues their jobs. Returns id and position of each of them. The bodies are one
 * parameter, because the driver sends that as bytes, and those of an array as text of twice the size.
 */
export const RECEIVE: NamedStatement = { name: 'inbound-receive', text: receiveText({ isTraced: false }) };
/** With one more parameter: the `traceparent` of each post, or null. */
export const RECEIVE_TRACED: NamedStatement = { name: 'inbound-receive-traced', text: receiveText({ isTraced: true }) };

function receiveText({ isTraced }: { isTraced: boolean }): string {
  const [parameter, column] = isTraced ? [', $7::text[]', ', trace'] : ['', ''];
  const state = isTraced ? `, jsonb_strip_nulls(jsonb_build_object('${TRACEPARENT}', trace))` : '';
  return `
with posts as materialized (
  -- The numbers are drawn from sorted rows: a join may return those of one source in reverse.
  select nextval(pg_get_serial_sequence('requests', 'id')) as id, found.* from (
    select posts.position, posts.created_at, posts.headers,
      substring($5::bytea from posts.body_from for posts.body_bytes) as body, posts.body_sha256, sources.path,
      sources.id as source_id, connections.id as connection_id, connections.account_id${column}
    from (
        select *, (1 + sum(body_bytes) over (order by position) - body_bytes)::int as body_from
        from unnest($1::text[], $2::timestamptz[], $3::text[], $4::int[], $6::text[]${parameter})
          with ordinality as posts (path, created_at, headers, body_bytes, body_sha256${column}, position)
      ) as posts
      join sources on sources.path = posts.path
      join connections on connections.id = sources.connection_id
    order by posts.position
  ) as found
), receipts as (
  insert into requests (id, account_id, connection_id, source_id, path, created_at, headers, body, body_sha256, outcome)
  select id, account_id, connection_id, source_id, path, created_at, headers::jsonb, body, body_sha256, '${EXPECTED_OUTCOME}' from posts
), enqueued as (
  insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at${isTraced ? ', state' : ''})
  select '${PROCESS_RECEIPT}', id::text, ${connectionKeySql('connection_id')}, created_at, true, created_at${state} from posts order by posts.id
)
select id, position from posts`;
}
