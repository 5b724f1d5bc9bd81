import type { WebhookDelivery } from '@svc/contract/types';
import { Status, type Tone } from '../../parts/status.tsx';

/** `FAILED` is tried again, so it is a warning. */
const TONES: Readonly<Record<string, Tone>> = { PENDING: 'waiting', SUCCEEDED: 'good', FAILED: 'warn', DEAD: 'bad' };

export function DeliveryStatus({ delivery: { status } }: { delivery: WebhookDelivery }) {
  return <Status tone={TONES[status] ?? 'neutral'}>{status.toLowerCase()}</Status>;
}
