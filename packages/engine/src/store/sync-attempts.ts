/** Statements of the jobs that write events to a CRM, each for many events of one connection. */
import type { CrmError } from '@svc/crm';
import { mergePolicies, type SourceSwitches } from '@svc/domain/policy/plan-write';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { InboundEvent } from '@svc/sequencers';
import { connectionKeySql } from '../jobs/kinds.ts';
import { hasFailedSql, isHeldSql } from '../jobs/write-state.ts';
import type { Db } from './database/db.ts';
import { jsonOfFields } from './database/rows.ts';
import { connectionPolicySql, sourcePolicySql, SWITCH_FIELDS } from './write-policies.ts';
import { readStoredEvent } from './stored-json.ts';
import { toStorableJson } from './database/storable-json.ts';

export interface EventToWrite {
  id: number;
  requestId: number;
  source: WrittenSource;
  connection: WritingConnection;
  platform: string;
  event: InboundEvent;
  receivedAt: Date;
}

export interface WrittenSource {
  id: number;
  path: string;
  switches: SourceSwitches;
  /** With the parts that it inherits from the connection. */
  policy: WritePolicy;
}

export interface WritingConnection {
  id: number;
  accountId: number;
  crm: string;
  organizationId: string;
  sealedCrmToken: string | null;
  /** No CRM call before this instant; null without a cooldown. */
  crmCooldownUntil: Date | null;
  /** Null while the CRM works. */
  crmOutage: { isConfirmed: boolean; failedProbes: number } | null;
  canSync: boolean;
  /** Whether any of its events waits after a failed call or for its CRM. */
  hasWaitingEvents: boolean;
}

interface EventToWriteRow extends Omit<EventToWrite, 'connection' | 'source' | 'event' | 'receivedAt'> {
  /** Null for events of earlier releases. */
  receivedAt: Date | null;
  sourceId: number;
  connectionId: number;
  crmCooldownUntil: Date | null;
  /** Only in one row of each source and connection. */
  source: (Omit<WrittenSource, 'policy'> & Record<'own' | 'inherited', WritePolicy | null>) | null;
  connection: Omit<WritingConnection, 'crmCooldownUntil'> | null;
  event: object;
}

/** Returns events by id, in the order in which they were received. Those that no longer exist are left out. */
export async function listEventsToWrite(db: Db, eventIds: readonly number[]): Promise<Map<number, EventToWrite>> {
  const { rows } = await db.query<EventToWriteRow>(
    {
      name: 'syncs-events-to-write',
      text: `select events.id, events.request_id as "requestId", events.platform, events.normalized as event,
          events.received_at as "receivedAt", sources.id as "sourceId", connections.id as "connectionId",
          connections.crm_parked_until as "crmCooldownUntil",
          case when row_number() over (partition by sources.id order by events.id) = 1 then
            json_build_object('id', sources.id, 'path', sources.path,
              'switches', ${jsonOfFields('sources', SWITCH_FIELDS)},
              'own', ${sourcePolicySql('sources')}, 'inherited', ${connectionPolicySql('sources')}) end as source,
          case when row_number() over (partition by connections.id order by events.id) = 1 then
            json_build_object('id', connections.id, 'accountId', connections.account_id, 'crm', connections.crm,
              'organizationId', connections.organization_id, 'sealedCrmToken', connections.crm_token,
              'canSync', connections.capability_sync, 'hasWaitingEvents', exists (
                select from jobs where jobs.fairness_key = ${connectionKeySql('connections.id')}
                  and ${hasFailedSql('jobs')}) or exists (
                select from jobs where jobs.fairness_key = ${connectionKeySql('connections.id')}
                  and ${isHeldSql('jobs')}),
              'crmOutage', case when outages.connection_id is not null then json_build_object(
                'isConfirmed', outages.is_confirmed, 'failedProbes', outages.failed_probes) end) end as connection
        from inbound_events events
        join sources on sources.id = events.source_id
        join connections on connections.id = events.connection_id
        left join crm_outages outages on outages.connection_id = connections.id
        where events.id = any($1)
        order by events.id`,
    },
    [eventIds],
  );
  const sources = new Map<number, WrittenSource>();
  const connections = new Map<number, WritingConnection>();
  for (const { source, connection, crmCooldownUntil } of rows) {
    if (source) {
      const { own, inherited, ...rest } = source;
      sources.set(source.id, { ...rest, policy: mergePolicies(own, inherited) });
    }
    if (connection) connections.set(connection.id, { ...connection, crmCooldownUntil });
  }
  const times = await findReceivedTimes(db, rows);
  return new Map(
    rows.flatMap((row) => {
      const source = sources.get(row.sourceId);
      const connection = connections.get(row.connectionId);
      const { id, requestId, platform } = row;
      const receivedAt = row.receivedAt ?? times.get(requestId);
      const event = readStoredEvent(row.event);
      if (!source || !connection || !receivedAt || !event) return [];
      return [[id, { id, requestId, source, connection, platform, event, receivedAt }]];
    }),
  );
}

/** Returns when the receipts of events of earlier releases were received, by their ids. */
async function findReceivedTimes(db: Db, events: readonly EventToWriteRow[]): Promise<Map<number, Date>> {
  const ids = events.filter(({ receivedAt }) => receivedAt === null).map(({ requestId }) => requestId);
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: number; at: Date }>(
    'select id, created_at as at from requests where id = any($1)',
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export interface NewSync {
  target: EventToWrite;
  status: 'success' | 'warning' | 'error';
  error: CrmError | null;
  retryOfSyncId: number | null;
}

const SYNC_COLUMNS = `account_id, connection_id, source_id, payload_id, inbound_event_id, retry_of_sync_id, status,
  event_type, to_email, platform`;
const SYNC_TYPES = [...Array(6).fill('bigint[]'), ...Array(5).fill('text[]')];

/**
 * Returns SQL that adds the syncs of one attempt each.
 *
 * @param first number of the first parameter; the values are `insertSyncsValues(syncs, at)`
 * @param condition SQL after the table `syncs`, which has a `position` from 1 in the order of the syncs
 */
export function insertSyncsText(first: number, condition = ''): string {
  const values = SYNC_TYPES.map((type, index) => `$${first + index}::${type}`).join(', ');
  return `insert into syncs (${SYNC_COLUMNS}, error, created_at)
    select ${SYNC_COLUMNS}, error::jsonb, $${first + SYNC_TYPES.length}::timestamptz
    from unnest(${values}) with ordinality as syncs (${SYNC_COLUMNS}, error, position) ${condition}
    order by position`;
}

export function insertSyncsValues(syncs: readonly NewSync[], at: Date): unknown[] {
  return [
    syncs.map(({ target }) => target.connection.accountId),
    syncs.map(({ target }) => target.connection.id),
    syncs.map(({ target }) => target.source.id),
    syncs.map(({ target }) => target.requestId),
    syncs.map(({ target }) => target.id),
    syncs.map(({ retryOfSyncId }) => retryOfSyncId),
    syncs.map(({ status }) => status),
    syncs.map(({ target }) => target.event.eventType),
    syncs.map(({ target }) => target.event.toEmail),
    syncs.map(({ target }) => target.platform),
    syncs.map(({ error }) => (error === null ? null : toStorableJson(error))),
    at,
  ];
}

/**
 * Adds the syncs of one attempt each, in this order, and returns their ids. A unique index refuses a second first
 * attempt of one event.
 */
export async function insertSyncs(tx: Db, syncs: readonly NewSync[], at: Date): Promise<number[]> {
  if (syncs.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    { name: 'syncs-insert', text: `${insertSyncsText(1)} returning id` },
    insertSyncsValues(syncs, at),
  );
  if (rows.length !== syncs.length) throw new Error('The database did not return the ids of the new syncs.');
  // Ids are given in the order of the rows.
  return rows.map(({ id }) => id);
}

export interface UnwrittenEvent {
  /** The new sync. */
  id: number;
  accountId: number;
  connectionId: number;
  sourceId: number;
  crm: string;
  platform: string;
  error: CrmError;
}

/** Adds an error row for an event without reading its content; null when the event no longer exists. */
export async function insertUnwrittenEvent(
  tx: Db,
  event: { eventId: number; retryOfSyncId: number | null; errorOf: (crm: string) => CrmError; at: Date },
): Promise<UnwrittenEvent | null> {
  const { eventId, retryOfSyncId, errorOf, at } = event;
  const found = await tx.query<Omit<UnwrittenEvent, 'id' | 'error'>>(
    `select c.account_id as "accountId", c.id as "connectionId", e.source_id as "sourceId", c.crm, e.platform
      from inbound_events e join connections c on c.id = e.connection_id where e.id = $1`,
    [eventId],
  );
  const [known] = found.rows;
  if (!known) return null;
  const error = errorOf(known.crm);
  const { rows } = await tx.query<{ id: number }>(
    `insert into syncs (${SYNC_COLUMNS}, error, created_at)
      select $2, e.connection_id, e.source_id, e.request_id, e.id, $3, 'error', e.event_type, e.to_email, e.platform, $4, $5
      from inbound_events e where e.id = $1 returning id`,
    [eventId, known.accountId, retryOfSyncId, toStorableJson(error), at],
  );
  return { id: rows[0]?.id ?? 0, ...known, error };
}

/** Adds an error row for a retry that could not be made, beside the retried sync. */
export async function insertUnwrittenRetry(tx: Db, syncId: number, error: CrmError, at: Date): Promise<void> {
  await tx.query(
    `insert into syncs (account_id, connection_id, source_id, payload_id, inbound_event_id, retry_of_sync_id,
        status, event_type, to_email, platform, error, created_at)
      select account_id, connection_id, source_id, payload_id, inbound_event_id, id,
        'error', event_type, to_email, platform, $2, $3
      from syncs where id = $1`,
    [syncId, toStorableJson(error), at],
  );
}

/** Locks connections that are about to change in several statements, so that two transactions never wait for each other. */
export async function lockConnections(tx: Db, connectionIds: readonly number[]): Promise<void> {
  await tx.query('select from connections where id = any($1) order by id for no key update', [connectionIds]);
}

/**
 * Deletes the token that the CRM refused; the connection is then disconnected until it is added again.
 *
 * @returns false when it has another token meanwhile, or none
 */
export async function markDisconnected(db: Db, connectionId: number, sealedToken: string): Promise<boolean> {
  const { rowCount } = await db.query('update connections set crm_token = null where id = $1 and crm_token = $2', [
    connectionId,
    sealedToken,
  ]);
  return rowCount > 0;
}

/**
 * Records errors on connections, or clears them with null. Only if the used token is still stored: a new one starts
 * without error. Unconditional otherwise, because a concurrent write may have recorded an error since.
 */
export async function setConnectionErrors(
  tx: Db,
  connections: readonly { readonly id: number; readonly sealedToken: string; readonly error: string | null }[],
): Promise<void> {
  if (connections.length === 0) return;
  await tx.query(
    {
      name: 'connections-set-errors',
      // Locked in the order of the ids, so that two transactions never wait for each other.
      text: `with changed as materialized (
          select connections.id, written.error
          from connections join unnest($1::bigint[], $2::text[], $3::text[]) as written (id, token, error)
            on connections.id = written.id and connections.crm_token = written.token
              and connections.recorded_error is distinct from written.error
          order by connections.id for no key update of connections
        )
        update connections set recorded_error = changed.error from changed where connections.id = changed.id`,
    },
    [
      connections.map(({ id }) => id),
      connections.map(({ sealedToken }) => sealedToken),
      connections.map(({ error }) => error),
    ],
  );
}
