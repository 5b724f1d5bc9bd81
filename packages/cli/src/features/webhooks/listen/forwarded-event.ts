import { EVENT_TYPES } from '@svc/contract/vocabulary';
import { localizeTimes } from '../../../format/times.ts';
import type { Paint } from '../../../terminal/colors.ts';
import { sanitize } from '../../../terminal/text.ts';

/** An event that was forwarded or refused, which `webhooks listen` prints as one line of JSON. */
export interface ForwardedEvent {
  /** Null for a delivery with an invalid signature. */
  readonly eventId: string | null;
  readonly type: string | null;
  /** Time of the event, ISO 8601. */
  readonly createdAt: string | null;
  readonly summary: string | null;
  /** The value of the header. */
  readonly deliveryId: string | null;
  /** Status of the local server; null without an answer. */
  readonly httpStatus: number | null;
  /** Why there is no answer. */
  readonly error: string | null;
  /** Duration of the last attempt. */
  readonly durationMs: number;
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

const TYPE_WIDTH = Math.max(...EVENT_TYPES.map((type) => type.length));

/** Formats a line for a terminal: time, result and event. */
export function forwardedLine(forwarded: ForwardedEvent, paint: Paint, now: Date): string {
  const { eventId, type, summary, httpStatus, error, durationMs } = forwarded;
  const isGood = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
  const result = httpStatus === null ? sanitize(error ?? '') : String(httpStatus);
  const parts = [
    paint('muted', localizeTimes(now.toISOString()).slice(11, 19)),
    paint(isGood ? 'good' : 'bad', result),
    ...(type === null ? [] : [sanitize(type).padEnd(TYPE_WIDTH)]),
    ...(eventId === null ? [] : [sanitize(eventId)]),
    paint('muted', `${durationMs} ms`),
    ...(summary === null ? [] : [sanitize(summary)]),
  ];
  return `${parts.join('  ')}\n`;
}
