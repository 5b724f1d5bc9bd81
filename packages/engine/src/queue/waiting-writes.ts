/**
 * Jobs of events that wait for their CRM: those whose state says when their first call failed, or when they began to
 * wait. They are due when they get an error row or are given up, and earlier only for a probe or after the outage.
 */
import { connectionKeySql, PROBE_CRM, WRITE_CRM } from '../jobs/kinds.ts';
import {
  hasFailedSql,
  IS_TRY_REQUESTED,
  isHeldSql,
  isRecordedSql,
  NOT_BEFORE_MS,
  TRIES,
  waitsForContactSql,
  waitsForCrmSql,
} from '../jobs/write-state.ts';
import type { Db } from '../store/database/db.ts';
import type { ClaimedJob } from './queue.ts';

/** The key of the connection with the id `$1`. */
const KEY = connectionKeySql('$1::bigint');
const WAITING = waitsForCrmSql('jobs', KEY);
/** The jobs that write an event of the connection. */
const WRITES = `jobs.kind = '${WRITE_CRM}' and jobs.fairness_key = ${KEY}`;
const NOT_BEFORE = `greatest($2, to_timestamp((state->>'${NOT_BEFORE_MS}')::float8 / 1000))`;

/** Requested ones first, then those with the fewest calls of their own. */
const probeOrder = (jobs: string) =>
  `${jobs}.state ? '${IS_TRY_REQUESTED}' desc, (${jobs}.state->>'${TRIES}')::int nulls first`;

/** An event whose write waits: it failed a moment ago, or is behind one that did, or its CRM may not be called. */
export interface PendingEvent {
  id: number;
  /** In lower case. */
  contact: string;
  /** When it is tried again. */
  dueAt: Date;
}

/** Returns the events of these contacts (in lower case), received before `before`, that wait for their next try and have no error row yet. */
export async function listPendingEvents(
  db: Db,
  connectionId: number,
  { contacts, before }: { contacts: readonly string[]; before: number },
): Promise<PendingEvent[]> {
  const { rows } = await db.query<PendingEvent>(
    {
      name: 'jobs-pending-events',
      text: `with pending as materialized (
          select ref::bigint as id, due_at from jobs
          where ${WRITES} and ref::bigint < $3 and ${hasFailedSql('jobs')} and not ${isRecordedSql('jobs')}
          union
          select ref::bigint, due_at from jobs
          where ${WRITES} and ref::bigint < $3 and ${isHeldSql('jobs')} and not ${isRecordedSql('jobs')}
        )
        select events.id, lower(events.to_email) as contact, pending.due_at as "dueAt"
        from pending join inbound_events events on events.id = pending.id
        where lower(events.to_email) = any($2)`,
    },
    [connectionId, contacts, before],
  );
  return rows;
}

/**
 * Claims one for a probe, for the worker that has the probe's job; null when all are running or none waits. An event that comes after
 * another of its contact which has no error row yet is left out, so that the probe keeps their order. Those that a caller requested come
 * first, then those with the fewest own calls, so that an event that fails by itself does not prolong an outage.
 */
export async function claimWaitingEvent(
  tx: Db,
  connectionId: number,
  { probe, leaseUntil }: { probe: ClaimedJob; leaseUntil: Date },
): Promise<ClaimedJob | null> {
  const { rows } = await tx.query<ClaimedJob>(
    {
      name: 'jobs-claim-waiting-event',
      // One pass over the jobs that wait, whatever the planner knows of their number.
      text: `with waiting as (
          select id, kind, ref, state, is_leased from jobs where ${WAITING}
          union all
          select id, kind, ref, state, true from jobs
          where ${WRITES} and ${isHeldSql('jobs')} and not ${hasFailedSql('jobs')}
        ), in_order as (
          select waiting.*, events.id as event_id,
            min(events.id) filter (where not ${isRecordedSql('waiting')}) over (partition by lower(events.to_email)) as first_id
          from waiting left join inbound_events events on kind = '${WRITE_CRM}' and events.id = ref::bigint
        ), candidates as materialized (
          select id from in_order
          where not is_leased and (event_id is null or first_id is null or event_id <= first_id)
          order by ${probeOrder('in_order')}, id
          limit 100
        )
        update jobs set due_at = $2, is_leased = true, is_ready = false, ordered_at = coalesce(ordered_at, due_at),
          fence = fence + 1, attempts = attempts + 1, failures = failures + 1,
          worker_id = (select worker_id from jobs where id = $3)
        where id = (
          select jobs.id from jobs join candidates using (id)
          where not is_leased
          order by ${probeOrder('jobs')}, id
          limit 1 for update of jobs skip locked
        )
        returning id, kind, ref, fairness_key as "fairnessKey", fence, attempts, state, created_at as "createdAt"`,
    },
    [connectionId, leaseUntil, probe.id],
  );
  return rows[0] ?? null;
}

export async function countWaitingEvents(db: Db, connectionId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    { name: 'jobs-count-waiting-events', text: `select count(*) as count from jobs where ${WAITING}` },
    [connectionId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Makes up to `limit` of them due, oldest first; an event that failed by itself waits for its own next try. Returns
 * whether there may be more.
 */
export async function releaseWaitingEvents(tx: Db, connectionId: number, now: Date, limit: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    {
      name: 'jobs-release-waiting-events',
      text: `update jobs set due_at = released.due_at, is_ready = released.due_at <= $2
        from (
          select id, ${NOT_BEFORE} as due_at from jobs
          where ${WAITING} and not is_leased and due_at > ${NOT_BEFORE}
          order by id limit $3 for update
        ) as released
        where jobs.id = released.id`,
    },
    [connectionId, now, limit],
  );
  return rowCount === limit;
}

/**
 * Makes the waiting writes of events due for a caller who requested them. Returns for each event `running` while a
 * worker has its write; events without a pending write are absent.
 */
export async function requestWaitingWrites(
  tx: Db,
  inboundEventIds: readonly number[],
  now: Date,
): Promise<Map<number, 'due' | 'running'>> {
  const { rows } = await tx.query<{ eventId: number; isLeased: boolean }>(
    {
      name: 'jobs-request-waiting-writes',
      text: `with waiting as (
          select id from jobs where kind = '${WRITE_CRM}' and ref = any($1) order by id for update
        )
        update jobs set due_at = case when is_leased then due_at else least(due_at, $2) end,
          state = case when is_leased then state else state || '{"${IS_TRY_REQUESTED}": true}' end
        from waiting where jobs.id = waiting.id
        returning jobs.ref::bigint as "eventId", jobs.is_leased as "isLeased"`,
    },
    [inboundEventIds.map(String), now],
  );
  return new Map(rows.map(({ eventId, isLeased }) => [eventId, isLeased ? 'running' : 'due']));
}

/** Makes the writes of events due that wait for their contact; those that run just now ask anyway. */
export async function askForContacts(tx: Db, inboundEventIds: readonly number[], now: Date): Promise<void> {
  await tx.query(
    {
      name: 'jobs-ask-for-contacts',
      text: `with waiting as (
          select id from jobs where kind = '${WRITE_CRM}' and ref = any($1) and ${waitsForContactSql('jobs')} and not is_leased
          order by id for update
        )
        update jobs set due_at = least(due_at, $2) from waiting where jobs.id = waiting.id`,
    },
    [inboundEventIds.map(String), now],
  );
}

/** Makes the probe of a connection due at `at`, unless it is due earlier or runs. */
export async function advanceProbe(tx: Db, connectionId: number, at: Date): Promise<void> {
  await tx.query(
    {
      name: 'jobs-advance-probe',
      text: `update jobs set due_at = least(due_at, $2) where kind = '${PROBE_CRM}' and ref = $1 and not is_leased`,
    },
    [String(connectionId), at],
  );
}

/** Counts the events of a connection that are not written yet, up to `limit` twice, without those that wait for their contact for days. */
export async function countPendingWrites(db: Db, connectionId: number, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    {
      name: 'jobs-count-pending-writes',
      text: `select count(*) from unnest('{true,false}'::boolean[]) as r (is_ready) cross join lateral (
          select from jobs where jobs.is_ready = r.is_ready and ${WRITES} and not ${waitsForContactSql('jobs')} limit $2
        ) as waiting`,
    },
    [connectionId, limit],
  );
  return rows[0]?.count ?? 0;
}
