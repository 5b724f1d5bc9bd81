import type { operations, PlatformEvent, PlatformEventWithDeliveries } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CursorParams } from '../lists/cursor-list.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { LogParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import type { TailParams } from '../lists/tail.ts';

type EventsQuery = NonNullable<operations['listEvents']['parameters']['query']>;

/** Which events. */
export interface EventListParams extends CursorParams {
  /** Only events of these types. */
  types?: readonly NonNullable<EventsQuery['type']>[number][] | undefined;
  /** Only events that at least one webhook has received, or only those that none has. */
  delivered?: boolean | undefined;
}

/** Which events to watch. */
export interface EventTailParams extends Omit<EventListParams, keyof LogParams>, TailParams {}

/** The log of the service's own events (specification, "Events"). Needs an account that has webhooks: else `PermissionError`. */
export interface EventsResource {
  /** Newest first, over the whole log. */
  list(params?: EventListParams, options?: CallOptions): List<PlatformEvent>;
  /**
   * Events as they come, oldest first and each once, until the loop is left or `options.signal` fires (`AbortError`). The newest
   * minute is read again with each look, so that a row that becomes visible late is not lost.
   *
   * @throws what the first look fails with, later what does not pass by itself
   * @example
   * for await (const event of client.events.tail()) console.log(event.id);
   */
  tail(params?: EventTailParams, options?: CallOptions): AsyncGenerator<PlatformEvent, void, undefined>;
  /**
   * One event, with its deliveries.
   *
   * @throws NotFoundError when it is missing or not within reach
   */
  get(id: string, options?: CallOptions): ApiPromise<PlatformEventWithDeliveries>;
}

export function createEventsResource({ feed, one, tail }: Operations): EventsResource {
  const events = feed<PlatformEvent>('/api/v1/events');
  // A type more in the query than the parameters of a feed have.
  const list: EventsResource['list'] = ({ types, ...params } = {}, options) =>
    events({ ...params, ...{ type: types } }, options);
  return {
    list,
    // Without a range: a page as long as that of a list would bring the same old rows with each look.
    tail: tail((params: EventListParams, options) => list({ ...params, pageSize: 25 }, options)),
    get: one('GET', '/api/v1/events/{id}'),
  };
}
