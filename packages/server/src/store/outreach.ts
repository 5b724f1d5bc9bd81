import { PROFILE_URL_CRMS } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/access';
import type { OutreachKeys } from '@svc/domain/contact-identity';
import type { CategorySignal, OutreachRow } from '@svc/domain/outreach';
import type { Db } from './db.ts';

/**
 * Syncs and deliveries to the contact, each event reduced to its earliest row, which is what counts. Recipients are found
 * by the index on (account, lower-case recipient); spellings of a profile URL only on connections whose CRM keeps them.
 */
export async function listOutreachRows(db: Db, access: Access, keys: OutreachKeys): Promise<OutreachRow[]> {
  const { rows } = await db.query<OutreachRow>(
    {
      name: 'outreach-rows',
      text: `with visible as (
          select id, crm = any($5) as keeps_profile_urls from connections where id = any($2)
        ), touches as (
          select syncs.connection_id, syncs.to_email, syncs.event_type, syncs.platform, syncs.payload_id,
            syncs.created_at, 'sync ' || syncs.id as row_key
          from syncs where syncs.account_id = $1 and lower(syncs.to_email) = any($3::text[] || $4::text[])
          union all
          select deliveries.connection_id, deliveries.to_email, deliveries.event_type, sources.platform,
            deliveries.payload_id, deliveries.created_at, 'delivery ' || deliveries.id
          from deliveries left join sources on sources.id = deliveries.source_id
          where deliveries.account_id = $1 and lower(deliveries.to_email) = any($3::text[] || $4::text[])
            and deliveries.event_type is not null
        )
        select event_type as "eventType", platform, payload_id as "payloadId", min(created_at) as "createdAt"
        from touches join visible on visible.id = touches.connection_id
        where lower(to_email) = any($3) or (keeps_profile_urls and lower(to_email) = any($4))
        group by event_type, platform, payload_id, case when payload_id is null then row_key end`,
    },
    [access.accountId, access.connectionIds, keys.emailKeys, keys.profileKeys, PROFILE_URL_CRMS],
  );
  return rows;
}

/** The categories that sequencers gave the contact. */
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
