declare function showHealth(event: WebhookEvent): Promise<void>;

// Example of the README:
import { createEventOrder, type WebhookEvent } from '@svc/sdk/webhooks';

const order = createEventOrder(); // per source and connection, in memory

async function onEvent(event: WebhookEvent) {
  if (!order.isNewer(event)) return; // a later event was handled
  await showHealth(event);
  order.record(event);
}
// End of the example.
export { onEvent };
