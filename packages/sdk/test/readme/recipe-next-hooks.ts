// Example of the README:
// app/hooks/route.ts
import { createWebhookReceiver, type WebhookReceiver } from '@svc/sdk/webhooks';

let receiver: WebhookReceiver | undefined;

export function POST(request: Request): Promise<Response> {
  // Made by the first delivery: `next build` loads this file, too, and has no secret.
  receiver ??= createWebhookReceiver({
    secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
    onEvent: (event) => console.log(event.type, event.summary),
  });
  return receiver.fetch(request);
}
