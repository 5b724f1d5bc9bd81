import type { WebhookDelivery } from '@svc/sdk';
import type { TestResult } from './test-delivery.ts';
import type { RecordLine } from '../../format/record.ts';

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
