/** Runs that read the past activity of a source at its sequencer. */
import type { SourceReader } from '@svc/sequencers';
import { withReadyMapping } from '@svc/sequencers/mappings';
import { BACKFILL_SOURCE } from '../jobs/kinds.ts';
import type { Db } from './database/db.ts';
import { EXPECTED_OUTCOME } from './receipts.ts';
import { type BackfillCounts, readBackfillCounts } from './stored-json.ts';

export interface BackfillRun {
  id: number;
  sourceId: number;
  /** Null: the key was removed. */
  sequencerKeyId: number | null;
  /** Null: all campaigns. */
  campaignId: string | null;
  from: Date;
  /** Not included. */
  until: Date;
  isForwarding: boolean;
  isDryRun: boolean;
  state: 'running' | 'done' | 'stopped';
  stopReason: string | null;
  /** What the last call failed with, while the run waits to repeat it; null otherwise. */
  waitsFor: string | null;
  /** Where the next call continues; null at the beginning. */
  cursor: object | null;
  counts: BackfillCounts;
  createdAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `runs.id, runs.source_id as "sourceId", runs.sequencer_key_id as "sequencerKeyId",
  runs.campaign_id as "campaignId", runs.from_at as "from", runs.until_at as "until",
  runs.is_forwarding as "isForwarding", runs.is_dry_run as "isDryRun", runs.state, runs.stop_reason as "stopReason",
  (select last_error from jobs where kind = '${BACKFILL_SOURCE}' and ref = runs.id::text) as "waitsFor",
  runs.cursor, runs.counts, runs.created_at as "createdAt", runs.ended_at as "endedAt"`;

type Row = Omit<BackfillRun, 'counts'> & { counts: object };

function toRun<Stored extends Row>({ counts, ...row }: Stored) {
  return { ...row, counts: readBackfillCounts(counts) };
}

export type NewBackfill = Pick<
  BackfillRun,
  'sourceId' | 'sequencerKeyId' | 'campaignId' | 'from' | 'until' | 'isForwarding' | 'isDryRun'
>;

/** Begins a run; null while another one of the source is under way. */
export async function insertBackfillRun(tx: Db, run: NewBackfill, now: Date): Promise<BackfillRun | null> {
  const { rows } = await tx.query<Row>(
    `insert into backfill_runs as runs
        (source_id, sequencer_key_id, campaign_id, from_at, until_at, is_forwarding, is_dry_run, counts, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      on conflict (source_id) where state = 'running' do nothing
      returning ${COLUMNS}`,
    [
      run.sourceId,
      run.sequencerKeyId,
      run.campaignId,
      run.from,
      run.until,
      run.isForwarding,
      run.isDryRun,
      JSON.stringify(readBackfillCounts({})),
      now,
    ],
  );
  const [row] = rows;
  return row ? toRun(row) : null;
}

/** Returns the newest runs, newest first. */
export async function listBackfillRuns(
  db: Db,
  { sourceId, runId, limit }: { sourceId?: number | undefined; runId?: number | undefined; limit: number },
): Promise<BackfillRun[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from backfill_runs runs
      where ($1::bigint is null or source_id = $1) and ($2::bigint is null or id = $2) order by id desc limit $3`,
    [sourceId ?? null, runId ?? null, limit],
  );
  return rows.map(toRun);
}

export interface StoppedBackfill {
  runId: number;
  sourceId: number;
  platform: string;
  stopReason: string;
}

/** Returns the sources whose latest run was stopped since an instant, unless an operator stopped it. */
export async function listStoppedBackfills(db: Db, since: Date): Promise<StoppedBackfill[]> {
  const { rows } = await db.query<StoppedBackfill>(
    `select runs.id as "runId", runs.source_id as "sourceId", sources.platform, runs.stop_reason as "stopReason"
      from backfill_runs runs join sources on sources.id = runs.source_id
      where runs.state = 'stopped' and runs.stop_reason <> $2 and runs.ended_at >= $1
        and not exists (select from backfill_runs later where later.source_id = runs.source_id and later.id > runs.id)
      order by runs.source_id limit 20`,
    [since, STOPPED_BY_OPERATOR],
  );
  return rows;
}

export const STOPPED_BY_OPERATOR = 'Stopped by an operator.';

export interface BackfillToContinue extends BackfillRun {
  connectionId: number;
  canSync: boolean;
  hasCrmToken: boolean;
  reader: SourceReader;
  /** Encrypted; null when the key was removed or cannot be read any more. */
  sealedToken: string | null;
}

/** Returns a run that is under way, with what it needs to go on; null otherwise. */
export async function getBackfillToContinue(db: Db, id: number): Promise<BackfillToContinue | null> {
  const { rows } = await db.query<Row & Omit<BackfillToContinue, keyof BackfillRun>>(
    {
      name: 'backfill-runs-continue',
      text: `select ${COLUMNS}, connections.id as "connectionId", connections.capability_sync as "canSync",
          connections.crm_token is not null as "hasCrmToken", keys.token as "sealedToken",
          json_build_object('platform', sources.platform, 'mapping',
            (select mapping from source_mappings where source_id = sources.id order by version desc limit 1)) as reader
        from backfill_runs runs join sources on sources.id = runs.source_id
          join connections on connections.id = sources.connection_id
          left join sequencer_keys keys on keys.id = runs.sequencer_key_id
        where runs.id = $1 and runs.state = 'running'`,
    },
    [id],
  );
  const [row] = rows;
  return row ? { ...toRun(row), reader: await withReadyMapping(row.reader) } : null;
}

/** Stores how far a run has come. Returns false when it was stopped or removed meanwhile. */
export async function advanceBackfillRun(
  tx: Db,
  id: number,
  { cursor, counts }: { cursor: object | null; counts: BackfillCounts },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    {
      name: 'backfill-runs-advance',
      text: `update backfill_runs set cursor = $2, counts = $3 where id = $1 and state = 'running'`,
    },
    [id, cursor === null ? null : JSON.stringify(cursor), JSON.stringify(counts)],
  );
  return rowCount > 0;
}

/** Ends a run that is under way. Returns whether it was. @param stopReason null when all was read */
export async function endBackfillRun(db: Db, id: number, stopReason: string | null, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update backfill_runs set state = case when $2::text is null then 'done' else 'stopped' end, stop_reason = $2,
      ended_at = $3 where id = $1 and state = 'running'`,
    [id, stopReason, now],
  );
  return rowCount > 0;
}

export interface BackfilledBody {
  body: Buffer;
  sha256: string;
}

/** Stores what the sequencer would have posted, in this order. Returns the ids; none when the source was removed meanwhile. */
export async function insertBackfilledReceipts(
  tx: Db,
  run: Pick<BackfillRun, 'id' | 'sourceId'>,
  bodies: readonly BackfilledBody[],
  now: Date,
): Promise<number[]> {
  if (bodies.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    {
      name: 'backfill-runs-receipts',
      text: `with posts as materialized (
          select nextval(pg_get_serial_sequence('requests', 'id')) as id, posts.*
          from unnest($3::bytea[], $4::text[]) with ordinality as posts (body, body_sha256, position)
        ), stored as (
          insert into requests (id, account_id, connection_id, source_id, path, created_at, headers, body, body_sha256,
            outcome, backfill_run_id)
          select posts.id, connections.account_id, connections.id, sources.id, sources.path, $5,
            '{"content-type": "application/json"}', posts.body, posts.body_sha256, '${EXPECTED_OUTCOME}', $1
          from posts, sources join connections on connections.id = sources.connection_id where sources.id = $2
          returning id
        )
        select id from stored order by id`,
    },
    [run.id, run.sourceId, bodies.map(({ body }) => body), bodies.map(({ sha256 }) => sha256), now],
  );
  return rows.map(({ id }) => id);
}
