/** Statements of `process-receipt`, each for many receipts: reading them, and storing what became of them. */
import type { ForwardingBinding } from '@svc/domain/forwarding/forwarding';
import type { HoldRule } from '@svc/domain/policy/write-policy';
import type { InboundEvent, SourceReader } from '@svc/sequencers';
import { withReadyMapping } from '@svc/sequencers/mappings';
import { PROCESS_RECEIPT } from '../jobs/kinds.ts';
import type { Db } from './database/db.ts';
import { toStorableJson } from './database/storable-json.ts';
import { toStoredEvent } from './stored-json.ts';
import { ANY_TIME, type RowTimes, timesOf } from './row-times.ts';
import { policyPartSql } from './write-policies.ts';

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

export interface ReceiptSource extends SourceReader {
  id: number;
  connectionId: number;
  canSync: boolean;
  /** Which events wait for their lead. Null: none. */
  holdUntil: HoldRule | null;
  /** Destinations bound to the source by ascending id; none while the connection may not forward. */
  bindings: ForwardingBinding[];
  /** The relay bound to the source, at most one. Whether it may send is judged when its mail is due. */
  relays: { relayId: number; delayMinutes: number }[];
}

/** Bytes of bodies that are read at once. The receipt that exceeds it is the last one. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Returns receipts in the order of the given ids. Those that no longer exist are left out, and so are the last ones when the bodies are
 * large: call it again for the others, until it returns none.
 *
 * @param times when they were received; others are left out
 */
export async function listReceiptsToProcess(
  db: Db,
  requestIds: readonly number[],
  times: RowTimes,
): Promise<ReceiptToProcess[]> {
  const { rows } = await db.query<ReceiptToProcess>(
    {
      name: 'receipts-to-process',
      text: `with given as materialized (
          select id, position from unnest($1::bigint[]) with ordinality as given (id, position)
        ), wanted as materialized (
          select requests.id, created_at, source_id, position,
            sum(coalesce(octet_length(body), 0)) over (order by position) - coalesce(octet_length(body), 0) as bytes_before
          from requests join given on given.id = requests.id
          where requests.id = any($1) and created_at >= $3 and created_at <= $4
        ), used as materialized (
          select sources.id, json_build_object('id', sources.id, 'platform', sources.platform,
              'mapping', (select mapping from source_mappings where source_id = sources.id order by version desc limit 1),
              'connectionId', sources.connection_id, 'canSync', connections.capability_sync,
              'holdUntil', ${policyPartSql('sources', 'holdUntil')}, 'bindings', coalesce((
                select json_agg(json_build_object('destinationId', destinations.id, 'eventTypes', bindings.event_types,
                    'isDelayed', bindings.is_delayed) order by destinations.id)
                  from destination_bindings bindings
                    join destinations on destinations.id = bindings.destination_id
                      and destinations.connection_id = connections.id
                  where bindings.source_id = sources.id and connections.capability_destinations
              ), '[]'), 'relays', coalesce((
                select json_agg(json_build_object('relayId', relays.id, 'delayMinutes', relays.delay_minutes))
                  from reply_relay_bindings bindings
                    join reply_relays relays on relays.id = bindings.reply_relay_id
                      and relays.connection_id = connections.id
                  where bindings.source_id = sources.id
              ), '[]')) as source
          from sources join connections on connections.id = sources.connection_id
          where sources.id in (select source_id from wanted)
        )
        select requests.id, requests.account_id as "accountId", requests.headers, requests.body,
          requests.body_sha256 as "bodySha256", requests.created_at as "receivedAt", used.source
        from wanted
          join requests on requests.id = wanted.id and requests.created_at >= $3 and requests.created_at <= $4
          left join used on used.id = wanted.source_id
        where wanted.bytes_before < $2 order by wanted.position`,
    },
    [requestIds, BODY_BYTES_MAX, times.from, times.until],
  );
  return Promise.all(rows.map(async (row) => ({ ...row, source: row.source && (await withReadyMapping(row.source)) })));
}

/** Returns one receipt; null when it no longer exists. */
export async function getReceiptToProcess(db: Db, requestId: number): Promise<ReceiptToProcess | null> {
  const [receipt] = await listReceiptsToProcess(db, [requestId], ANY_TIME);
  return receipt ?? null;
}

export type ReceiptOutcome = 'synced' | 'duplicate' | 'unparsed' | 'ignored';

/**
 * The outcome with which a receipt is stored: most receipts have it when they are read, and then their row, which has the payload, need not be written
 * again. Until then the receipt has its job, so who reads the outcome asks `outcomeSql`, and who deletes the job without reading the receipt sets another one.
 */
export const EXPECTED_OUTCOME: ReceiptOutcome = 'synced';

/** Returns SQL that is true until a receipt is read. The release before stores receipts without an outcome. @param requests the table or its alias */
export function isWaitingSql(requests: string): string {
  return `(${requests}.outcome is null or ${requests}.outcome = '${EXPECTED_OUTCOME}'
    and exists (select from jobs where jobs.kind = '${PROCESS_RECEIPT}' and jobs.ref = ${requests}.id::text))`;
}

/** Returns SQL for what became of a receipt; null until it is read. @param requests the table or its alias */
export function outcomeSql(requests: string): string {
  return `case when ${isWaitingSql(requests)} then null else ${requests}.outcome end`;
}

export interface ProcessedReceipt {
  requestId: number;
  receivedAt: Date;
  outcome: ReceiptOutcome;
  /** What of a `synced` receipt was not read; null when everything was. */
  reason: string | null;
  /** Events that it has in common with receipts before it. */
  repeatedEventIds: readonly number[];
}

/** Stores outcomes. Rows that have theirs stay as they are. */
export async function setReceiptOutcomes(tx: Db, processed: readonly ProcessedReceipt[]): Promise<void> {
  if (processed.length === 0) return;
  const { from, until } = timesOf(processed.map(({ receivedAt }) => receivedAt));
  await tx.query(
    {
      name: 'receipts-set-outcomes',
      text: `update requests set outcome = processed.outcome, outcome_reason = processed.reason,
          repeated_event_ids = processed.repeated::bigint[]
        from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as processed (id, outcome, reason, repeated)
        where requests.id = processed.id and requests.created_at >= $5 and requests.created_at <= $6
          and (requests.outcome, requests.outcome_reason, requests.repeated_event_ids)
            is distinct from (processed.outcome, processed.reason, processed.repeated::bigint[])`,
    },
    [
      processed.map(({ requestId }) => requestId),
      processed.map(({ outcome }) => outcome),
      processed.map(({ reason }) => reason),
      processed.map(({ repeatedEventIds: ids }) => (ids.length === 0 ? null : `{${ids.join(',')}}`)),
      from,
      until,
    ],
  );
}

/** Ends a receipt that could not be processed and still has its job. */
export async function setGivenUpReceipt(tx: Db, requestId: number, reason: string): Promise<void> {
  await tx.query(
    `update requests set outcome = 'unparsed', outcome_reason = $2 where id = $1 and ${isWaitingSql('requests')}`,
    [requestId, reason],
  );
}

/** Condition on `requests`: it has no other outcome than the one with which it was stored. */
const IS_AS_STORED = `(outcome is null or outcome = '${EXPECTED_OUTCOME}')`;

/** SQL that sets the outcome of receipts whose job has ended without reading them, because their source was removed. */
export const UNREAD = `outcome = case when ${IS_AS_STORED} then 'ignored' else outcome end,
  outcome_reason = case when ${IS_AS_STORED} then 'The source is gone.' else outcome_reason end`;

/** SQL that sets the columns of a receipt whose source was removed. */
export const DETACHED = 'connection_id = null, source_id = null';

/** Condition on `requests`: no key sees the receipt, because its connection's API access is off. */
export const IS_HIDDEN = '(connection_id in (select id from connections where not can_use_api))';

/** Keeps receipts whose source was removed before they were read, unless account keys would now see them that could not before. */
export async function detachReceipts(tx: Db, requestIds: readonly number[]): Promise<void> {
  if (requestIds.length === 0) return;
  await tx.query(`delete from requests where id = any($1) and ${IS_HIDDEN}`, [requestIds]);
  await tx.query(`update requests set ${DETACHED}, ${UNREAD} where id = any($1)`, [requestIds]);
}

/** An event with its receipt. */
export interface ReceivedEvent {
  receipt: {
    id: number;
    accountId: number;
    receivedAt: Date;
    source: Pick<ReceiptSource, 'id' | 'platform' | 'connectionId'>;
  };
  event: InboundEvent;
}

/**
 * Stores the events that their source has not sent before, and returns them with their ids in the order given. Of two
 * events with the same key, the first one is new.
 */
export async function insertNewEvents<Received extends ReceivedEvent>(
  tx: Db,
  received: readonly Received[],
  now: Date,
): Promise<(Received & { id: number })[]> {
  if (received.length === 0) return [];
  const { rows } = await tx.query<{ id: number; sourceId: number; eventKey: string }>(
    {
      name: 'inbound-events-insert',
      // Ids in the order given; stored in the order of the keys, so that transactions with the same events, which a
      // sender repeated, never wait for each other.
      text: `with numbered as materialized (
          select nextval(pg_get_serial_sequence('inbound_events', 'id')) as id, events.*
          from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
              $10::timestamptz[])
            as events (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized,
              received_at)
        )
        insert into inbound_events (id, request_id, source_id, connection_id, event_key, event_type, to_email, platform,
          normalized, created_at, received_at)
        select id, request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized::jsonb, $9,
          received_at
        from numbered order by source_id, event_key, id
        on conflict (source_id, event_key) do nothing
        returning id, source_id as "sourceId", event_key as "eventKey"`,
    },
    [
      received.map(({ receipt }) => receipt.id),
      received.map(({ receipt }) => receipt.source.id),
      received.map(({ receipt }) => receipt.source.connectionId),
      received.map(({ event }) => event.eventKey),
      received.map(({ event }) => event.eventType),
      received.map(({ event }) => event.toEmail),
      received.map(({ receipt }) => receipt.source.platform),
      received.map(({ event }) => toStorableJson(toStoredEvent(event))),
      now,
      received.map(({ receipt }) => receipt.receivedAt.toISOString()),
    ],
  );
  const ids = new Map(rows.map((row) => [`${row.sourceId} ${row.eventKey}`, row.id]));
  return received.flatMap((entry) => {
    const key = `${entry.receipt.source.id} ${entry.event.eventKey}`;
    const id = ids.get(key);
    ids.delete(key);
    return id === undefined ? [] : [{ ...entry, id }];
  });
}

/** Returns the ids of stored events by their receipt; the events may be those of other receipts. */
export async function findStoredEvents(
  db: Db,
  received: readonly ReceivedEvent[],
): Promise<ReadonlyMap<number, number[]>> {
  const found = new Map<number, number[]>();
  if (received.length === 0) return found;
  const { rows } = await db.query<{ receiptId: number; id: number }>(
    {
      name: 'inbound-events-stored',
      text: `select distinct received.receipt_id as "receiptId", events.id
        from unnest($1::bigint[], $2::bigint[], $3::text[]) as received (receipt_id, source_id, event_key)
          join inbound_events events using (source_id, event_key) order by 1, 2`,
    },
    [
      received.map(({ receipt }) => receipt.id),
      received.map(({ receipt }) => receipt.source.id),
      received.map(({ event }) => event.eventKey),
    ],
  );
  for (const { receiptId, id } of rows) found.set(receiptId, [...(found.get(receiptId) ?? []), id]);
  return found;
}

/** Returns the id of the event of an older receipt, storing the event if needed. */
export async function findOrInsertEvent(db: Db, received: ReceivedEvent, now: Date): Promise<number> {
  const [inserted] = await insertNewEvents(db, [received], now);
  if (inserted) return inserted.id;
  const { receipt } = received;
  const [known] = (await findStoredEvents(db, [received])).get(receipt.id) ?? [];
  if (known === undefined) throw new Error(`The event of request ${receipt.id} is neither new nor known.`);
  return known;
}

/** Stores the categories that these events give their contacts, each with the time from which it counts. */
export async function insertCategorySignals(
  tx: Db,
  received: readonly (ReceivedEvent & { at: Date })[],
): Promise<void> {
  const signals = received.flatMap(({ receipt, event, at }) =>
    event.category ? [{ receipt, to: event.toEmail, category: event.category, at }] : [],
  );
  if (signals.length === 0) return;
  await tx.query(
    {
      name: 'category-signals-insert',
      text: `insert into category_signals (account_id, connection_id, identity, category_name, at, category_id, platform)
        select account_id, connection_id, lower(identity), category_name, at, category_id, platform
        from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])
          as signals (account_id, connection_id, identity, category_name, at, category_id, platform)`,
    },
    [
      signals.map(({ receipt }) => receipt.accountId),
      signals.map(({ receipt }) => receipt.source.connectionId),
      signals.map(({ to }) => to),
      signals.map(({ category }) => category.name),
      signals.map(({ at }) => at.toISOString()),
      signals.map(({ category }) => category.id),
      signals.map(({ receipt }) => receipt.source.platform),
    ],
  );
}
