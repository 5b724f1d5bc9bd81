/** The resources, as generated from `openapi.yaml`. Their names are the short words of the vocabulary. */
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
/** The answer of a service that is up. */
export type HealthLive = Schemas['HealthLive'];
/** Whether events can be received and synced now, by check. */
export type HealthReady = Schemas['HealthReady'];

export type ApiLink = Schemas['ApiLink'];
export type MeLinks = Schemas['MeLinks'];
export type MeConnection = Schemas['MeConnection'];
/** The key, its account and the connections it reaches. */
export type MeResponse = Schemas['MeResponse'];

/** Readiness of one connection, part by part. */
export type ConnectionStatus = Schemas['ConnectionStatus'];
export type Blocker = Schemas['Blocker'];
export type Warning = Schemas['Warning'];
/** An entry of `blockers` or `warnings`. */
export type StatusIssue = Blocker | Warning;
export type ComponentStatus = Schemas['ComponentStatus'];
/** Readiness of the pipeline by connection and part, with blockers and warnings. */
export type AccountStatusResponse = Schemas['AccountStatusResponse'];

export type ConnectionCapabilities = Schemas['ConnectionCapabilities'];
/** A CRM that the account is connected to, with its capabilities. */
export type Connection = Schemas['Connection'];

export type SourceConfig = Schemas['SourceConfig'];
/** A forwarding destination as bound to one source. */
export type SourceDestination = Schemas['SourceDestination'];
/** A reply relay as bound to one source. */
export type SourceReplyRelay = Schemas['SourceReplyRelay'];
/** An inbound URL that a sequencer posts to, with its destinations and relay. */
export type Source = Schemas['Source'];

/** A forwarding destination. */
export type Destination = Schemas['DestinationResource'];
export type RelayCategory = Schemas['RelayCategory'];
/** Copies a sales rep on the reply of a prospect. */
export type ReplyRelay = Schemas['ReplyRelay'];

/** A block list of a sequencer that is kept in step with a list in the CRM. */
export type Blocklist = Schemas['Blocklist'];
/** The answer of pausing a block list. */
export type BlocklistPaused = Schemas['BlocklistPaused'];
/** The answer of resyncing a block list, which has only begun. */
export type BlocklistResyncQueued = Schemas['BlocklistResyncQueued'];

/** A received request. The name avoids the global `Request`. */
export type RequestReceipt = Schemas['RequestReceipt'];
/** One attempt to write a received event to a CRM. */
export type Sync = Schemas['SyncResource'];
/** The answer of retrying a sync. The queued attempt becomes a new sync. */
export type RetryQueued = Schemas['RetryQueued'];
/** A POST to a forwarding destination. Not a `WebhookDelivery`. */
export type Delivery = Schemas['DestinationDelivery'];
/** The answer of replaying a delivery, which is queued. */
export type ReplayQueued = Schemas['ReplayQueued'];

/** The count of requests. */
export type RequestMetrics = Schemas['RequestMetrics'];
/** Counts of syncs by status. */
export type SyncMetrics = Schemas['SyncMetrics'];
/** Counts of deliveries to destinations by status. */
export type DeliveryMetrics = Schemas['DestinationDeliveryMetrics'];
/** Requests, syncs and deliveries of a range, counted together. */
export type AccountMetrics = Schemas['AccountMetricsResponse'];

export type OutreachSummary = Schemas['OutreachSummary'];
export type OutreachEventType = Schemas['OutreachEventType'];
export type OutreachPlatform = Schemas['OutreachPlatform'];
export type OutreachOutcomes = Schemas['OutreachOutcomes'];
export type DoNotContact = Schemas['DoNotContact'];
/** Earlier outreach to one contact: events, platforms, outcomes and `doNotContact`. */
export type ContactOutreachResponse = Schemas['ContactOutreachResponse'];

/** A registered HTTPS endpoint for the service's own events, without its secret. */
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
/** Only in the answers of create and rotate. */
export type WebhookEndpointWithSecret = Schemas['WebhookEndpointWithSecret'];
/** The body of creating a webhook. */
export type CreateWebhookBody = Schemas['CreateWebhookBody'];
/** The body of changing a webhook. Omitted fields stay. */
export type UpdateWebhookBody = Schemas['UpdateWebhookBody'];
/** The answer of testing a webhook, with the id of the event. */
export type TestEventQueued = Schemas['TestEventQueued'];
/** One event on its way to one webhook (`oswhd_...`). Not a `Delivery`. */
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** A report of the service itself (`osevt_...`); never a received request. */
export type PlatformEvent = Schemas['PlatformEvent'];
/** A platform event with its deliveries. */
export type PlatformEventWithDeliveries = Schemas['PlatformEventWithDeliveries'];

export type SyncFailedData = Schemas['SyncFailedData'];
export type SyncRecoveredData = Schemas['SyncRecoveredData'];
export type TestPingData = Schemas['TestPingData'];
export type SyncFailedEnvelope = Schemas['SyncFailedEnvelope'];
export type SyncRecoveredEnvelope = Schemas['SyncRecoveredEnvelope'];
export type TestPingEnvelope = Schemas['TestPingEnvelope'];
/** The body posted to a webhook, of any type, known or not. */
export type WebhookEnvelope = Schemas['WebhookEnvelope'];
/** The bodies of the known types, discriminated by `type`. */
export type KnownWebhookEnvelope = SyncFailedEnvelope | SyncRecoveredEnvelope | TestPingEnvelope;
