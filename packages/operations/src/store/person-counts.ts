/** How many rows of each table are about a person, from indexes. An erasure reads all rows, and finds the same where payloads were understood. */
import { outreachKeys, type ContactIdentity } from '@svc/domain/contacts/contact-identity';
import { recordIdentities } from '@svc/engine/crm/person-records';
import type { Db } from '@svc/engine/store/database/db';
import { isWaitingSql } from '@svc/engine/store/receipts';
import type { ErasureFinding } from './erasure-rows.ts';
import { eventsSql, storedKeys, type StoryScope } from './person-story.ts';

/** `$1`: connections; `$2`: how recipients write the person; `$3`: the account; `$4`: identities of category signals. */
const COUNTS = `
  with events as materialized (
    ${eventsSql()}
  ), sources_of as materialized (
    select id from sources where connection_id = any($1::bigint[])
  )
  select 'requests' as "table", 'payloads' as what, count(*) as rows from requests
    where account_id = $3 and body is not null and not ${isWaitingSql('requests')}
      and (id = any(array(select request_id from events)) or repeated_event_ids && array(select id from events))
  union all select 'inbound_events', 'events', count(*) from events
  union all select 'syncs', 'recipients', count(*) from syncs where account_id = $3 and lower(to_email) = any($2)
  union all select 'deliveries', 'recipients', count(*) from deliveries where account_id = $3 and lower(to_email) = any($2)
  union all select 'category_signals', 'signals', count(*) from category_signals where account_id = $3 and identity = any($4)
  union all select 'crm_records', 'remembered records', count(*) from crm_records
    where connection_id = any($1::bigint[]) and identity = any($5)
  union all select 'held_events', 'held events', count(*) from held_events
    where source_id in (select id from sources_of) and recipient = any($2)
  union all select 'last_values', 'last values', count(*) from (
    select connection_id, identity from last_values where connection_id = any($1::bigint[]) and identity = any($2)
    union select connection_id, identity from last_values where connection_id = any($1::bigint[]) and merged_into = any($2)
  ) people
  union all select 'released_leads', 'released leads', count(*) from released_leads
    where source_id in (select id from sources_of) and recipient = any($2)
  union all select 'suppressions', 'suppressions', count(*) from suppressions
    where blocklist_id in (select id from blocklists where connection_id = any($1::bigint[])) and value = any($2)
  union all select 'blocklist_removals', 'block list removals', count(*) from blocklist_removals
    where blocklist_id in (select id from blocklists where connection_id = any($1::bigint[])) and value = any($2)`;

/** Returns the tables that have rows, with the names that an erasure gives what it finds. */
export async function countPersonRows(
  db: Db,
  {
    accountId,
    connectionIds,
    identity,
  }: Pick<StoryScope, 'accountId' | 'connectionIds'> & { identity: ContactIdentity },
): Promise<ErasureFinding[]> {
  const keys = storedKeys(identity);
  const { emails, profiles } = outreachKeys(identity).categoryKeys;
  const { rows } = await db.query<ErasureFinding>(COUNTS, [
    connectionIds,
    keys,
    accountId,
    [...emails, ...profiles],
    recordIdentities(keys),
  ]);
  return rows.filter(({ rows: count }) => count > 0);
}
