import type {
  CreateWebhookBody,
  operations,
  TestEventQueued,
  UpdateWebhookBody,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CursorParams } from '../lists/cursor-list.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';

type DeliveriesQuery = NonNullable<operations['listWebhookDeliveries']['parameters']['query']>;

/** Which deliveries of the webhook. */
export interface WebhookDeliveryListParams extends CursorParams {
  status?: DeliveriesQuery['status'];
}

/**
 * Webhooks that receive the service's own events (specification, "Webhooks (Sync Monitoring)"). All of these calls need an
 * account-scoped key of an account that has webhooks, and those that change something write scope: else `PermissionError`.
 * To take deliveries: `@svc/sdk/webhooks`.
 */
export interface WebhooksResource {
  /** All of the account, without secrets; not paged. */
  list(options?: CallOptions): ApiPromise<{ webhooks: WebhookEndpoint[] }>;
  /**
   * The answer holds the signing secret, which is never shown again.
   *
   * @throws BadRequestError for a URL that is not https, private or too long, for unknown event types, and for the 21st webhook
   */
  create(body: CreateWebhookBody, options?: CallOptions): ApiPromise<WebhookEndpointWithSecret>;
  get(id: string, options?: CallOptions): ApiPromise<WebhookEndpoint>;
  /** Changes what is given; `isActive: true` also ends an auto-disable. */
  update(id: string, body: UpdateWebhookBody, options?: CallOptions): ApiPromise<WebhookEndpoint>;
  delete(id: string, options?: CallOptions): ApiPromise<undefined>;
  /** The new secret, never shown again, signs from the next attempt on; the old one is void at once. */
  rotateSecret(id: string, options?: CallOptions): ApiPromise<WebhookEndpointWithSecret>;
  /** Has a `test.ping` delivered to it, active or not. The answer holds the event's id. */
  test(id: string, options?: CallOptions): ApiPromise<TestEventQueued>;
  /** Its deliveries, newest first. */
  listDeliveries(id: string, params?: WebhookDeliveryListParams, options?: CallOptions): List<WebhookDelivery>;
  /** Has the event of a delivery sent once more, whatever became of it. The answer is the new delivery. */
  replayDelivery(id: string, deliveryId: string, options?: CallOptions): ApiPromise<WebhookDelivery>;
}

const findListFault = createShapeCheck<{ webhooks: WebhookEndpoint[] }>({ webhooks: 'objects' });
const findSecretFault = createShapeCheck<WebhookEndpointWithSecret>({ id: 'string', url: 'string', secret: 'string' });

export function createWebhooksResource({ get, feed, one, send }: Operations): WebhooksResource {
  const deliveries = feed<WebhookDelivery>('/api/v1/webhooks/{id}/deliveries');
  return {
    list: get('/api/v1/webhooks', findListFault),
    create: (body, options) => send('POST', '/api/v1/webhooks', options, findSecretFault, () => ({ body })),
    get: one('GET', '/api/v1/webhooks/{id}'),
    update: (id, body, options) =>
      send('PATCH', '/api/v1/webhooks/{id}', options, undefined, () => ({ path: { id }, body })),
    delete: one('DELETE', '/api/v1/webhooks/{id}', () => null),
    rotateSecret: one('POST', '/api/v1/webhooks/{id}/rotate-secret', findSecretFault),
    test: one('POST', '/api/v1/webhooks/{id}/test'),
    listDeliveries: (id, params, options) => deliveries(params, options, { id }),
    replayDelivery: (id, deliveryId, options) =>
      send('POST', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', options, undefined, () => ({
        path: { id, deliveryId },
      })),
  };
}
