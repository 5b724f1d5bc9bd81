import type { WebhookEnvelope } from '@svc/contract/types';
import { ConfigurationError } from '../errors/errors.ts';

/** What order needs of an event; a `WebhookEvent` has it. */
export type OrderedEvent = Pick<WebhookEnvelope, 'id' | 'created' | 'data'> & { readonly type: string };

/** For `Array.sort`: earliest first, by `created`; at one instant by id, so that the order is always the same. */
export function compareEvents(a: OrderedEvent, b: OrderedEvent): number {
  return Date.parse(a.created) - Date.parse(b.created) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/**
 * What an event is about: events of one subject replace each other, those of different ones have nothing to do with each
 * other. It is made of the first word of `type` and of `connectionId` and `sourceId` in `data`: `sync.failed` and
 * `sync.recovered` of one source in one connection have the same.
 */
export function subjectOf({ type, data }: OrderedEvent): string {
  return JSON.stringify([type.split('.')[0], data['connectionId'] ?? null, data['sourceId'] ?? null]);
}

/** Tells events that come late from those that are news. */
export interface EventOrder {
  /**
   * Whether no later event of its subject was recorded. Changes nothing, so that an event whose handling fails counts as
   * new when it comes again. Of two events of one instant each is newer than the other: neither says that it is late.
   */
  isNewer(event: OrderedEvent): boolean;
  /** Call it when the event was handled. An event that is not newer changes nothing. */
  record(event: OrderedEvent): void;
}

/** How much an order remembers. */
export interface EventOrderOptions {
  /** Subjects remembered at most; the one that was recorded least recently is forgotten first. Default 10,000. */
  readonly maxSubjects?: number | undefined;
  /** Default: the function of that name. */
  readonly subjectOf?: ((event: OrderedEvent) => string) | undefined;
}

/**
 * Tells events that come too late: a `sync.failed` that is delivered after the `sync.recovered` that followed it (specification,
 * "Events", delivery rule 5: order by `created`). For one process, in memory. Where state is kept in a database, keep the last
 * `created` beside it and make the update conditional on it instead: `... where last_event_created < $created`.
 *
 * @throws ConfigurationError when `maxSubjects` is not a positive number
 * @example
 * const order = createEventOrder();
 * async function onEvent(event: WebhookEvent) {
 *   if (!order.isNewer(event)) return;
 *   await showHealth(event);
 *   order.record(event);
 * }
 */
export function createEventOrder(options: EventOrderOptions = {}): EventOrder {
  const { maxSubjects = 10_000, subjectOf: toSubject = subjectOf } = options;
  if (!(maxSubjects >= 1)) throw new ConfigurationError('maxSubjects must be 1 or more');
  const latest = new Map<string, { id: string; atMs: number }>();

  function isNewer(event: OrderedEvent): boolean {
    const last = latest.get(toSubject(event));
    if (last === undefined) return true;
    const atMs = Date.parse(event.created);
    return atMs > last.atMs || (atMs === last.atMs && event.id !== last.id);
  }

  return {
    isNewer,
    record(event) {
      if (!isNewer(event)) return;
      const subject = toSubject(event);
      // Taken out first, so that it moves to the end.
      latest.delete(subject);
      latest.set(subject, { id: event.id, atMs: Date.parse(event.created) });
      const [oldest] = latest.keys();
      if (latest.size > maxSubjects && oldest !== undefined) latest.delete(oldest);
    },
  };
}
