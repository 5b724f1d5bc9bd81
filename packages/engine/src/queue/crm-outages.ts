/** Outages of CRMs with the number of events that wait for their end, as operators see them. */
import type { Db } from '../store/database/db.ts';

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
            select from jobs j where j.kind in ('write-crm', 'retry-sync')
              and j.fairness_key = 'connection:' || o.connection_id and j.state ? 'firstFailureMs' limit $1
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
