import type { WebhookDeliveryState } from '@svc/domain/webhooks/webhook-delivery';
import { END_JOBS_PARAMETERS, endJobsText, endJobsValues, type JobEnd } from '../queue/job-ends.ts';
import type { Db } from '../store/database/db.ts';
import { timesOf } from '../store/row-times.ts';
import type { DeliveryToAttempt } from './webhook-deliveries.sql.ts';

export interface DeliveryResult {
  end: JobEnd;
  delivery: Pick<DeliveryToAttempt, 'id' | 'createdAt' | 'event' | 'webhook'>;
  state: WebhookDeliveryState;
  at: Date;
  /** Whether the webhook must be read again, because its count of DEAD deliveries has changed since the attempt began. */
  isWebhookChanged?: boolean;
}

const COLUMNS = [
  ['delivery_id', 'text'],
  ['event_id', 'text'],
  ['status', 'text'],
  ['attempt_count', 'int'],
  ['last_attempt_at', 'timestamptz'],
  ['last_http_status', 'int'],
  ['last_error', 'text'],
  ['next_attempt_at', 'timestamptz'],
  ['at', 'timestamptz'],
] as const;

/** SQL of the states that belong to held jobs, and of what they change. */
function statesText(first: number): string {
  const times = first + COLUMNS.length;
  const among = (table: string, from: number) =>
    `${table}.created_at >= $${from} and ${table}.created_at <= $${from + 1}`;
  const values = COLUMNS.map(([, type], index) => `$${first + index}::${type}[]`).join(', ');
  const names = COLUMNS.map(([name]) => name).join(', ');
  return `states as materialized (
      select states.* from unnest(${values}) with ordinality as states (${names}, position) join held using (position)
    ), delivered as materialized (
      select id from events where not is_delivered and id in (select event_id from states where status = 'SUCCEEDED')
        and ${among('events', times)}
      order by id for update
    ), marked as (
      update events set is_delivered = true from delivered
      where events.id = delivered.id and ${among('events', times)}
    ), stored as (
      update webhook_deliveries set status = states.status, attempt_count = states.attempt_count,
        last_attempt_at = states.last_attempt_at, last_http_status = states.last_http_status,
        last_error = states.last_error, next_attempt_at = states.next_attempt_at, updated_at = states.at
      from states where webhook_deliveries.id = states.delivery_id and ${among('webhook_deliveries', times + 2)}
    )`;
}

function statesValues(results: readonly DeliveryResult[]): unknown[] {
  const events = timesOf(results.map(({ delivery }) => delivery.event.createdAt));
  const deliveries = timesOf(results.map(({ delivery }) => delivery.createdAt));
  return [
    results.map(({ delivery }) => delivery.id),
    results.map(({ delivery }) => delivery.event.id),
    results.map(({ state }) => state.status),
    results.map(({ state }) => state.attemptCount),
    results.map(({ state }) => state.lastAttemptAt?.toISOString() ?? null),
    results.map(({ state }) => state.lastHttpStatus),
    results.map(({ state }) => state.lastError),
    results.map(({ state }) => state.nextAttemptAt?.toISOString() ?? null),
    results.map(({ at }) => at.toISOString()),
    events.from,
    events.until,
    deliveries.from,
    deliveries.until,
  ];
}

const STORE_STATES = {
  name: 'webhook-states-store',
  text: `with held as (select generate_series(1, cardinality($1::text[])) as position), ${statesText(1)} select`,
};

/** Stores the states of deliveries whose jobs have ended in the same transaction, and marks their events. */
export async function storeStates(tx: Db, results: readonly DeliveryResult[]): Promise<void> {
  await tx.query(STORE_STATES, statesValues(results));
}

/** Parameters of the condition that the counts of DEAD deliveries are still those that were read. */
const COUNT_PARAMETERS = 2;
const STATES_FIRST = COUNT_PARAMETERS + END_JOBS_PARAMETERS + 1;

const STORE_PLAIN = {
  name: 'webhook-results-store',
  text: `with unchanged as materialized (
      select counts.position from unnest($1::text[], $2::int[]) with ordinality as counts (webhook_id, dead_count, position)
        join webhooks on webhooks.id = counts.webhook_id and webhooks.consecutive_dead_count = counts.dead_count
    ), ${endJobsText(COUNT_PARAMETERS + 1, 'position in (select position from unchanged)')}, ${statesText(STATES_FIRST)}
    select position - 1 as position from held`,
};

/**
 * Stores results that change no webhook, in one statement. Leaves out those whose webhook's count of DEAD deliveries has
 * changed since it was read. Returns the positions of the stored ones.
 */
export async function storePlainResults(db: Db, results: readonly DeliveryResult[]): Promise<number[]> {
  const { rows } = await db.query<{ position: number }>(STORE_PLAIN, [
    results.map(({ delivery }) => delivery.webhook.id),
    results.map(({ delivery }) => delivery.webhook.consecutiveDeadCount),
    ...endJobsValues(results.map(({ end }) => end)),
    ...statesValues(results),
  ]);
  return rows.map(({ position }) => position);
}
