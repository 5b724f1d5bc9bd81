/**
 * Forwarding of received events to destinations (specification, "Vocabulary", rules 4 and 5, and "Destination delivery").
 *
 * 1. A receipt goes to every destination bound to its source whose binding lets a new event of it through: once per
 *    destination, labelled with the first such event. An event that came before is not new, and a receipt in which no event
 *    could be read has none.
 * 2. A binding lets through the event types that it names and no others, so one that names none lets nothing through.
 *    Several bindings of a destination have nothing to do with each other: that of the receipt's source counts.
 * 3. A delayed binding forwards `FORWARDING_DELAY_MS` after the receipt, any other at once.
 * 4. Each attempt is one delivery. A 2xx answer is a success. No answer, 408, 429 and 5xx may pass and are tried again on the
 *    schedule of webhook deliveries. Everything else is final: other answers, redirects too, and what was never sent.
 */
import { type DeliveryStatus, HEADERS } from '@svc/contract/vocabulary';
import { type Branding, brandHeaders, DEFAULT_BRANDING } from '../pages/branding.ts';
import { isHttp2xx } from '../syncs/metrics.ts';
import { retryDelayMs } from '../webhooks/webhook-delivery.ts';

/**
 * How long a delayed binding waits, counted from the receipt: 5 minutes. The CRM write is tried again for one minute before it
 * counts as failed, so that whoever is told of an event by then usually finds it in the CRM.
 */
export const FORWARDING_DELAY_MS = 5 * 60_000;

/** Longest wait for one answer of a destination: 10 seconds. */
export const FORWARDING_TIMEOUT_MS = 10_000;

export interface EventFilter {
  readonly eventTypes: readonly string[];
}

export interface ForwardingBinding extends EventFilter {
  readonly destinationId: number;
  readonly isDelayed: boolean;
}

/** Whether a binding lets an event through (rule 2). */
export function bindingAccepts(binding: EventFilter, eventType: string): boolean {
  return binding.eventTypes.includes(eventType);
}

export interface Forwarding<Event> {
  destinationId: number;
  /** What the forwarding is labelled with; the whole receipt is sent. */
  event: Event;
  dueAt: Date;
}

/**
 * Where a receipt goes, under which of its events, and when (rules 1 to 3).
 *
 * @param receipt.newEvents in the order in which the payload holds them
 * @param receipt.bindings those of the receipt's source; a source is bound to a destination once
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
  /** What went wrong, for a person to read. Not needed when there is a status. */
  readonly error: string | null;
  /** Nothing was sent, and another attempt would not be either: the address may not be called, or the payload is gone. */
  readonly isRefused: boolean;
}

/** Instead of an attempt, when there is nothing left to send. */
export const PAYLOAD_NOT_KEPT: ForwardingAttempt = {
  httpStatus: null,
  error: 'The received payload is not kept any more',
  isRefused: true,
};

/**
 * What is sent beside the bytes, at every attempt and replay the same.
 *
 * @param payload.contentType as it was received, null when the sequencer named none: what is received is JSON, named or not
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

/** An attempt as its delivery records it. */
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
 * When the next attempt is due, or null when there is none: delivered, failed for good, or the attempts are used up (rule 4).
 *
 * @param attempt.at when it ended
 * @param options.attemptCount attempts made, this one included: 1 to 8
 * @param options.jitterMs added to the first wait, 0 to 300,000 ms (`jitterFrom`)
 * @throws RangeError when one of the two is outside its bounds
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
