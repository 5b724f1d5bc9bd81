import type { Delivery, operations } from '@svc/contract/types';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { LogParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import type { TailParams } from '../lists/tail.ts';

type DeliveriesQuery = operations['listDeliveries']['parameters']['query'];

/** Filters of `deliveries.list`, and a range of any length. */
export interface DeliveryListParams extends LogParams {
  status?: DeliveriesQuery['status'];
  /** Only to this destination; `NotFoundError` when it does not exist or is not accessible. */
  destinationId?: number | undefined;
}

/** Filters of `deliveries.tail`, and how to poll. */
export interface DeliveryTailParams extends Omit<DeliveryListParams, keyof LogParams>, TailParams {}

/** Deliveries to all destinations. Deliveries to webhooks are part of `webhooks`. */
export interface DeliveriesResource {
  /**
   * Lists posts to forwarding destinations, newest first, over a range of any length (README.md#lists).
   * `destinations.replayDelivery` sends one again.
   */
  list(params: DeliveryListParams, options?: CallOptions): List<Delivery>;
  /**
   * Yields new posts to forwarding destinations, oldest first and each once, until the loop ends or `options.signal` fires
   * (`AbortError`). Each poll reads the newest minute again, so that rows that become visible late are not lost.
   *
   * @throws the error of the first poll; later only errors that are not temporary
   * @example
   * for await (const delivery of client.deliveries.tail()) console.log(delivery.id);
   */
  tail(params?: DeliveryTailParams, options?: CallOptions): AsyncGenerator<Delivery, void, undefined>;
}

export function createDeliveriesResource({ log, tail }: Operations): DeliveriesResource {
  const list = log<Delivery, DeliveryListParams>('/api/v1/deliveries');
  return { list, tail: tail(list) };
}
