declare function showHealth(event: WebhookEvent): Promise<void>;

// The README's example.
import { createEventOrder, type WebhookEvent } from '@svc/sdk/webhooks';

const order = createEventOrder(); // per source and connection, in memory

async function onEvent(event: WebhookEvent) {
  if (!order.isNewer(event)) return; // a later one was handled
  await showHealth(event);
  order.record(event);
}
// Its end.
export { onEvent };
