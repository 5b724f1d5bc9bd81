declare const request: Request;
declare const secret: string;

// The README's example.
import { verifyWebhook, WebhookVerificationError } from '@svc/sdk/webhooks';

const event = await verifyWebhook({ payload: await request.arrayBuffer(), headers: request.headers, secret });
// Its end.
export { event, WebhookVerificationError };
