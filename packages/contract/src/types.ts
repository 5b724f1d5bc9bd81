/**
 * The resources by name, as generated from `openapi.yaml`. Where the specification's own name is longer
 * (`SyncResource`, `DestinationResource`, ...), the short word of the vocabulary is used here.
 */
import type { components } from './generated/openapi.ts';

export type { components, operations, paths, webhooks } from './generated/openapi.ts';

/** Every schema of the contract by its name in `components.schemas`. */
export type Schemas = components['schemas'];

/** A page of a log, newest first. `nextCursor` is null on the last page. */
export interface Page<T> {
  data: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** The body of every refusal. */
export type ErrorBody = Schemas['ErrorBody'];
export type HealthLive = Schemas['HealthLive'];
export type HealthReady = Schemas['HealthReady'];

export type ApiLink = Schemas['ApiLink'];
export type MeLinks = Schemas['MeLinks'];
export type MeConnection = Schemas['MeConnection'];
export type MeResponse = Schemas['MeResponse'];

/** Readiness of one connection, part by part. */
export type ConnectionStatus = Schemas['ConnectionStatus'];
export type Blocker = Schemas['Blocker'];
export type Warning = Schemas['Warning'];
/** An entry of `blockers` or `warnings`. */
export type StatusIssue = Blocker | Warning;
export type ComponentStatus = Schemas['ComponentStatus'];
export type AccountStatusResponse = Schemas['AccountStatusResponse'];

export type ConnectionCapabilities = Schemas['ConnectionCapabilities'];
export type Connection = Schemas['Connection'];

export type SourceConfig = Schemas['SourceConfig'];
/** A forwarding destination as bound to one source. */
export type SourceDestination = Schemas['SourceDestination'];
/** A reply relay as bound to one source. */
export type SourceReplyRelay = Schemas['SourceReplyRelay'];
export type Source = Schemas['Source'];

/** A forwarding destination. */
export type Destination = Schemas['DestinationResource'];
export type RelayCategory = Schemas['RelayCategory'];
export type ReplyRelay = Schemas['ReplyRelay'];

export type Blocklist = Schemas['Blocklist'];
export type BlocklistPaused = Schemas['BlocklistPaused'];
export type BlocklistResyncQueued = Schemas['BlocklistResyncQueued'];

/** An inbound receipt; called so because `Request` is a global of every runtime. */
export type RequestReceipt = Schemas['RequestReceipt'];
export type Sync = Schemas['SyncResource'];
export type RetryQueued = Schemas['RetryQueued'];
/** A POST to a forwarding destination. Not a `WebhookDelivery`. */
export type Delivery = Schemas['DestinationDelivery'];
export type ReplayQueued = Schemas['ReplayQueued'];

export type RequestMetrics = Schemas['RequestMetrics'];
export type SyncMetrics = Schemas['SyncMetrics'];
export type DeliveryMetrics = Schemas['DestinationDeliveryMetrics'];
export type AccountMetrics = Schemas['AccountMetricsResponse'];

export type OutreachSummary = Schemas['OutreachSummary'];
export type OutreachEventType = Schemas['OutreachEventType'];
export type OutreachPlatform = Schemas['OutreachPlatform'];
export type OutreachOutcomes = Schemas['OutreachOutcomes'];
export type DoNotContact = Schemas['DoNotContact'];
export type ContactOutreachResponse = Schemas['ContactOutreachResponse'];

export type WebhookEndpoint = Schemas['WebhookEndpoint'];
/** Only in the answers of create and rotate. */
export type WebhookEndpointWithSecret = Schemas['WebhookEndpointWithSecret'];
export type CreateWebhookBody = Schemas['CreateWebhookBody'];
export type UpdateWebhookBody = Schemas['UpdateWebhookBody'];
export type TestEventQueued = Schemas['TestEventQueued'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

export type PlatformEvent = Schemas['PlatformEvent'];
export type PlatformEventWithDeliveries = Schemas['PlatformEventWithDeliveries'];

export type SyncFailedData = Schemas['SyncFailedData'];
export type SyncRecoveredData = Schemas['SyncRecoveredData'];
export type TestPingData = Schemas['TestPingData'];
export type SyncFailedEnvelope = Schemas['SyncFailedEnvelope'];
export type SyncRecoveredEnvelope = Schemas['SyncRecoveredEnvelope'];
export type TestPingEnvelope = Schemas['TestPingEnvelope'];
/** The body posted to a webhook, of any type, known or not. */
export type WebhookEnvelope = Schemas['WebhookEnvelope'];
/** The bodies of the types known today, told apart by `type`. */
export type KnownWebhookEnvelope = SyncFailedEnvelope | SyncRecoveredEnvelope | TestPingEnvelope;
