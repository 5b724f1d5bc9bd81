import type { operations, PlatformEvent, PlatformEventWithDeliveries } from '@svc/contract/types';
import type { ApiPromise } from '../call.ts';
import type { CursorParams } from '../cursor-list.ts';
import type { CallOptions } from '../fetch.ts';
import type { Operations } from '../operations.ts';
import type { List } from '../paginate.ts';

type EventsQuery = NonNullable<operations['listEvents']['parameters']['query']>;

/** Which events. */
export interface EventListParams extends CursorParams {
  /** Only events of these types. */
  types?: readonly NonNullable<EventsQuery['type']>[number][] | undefined;
  /** Only events that at least one webhook has received, or only those that none has. */
  delivered?: boolean | undefined;
}

/** The log of the service's own events (specification, "Events"). Needs an account that has webhooks: else `PermissionError`. */
export interface EventsResource {
  /** Newest first, over the whole log. */
  list(params?: EventListParams, options?: CallOptions): List<PlatformEvent>;
  /**
   * One event, with its deliveries.
   *
   * @throws NotFoundError when it is missing or not within reach
   */
  get(id: string, options?: CallOptions): ApiPromise<PlatformEventWithDeliveries>;
}

export function createEventsResource({ feed, one }: Operations): EventsResource {
  const events = feed<PlatformEvent>('/api/v1/events');
  return {
    // A type more in the query than the parameters of a feed have.
    list: ({ types, ...params } = {}, options) => events({ ...params, ...{ type: types } }, options),
    get: one('GET', '/api/v1/events/{id}'),
  };
}
