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
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';

type DeliveriesQuery = NonNullable<operations['listWebhookDeliveries']['parameters']['query']>;

/** Filters of `webhooks.listDeliveries`. */
export interface WebhookDeliveryListParams extends CursorParams {
  status?: DeliveriesQuery['status'];
}

/**
 * Webhooks that receive the service's own events. All calls throw `PermissionError`
 * unless the key is account-scoped and its account has webhooks; calls that change something also need write scope.
 * `@svc/sdk/webhooks` receives deliveries.
 */
export interface WebhooksResource {
  /** Lists all webhooks of the account, without secrets; not paged. */
  list(options?: CallOptions): ApiPromise<{ webhooks: WebhookEndpoint[] }>;
  /**
   * Creates a webhook. The answer holds the signing secret, which is never shown again.
   *
   * @throws BadRequestError for a URL that is private, too long or not https, for unknown event types, and for the 21st webhook
   */
  create(body: CreateWebhookBody, options?: CallOptions): ApiPromise<WebhookEndpointWithSecret>;
  /** Returns one webhook. @throws NotFoundError when it does not exist */
  get(id: string, options?: CallOptions): ApiPromise<WebhookEndpoint>;
  /** Changes the given fields. `isActive: true` also ends an auto-disable. */
  update(id: string, body: UpdateWebhookBody, options?: CallOptions): ApiPromise<WebhookEndpoint>;
  delete(id: string, options?: CallOptions): ApiPromise<undefined>;
  /** Replaces the secret from the next attempt on. The answer holds the new one, which is never shown again. */
  rotateSecret(id: string, options?: CallOptions): ApiPromise<WebhookEndpointWithSecret>;
  /** Sends a `test.ping` to the webhook, active or not. The answer holds the event's id. */
  test(id: string, options?: CallOptions): ApiPromise<TestEventQueued>;
  /** Lists its deliveries, newest first. */
  listDeliveries(id: string, params?: WebhookDeliveryListParams, options?: CallOptions): List<WebhookDelivery>;
  /** Sends the event of a delivery again, whatever its status. The answer is the new delivery. */
  replayDelivery(id: string, deliveryId: string, options?: CallOptions): ApiPromise<WebhookDelivery>;
}

const findListFault = createShapeCheck<{ webhooks: WebhookEndpoint[] }>({ webhooks: 'objects' });
const findSecretFault = createShapeCheck<WebhookEndpointWithSecret>({ id: 'string', url: 'string', secret: 'string' });
const findTestFault = createShapeCheck<TestEventQueued>({ eventId: 'string' });

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
    test: one('POST', '/api/v1/webhooks/{id}/test', findTestFault),
    listDeliveries: (id, params, options) => deliveries(params, options, { id }),
    replayDelivery: (id, deliveryId, options) =>
      send('POST', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', options, undefined, () => ({
        path: { id, deliveryId },
      })),
  };
}
