import type { Delivery, operations } from '@svc/contract/types';
import type { CallOptions } from '../fetch.ts';
import type { Operations } from '../operations.ts';
import type { LogParams } from '../log-query.ts';
import type { List } from '../paginate.ts';

type DeliveriesQuery = operations['listDeliveries']['parameters']['query'];

/** A range of any span, and which deliveries. */
export interface DeliveryListParams extends LogParams {
  status?: DeliveriesQuery['status'];
  /** Unknown or out of reach: `NotFoundError`. */
  destinationId?: number | undefined;
}

/** Deliveries to all destinations. Those of webhooks are with `webhooks`. */
export interface DeliveriesResource {
  /**
   * Posts to forwarding destinations, newest first, over a range of any span (specification, "Destination delivery" and
   * "Observability"). To send one again: `destinations.replayDelivery`.
   */
  list(params: DeliveryListParams, options?: CallOptions): List<Delivery>;
}

export function createDeliveriesResource({ log }: Operations): DeliveriesResource {
  return { list: log('/api/v1/deliveries') };
}
