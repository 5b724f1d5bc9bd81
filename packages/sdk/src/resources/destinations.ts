import type { Delivery, DeliveryMetrics, Destination, operations, ReplayQueued } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { LogParams, RangeParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';

type DeliveriesQuery = operations['listDestinationDeliveries']['parameters']['query'];

/** Filters of `destinations.listDeliveries`, and a range of any length. */
export interface DestinationDeliveryListParams extends LogParams {
  status?: DeliveriesQuery['status'];
}

/** The customer's URLs that received events are forwarded to. */
export interface DestinationsResource {
  /** Lists all forwarding destinations that the key can access; not paged. */
  list(options?: CallOptions): ApiPromise<{ destinations: Destination[] }>;
  /** Returns one destination. @throws NotFoundError when it does not exist or is not accessible */
  get(id: number, options?: CallOptions): ApiPromise<Destination>;
  /**
   * Lists deliveries to one destination, newest first, over a range of any length (README.md#lists).
   *
   * @throws NotFoundError when the destination does not exist or is not accessible
   */
  listDeliveries(id: number, params: DestinationDeliveryListParams, options?: CallOptions): List<Delivery>;
  /**
   * Returns counts of its deliveries over at most 31 days.
   *
   * @throws NotFoundError when the destination does not exist or is not accessible
   */
  deliveryMetrics(id: number, params: RangeParams, options?: CallOptions): ApiPromise<DeliveryMetrics>;
  /**
   * Queues another post of a delivery, whatever its status. The result becomes a new delivery. Needs
   * a key with write scope.
   *
   * @throws NotFoundError when the destination or the delivery does not exist, or the delivery has no payload
   * @throws PermissionError without write scope
   */
  replayDelivery(id: number, deliveryId: number, options?: CallOptions): ApiPromise<ReplayQueued>;
}

const findListFault = createShapeCheck<{ destinations: Destination[] }>({ destinations: 'objects' });

export function createDestinationsResource({ get, log, metrics, one, send }: Operations): DestinationsResource {
  const deliveries = log<Delivery>('/api/v1/destinations/{id}/deliveries');
  const deliveryMetrics = metrics<DeliveryMetrics>('/api/v1/destinations/{id}/deliveries/metrics');
  return {
    list: get('/api/v1/destinations', findListFault),
    get: one('GET', '/api/v1/destinations/{id}'),
    listDeliveries: (id, params, options) => deliveries(params, options, { id }),
    deliveryMetrics: (id, params, options) => deliveryMetrics(params, options, { id }),
    replayDelivery: (id, deliveryId, options) =>
      send('POST', '/api/v1/destinations/{id}/deliveries/{deliveryId}/replay', options, undefined, () => ({
        path: { id, deliveryId },
      })),
  };
}
