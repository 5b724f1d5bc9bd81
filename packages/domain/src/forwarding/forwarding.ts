/**
 * Forwards received events to destinations (`listDeliveries` shows each attempt).
 *
 * 1. A receipt is forwarded once to every destination bound to its source whose binding accepts one of its new events. The
 *    forwarding is labelled with the first such event. Repeated events are not new.
 * 2. A binding accepts only the event types it lists; an empty list accepts none. Only the binding of the receipt's source
 *    counts, not the destination's other bindings.
 * 3. A delayed binding forwards `FORWARDING_DELAY_MS` after the receipt, any other at once.
 * 4. Each attempt is one delivery. A 2xx answer is a success. No answer, 408, 429 and 5xx are retried on the schedule of
 *    webhook deliveries. Every other failure is final: other statuses, redirects included, and requests that were not sent.
 */
import { type DeliveryStatus, HEADERS } from '@svc/contract/vocabulary';
import { type Branding, brandHeaders, DEFAULT_BRANDING } from '../pages/branding.ts';
import { isHttp2xx } from '../syncs/metrics.ts';
import { retryDelayMs } from '../webhooks/webhook-delivery.ts';

/**
 * Delay of a delayed binding, counted from the receipt: 5 minutes. A CRM write is retried for one minute, so by then the
 * receiver usually finds the event in the CRM.
 */
export const FORWARDING_DELAY_MS = 5 * 60_000;

/** Timeout of one request to a destination: 10 seconds. */
export const FORWARDING_TIMEOUT_MS = 10_000;

export interface EventFilter {
  readonly eventTypes: readonly string[];
}

export interface ForwardingBinding extends EventFilter {
  readonly destinationId: number;
  readonly isDelayed: boolean;
}

/** Whether a binding accepts an event type (rule 2). */
export function bindingAccepts(binding: EventFilter, eventType: string): boolean {
  return binding.eventTypes.includes(eventType);
}

export interface Forwarding<Event> {
  destinationId: number;
  /** The label of the forwarding; the whole receipt is sent. */
  event: Event;
  dueAt: Date;
}

/**
 * Returns the forwardings of a receipt: destination, labelling event and due time (rules 1 to 3).
 *
 * @param receipt.newEvents in the order of the payload
 * @param receipt.bindings those of the receipt's source, at most one per destination
 */
export function planForwardings<Event extends { readonly eventType: string }>(receipt: {
  readonly receivedAt: Date;
  readonly newEvents: readonly Event[];
  readonly bindings: readonly ForwardingBinding[];
}): Forwarding<Event>[] {
  const { receivedAt, newEvents, bindings } = receipt;
  return bindings.flatMap((binding) => {
    const event = newEvents.find(({ eventType }) => bindingAccepts(binding, eventType));
    if (event === undefined) return [];
    const dueAt = new Date(receivedAt.getTime() + (binding.isDelayed ? FORWARDING_DELAY_MS : 0));
    return [{ destinationId: binding.destinationId, event, dueAt }];
  });
}

export interface ForwardingAttempt {
  /** Null when no answer came. */
  readonly httpStatus: number | null;
  /** What went wrong, for people. Not needed when there is a status. */
  readonly error: string | null;
  /** Nothing was sent, and a retry would not help: the address is forbidden, or the payload is gone. */
  readonly isRefused: boolean;
}

/** The outcome of a replay while the connection may not forward. */
export const DESTINATIONS_OFF: ForwardingAttempt = {
  httpStatus: null,
  error: 'Destinations are switched off for the connection, so nothing was sent: switch them on and replay again',
  isRefused: true,
};

/** The outcome when the payload is no longer stored. */
export const PAYLOAD_NOT_KEPT: ForwardingAttempt = {
  httpStatus: null,
  error: 'The received payload is not kept any more',
  isRefused: true,
};

/**
 * Returns the request headers of a forwarding, which are the same for every attempt and replay.
 *
 * @param payload.contentType as received; null, when the sequencer sent none, means JSON
 */
export function forwardingHeaders(
  payload: { payloadId: number; contentType: string | null },
  branding: Branding = DEFAULT_BRANDING,
): Record<string, string> {
  const headers = {
    'Content-Type': payload.contentType ?? 'application/json',
    'User-Agent': 'svc-forwarding/1',
    [HEADERS.payloadId]: String(payload.payloadId),
  };
  return brandHeaders(headers, branding);
}

/** The part of a delivery that an attempt decides. */
export interface ForwardingOutcome {
  readonly status: DeliveryStatus;
  readonly httpStatus: number | null;
  /** Null on success. */
  readonly error: string | null;
}

export function forwardingOutcome({ httpStatus, error }: ForwardingAttempt): ForwardingOutcome {
  if (isHttp2xx({ httpStatus, isHttpStatusInferred: false })) return { status: 'success', httpStatus, error: null };
  return { status: 'error', httpStatus, error: error ?? describeFailure(httpStatus) };
}

function describeFailure(httpStatus: number | null): string {
  if (httpStatus === null) return 'The destination did not answer';
  const isRedirect = httpStatus >= 300 && httpStatus <= 399;
  return `The destination answered ${httpStatus}${isRedirect ? ': redirects are not followed' : ''}`;
}

/**
 * Returns when the next attempt is due, or null when the attempt succeeded, its failure is final, or the attempts are used
 * up (rule 4).
 *
 * @param attempt.at when the attempt ended
 * @param options.attemptCount attempts made, this one included: 1 to 8
 * @param options.jitterMs added to the first wait, 0 to 300,000 ms (`jitterFrom`)
 * @throws RangeError when `attemptCount` or `jitterMs` is out of bounds
 */
export function nextForwardingAt(
  attempt: ForwardingAttempt & { readonly at: Date },
  { attemptCount, jitterMs }: { attemptCount: number; jitterMs: number },
): Date | null {
  const delayMs = retryDelayMs(attemptCount, jitterMs);
  if (delayMs === null || !isRetryable(attempt)) return null;
  return new Date(attempt.at.getTime() + delayMs);
}

function isRetryable({ httpStatus, isRefused }: ForwardingAttempt): boolean {
  if (isRefused) return false;
  return httpStatus === null || httpStatus === 408 || httpStatus === 429 || (httpStatus >= 500 && httpStatus <= 599);
}
