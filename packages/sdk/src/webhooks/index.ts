/** `@svc/sdk/webhooks`: receives the service's own events. Does not need the client, and runs wherever WebCrypto does. */
export { ConfigurationError, SvcError } from '../errors/errors.ts';
export {
  WebhookRequestError,
  type WebhookProblem,
  type WebhookRequestProblem,
  WebhookVerificationError,
} from './errors.ts';
export type { WebhookAnswer } from './answers.ts';
export {
  compareEvents,
  createEventOrder,
  type EventOrder,
  type EventOrderOptions,
  type OrderedEvent,
  subjectOf,
} from './event-order.ts';
export {
  isEventType,
  type KnownWebhookEvent,
  type OtherEventType,
  type OtherWebhookEvent,
  type SyncFailedEvent,
  type SyncRecoveredEvent,
  type TestPingEvent,
  type WebhookEvent,
  type WebhookEventOf,
} from './events.ts';
export {
  DEFAULT_HEADER_PREFIX,
  type HeadersLike,
  webhookHeaderNames,
  type WebhookHeaderNames,
} from './header-names.ts';
export type { NodeRequestLike, NodeResponseLike } from './node-request.ts';
export {
  createWebhookReceiver,
  type DeliveryInfo,
  type ReceivedWebhook,
  type WebhookFailure,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from './receiver.ts';
export { createMemorySeenStore, type MemorySeenStoreOptions, type SeenClaim, type SeenStore } from './seen-store.ts';
export { createWebhookHeaders, signWebhook, type SignWebhookOptions, type WebhookHeadersOptions } from './sign.ts';
export {
  type SecretSource,
  type SignatureSource,
  type VerificationSettings,
  verifyWebhook,
  type VerifyWebhookOptions,
} from './verify.ts';
export type { SignedPayload } from '@svc/domain/webhooks/webhook-signature';
