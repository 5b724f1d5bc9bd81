import type { Delivery, operations } from '@svc/contract/types';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { LogParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import type { TailParams } from '../lists/tail.ts';

type DeliveriesQuery = operations['listDeliveries']['parameters']['query'];

/** A range of any span, and which deliveries. */
export interface DeliveryListParams extends LogParams {
  status?: DeliveriesQuery['status'];
  /** Unknown or out of reach: `NotFoundError`. */
  destinationId?: number | undefined;
}

/** Which deliveries to watch. */
export interface DeliveryTailParams extends Omit<DeliveryListParams, keyof LogParams>, TailParams {}

/** Deliveries to all destinations. Those of webhooks are with `webhooks`. */
export interface DeliveriesResource {
  /**
   * Posts to forwarding destinations, newest first, over a range of any span (specification, "Destination delivery" and
   * "Observability"). To send one again: `destinations.replayDelivery`.
   */
  list(params: DeliveryListParams, options?: CallOptions): List<Delivery>;
  /**
   * Posts to forwarding destinations as they come, oldest first and each once, until the loop is left or `options.signal` fires (`AbortError`). The newest
   * minute is read again with each look, so that a row that becomes visible late is not lost.
   *
   * @throws what the first look fails with, later what does not pass by itself
   * @example
   * for await (const delivery of client.deliveries.tail()) console.log(delivery.id);
   */
  tail(params?: DeliveryTailParams, options?: CallOptions): AsyncGenerator<Delivery, void, undefined>;
}

export function createDeliveriesResource({ log, tail }: Operations): DeliveriesResource {
  const list = log<Delivery, DeliveryListParams>('/api/v1/deliveries');
  return { list, tail: tail(list) };
}
