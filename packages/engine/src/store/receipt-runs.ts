/** Runs that read the stored receipts of a source again. */
import { WRITE_CRM } from '../jobs/kinds.ts';
import { waitsForContactSql } from '../jobs/write-state.ts';
import type { Db } from './database/db.ts';
import { outcomeSql } from './receipts.ts';
import { readRunCounts, type RunCounts } from './stored-json.ts';

export interface ReceiptRun {
  id: number;
  sourceId: number;
  from: Date;
  until: Date;
  lastRequestId: number;
  /** Null: all that reading again may change. */
  outcomes: string[] | null;
  isForwarding: boolean;
  isDryRun: boolean;
  total: number;
  state: 'running' | 'done' | 'stopped';
  stopReason: string | null;
  position: { at: Date; id: number } | null;
  counts: RunCounts;
  createdAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `runs.id, runs.source_id as "sourceId", runs.from_at as "from", runs.until_at as "until",
  runs.last_request_id as "lastRequestId", runs.outcomes, runs.is_forwarding as "isForwarding",
  runs.is_dry_run as "isDryRun", runs.total, runs.state, runs.stop_reason as "stopReason",
  runs.position_at as "positionAt", runs.position_id as "positionId", runs.counts,
  runs.created_at as "createdAt", runs.ended_at as "endedAt"`;

type Row = Omit<ReceiptRun, 'position' | 'counts'> & {
  positionAt: Date | null;
  positionId: number | null;
  counts: object;
};

function toRun<Stored extends Row>({ positionAt, positionId, counts, ...row }: Stored) {
  const position = positionAt === null || positionId === null ? null : { at: positionAt, id: positionId };
  return { ...row, position, counts: readRunCounts(counts) };
}

export type NewRun = Pick<ReceiptRun, 'sourceId' | 'from' | 'until' | 'outcomes' | 'isForwarding' | 'isDryRun'>;

/** Begins a run over the receipts that are stored now; null while another run of the source is under way. */
export async function insertReceiptRun(tx: Db, run: NewRun, now: Date): Promise<ReceiptRun | null> {
  const { rows } = await tx.query<Row>(
    `insert into receipt_runs as runs
        (source_id, from_at, until_at, last_request_id, outcomes, is_forwarding, is_dry_run, total, counts, created_at)
      select $1, $2, $3, coalesce((select max(id) from requests), 0), $4, $5, $6,
        (select count(*) from requests where source_id = $1 and created_at >= $2 and created_at <= $3), $7, $8
      on conflict (source_id) where state = 'running' do nothing
      returning ${COLUMNS}`,
    [
      run.sourceId,
      run.from,
      run.until,
      run.outcomes,
      run.isForwarding,
      run.isDryRun,
      JSON.stringify(readRunCounts({})),
      now,
    ],
  );
  const [row] = rows;
  return row ? toRun(row) : null;
}

/** Returns the newest runs, newest first. */
export async function listReceiptRuns(
  db: Db,
  { sourceId, runId, limit }: { sourceId?: number | undefined; runId?: number | undefined; limit: number },
): Promise<ReceiptRun[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from receipt_runs runs
      where ($1::bigint is null or source_id = $1) and ($2::bigint is null or id = $2) order by id desc limit $3`,
    [sourceId ?? null, runId ?? null, limit],
  );
  return rows.map(toRun);
}

export interface RunToContinue extends ReceiptRun {
  connectionId: number;
  canSync: boolean;
  hasCrmToken: boolean;
}

/** Returns a run that is under way, with what decides whether it goes on; null otherwise. */
export async function getRunToContinue(db: Db, id: number): Promise<RunToContinue | null> {
  const { rows } = await db.query<Row & Pick<RunToContinue, 'connectionId' | 'canSync' | 'hasCrmToken'>>(
    {
      name: 'receipt-runs-continue',
      text: `select ${COLUMNS}, connections.id as "connectionId", connections.capability_sync as "canSync",
          connections.crm_token is not null as "hasCrmToken"
        from receipt_runs runs join sources on sources.id = runs.source_id
          join connections on connections.id = sources.connection_id
        where runs.id = $1 and runs.state = 'running'`,
    },
    [id],
  );
  const [row] = rows;
  return row ? toRun(row) : null;
}

/** Stores how far a run has come. Returns false when it was stopped or removed meanwhile. */
export async function advanceReceiptRun(
  tx: Db,
  id: number,
  { position, counts }: { position: { at: Date; id: number } | null; counts: RunCounts },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    {
      name: 'receipt-runs-advance',
      text: `update receipt_runs set position_at = coalesce($2, position_at), position_id = coalesce($3, position_id),
          counts = $4 where id = $1 and state = 'running'`,
    },
    [id, position?.at ?? null, position?.id ?? null, JSON.stringify(counts)],
  );
  return rowCount > 0;
}

/** Ends a run that is under way. Returns whether it was. @param stopReason null when all was read */
export async function endReceiptRun(db: Db, id: number, stopReason: string | null, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update receipt_runs set state = case when $2::text is null then 'done' else 'stopped' end, stop_reason = $2,
      ended_at = $3 where id = $1 and state = 'running'`,
    [id, stopReason, now],
  );
  return rowCount > 0;
}

/** A receipt of a run, before its payload is read. */
export interface RunReceipt {
  id: number;
  at: Date;
  outcome: 'synced' | 'duplicate' | 'unparsed' | 'ignored' | null;
  reason: string | null;
  hasBody: boolean;
}

/** Returns the next receipts of a run in the order in which they were received. */
export async function listReceiptsOfRun(
  db: Db,
  { sourceId, from, until, lastRequestId, position }: ReceiptRun,
  limit: number,
): Promise<RunReceipt[]> {
  const { rows } = await db.query<RunReceipt>(
    {
      name: 'receipt-runs-receipts',
      text: `select id, created_at as at, ${outcomeSql('requests')} as outcome, outcome_reason as reason, body is not null as "hasBody"
        from requests
        where source_id = $1 and (created_at, id) > ($2::timestamptz, $3::bigint) and created_at <= $4 and id <= $5
        order by created_at, id limit $6`,
    },
    [sourceId, position?.at ?? from, position?.id ?? 0, until, lastRequestId, limit],
  );
  return rows;
}

export interface GivenEvent {
  requestId: number;
  eventKey: string;
  eventType: string;
  toEmail: string;
}

/** Returns the events that these receipts gave. */
export async function listGivenEvents(db: Db, requestIds: readonly number[]): Promise<GivenEvent[]> {
  if (requestIds.length === 0) return [];
  const { rows } = await db.query<GivenEvent>(
    {
      name: 'receipt-runs-given',
      text: `select request_id as "requestId", event_key as "eventKey", event_type as "eventType", to_email as "toEmail"
        from inbound_events where request_id = any($1) order by id`,
    },
    [requestIds],
  );
  return rows;
}

/** An event that was read before, and is not written. */
export interface UnwrittenEvent {
  id: number;
  /** `left-out`: nothing has tried to write it. `waits`: its contact is missing. */
  state: 'left-out' | 'waits';
}

/**
 * Returns the events of these receipts that a write policy left out, or whose contact is missing. Where a policy has ever held events, those that
 * were left out are not returned: some of them may be held, or were dropped for good.
 */
export async function listUnwrittenEvents(db: Db, requestIds: readonly number[]): Promise<UnwrittenEvent[]> {
  if (requestIds.length === 0) return [];
  const { rows } = await db.query<UnwrittenEvent>(
    {
      name: 'receipt-runs-unwritten',
      text: `select events.id, case when jobs.id is null then 'left-out' else 'waits' end as state
        from inbound_events events
        left join jobs on jobs.kind = '${WRITE_CRM}' and jobs.ref = events.id::text
        where events.request_id = any($1) and (${waitsForContactSql('jobs')} or (jobs.id is null
          and not exists (select from first_syncs where event_id = events.id)
          and not exists (select from held_events where event_id = events.id)
          and not exists (select from write_policies policies where policies.connection_id = events.connection_id
            and (policies.source_id is null or policies.source_id = events.source_id)
            and jsonb_typeof(policies.policy->'holdUntil') = 'object')))
        order by events.id`,
    },
    [requestIds],
  );
  return rows;
}

/** Returns those of these keys that the source has events of. */
export async function findKnownKeys(db: Db, sourceId: number, keys: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ eventKey: string }>(
    {
      name: 'receipt-runs-known-keys',
      text: 'select event_key as "eventKey" from inbound_events where source_id = $1 and event_key = any($2)',
    },
    [sourceId, keys],
  );
  return new Set(rows.map(({ eventKey }) => eventKey));
}
