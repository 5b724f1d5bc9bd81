import type { Access } from '@svc/domain/requests/access';
import { type ConnectionFacts, RECENT_RECEIPTS_MS } from '@svc/domain/account/account-status';
import type { ConnectionRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
import { recentOutcomesOf } from './receipt-log.ts';

const COLUMNS = `c.id, c.crm, c.organization_id as "organizationId", c.organization_domain as "organizationDomain",
  json_build_object('sync', c.capability_sync, 'destinations', c.capability_destinations,
    'blocklists', c.capability_blocklists) as capabilities,
  c.crm_token is not null as "hasCrmToken", c.recorded_error as "recordedError", c.created_at as "createdAt"`;

/** Switches of a new connection. */
export const NEW_CONNECTION = {
  canUseApi: true,
  capabilitySync: true,
  capabilityDestinations: false,
  capabilityBlocklists: false,
} as const;

/** Returns the connections this access sees by ascending id. */
export async function listConnections(db: Db, access: Access): Promise<ConnectionRow[]> {
  const { rows } = await db.query<ConnectionRow>(
    { name: 'connections-list', text: `select ${COLUMNS} from connections c where c.id = any($1) order by c.id` },
    [access.connectionIds],
  );
  return rows;
}

/** Returns everything that the account status needs, in one statement. */
export async function listConnectionFacts(db: Db, access: Access, now: Date): Promise<ConnectionFacts[]> {
  const { rows } = await db.query<Omit<ConnectionFacts, 'blocklists'> & { blocklists: BlocklistJson[] }>(
    {
      name: 'connections-facts',
      text: `select ${COLUMNS},
        coalesce((select json_agg(json_build_object('id', s.id, 'platform', s.platform,
            'recentOutcomes', ${recentOutcomesOf('s.id', '$2::timestamptz')}))
          from sources s where s.connection_id = c.id), '[]') as sources,
        coalesce((select json_agg(json_build_object('url', d.url, 'eventTypes', coalesce(
            (select json_agg(t.event_type) from destination_bindings b, unnest(b.event_types) as t (event_type)
              where b.destination_id = d.id), '[]')))
          from destinations d where d.connection_id = c.id), '[]') as destinations,
        coalesce((select json_agg(json_build_object('isBound',
            exists (select from reply_relay_bindings b where b.reply_relay_id = r.id)))
          from reply_relays r where r.connection_id = c.id), '[]') as "replyRelays",
        coalesce((select json_agg(json_build_object('isEnabled', l.is_enabled, 'status', l.status,
            'lastError', l.last_error, 'lastFetchedAtMs', floor(extract(epoch from l.last_fetched_at) * 1000)))
          from blocklists l where l.connection_id = c.id), '[]') as blocklists
        from connections c where c.id = any($1) order by c.id`,
    },
    [access.connectionIds, new Date(now.getTime() - RECENT_RECEIPTS_MS)],
  );
  return rows.map((row) => ({
    ...row,
    blocklists: row.blocklists.map(({ lastFetchedAtMs, ...list }) => ({
      ...list,
      lastFetchedAt: lastFetchedAtMs === null ? null : new Date(lastFetchedAtMs),
    })),
  }));
}

/** A connection that has something to do at its CRM, as operators see it. */
export interface UsedConnection {
  id: number;
  accountId: number;
  crm: string;
  organizationId: string;
  organizationDomain: string;
  /** False once its token was refused or deleted: its events fail. */
  isConnected: boolean;
  recordedError: string | null;
  /** Whether a user allowed access on the consent page of the CRM. */
  hasConsent: boolean;
}

/**
 * Returns the connections that are used: those with a source while sync is on, and those with the list of a CRM as block
 * list. The disconnected ones come first, then those with an error, each by ascending id.
 */
export async function listUsedConnections(db: Db, { limit }: { limit: number }): Promise<UsedConnection[]> {
  const { rows } = await db.query<UsedConnection>(
    {
      name: 'connections-list-used',
      text: `select c.id, c.account_id as "accountId", c.crm, c.organization_id as "organizationId",
          c.organization_domain as "organizationDomain", c.crm_token is not null as "isConnected",
          c.recorded_error as "recordedError",
          exists (select from oauth_consents o where o.result_connection_id = c.id) as "hasConsent"
        from connections c
        where c.capability_sync and exists (select from sources s where s.connection_id = c.id)
          or c.capability_blocklists and exists (select from blocklists l
            where l.connection_id = c.id and l.is_enabled and l.crm_list_id is not null)
        order by c.crm_token is not null, c.recorded_error is null, c.id limit $1`,
    },
    [limit],
  );
  return rows;
}

/**
 * Starts a cooldown: no call of this connection before `until`. A cooldown that ends later stays. The column keeps its
 * older name, `crm_parked_until`.
 */
export async function startCrmCooldown(db: Db, connectionId: number, until: Date): Promise<void> {
  await db.query(
    {
      name: 'connections-cooldown',
      text: 'update connections set crm_parked_until = greatest(crm_parked_until, $2) where id = $1',
    },
    [connectionId, until],
  );
}

/** Claims the probe of a CRM whose cooldown has ended; the others wait until `until`. False when another job has claimed it. */
export async function claimCrmProbe(
  db: Db,
  connectionId: number,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    {
      name: 'connections-claim-probe',
      text: 'update connections set crm_parked_until = $3 where id = $1 and crm_parked_until <= $2',
    },
    [connectionId, now, until],
  );
  return rowCount > 0;
}

/** The CRM answers again. Changes nothing when another cooldown has started since this probe was claimed. */
export async function endCrmProbe(db: Db, connectionId: number, probeUntil: Date): Promise<void> {
  await db.query(
    {
      name: 'connections-end-probe',
      text: 'update connections set crm_parked_until = null where id = $1 and crm_parked_until = $2',
    },
    [connectionId, probeUntil],
  );
}

/** What a probe of the CRM needs of its connection. */
export interface ProbeTarget {
  id: number;
  crm: string;
  canSync: boolean;
  crmCooldownUntil: Date | null;
}

export async function getProbeTarget(db: Db, connectionId: number): Promise<ProbeTarget | null> {
  const { rows } = await db.query<ProbeTarget>(
    {
      name: 'connections-get-probe-target',
      text: `select id, crm, capability_sync as "canSync", crm_parked_until as "crmCooldownUntil"
        from connections where id = $1`,
    },
    [connectionId],
  );
  return rows[0] ?? null;
}

/** `lastFetchedAtMs` is a number, because the row comes from JSON. */
type BlocklistJson = Omit<ConnectionFacts['blocklists'][number], 'lastFetchedAt'> & { lastFetchedAtMs: number | null };
