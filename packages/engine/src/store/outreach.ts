import { PROFILE_URL_CRMS } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import type { OutreachKeys } from '@svc/domain/contacts/contact-identity';
import type { CategorySignal, OutreachSum } from '@svc/domain/contacts/outreach';
import type { Db } from './database/db.ts';

/**
 * Compared with one value instead of a list, so that PostgreSQL expects few rows and keeps its plan: for the months of a long log a
 * plan takes longer to make than to run.
 */
const TO_EMAIL = statementOf(
  'outreach-of-email',
  'account_id = $1 and lower(to_email) = $6 and connection_id = any($2)',
);
const TO_ANY = statementOf(
  'outreach',
  `account_id = $1 and lower(to_email) = any($6::text[] || $7::text[]) and connection_id = any($2)
    and (lower(to_email) = any($6) or connection_id = any((
      select array_agg(id) from connections where id = any($2) and crm = any($3)
    )::bigint[]))`,
);

/**
 * Recipients are found by the index on (account, lower-case recipient). The rows are added up as `sumOutreachRows` does it: returning
 * them would take longer than reading them. One statement also returns the categories, and both as JSON, so that there is one round trip.
 */
function statementOf(name: string, isToContact: string) {
  return {
    name,
    // The payload comes first in the group because it distinguishes most rows by one number comparison.
    text: `with touches as (
        select payload_id, event_type, platform, created_at from syncs where ${isToContact}
        union all
        select payload_id, event_type, platform, created_at
        from deliveries left join (select id as source_id, platform from sources) of_source using (source_id)
        where ${isToContact} and event_type is not null
      ), events as (
        -- Without a payload, each row is an event.
        select payload_id, event_type, platform, min(created_at) as first_at,
          case when payload_id is null then max(created_at) else min(created_at) end as last_at,
          case when payload_id is null then count(*) else 1 end as events
        from touches group by payload_id, event_type, platform
      ), sums as (
        select event_type as "eventType", platform, sum(events) as count, min(first_at) as "firstAt", max(last_at) as "lastAt",
          (max(array[date_part('epoch', last_at), coalesce(payload_id, 0)]))[2]::bigint as "lastPayloadId"
        from events group by event_type, platform
      ), signals as (
        select s.category_name as name, s.at
        from category_signals s join connections c on c.id = s.connection_id
        where s.account_id = $1 and s.connection_id = any($2)
          and (s.identity = any($4) or (c.crm = any($3) and s.identity = any($5)))
      )
      select (select coalesce(json_agg(sums), '[]') from sums) as sums,
        (select coalesce(json_agg(signals), '[]') from signals) as signals`,
  };
}

type InJson<Value> = { [Key in keyof Value]: Value[Key] extends Date ? string : Value[Key] };

/**
 * Returns the events of the contact, of syncs and deliveries, and the categories that sequencers gave it. Spellings of a profile URL
 * count only on connections whose CRM stores them.
 */
export async function readOutreach(
  db: Db,
  { accountId, connectionIds }: Access,
  { emailKeys, profileKeys, categoryKeys }: OutreachKeys,
): Promise<{ sums: OutreachSum[]; categorySignals: CategorySignal[] }> {
  const [email] = emailKeys;
  const [statement, recipients] =
    email !== undefined && profileKeys.length === 0 ? [TO_EMAIL, [email]] : [TO_ANY, [emailKeys, profileKeys]];
  const { rows } = await db.query<{ sums: InJson<OutreachSum>[]; signals: InJson<CategorySignal>[] }>(statement, [
    ...[accountId, connectionIds, PROFILE_URL_CRMS, categoryKeys.emails, categoryKeys.profiles],
    ...recipients,
  ]);
  const { sums = [], signals = [] } = rows[0] ?? {};
  return {
    sums: sums.map((sum) => ({ ...sum, firstAt: new Date(sum.firstAt), lastAt: new Date(sum.lastAt) })),
    categorySignals: signals.map(({ name, at }) => ({ name, at: new Date(at) })),
  };
}
