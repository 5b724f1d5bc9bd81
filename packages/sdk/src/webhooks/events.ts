/** Delivered events, typed so that a `switch` over `type` narrows. */
import type {
  KnownWebhookEnvelope,
  SyncFailedEnvelope,
  SyncRecoveredEnvelope,
  TestPingEnvelope,
  WebhookEnvelope,
} from '@svc/contract/types';

/** Three syncs of a source in a row failed. Sent once per incident. */
export type SyncFailedEvent = SyncFailedEnvelope;
/** A source that had failed syncs successfully again. */
export type SyncRecoveredEvent = SyncRecoveredEnvelope;
/** A test event, sent by `POST /webhooks/:id/test`. */
export type TestPingEvent = TestPingEnvelope;
/** The known events, discriminated by `type`. */
export type KnownWebhookEvent = KnownWebhookEnvelope;

/**
 * The `type` of an event that this version does not know: any other string. It is declared as an enum because comparing `string` with
 * a literal would not narrow; the enum does not exist at run time. Use `isEventType` to compare with the name of a type.
 */
declare enum OtherEventType {
  any = 'any other event type',
}
export type { OtherEventType };

/** An event of a type that was added later. Accept and ignore it. */
export interface OtherWebhookEvent extends Omit<WebhookEnvelope, 'type'> {
  type: OtherEventType;
}

/** An event that a webhook delivers. Types may be added at any time: a `switch` over `type` needs a `default`. */
export type WebhookEvent = KnownWebhookEvent | OtherWebhookEvent;

/** The event with the given type; `OtherWebhookEvent` for a type that this version does not know. */
export type WebhookEventOf<Type extends string> = [Type] extends [KnownWebhookEvent['type']]
  ? Extract<KnownWebhookEvent, { type: Type }>
  : OtherWebhookEvent;

/**
 * Whether an event has a type. Also accepts types that this version does not know, for which `===` does not compile.
 *
 * @example if (isEventType(event, 'sync.paused')) console.log(event.data['pausedBy']);
 */
export function isEventType<const Type extends KnownWebhookEvent['type'] | (string & {})>(
  event: WebhookEvent,
  type: Type,
): event is WebhookEventOf<Type> & WebhookEvent {
  return String(event.type) === type;
}
