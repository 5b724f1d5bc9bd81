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
