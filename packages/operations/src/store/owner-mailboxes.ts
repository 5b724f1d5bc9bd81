/** The mailboxes from which the events of sources with owners were sent. */
import type { SourceSwitches } from '@svc/domain/policy/plan-write';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { Db } from '@svc/engine/store/database/db';
import { jsonOfFields } from '@svc/engine/store/database/rows';
import { connectionPolicySql, sourcePolicySql, SWITCH_FIELDS } from '@svc/engine/store/write-policies';

export interface SourceWithOwners {
  id: number;
  platform: string;
  connectionId: number;
  crm: string;
  switches: SourceSwitches;
  own: WritePolicy | null;
  inherited: WritePolicy | null;
}

/** Returns the sources whose switch or policy speaks of owners, newest first. */
export async function listSourcesWithOwners(db: Db, limit: number): Promise<SourceWithOwners[]> {
  const { rows } = await db.query<SourceWithOwners>(
    `select * from (
        select sources.id, sources.platform, sources.connection_id as "connectionId", connections.crm,
          ${jsonOfFields('sources', SWITCH_FIELDS)} as switches, sources.assign_contact_owner,
          ${sourcePolicySql('sources')} as own, ${connectionPolicySql('sources')} as inherited
        from sources join connections on connections.id = sources.connection_id
      ) as found
      where assign_contact_owner or own -> 'owner' is not null or inherited -> 'owner' is not null
      order by id desc limit $1`,
    [limit],
  );
  return rows;
}

export interface SentFrom {
  sourceId: number;
  fromEmail: string;
  campaign: { id: string | null; name: string | null };
}

/** Newest receipts of a source that are looked at. */
const RECEIPTS_MAX = 500;
/** Events of one receipt that are looked at; the limit also makes the database look them up by their receipt. */
const EVENTS_MAX = 100;

/** Returns the different mailboxes and campaigns of each source's newest receipts since an instant. */
export async function listSentFrom(db: Db, sourceIds: readonly number[], since: Date): Promise<SentFrom[]> {
  const { rows } = await db.query<SentFrom>(
    `select wanted.source_id as "sourceId", sent."fromEmail", sent.campaign
      from unnest($1::bigint[]) as wanted (source_id) cross join lateral (
        select distinct event.normalized ->> 'fromEmail' as "fromEmail", event.normalized -> 'campaign' as campaign
        from (
          select id from requests where requests.source_id = wanted.source_id and requests.created_at >= $2
            order by requests.created_at desc, requests.id desc limit ${RECEIPTS_MAX}
        ) as recent cross join lateral (
          select normalized from inbound_events where inbound_events.request_id = recent.id limit ${EVENTS_MAX}
        ) as event
        where event.normalized ->> 'fromEmail' like '%@%'
      ) as sent`,
    [sourceIds, since],
  );
  return rows;
}
