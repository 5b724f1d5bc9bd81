import type { Paint } from '../../../terminal/colors.ts';
import { sanitize } from '../../../terminal/text.ts';

/** What `webhooks listen` prints for each event that was forwarded or refused: one line of JSON. */
export interface ForwardedEvent {
  /** Null for a delivery whose signature was not good. */
  readonly eventId: string | null;
  readonly type: string | null;
  /** Of the event, ISO 8601. */
  readonly createdAt: string | null;
  readonly summary: string | null;
  /** As in the header. */
  readonly deliveryId: string | null;
  /** What the local server answered; null when it did not, or was not asked. */
  readonly httpStatus: number | null;
  /** Why there is no status. */
  readonly error: string | null;
  /** How long the last attempt took. */
  readonly durationMs: number;
  /** 1, or more where the local server was waited for. */
  readonly attempts: number;
}

export const FORWARDED_EVENT_FIELDS = [
  'eventId',
  'type',
  'createdAt',
  'summary',
  'deliveryId',
  'httpStatus',
  'error',
  'durationMs',
  'attempts',
] as const;

/** For people: when it was forwarded, what came of it, and what it is. */
export function forwardedLine(forwarded: ForwardedEvent, paint: Paint, now: Date): string {
  const { eventId, type, summary, httpStatus, error, durationMs } = forwarded;
  const isGood = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
  const result = httpStatus === null ? sanitize(error ?? '') : String(httpStatus);
  const parts = [
    paint('muted', now.toISOString().slice(11, 19)),
    paint(isGood ? 'good' : 'bad', result),
    ...[type, eventId].filter((part) => part !== null).map(sanitize),
    paint('muted', `${durationMs} ms`),
    ...(summary === null ? [] : [sanitize(summary)]),
  ];
  return `${parts.join('  ')}\n`;
}
