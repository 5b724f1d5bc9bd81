import type { ForwardingOutcome } from '@svc/domain/forwarding/forwarding';
import { endJobsText, endJobsValues, type JobEnd } from '../queue/job-ends.ts';
import type { Db } from '../store/database/db.ts';
import type { DeliverySubject } from '../store/deliveries.ts';

/** The result of one attempt, and how it leaves its job. */
export interface ForwardingResult {
  end: JobEnd;
  subject: DeliverySubject;
  outcome: ForwardingOutcome;
  at: Date;
}

/** Adds the deliveries of attempts and ends their jobs. Returns for each whether its job was still held; if not, it is dropped. */
export async function insertDeliveries(db: Db, results: readonly ForwardingResult[]): Promise<boolean[]> {
  const { rows } = await db.query<{ position: number }>(
    {
      name: 'deliveries-insert',
      text: `with ${endJobsText(1)}, inserted as (
          insert into deliveries (account_id, connection_id, destination_id, destination_url, status, http_status,
            source_id, event_type, to_email, payload_id, error, created_at)
          select account_id, connection_id, destination_id, destination_url, status, http_status,
            source_id, event_type, to_email, payload_id, error, created_at
          from unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::int[], $11::bigint[],
              $12::text[], $13::text[], $14::bigint[], $15::text[], $16::timestamptz[]) with ordinality
            as results (account_id, connection_id, destination_id, destination_url, status, http_status,
              source_id, event_type, to_email, payload_id, error, created_at, position)
            join held using (position)
          order by position
        ) select position from held`,
    },
    [
      ...endJobsValues(results.map(({ end }) => end)),
      results.map(({ subject }) => subject.accountId),
      results.map(({ subject }) => subject.connectionId),
      results.map(({ subject }) => subject.destinationId),
      results.map(({ subject }) => subject.destinationUrl),
      results.map(({ outcome }) => outcome.status),
      results.map(({ outcome }) => outcome.httpStatus),
      results.map(({ subject }) => subject.sourceId),
      results.map(({ subject }) => subject.eventType),
      results.map(({ subject }) => subject.toEmail),
      results.map(({ subject }) => subject.payloadId),
      results.map(({ outcome }) => outcome.error),
      results.map(({ at }) => at.toISOString()),
    ],
  );
  const held = new Set(rows.map(({ position }) => position));
  return results.map((_result, index) => held.has(index + 1));
}
