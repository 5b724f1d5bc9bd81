/** Statements of `crm_outages`: connections whose CRM does not work at the moment (`pipeline/crm-outage.ts`). */
import type { CrmError } from '@svc/crm';
import { connectionKeySql } from '../jobs/kinds.ts';
import { waitsForCrmSql } from '../jobs/write-state.ts';
import type { Db } from './database/db.ts';
import { toStorableJson } from './database/storable-json.ts';
import { readCrmError } from './stored-json.ts';

export interface CrmOutage {
  connectionId: number;
  /** First failed call without a successful one since. */
  failingSince: Date;
  /** Two events have failed, so only probes call the CRM. */
  isConfirmed: boolean;
  failedProbes: number;
  lastCallAt: Date;
  nextProbeAt: Date;
  /** The error of the last failed call. */
  error: CrmError;
  /** When the log reported it; null until an event has an error row. */
  reportedAt: Date | null;
}

const COLUMNS = `crm_outages.connection_id as "connectionId", crm_outages.failing_since as "failingSince",
  crm_outages.is_confirmed as "isConfirmed", crm_outages.failed_probes as "failedProbes",
  crm_outages.last_call_at as "lastCallAt", crm_outages.next_probe_at as "nextProbeAt", crm_outages.error,
  crm_outages.reported_at as "reportedAt"`;

type Row = Omit<CrmOutage, 'error'> & { error: object };

function toOutage(row: Row | undefined): CrmOutage | null {
  return row === undefined ? null : { ...row, error: readCrmError(row.error) };
}

export async function getCrmOutage(db: Db, connectionId: number): Promise<CrmOutage | null> {
  const { rows } = await db.query<Row>(
    { name: 'crm-outages-get', text: `select ${COLUMNS} from crm_outages where connection_id = $1` },
    [connectionId],
  );
  return toOutage(rows[0]);
}

/** Returns the outage, which then cannot end before the caller's transaction does. */
export async function holdCrmOutage(tx: Db, connectionId: number): Promise<CrmOutage | null> {
  const { rows } = await tx.query<Row>(
    { name: 'crm-outages-hold', text: `select ${COLUMNS} from crm_outages where connection_id = $1 for share` },
    [connectionId],
  );
  return toOutage(rows[0]);
}

/**
 * Records a failed call of an event. The first one begins an outage; a failed call of another event confirms it.
 *
 * @param failure.nextTryAt when the event is tried again
 * @param failure.firstProbeAt when the first probe is due if this call confirms the outage
 */
export async function recordCrmFailure(
  tx: Db,
  failure: {
    connectionId: number;
    eventId: number;
    at: Date;
    nextTryAt: Date;
    firstProbeAt: Date;
    error: CrmError;
  },
): Promise<CrmOutage> {
  const { rows } = await tx.query<Row>(
    {
      name: 'crm-outages-record-failure',
      text: `insert into crm_outages (connection_id, event_id, failing_since, last_call_at, next_probe_at, error)
        values ($1, $2, $3, $3, $4, $6)
        on conflict (connection_id) do update set last_call_at = excluded.last_call_at, error = excluded.error,
          next_probe_at = case when crm_outages.is_confirmed then crm_outages.next_probe_at
            when crm_outages.event_id <> excluded.event_id then $5 else excluded.next_probe_at end,
          is_confirmed = crm_outages.is_confirmed or crm_outages.event_id <> excluded.event_id
        returning ${COLUMNS}`,
    },
    [
      failure.connectionId,
      failure.eventId,
      failure.at,
      failure.nextTryAt,
      failure.firstProbeAt,
      toStorableJson(failure.error),
    ],
  );
  const outage = toOutage(rows[0]);
  if (!outage) throw new Error(`The outage of connection ${failure.connectionId} was not stored.`);
  return outage;
}

/**
 * Forgets an outage of one event that nobody tried for so long: it was given up or removed. Otherwise it would seem to go on
 * until the next event of the connection.
 */
export async function deleteAbandonedOutage(tx: Db, connectionId: number, dueBefore: Date): Promise<void> {
  await tx.query(
    {
      name: 'crm-outages-delete-abandoned',
      text: 'delete from crm_outages where connection_id = $1 and not is_confirmed and next_probe_at < $2',
    },
    [connectionId, dueBefore],
  );
}

/** Records a failed call only if the same event began the outage, and no other has confirmed it. */
export async function recordOwnFailure(
  tx: Db,
  failure: { connectionId: number; eventId: number; at: Date; nextTryAt: Date; error: CrmError },
): Promise<void> {
  await tx.query(
    {
      name: 'crm-outages-record-own-failure',
      text: `update crm_outages set last_call_at = $3, next_probe_at = $4, error = $5
        where connection_id = $1 and event_id = $2 and not is_confirmed`,
    },
    [failure.connectionId, failure.eventId, failure.at, failure.nextTryAt, toStorableJson(failure.error)],
  );
}

export async function recordFailedProbe(
  tx: Db,
  probe: { connectionId: number; at: Date; nextProbeAt: Date; error: CrmError },
): Promise<void> {
  await tx.query(
    {
      name: 'crm-outages-record-probe',
      text: `update crm_outages set failed_probes = failed_probes + 1, last_call_at = $2, next_probe_at = $3, error = $4
        where connection_id = $1`,
    },
    [probe.connectionId, probe.at, probe.nextProbeAt, toStorableJson(probe.error)],
  );
}

/** Marks the outage as reported. Returns true only to the caller that did, who logs it. */
export async function setCrmOutageReported(db: Db, connectionId: number, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    {
      name: 'crm-outages-report',
      text: 'update crm_outages set reported_at = $2 where connection_id = $1 and reported_at is null',
    },
    [connectionId, at],
  );
  return rowCount > 0;
}

/** Makes the next probe due at `at`, unless it is due earlier. */
export async function advanceNextProbe(tx: Db, connectionId: number, at: Date): Promise<void> {
  await tx.query(
    {
      name: 'crm-outages-advance-probe',
      text: 'update crm_outages set next_probe_at = least(next_probe_at, $2) where connection_id = $1',
    },
    [connectionId, at],
  );
}

/** Ends the outage and returns it; null when there was none. @param which `unconfirmed`: a confirmed one stays */
export async function deleteCrmOutage(
  tx: Db,
  connectionId: number,
  which: 'any' | 'unconfirmed',
): Promise<CrmOutage | null> {
  const { rows } = await tx.query<Row>(
    {
      name: 'crm-outages-delete',
      text: `delete from crm_outages where connection_id = $1 and ($2 or not is_confirmed) returning ${COLUMNS}`,
    },
    [connectionId, which === 'any'],
  );
  return toOutage(rows[0]);
}

/** An outage with the number of events that wait for its end, as operators see it. */
export interface ShownOutage {
  connectionId: number;
  crm: string;
  since: Date;
  nextProbeAt: Date;
  /** What went wrong at the last call. */
  reason: string;
  /** The number of waiting events, at most `WAITING_COUNTED_MAX`. */
  waiting: number;
}

const WAITING_COUNTED_MAX = 10_000;

/** Returns the outages that have caused an error row and for whose end events wait, by ascending connection. */
export async function listCrmOutages(db: Db): Promise<ShownOutage[]> {
  const { rows } = await db.query<ShownOutage>(
    {
      name: 'crm-outages-list',
      text: `select * from (select o.connection_id as "connectionId", c.crm, o.failing_since as since,
          o.next_probe_at as "nextProbeAt", coalesce(o.error->>'message', '') as reason,
          (select count(*) from (
            select from jobs j where ${waitsForCrmSql('j', connectionKeySql('o.connection_id'))} limit $1
          ) as counted) as waiting
        from crm_outages o join connections c on c.id = o.connection_id
        where o.reported_at is not null) as outages where waiting > 0 order by "connectionId"`,
    },
    [WAITING_COUNTED_MAX],
  );
  return rows;
}

/** Describes an outage to an operator. */
export function describeOutage({ connectionId, crm, since, nextProbeAt, reason, waiting }: ShownOutage): string {
  const events =
    waiting === 1 ? '1 event waits' : `${waiting < WAITING_COUNTED_MAX ? '' : 'at least '}${waiting} events wait`;
  const times = `not working since ${since.toISOString()}, next probe at ${nextProbeAt.toISOString()}`;
  return `${events} for connection ${connectionId} (${crm}): ${times} (last: ${reason})`;
}
