/** Compiled as a CommonJS file: with `"module": "nodenext"` it may import the SDK, and calls `require`. */
import { type Client, createClient } from '@svc/sdk';
import { createWebhookReceiver } from '@svc/sdk/webhooks';

export const client: Client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'osapi_x' });
export const receiver = createWebhookReceiver({ secrets: ['oswhsec_x'], onEvent: (event) => void event.id.length });
