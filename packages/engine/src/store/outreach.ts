import { PROFILE_URL_CRMS } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import type { OutreachKeys } from '@svc/domain/contacts/contact-identity';
import type { CategorySignal, OutreachRow } from '@svc/domain/contacts/outreach';
import type { Db } from './database/db.ts';

/**
 * Compared with one value instead of a list, so that PostgreSQL expects few rows and keeps its plan: for the months of a long log a
 * plan takes longer to make than to run.
 */
const TO_EMAIL = {
  name: 'outreach-rows-of-email',
  isToContact: 'account_id = $1 and lower(to_email) = $3 and connection_id = any($2)',
};
const TO_ANY = {
  name: 'outreach-rows',
  isToContact: `account_id = $1 and lower(to_email) = any($3::text[] || $4::text[]) and connection_id = any($2)
    and (lower(to_email) = any($3) or connection_id = any((
      select array_agg(id) from connections where id = any($2) and crm = any($5)
    )::bigint[]))`,
};

/**
 * Returns syncs and deliveries to the contact, reduced to the earliest row of each event. Recipients are found by the
 * index on (account, lower-case recipient); spellings of a profile URL count only on connections whose CRM stores them.
 */
export async function listOutreachRows(db: Db, access: Access, keys: OutreachKeys): Promise<OutreachRow[]> {
  const { accountId, connectionIds } = access;
  const { emailKeys, profileKeys } = keys;
  const [email] = emailKeys;
  const { name, isToContact, values } =
    email !== undefined && profileKeys.length === 0
      ? { ...TO_EMAIL, values: [accountId, connectionIds, email] }
      : { ...TO_ANY, values: [accountId, connectionIds, emailKeys, profileKeys, PROFILE_URL_CRMS] };
  const { rows } = await db.query<OutreachRow>(
    {
      name,
      // The payload comes first in the group because it distinguishes most rows by one number comparison.
      text: `with touches as (
          select payload_id, event_type, platform, case when payload_id is null then 'sync ' || id end as own_key, created_at
          from syncs where ${isToContact}
          union all
          select payload_id, event_type, platform, case when payload_id is null then 'delivery ' || id end, created_at
          from deliveries left join (select id as source_id, platform from sources) of_source using (source_id)
          where ${isToContact} and event_type is not null
        )
        select event_type as "eventType", platform, payload_id as "payloadId", min(created_at) as "createdAt"
        from touches group by payload_id, event_type, platform, own_key`,
    },
    values,
  );
  return rows;
}

/** Returns the categories that sequencers gave the contact. */
export async function listCategorySignals(db: Db, access: Access, keys: OutreachKeys): Promise<CategorySignal[]> {
  const { emails, profiles } = keys.categoryKeys;
  const { rows } = await db.query<CategorySignal>(
    {
      name: 'outreach-categories',
      text: `select s.category_name as name, s.at
        from category_signals s join connections c on c.id = s.connection_id
        where s.account_id = $1 and s.connection_id = any($2)
          and (s.identity = any($3) or (c.crm = any($5) and s.identity = any($4)))`,
    },
    [access.accountId, access.connectionIds, emails, profiles, PROFILE_URL_CRMS],
  );
  return rows;
}
