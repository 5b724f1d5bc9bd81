import type { Client, WebhookDelivery } from '@svc/sdk';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import type { RecordLine } from '../../format/record.ts';

/**
 * The outcome of a test delivery.
 *
 * - `delivered`: the endpoint answered 2xx
 * - `not-delivered`: the delivery failed for good
 * - `timeout`: still pending; the service keeps trying
 */
export type TestOutcome = 'delivered' | 'not-delivered' | 'timeout';

export interface TestResult {
  readonly eventId: string;
  readonly outcome: TestOutcome;
  /** The last state; null if there was no delivery yet. */
  readonly delivery: WebhookDelivery | null;
}

export interface TestWait {
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called after each failed attempt that will be retried. */
  readonly onFailedAttempt: (delivery: WebhookDelivery) => void;
}

const FIRST_POLL_MS = 200;
const SLOWEST_POLL_MS = 5000;

/** Sends a `test.ping` and polls its delivery until it is finished or the timeout is reached. */
export async function testAndWait(client: Client, webhookId: string, wait: TestWait): Promise<TestResult> {
  const endsAt = wait.now() + wait.timeoutMs;
  const { eventId } = await client.webhooks.test(webhookId);
  let attempts = 0;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, SLOWEST_POLL_MS)) {
    const { deliveries } = await client.events.get(eventId);
    const delivery = deliveries.find(({ endpointId }) => endpointId === webhookId) ?? null;
    const outcome = delivery === null ? null : outcomeOf(delivery);
    if (outcome !== null) return { eventId, outcome, delivery };
    if (delivery !== null && delivery.attemptCount > attempts) {
      attempts = delivery.attemptCount;
      wait.onFailedAttempt(delivery);
    }
    const restMs = endsAt - wait.now();
    if (restMs <= 0) return { eventId, outcome: 'timeout', delivery };
    await wait.sleep(Math.min(pollMs, restMs));
  }
}

export function exitCodeOfTest(outcome: TestOutcome): ExitCode {
  switch (outcome) {
    case 'delivered':
      return EXIT_CODES.ok;
    case 'not-delivered':
      return EXIT_CODES.negative;
    case 'timeout':
      return EXIT_CODES.waitTimedOut;
  }
}

/** Returns null if the service will retry. */
function outcomeOf({ status }: WebhookDelivery): TestOutcome | null {
  if (status === 'SUCCEEDED') return 'delivered';
  return status === 'PENDING' ? null : 'not-delivered';
}

/** Text for each outcome. */
const VERDICTS = {
  delivered: { text: 'delivered', tone: 'good' },
  'not-delivered': { text: 'not delivered', tone: 'bad' },
  timeout: { text: 'still pending at the timeout; the service keeps trying', tone: 'warn' },
} as const;

export function testLines({ eventId, outcome, delivery }: TestResult): RecordLine[] {
  return [
    { label: 'Test', ...VERDICTS[outcome] },
    { label: 'Event', text: eventId },
    ...(delivery === null ? [{ label: 'Delivery', text: 'none yet' }] : deliveryLines(delivery)),
  ];
}

/** Describes a failed attempt that will be retried. */
export function describeFailedAttempt(delivery: WebhookDelivery): string {
  return `Attempt ${delivery.attemptCount} failed: ${describeAnswer(delivery)}. The service will try again.`;
}

function deliveryLines(delivery: WebhookDelivery): RecordLine[] {
  const attempts = delivery.attemptCount === 1 ? '1 attempt' : `${delivery.attemptCount} attempts`;
  return [
    { label: 'Delivery', text: `${delivery.id} (${delivery.status}, ${attempts})` },
    { label: 'Answer', text: describeAnswer(delivery) },
  ];
}

function describeAnswer({ lastHttpStatus, lastError }: WebhookDelivery): string {
  if (lastError !== null) return lastError;
  return lastHttpStatus === null ? 'none yet' : `HTTP ${lastHttpStatus}`;
}
