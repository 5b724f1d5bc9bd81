declare const request: Request;
declare const secret: string;

// Example of the README:
import { verifyWebhook, WebhookVerificationError } from '@svc/sdk/webhooks';

const event = await verifyWebhook({ payload: await request.arrayBuffer(), headers: request.headers, secret });
// End of the example.
export { event, WebhookVerificationError };
