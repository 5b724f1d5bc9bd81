import type { Client, WebhookDelivery } from '@svc/sdk';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import type { RecordLine } from '../../format/record.ts';

/**
 * How a test delivery ended.
 *
 * - `delivered`: the endpoint answered 2xx
 * - `not-delivered`: the service has given it up
 * - `timeout`: nothing is settled yet; the service goes on trying
 */
export type TestOutcome = 'delivered' | 'not-delivered' | 'timeout';

export interface TestResult {
  readonly eventId: string;
  readonly outcome: TestOutcome;
  /** As it was seen last; null when it was not there yet. */
  readonly delivery: WebhookDelivery | null;
}

export interface TestWait {
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of each attempt that failed while the service will make another. */
  readonly onFailedAttempt: (delivery: WebhookDelivery) => void;
}

const FIRST_POLL_MS = 200;
/** Each look spends a request of the rate limit. */
const SLOWEST_POLL_MS = 5000;

/** Has a `test.ping` sent and looks at its delivery until the service is done with it, or the time is over. */
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

/** Null while another attempt may come. */
function outcomeOf({ status }: WebhookDelivery): TestOutcome | null {
  if (status === 'SUCCEEDED') return 'delivered';
  return status === 'PENDING' ? null : 'not-delivered';
}

/** Names of outcomes, for people. */
const VERDICTS = {
  delivered: { text: 'delivered', tone: 'good' },
  'not-delivered': { text: 'not delivered', tone: 'bad' },
  timeout: { text: 'not settled in time; the service goes on trying', tone: 'warn' },
} as const;

export function testLines({ eventId, outcome, delivery }: TestResult): RecordLine[] {
  return [
    { label: 'Test', ...VERDICTS[outcome] },
    { label: 'Event', text: eventId },
    ...(delivery === null ? [{ label: 'Delivery', text: 'none yet' }] : deliveryLines(delivery)),
  ];
}

/** For while another attempt is still to come. */
export function describeFailedAttempt(delivery: WebhookDelivery): string {
  return `Attempt ${delivery.attemptCount} failed: ${whatCame(delivery)}. The service will try again.`;
}

function deliveryLines(delivery: WebhookDelivery): RecordLine[] {
  const attempts = delivery.attemptCount === 1 ? '1 attempt' : `${delivery.attemptCount} attempts`;
  return [
    { label: 'Delivery', text: `${delivery.id} (${delivery.status}, ${attempts})` },
    { label: 'Answer', text: whatCame(delivery) },
  ];
}

function whatCame({ lastHttpStatus, lastError }: WebhookDelivery): string {
  if (lastError !== null) return lastError;
  return lastHttpStatus === null ? 'none yet' : `HTTP ${lastHttpStatus}`;
}
