import type { Delivery, DeliveryMetrics, Destination, operations, ReplayQueued } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { LogParams, RangeParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';

type DeliveriesQuery = operations['listDestinationDeliveries']['parameters']['query'];

/** A range of any span, and which deliveries. */
export interface DestinationDeliveryListParams extends LogParams {
  status?: DeliveriesQuery['status'];
}

/** URLs of the customer that received events are forwarded to. */
export interface DestinationsResource {
  /** All forwarding destinations the key can reach; not paged (specification, "Destination"). */
  list(options?: CallOptions): ApiPromise<{ destinations: Destination[] }>;
  /** @throws NotFoundError when it is missing or not within reach */
  get(id: number, options?: CallOptions): ApiPromise<Destination>;
  /**
   * Deliveries to one destination, newest first, over a range of any span (specification, "Observability").
   *
   * @throws NotFoundError when the destination is missing or not within reach
   */
  listDeliveries(id: number, params: DestinationDeliveryListParams, options?: CallOptions): List<Delivery>;
  /**
   * Counts of its deliveries over at most 31 days.
   *
   * @throws NotFoundError when the destination is missing or not within reach
   */
  deliveryMetrics(id: number, params: RangeParams, options?: CallOptions): ApiPromise<DeliveryMetrics>;
  /**
   * Has a delivery sent again, whatever its status (specification, "Write actions"). The answer says that it is queued; the
   * outcome becomes a delivery of its own. Needs a key with write scope.
   *
   * @throws NotFoundError when destination or delivery are missing, or the delivery has no payload
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
