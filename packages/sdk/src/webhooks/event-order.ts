import type { WebhookEnvelope } from '@svc/contract/types';
import { ConfigurationError } from '../errors/errors.ts';

/** The fields of a `WebhookEvent` that decide its order. */
export type OrderedEvent = Pick<WebhookEnvelope, 'id' | 'created' | 'data'> & { readonly type: string };

/** Compares events for `Array.sort`: by `created`, earliest first, then by id. */
export function compareEvents(a: OrderedEvent, b: OrderedEvent): number {
  return Date.parse(a.created) - Date.parse(b.created) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/**
 * Returns the subject of an event. Only events of the same subject supersede each other. The subject consists of the first word of
 * `type` and of `connectionId` and `sourceId` in `data`: `sync.failed` and `sync.recovered` of one source and connection have the same
 * subject.
 */
export function subjectOf({ type, data }: OrderedEvent): string {
  return JSON.stringify([type.split('.')[0], data['connectionId'] ?? null, data['sourceId'] ?? null]);
}

/** Recognises events that come late. */
export interface EventOrder {
  /**
   * Whether no later event of the same subject was recorded. Records nothing itself, so that an event whose handling fails is still
   * newer when it comes again. Two events with the same `created` both count as newer.
   */
  isNewer(event: OrderedEvent): boolean;
  /** Records an event after it was handled. Has no effect when the event is not newer. */
  record(event: OrderedEvent): void;
}

/** Options of `createEventOrder`. */
export interface EventOrderOptions {
  /** Largest number of subjects to remember; the subject recorded least recently is forgotten first. Default 10,000. */
  readonly maxSubjects?: number | undefined;
  /** Returns the subject of an event. Default: the exported function `subjectOf`. */
  readonly subjectOf?: ((event: OrderedEvent) => string) | undefined;
}

/**
 * Recognises events that come too late, such as a `sync.failed` delivered after the `sync.recovered` that followed it
 * (README.md#order). For one process, in memory. With a database, store the last `created` there and make the update conditional on it instead: `... where last_event_created < $created`.
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
      // Deleted first, so that it moves to the end.
      latest.delete(subject);
      latest.set(subject, { id: event.id, atMs: Date.parse(event.created) });
      const [oldest] = latest.keys();
      if (latest.size > maxSubjects && oldest !== undefined) latest.delete(oldest);
    },
  };
}
