/** What is delivered (specification, "Webhook delivery envelope" and "Events"), typed so that a `switch` over `type` narrows. */
import type {
  KnownWebhookEnvelope,
  SyncFailedEnvelope,
  SyncRecoveredEnvelope,
  TestPingEnvelope,
  WebhookEnvelope,
} from '@svc/contract/types';

/** A source began to fail on its way into the CRM: three syncs in a row. One event per incident. */
export type SyncFailedEvent = SyncFailedEnvelope;
/** A source that failed syncs again. */
export type SyncRecoveredEvent = SyncRecoveredEnvelope;
/** Only because of `POST /webhooks/:id/test`. */
export type TestPingEvent = TestPingEnvelope;
/** The events of today, told apart by `type`. */
export type KnownWebhookEvent = KnownWebhookEnvelope;

/**
 * The `type` of an event that this version does not know: any string that is no known type. TypeScript cannot say that of
 * `string`, whose comparison with a literal narrows nothing; a member of an enumeration is a string that equals no literal.
 * There is no such enumeration at run time. To look for a type by its name, use `isEventType`.
 */
declare enum OtherEventType {
  any = 'any other event type',
}
export type { OtherEventType };

/** An event of a type that was added later. Let it pass. */
export interface OtherWebhookEvent extends Omit<WebhookEnvelope, 'type'> {
  type: OtherEventType;
}

/** What a webhook delivers. Types may be added at any time: a `switch` over `type` needs a `default`. */
export type WebhookEvent = KnownWebhookEvent | OtherWebhookEvent;

/** An event of the given type; of one that this version does not know, when it is none of `KnownWebhookEvent`. */
export type WebhookEventOf<Type extends string> = [Type] extends [KnownWebhookEvent['type']]
  ? Extract<KnownWebhookEvent, { type: Type }>
  : OtherWebhookEvent;

/**
 * Whether an event is of a type: also one that this version does not know, which `===` does not compile with.
 * @example if (isEventType(event, 'sync.paused')) console.log(event.data['pausedBy']);
 */
export function isEventType<const Type extends KnownWebhookEvent['type'] | (string & {})>(
  event: WebhookEvent,
  type: Type,
): event is WebhookEventOf<Type> & WebhookEvent {
  return String(event.type) === type;
}
