/** Statements of the jobs between an inbound POST and its syncs. */
import type { ForwardingBinding } from '@svc/domain/forwarding/forwarding';
import type { CrmError, CrmSourceConfig } from '@svc/crm';
import type { InboundEvent } from '@svc/sequencers';
import type { Db } from './database/db.ts';
import { jsonOfFields } from './database/rows.ts';
import { SOURCE_CONFIG_FIELDS } from './sources.ts';
import { toStorableJson } from './database/storable-json.ts';

export interface ReceiptToProcess {
  id: number;
  accountId: number;
  headers: Record<string, string>;
  body: Buffer | null;
  bodySha256: string | null;
  receivedAt: Date;
  /** Null when the source was removed. */
  source: ReceiptSource | null;
}

export interface ReceiptSource {
  id: number;
  platform: string;
  connectionId: number;
  canSync: boolean;
  /** Destinations bound to it by ascending id; none while the connection may not forward. */
  bindings: ForwardingBinding[];
}

export async function getReceiptToProcess(db: Db, requestId: number): Promise<ReceiptToProcess | null> {
  const { rows } = await db.query<ReceiptToProcess>(
    {
      name: 'inbound-get-receipt',
      text: `select requests.id, requests.account_id as "accountId", requests.headers, requests.body,
          requests.body_sha256 as "bodySha256", requests.created_at as "receivedAt",
          case when sources.id is not null then json_build_object('id', sources.id, 'platform', sources.platform,
            'connectionId', sources.connection_id, 'canSync', connections.capability_sync, 'bindings', coalesce((
              select json_agg(json_build_object('destinationId', destinations.id, 'eventTypes', bindings.event_types,
                  'isDelayed', bindings.is_delayed) order by destinations.id)
                from destination_bindings bindings
                  join destinations on destinations.id = bindings.destination_id
                    and destinations.connection_id = connections.id
                where bindings.source_id = sources.id and connections.capability_destinations
            ), '[]')) end as source
        from requests
        left join sources on sources.id = requests.source_id
        left join connections on connections.id = sources.connection_id
        where requests.id = $1`,
    },
    [requestId],
  );
  return rows[0] ?? null;
}

export type ReceiptOutcome = 'synced' | 'duplicate' | 'unparsed' | 'ignored';

export async function setReceiptOutcome(
  db: Db,
  requestId: number,
  outcome: ReceiptOutcome,
  reason: string | null,
): Promise<void> {
  await db.query(
    { name: 'inbound-set-outcome', text: 'update requests set outcome = $2, outcome_reason = $3 where id = $1' },
    [requestId, outcome, reason],
  );
}

/** SQL that sets the columns of a receipt whose source was removed. A receipt without an outcome becomes `ignored`. */
export const DETACHED = `connection_id = null, source_id = null, outcome = coalesce(outcome, 'ignored'),
  outcome_reason = case when outcome is null then 'The source is gone.' else outcome_reason end`;

/** Condition on `requests`: no key sees the receipt, because its connection's API access is off. */
export const IS_HIDDEN = '(connection_id in (select id from connections where not can_use_api))';

/** Keeps a receipt whose source was removed, unless account keys would now see it that could not before. */
export async function detachReceipt(tx: Db, requestId: number): Promise<void> {
  await tx.query(`delete from requests where id = $1 and ${IS_HIDDEN}`, [requestId]);
  await tx.query(`update requests set ${DETACHED} where id = $1`, [requestId]);
}

/** Stores the events that this source has not sent before, and returns them. */
export async function insertNewEvents(
  db: Db,
  receipt: { id: number; source: { id: number; platform: string; connectionId: number } },
  events: readonly InboundEvent[],
  now: Date,
): Promise<{ id: number; eventKey: string }[]> {
  const { rows } = await db.query<{ id: number; eventKey: string }>(
    {
      name: 'inbound-insert-events',
      text: `insert into inbound_events
          (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at)
        select $1, $2, $3, event_key, event_type, to_email, $4, normalized::jsonb, $5
        from unnest($6::text[], $7::text[], $8::text[], $9::text[]) as events (event_key, event_type, to_email, normalized)
        on conflict (source_id, event_key) do nothing
        returning id, event_key as "eventKey"`,
    },
    [
      receipt.id,
      receipt.source.id,
      receipt.source.connectionId,
      receipt.source.platform,
      now,
      events.map((event) => event.eventKey),
      events.map((event) => event.eventType),
      events.map((event) => event.toEmail),
      events.map((event) => toStorableJson(event)),
    ],
  );
  return rows;
}

export async function insertCategorySignals(
  db: Db,
  receipt: { accountId: number; source: { connectionId: number } },
  events: readonly InboundEvent[],
  now: Date,
): Promise<void> {
  const signals = events.flatMap((event) => (event.category ? [{ to: event.toEmail, name: event.category.name }] : []));
  if (signals.length === 0) return;
  await db.query(
    `insert into category_signals (account_id, connection_id, identity, category_name, at)
      select $1, $2, lower(identity), category_name, $3 from unnest($4::text[], $5::text[]) as s (identity, category_name)`,
    [
      receipt.accountId,
      receipt.source.connectionId,
      now,
      signals.map((signal) => signal.to),
      signals.map((signal) => signal.name),
    ],
  );
}

export interface EventToWrite {
  id: number;
  requestId: number;
  accountId: number;
  source: { id: number; path: string; config: CrmSourceConfig };
  connection: {
    id: number;
    crm: string;
    organizationId: string;
    sealedCrmToken: string | null;
    /** No CRM call before this instant; null without a cooldown. */
    crmCooldownUntil: Date | null;
    /** Null while the CRM works. */
    crmOutage: { isConfirmed: boolean; failedProbes: number } | null;
    canSync: boolean;
  };
  platform: string;
  event: InboundEvent;
  receivedAt: Date;
}

interface EventToWriteRow extends Omit<EventToWrite, 'connection' | 'event'> {
  connection: Omit<EventToWrite['connection'], 'crmCooldownUntil'>;
  crmCooldownUntil: Date | null;
  /** `occurredAt` is a string, because the row comes from JSON. */
  event: Omit<InboundEvent, 'occurredAt'> & { occurredAt: string | null };
}

export async function getEventToWrite(db: Db, inboundEventId: number): Promise<EventToWrite | null> {
  const { rows } = await db.query<EventToWriteRow>(
    {
      name: 'inbound-get-event',
      text: `select events.id, events.request_id as "requestId", connections.account_id as "accountId",
          json_build_object('id', sources.id, 'path', sources.path,
            'config', ${jsonOfFields('sources', SOURCE_CONFIG_FIELDS)}) as source,
          json_build_object('id', connections.id, 'crm', connections.crm, 'organizationId', connections.organization_id,
            'sealedCrmToken', connections.crm_token, 'canSync', connections.capability_sync,
            'crmOutage', case when outages.connection_id is not null then json_build_object(
              'isConfirmed', outages.is_confirmed, 'failedProbes', outages.failed_probes) end) as connection,
          connections.crm_parked_until as "crmCooldownUntil", events.platform, events.normalized as event,
          requests.created_at as "receivedAt"
        from inbound_events events
        join sources on sources.id = events.source_id
        join connections on connections.id = events.connection_id
        join requests on requests.id = events.request_id
        left join crm_outages outages on outages.connection_id = connections.id
        where events.id = $1`,
    },
    [inboundEventId],
  );
  const [row] = rows;
  if (!row) return null;
  const { crmCooldownUntil, connection, event, ...target } = row;
  const occurredAt = event.occurredAt === null ? null : new Date(event.occurredAt);
  return { ...target, connection: { ...connection, crmCooldownUntil }, event: { ...event, occurredAt } };
}

/** Adds the sync of one attempt. A unique index refuses a second first attempt of one event. */
export async function insertSync(
  db: Db,
  target: EventToWrite,
  result: { status: 'success' | 'warning' | 'error'; error: CrmError | null; retryOfSyncId: number | null; at: Date },
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    {
      name: 'syncs-insert',
      text: `insert into syncs (account_id, connection_id, source_id, payload_id, inbound_event_id, retry_of_sync_id,
          status, event_type, to_email, platform, error, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`,
    },
    [
      target.accountId,
      target.connection.id,
      target.source.id,
      target.requestId,
      target.id,
      result.retryOfSyncId,
      result.status,
      target.event.eventType,
      target.event.toEmail,
      target.platform,
      result.error === null ? null : toStorableJson(result.error),
      result.at,
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('The database did not return the id of the new sync.');
  return row.id;
}

/** Returns the id of the event of an older receipt, storing the event if needed. */
export async function findOrInsertEvent(
  db: Db,
  receipt: { id: number; source: { id: number; platform: string; connectionId: number } },
  event: InboundEvent,
  now: Date,
): Promise<number> {
  const [inserted] = await insertNewEvents(db, receipt, [event], now);
  if (inserted) return inserted.id;
  const { rows } = await db.query<{ id: number }>(
    'select id from inbound_events where source_id = $1 and event_key = $2',
    [receipt.source.id, event.eventKey],
  );
  const [known] = rows;
  if (!known) throw new Error(`The event of request ${receipt.id} is neither new nor known.`);
  return known.id;
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

/** Deletes the token that the CRM refused; the connection is then disconnected until it is added again. */
export async function markDisconnected(db: Db, connectionId: number, sealedToken: string): Promise<void> {
  // Only the refused token: a new one may have been stored meanwhile.
  await db.query('update connections set crm_token = null where id = $1 and crm_token = $2', [
    connectionId,
    sealedToken,
  ]);
}

/**
 * Records an error on the connection, or clears it with null. Only if the used token is still stored: a new one starts
 * without error.
 */
export async function setConnectionError(
  db: Db,
  connection: { readonly id: number; readonly sealedToken: string },
  error: string | null,
): Promise<void> {
  await db.query(
    {
      name: 'connections-set-error',
      text: `update connections set recorded_error = $3
        where id = $1 and crm_token = $2 and recorded_error is distinct from $3`,
    },
    [connection.id, connection.sealedToken, error],
  );
}
