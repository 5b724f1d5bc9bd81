// Example of the README:
// app/hooks/route.ts
import { createWebhookReceiver } from '@svc/sdk/webhooks';

const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: (event) => console.log(event.type, event.summary),
});

export const POST = receiver.fetch;
