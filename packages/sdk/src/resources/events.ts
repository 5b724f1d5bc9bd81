import type { operations, PlatformEvent, PlatformEventWithDeliveries } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CursorParams } from '../lists/cursor-list.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { LogParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import type { TailParams } from '../lists/tail.ts';

type EventsQuery = NonNullable<operations['listEvents']['parameters']['query']>;

/** Filters of `events.list`. */
export interface EventListParams extends CursorParams {
  /** Only events of these types. */
  types?: readonly NonNullable<EventsQuery['type']>[number][] | undefined;
  /** Only events that at least one webhook has received, or only events that none has. */
  delivered?: boolean | undefined;
}

/** Filters of `events.tail`, and how to poll. */
export interface EventTailParams extends Omit<EventListParams, keyof LogParams>, TailParams {}

/** The log of the service's own events. Throws `PermissionError` when the account does not have webhooks. */
export interface EventsResource {
  /** Lists all events of the log, newest first. */
  list(params?: EventListParams, options?: CallOptions): List<PlatformEvent>;
  /**
   * Yields new events, oldest first and each once, until the loop ends or `options.signal` fires (`AbortError`). Each poll reads the
   * newest minute again, so that rows that become visible late are not lost.
   *
   * @throws the error of the first poll; later only errors that are not temporary
   * @example
   * for await (const event of client.events.tail()) console.log(event.id);
   */
  tail(params?: EventTailParams, options?: CallOptions): AsyncGenerator<PlatformEvent, void, undefined>;
  /**
   * Returns one event with its deliveries.
   *
   * @throws NotFoundError when it does not exist or is not accessible
   */
  get(id: string, options?: CallOptions): ApiPromise<PlatformEventWithDeliveries>;
}

export function createEventsResource({ feed, one, tail }: Operations): EventsResource {
  const events = feed<PlatformEvent>('/api/v1/events');
  const list: EventsResource['list'] = ({ types, ...params } = {}, options) =>
    events({ ...params, ...{ type: types } }, options);
  return {
    list,
    // Small pages: the list has no range, so each poll would read a full page of old rows.
    tail: tail((params: EventListParams, options) => list({ ...params, pageSize: 25 }, options)),
    get: one('GET', '/api/v1/events/{id}'),
  };
}
