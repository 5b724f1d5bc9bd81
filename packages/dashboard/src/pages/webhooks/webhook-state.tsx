import type { WebhookEndpoint } from '@svc/contract/types';
import { Status } from '../../parts/status.tsx';

export function WebhookState({ webhook: { isActive, autoDisabledAt } }: { webhook: WebhookEndpoint }) {
  if (isActive) return <Status tone="good">on</Status>;
  return autoDisabledAt === null ? (
    <Status tone="warn">off</Status>
  ) : (
    <Status tone="bad">switched off by the service</Status>
  );
}

/** Returns what the webhook is sent: `all` without a choice. */
export function describeEvents({ enabledEvents }: WebhookEndpoint): string {
  return enabledEvents.length === 0 ? 'all' : enabledEvents.join(', ');
}
