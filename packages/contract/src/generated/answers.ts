// Generated from openapi.yaml by scripts/generate.ts. Do not edit.
import * as z from 'zod/mini';

const HealthLive = z.looseObject({ status: z.string() });
const HealthReady = z.looseObject({ status: z.string(), checks: z.looseObject({}) });
const MeAccount = z.looseObject({ id: z.int().check(z.minimum(1)), email: z.string() });
const ApiKeyScope = z.string();
const ConnectionScope = z.string();
const MeApiKey = z.looseObject({ name: z.string(), scopes: z.array(ApiKeyScope), connectionScope: ConnectionScope, connectionId: z.nullable(z.int().check(z.minimum(1))) });
const Crm = z.string();
const MeConnection = z.looseObject({ id: z.int().check(z.minimum(1)), crm: Crm, organizationId: z.string(), organizationDomain: z.string() });
const ApiLink = z.looseObject({ href: z.url(), description: z.string() });
const MeLinks = z.looseObject({ accountStatus: ApiLink, accountMetrics: ApiLink, connections: ApiLink, destinations: ApiLink, requests: ApiLink, destinationsReplyRelays: ApiLink, sources: ApiLink, contactsOutreach: ApiLink, syncs: ApiLink, documentation: ApiLink, openapi: ApiLink });
const MeResponse = z.looseObject({ account: MeAccount, apiKey: MeApiKey, connections: z.array(MeConnection), links: MeLinks });
const Timestamp = z.iso.datetime();
const ComponentStatus = z.string();
const CrmConnectionStatus = z.looseObject({ status: ComponentStatus, crm: Crm, organizationId: z.string(), organizationDomain: z.string() });
const Platform = z.string();
const SourcesStatus = z.looseObject({ status: ComponentStatus, count: z.int().check(z.minimum(0)), platforms: z.array(Platform) });
const SequencerEventType = z.string();
const DestinationsStatus = z.looseObject({ status: ComponentStatus, count: z.int().check(z.minimum(0)), eventTypes: z.array(SequencerEventType), forwardingCount: z.int().check(z.minimum(0)), replyRelayCount: z.int().check(z.minimum(0)) });
const BlocklistsStatus = z.looseObject({ status: ComponentStatus, enabledCount: z.int().check(z.minimum(0)), lastError: z.nullable(z.string()), lastFetchedAt: z.nullable(Timestamp) });
const ConnectionStatus = z.looseObject({ connectionId: z.int().check(z.minimum(1)), crm: Crm, ready: z.boolean(), crmConnection: CrmConnectionStatus, sources: SourcesStatus, destinations: DestinationsStatus, blocklists: BlocklistsStatus });
const BlockerCode = z.string();
const Blocker = z.looseObject({ code: BlockerCode, connectionId: z.int().check(z.minimum(1)), crm: Crm, message: z.string(), remediation: z.string(), docUrl: z.url() });
const WarningCode = z.string();
const Warning = z.looseObject({ code: WarningCode, connectionId: z.int().check(z.minimum(1)), crm: Crm, message: z.string(), remediation: z.string(), docUrl: z.url() });
const AccountStatusResponse = z.looseObject({ ready: z.boolean(), checkedAt: Timestamp, connections: z.array(ConnectionStatus), blockers: z.array(Blocker), warnings: z.array(Warning) });
const RequestMetrics = z.looseObject({ count: z.int().check(z.minimum(0)) });
const SyncMetrics = z.looseObject({ success: z.int().check(z.minimum(0)), warning: z.int().check(z.minimum(0)), error: z.int().check(z.minimum(0)) });
const DestinationDeliveryMetrics = z.looseObject({ success: z.int().check(z.minimum(0)), error: z.int().check(z.minimum(0)), http2xx: z.int().check(z.minimum(0)) });
const AccountMetricsResponse = z.looseObject({ from: Timestamp, to: Timestamp, requests: RequestMetrics, syncs: SyncMetrics, destinationDeliveries: DestinationDeliveryMetrics });
const ConnectionCapabilities = z.looseObject({ sync: z.boolean(), destinations: z.boolean(), blocklists: z.boolean() });
const Connection = z.looseObject({ id: z.int().check(z.minimum(1)), crm: Crm, status: ComponentStatus, organizationId: z.string(), organizationDomain: z.string(), capabilities: ConnectionCapabilities, createdAt: Timestamp });
const ConnectionList = z.looseObject({ connections: z.array(Connection) });
const SourceConfig = z.looseObject({ createOrUpdateCompany: z.boolean(), createOrUpdateTask: z.boolean(), assignContactOwner: z.boolean(), salesforceObjectType: z.nullable(z.string()) });
const SourceDestination = z.looseObject({ url: z.string(), description: z.string(), eventTypes: z.array(SequencerEventType), isDelayed: z.boolean() });
const SourceReplyRelay = z.looseObject({ id: z.int().check(z.minimum(1)), description: z.string(), ccEmail: z.string(), delayMinutes: z.int().check(z.minimum(0)) });
const Source = z.looseObject({ id: z.int().check(z.minimum(1)), url: z.url(), platform: Platform, connectionId: z.int().check(z.minimum(1)), crm: Crm, config: SourceConfig, destinations: z.array(SourceDestination), replyRelay: z.nullable(SourceReplyRelay), createdAt: Timestamp });
const SourceList = z.looseObject({ sources: z.array(Source) });
const RequestReceipt = z.looseObject({ id: z.int().check(z.minimum(1)), sourceId: z.nullable(z.int().check(z.minimum(1))), connectionId: z.nullable(z.int().check(z.minimum(1))), path: z.string(), createdAt: Timestamp });
const RequestPage = z.looseObject({ data: z.array(RequestReceipt), hasMore: z.boolean(), nextCursor: z.nullable(z.string()) });
const SyncStatus = z.string();
const SyncResource = z.looseObject({ id: z.int().check(z.minimum(1)), status: SyncStatus, connectionId: z.int().check(z.minimum(1)), sourceId: z.nullable(z.int().check(z.minimum(1))), eventType: SequencerEventType, toEmail: z.string(), platform: Platform, payloadId: z.nullable(z.int().check(z.minimum(1))), error: z.nullable(z.looseObject({})), createdAt: Timestamp });
const SyncPage = z.looseObject({ data: z.array(SyncResource), hasMore: z.boolean(), nextCursor: z.nullable(z.string()) });
const DestinationResource = z.looseObject({ id: z.int().check(z.minimum(1)), url: z.string(), description: z.string(), connectionId: z.int().check(z.minimum(1)), eventTypes: z.array(SequencerEventType), isDelayed: z.boolean(), sourceIds: z.array(z.int().check(z.minimum(1))), createdAt: Timestamp });
const DestinationList = z.looseObject({ destinations: z.array(DestinationResource) });
const RelayCategory = z.looseObject({ id: z.string(), name: z.string() });
const ReplyRelay = z.looseObject({ id: z.int().check(z.minimum(1)), connectionId: z.int().check(z.minimum(1)), description: z.string(), ccEmail: z.string(), delayMinutes: z.int().check(z.minimum(0)), bodyTemplates: z.array(z.string()), categoryAllowlist: z.array(RelayCategory), sourceIds: z.array(z.int().check(z.minimum(1))), createdAt: Timestamp });
const ReplyRelayList = z.looseObject({ replyRelays: z.array(ReplyRelay) });
const DeliveryStatus = z.string();
const DestinationDelivery = z.looseObject({ id: z.int().check(z.minimum(1)), destinationId: z.int().check(z.minimum(1)), destinationUrl: z.string(), status: DeliveryStatus, httpStatus: z.nullable(z.int().check(z.minimum(100))), connectionId: z.int().check(z.minimum(1)), sourceId: z.nullable(z.int().check(z.minimum(1))), eventType: z.nullable(SequencerEventType), toEmail: z.nullable(z.string()), payloadId: z.nullable(z.int().check(z.minimum(1))), error: z.nullable(z.string()), createdAt: Timestamp });
const DeliveryPage = z.looseObject({ data: z.array(DestinationDelivery), hasMore: z.boolean(), nextCursor: z.nullable(z.string()) });
const ReplayQueued = z.looseObject({ queued: z.boolean(), destinationId: z.int().check(z.minimum(1)), payloadId: z.int().check(z.minimum(1)) });
const OutreachQuery = z.looseObject({ email: z.nullable(z.string()), profileUrls: z.array(z.string()) });
const OutreachSummary = z.looseObject({ everContacted: z.boolean(), everEmailed: z.boolean(), everOpened: z.boolean(), everCalled: z.boolean(), everSocialTouched: z.boolean(), totalEvents: z.int().check(z.minimum(0)), firstTouchAt: z.nullable(Timestamp), lastTouchAt: z.nullable(Timestamp), daysSinceLastTouch: z.nullable(z.int().check(z.minimum(0))), lastEventType: z.nullable(SequencerEventType), lastPlatform: z.nullable(Platform) });
const OutreachEventType = z.looseObject({ eventType: SequencerEventType, count: z.int().check(z.minimum(1)), firstAt: Timestamp, lastAt: Timestamp });
const OutreachPlatform = z.looseObject({ platform: Platform, count: z.int().check(z.minimum(1)), lastAt: Timestamp, lastEventType: SequencerEventType });
const OutreachOutcomes = z.looseObject({ replied: z.boolean(), lastReplyAt: z.nullable(Timestamp), bounced: z.boolean(), unsubscribed: z.boolean(), lastCategoryName: z.nullable(z.string()), lastCategoryAt: z.nullable(Timestamp) });
const DoNotContactReason = z.string();
const DoNotContact = z.looseObject({ value: z.boolean(), reasons: z.array(DoNotContactReason) });
const OutreachBlocklists = z.looseObject({ evaluated: z.boolean(), matched: z.boolean(), matches: z.array(z.unknown()) });
const ContactOutreachResponse = z.looseObject({ email: z.nullable(z.string()), query: OutreachQuery, found: z.boolean(), summary: OutreachSummary, eventTypes: z.array(OutreachEventType), platforms: z.array(OutreachPlatform), outcomes: OutreachOutcomes, doNotContact: DoNotContact, blocklists: OutreachBlocklists });
const BlockType = z.string();
const BlocklistStatus = z.string();
const Blocklist = z.looseObject({ id: z.int().check(z.minimum(1)), connectionId: z.int().check(z.minimum(1)), listName: z.string(), crm: z.nullable(Crm), platform: Platform, blockType: BlockType, status: BlocklistStatus, isEnabled: z.boolean(), clientId: z.nullable(z.string()), syncedCount: z.int().check(z.minimum(0)), pendingCount: z.int().check(z.minimum(0)), lastFetchedAt: z.nullable(Timestamp), lastError: z.nullable(z.string()), lastAttemptedAt: z.nullable(Timestamp), createdAt: Timestamp });
const BlocklistList = z.looseObject({ blocklists: z.array(Blocklist) });
const BlocklistPaused = z.looseObject({ id: z.int().check(z.minimum(1)), isEnabled: z.boolean(), status: BlocklistStatus });
const BlocklistResyncQueued = z.looseObject({ id: z.int().check(z.minimum(1)), queued: z.boolean(), isEnabled: z.boolean(), status: z.string() });
const RetryQueued = z.looseObject({ queued: z.boolean(), syncId: z.int().check(z.minimum(1)) });
const EventType = z.string();
const WebhookEndpoint = z.looseObject({ id: z.string(), url: z.string(), description: z.string(), enabledEvents: z.array(EventType), isActive: z.boolean(), autoDisabledAt: z.nullable(Timestamp), createdAt: Timestamp, updatedAt: Timestamp });
const WebhookList = z.looseObject({ webhooks: z.array(WebhookEndpoint) });
const WebhookEndpointWithSecret = z.extend(WebhookEndpoint, { secret: z.string() });
const TestEventQueued = z.looseObject({ eventId: z.string() });
const WebhookDeliveryStatus = z.string();
const WebhookDelivery = z.looseObject({ id: z.string(), endpointId: z.string(), status: WebhookDeliveryStatus, attemptCount: z.int().check(z.minimum(0)), lastAttemptAt: z.nullable(Timestamp), lastHttpStatus: z.nullable(z.int().check(z.minimum(100))), lastError: z.nullable(z.string()), replayOfDeliveryId: z.nullable(z.string()), createdAt: Timestamp, updatedAt: Timestamp });
const WebhookDeliveryPage = z.looseObject({ data: z.array(WebhookDelivery), hasMore: z.boolean(), nextCursor: z.nullable(z.string()) });
const PlatformEvent = z.looseObject({ id: z.string(), type: EventType, summary: z.string(), data: z.looseObject({}), connectionId: z.nullable(z.int().check(z.minimum(1))), sourceId: z.nullable(z.int().check(z.minimum(1))), delivered: z.boolean(), createdAt: Timestamp });
const EventPage = z.looseObject({ data: z.array(PlatformEvent), hasMore: z.boolean(), nextCursor: z.nullable(z.string()) });
const PlatformEventWithDeliveries = z.extend(PlatformEvent, { deliveries: z.array(WebhookDelivery) });

/**
 * Schemas of success answers by method, path template and status, for clients that must accept later releases: they check names
 * and types of fields, but not values of enumerations, unknown fields, lengths and prefixes of ids.
 */
export const answers: Readonly<Record<string, z.ZodMiniType>> = {
  'GET /health/live 200': HealthLive,
  'GET /health/ready 200': HealthReady,
  'GET /api/v1/openapi.json 200': z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
  'GET /api/v1/me 200': MeResponse,
  'GET /api/v1/account/status 200': AccountStatusResponse,
  'GET /api/v1/account/metrics 200': AccountMetricsResponse,
  'GET /api/v1/connections 200': ConnectionList,
  'GET /api/v1/sources 200': SourceList,
  'GET /api/v1/sources/{sourceId}/requests 200': RequestPage,
  'GET /api/v1/sources/{sourceId}/syncs 200': SyncPage,
  'GET /api/v1/destinations 200': DestinationList,
  'GET /api/v1/destinations/reply-relays 200': ReplyRelayList,
  'GET /api/v1/destinations/{id} 200': DestinationResource,
  'GET /api/v1/destinations/{id}/deliveries 200': DeliveryPage,
  'GET /api/v1/destinations/{id}/deliveries/metrics 200': DestinationDeliveryMetrics,
  'POST /api/v1/destinations/{id}/deliveries/{deliveryId}/replay 200': ReplayQueued,
  'GET /api/v1/contacts/outreach 200': ContactOutreachResponse,
  'GET /api/v1/blocklists 200': BlocklistList,
  'POST /api/v1/blocklists/{id}/pause 200': BlocklistPaused,
  'POST /api/v1/blocklists/{id}/resync 200': BlocklistResyncQueued,
  'GET /api/v1/requests 200': RequestPage,
  'GET /api/v1/requests/metrics 200': RequestMetrics,
  'GET /api/v1/syncs 200': SyncPage,
  'GET /api/v1/syncs/metrics 200': SyncMetrics,
  'GET /api/v1/syncs/{id} 200': SyncResource,
  'POST /api/v1/syncs/{id}/retry 200': RetryQueued,
  'GET /api/v1/deliveries 200': DeliveryPage,
  'GET /api/v1/webhooks 200': WebhookList,
  'POST /api/v1/webhooks 200': WebhookEndpointWithSecret,
  'GET /api/v1/webhooks/{id} 200': WebhookEndpoint,
  'PATCH /api/v1/webhooks/{id} 200': WebhookEndpoint,
  'POST /api/v1/webhooks/{id}/rotate-secret 200': WebhookEndpointWithSecret,
  'POST /api/v1/webhooks/{id}/test 202': TestEventQueued,
  'GET /api/v1/webhooks/{id}/deliveries 200': WebhookDeliveryPage,
  'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay 200': WebhookDelivery,
  'GET /api/v1/events 200': EventPage,
  'GET /api/v1/events/{id} 200': PlatformEventWithDeliveries,
};
