/** What operators see of receipts: pages of the log, one receipt with its events, and sources that are not understood. */
import { countNotUnderstood, RECENT_RECEIPTS_MAX, RECENT_RECEIPTS_MS } from '@svc/domain/account/account-status';
import { PROCESS_RECEIPT } from '../jobs/kinds.ts';
import type { Db } from './database/db.ts';
import { bind, readMergedPage } from './log-page.ts';
import { EXPECTED_OUTCOME, isWaitingSql, outcomeSql, type ReceiptOutcome } from './receipts.ts';

/** Newest receipts of a source that are looked at; when more than these wait to be processed, none counts. */
const RECENT_ROWS_MAX = 200;

/**
 * Returns SQL for the outcomes of a source's recent receipts as a JSON list, newest first; empty unless one of them was
 * not understood, which an index knows.
 *
 * @param sourceId SQL of the source's id
 * @param since SQL of the instant from which receipts count
 */
export function recentOutcomesOf(sourceId: string, since: string): string {
  return `case when exists (select from requests unread where unread.source_id = ${sourceId}
      and unread.outcome = 'unparsed' and unread.created_at >= ${since})
    then coalesce((select json_agg(recent.outcome) from (
        select newest.outcome from (
          select requests.outcome, requests.created_at, requests.id from requests
          where requests.source_id = ${sourceId} and requests.created_at >= ${since}
          order by requests.created_at desc, requests.id desc limit ${RECENT_ROWS_MAX}
        ) newest where not ${isWaitingSql('newest')} order by newest.created_at desc, newest.id desc limit ${RECENT_RECEIPTS_MAX}
      ) recent), '[]')
    else '[]' end`;
}

export interface UnreadSource {
  id: number;
  platform: string;
  connectionId: number;
  /** How many of the recent receipts. */
  notUnderstood: number;
  recent: number;
}

/** Returns the sources whose recent receipts were not understood (`domain/account/account-status`), by id. */
export async function listUnreadSources(db: Db, now: Date): Promise<UnreadSource[]> {
  const { rows } = await db.query<{ id: number; platform: string; connectionId: number; recentOutcomes: string[] }>(
    `select s.id, s.platform, s.connection_id as "connectionId", ${recentOutcomesOf('s.id', '$1::timestamptz')} as "recentOutcomes"
      from sources s order by s.id`,
    [new Date(now.getTime() - RECENT_RECEIPTS_MS)],
  );
  return rows.flatMap(({ recentOutcomes, ...source }) => {
    const notUnderstood = countNotUnderstood({ recentOutcomes });
    return notUnderstood === null ? [] : [{ ...source, notUnderstood, recent: recentOutcomes.length }];
  });
}

/** `waiting`: not processed yet. */
export const RECEIPT_STATES = ['unparsed', 'ignored', 'duplicate', 'synced', 'waiting'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

export interface ReceiptFilter {
  /** Only from this source; otherwise of these connections, and of removed sources of these accounts. */
  sourceId?: number | undefined;
  connectionIds: readonly number[];
  accountIds: readonly number[];
  state?: ReceiptState | undefined;
  from?: Date | undefined;
  /** Included. */
  to?: Date | undefined;
}

export interface ListedReceipt {
  id: number;
  accountId: number;
  connectionId: number | null;
  sourceId: number | null;
  platform: string | null;
  outcome: ReceiptOutcome | null;
  reason: string | null;
  /** The types of the events that were read from it. */
  eventTypes: string[];
  /** Null when the body is no longer stored. */
  bodyBytes: number | null;
  /** The backfill that brought it; null: it was posted. */
  backfillRunId: number | null;
  createdAt: Date;
}

const LISTED = `rows.id, rows.account_id as "accountId", rows.connection_id as "connectionId", rows.source_id as "sourceId",
  (select s.platform from sources s where s.id = rows.source_id) as platform,
  ${outcomeSql('rows')} as outcome,
  rows.outcome_reason as reason,
  (select coalesce(json_agg(distinct e.event_type), '[]') from inbound_events e where e.request_id = rows.id) as "eventTypes",
  octet_length(rows.body) as "bodyBytes", rows.backfill_run_id as "backfillRunId", rows.created_at as "createdAt"`;

/**
 * Returns receipts, newest first. Those that were not understood, ignored or duplicates have an index of their own, and those that
 * wait are as new as their jobs; the others are most of the log.
 *
 * @param query.after only receipts older than this one
 */
export async function listReceipts(
  db: Db,
  filter: ReceiptFilter,
  query: { after?: { createdAt: Date; id: number } | undefined; limit: number },
): Promise<ListedReceipt[]> {
  const { sourceId, connectionIds, accountIds, state, to } = filter;
  const from = state === 'waiting' ? later(filter.from, await oldestWaitingSince(db)) : filter.from;
  if (from === null) return [];
  const values: unknown[] = [];
  const ofState = state === undefined ? '' : ` and ${isInStateSql(state)}`;
  const since = from === undefined ? '' : ` and created_at >= ${bind(values, from)}`;
  const until = to === undefined ? '' : ` and created_at <= ${bind(values, to)}`;
  const conditions = since + until + ofState;
  const owners =
    sourceId === undefined
      ? [
          ...connectionIds.map((id) => `connection_id = ${bind(values, id)}`),
          ...accountIds.map((id) => `connection_id is null and account_id = ${bind(values, id)}`),
        ]
      : [`source_id = ${bind(values, sourceId)}`];
  const branches = owners.map((owner) => owner + conditions);
  return readMergedPage(db, { table: 'requests', columns: LISTED, branches, values, ...query, after: query.after });
}

/** As text, so that the plan can use an index of one outcome. */
function isInStateSql(state: ReceiptState): string {
  if (state === 'waiting') return isWaitingSql('requests');
  return state === EXPECTED_OUTCOME ? `${outcomeSql('requests')} = '${state}'` : `outcome = '${state}'`;
}

/** Returns when the oldest receipt that is not processed yet was received; null when there is none. */
async function oldestWaitingSince(db: Db): Promise<Date | null> {
  const { rows } = await db.query<{ since: Date | null }>(
    `select min(created_at) as since from jobs where kind = '${PROCESS_RECEIPT}'`,
  );
  return rows[0]?.since ?? null;
}

function later(from: Date | undefined, since: Date | null): Date | null {
  return since !== null && from !== undefined && from > since ? from : since;
}

export interface ShownReceipt extends ListedReceipt {
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /**
   * The events that were read from the receipt; events that only repeated those of other receipts are not among them.
   */
  events: ShownEvent[];
}

export interface ShownEvent {
  id: number;
  eventType: string;
  toEmail: string;
  /** The first sync; null while the event waits, or when it was only forwarded. */
  syncId: number | null;
  syncStatus: string | null;
  /** When the event is dropped unless its lead is released before; null: no write policy holds it. */
  heldUntil: Date | null;
}

/** Returns a receipt with its payload; null when it does not exist. */
export async function getReceipt(db: Db, id: number): Promise<ShownReceipt | null> {
  const { rows } = await db.query<Omit<ShownReceipt, 'events'>>(
    `select ${LISTED}, rows.path, rows.headers, rows.body from requests rows where rows.id = $1`,
    [id],
  );
  const [row] = rows;
  if (!row) return null;
  const events = await db.query<ShownEvent>(
    `select e.id, e.event_type as "eventType", e.to_email as "toEmail", s.id as "syncId", s.status as "syncStatus",
        held.drops_at as "heldUntil"
      from inbound_events e left join syncs s on s.inbound_event_id = e.id and s.retry_of_sync_id is null
      left join held_events held on held.event_id = e.id
      where e.request_id = $1 order by e.id`,
    [id],
  );
  return { ...row, events: events.rows };
}

/** Returns the place of a receipt in the list; null when it does not exist. */
export async function findReceiptPosition(db: Db, id: number): Promise<{ createdAt: Date; id: number } | null> {
  const { rows } = await db.query<{ createdAt: Date; id: number }>(
    'select id, created_at as "createdAt" from requests where id = $1',
    [id],
  );
  return rows[0] ?? null;
}
