export type { ApiPromise, WithResponse } from './calls/call.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export {
  AbortError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  InvalidResponseError,
  NetworkError,
  NotFoundError,
  PaginationError,
  PayloadTooLargeError,
  PermissionError,
  RateLimitError,
  ServerError,
  SvcError,
  TimeoutError,
  UnsupportedMediaTypeError,
} from './errors/errors.ts';
export type { ResumePoint } from './errors/resume-point.ts';
export type { RetryAllSummary, RetrySkipReason } from './errors/retry-all-summary.ts';
export type { CallOptions, Hooks, RequestInfo, ResponseInfo, RetryInfo, WaitInfo } from './http/send-with-retries.ts';
export type { Logger, LogLevel } from './http/log.ts';
export type { CallSpan, SpanAttributes, Tracing } from './http/tracing.ts';
export type { LogParams, RangeParams } from './lists/log-list.ts';
export type { Bucket, PacingMode } from './http/pacing.ts';
export type { CursorParams } from './lists/cursor-list.ts';
export type { List, ListOptions, Page } from './lists/paginate.ts';
export type { OutreachOutcome, OutreachParams } from './flows/outreach-many.ts';
export type { TailParams } from './lists/tail.ts';
export type { RetryAllParams } from './flows/retry-all.ts';
export type { ResyncAndWaitOptions, ResyncOutcome, ResyncResult } from './flows/resync-and-wait.ts';
export type { RawAnswer, RawClient, RawMethod } from './calls/raw-client.ts';
export type { AccountMetricsParams, AccountResource } from './resources/account.ts';
export type { BlocklistListParams, BlocklistsResource } from './resources/blocklists.ts';
export type { ConnectionsResource } from './resources/connections.ts';
export type { ContactsResource } from './resources/contacts.ts';
export type { DeliveriesResource, DeliveryListParams, DeliveryTailParams } from './resources/deliveries.ts';
export type { DestinationDeliveryListParams, DestinationsResource } from './resources/destinations.ts';
export type { DiscoveryResource, OpenapiDocument } from './resources/discovery.ts';
export type { EventListParams, EventsResource, EventTailParams } from './resources/events.ts';
export type { MeResource } from './resources/me.ts';
export type { ReplyRelaysResource } from './resources/reply-relays.ts';
export type {
  RequestListParams,
  RequestMetricsParams,
  RequestsResource,
  RequestTailParams,
} from './resources/requests.ts';
export type { SourceSyncListParams, SourcesResource } from './resources/sources.ts';
export type { SyncListParams, SyncMetricsParams, SyncsResource, SyncTailParams } from './resources/syncs.ts';
export type { WebhookDeliveryListParams, WebhooksResource } from './resources/webhooks.ts';
export type { AnsweredOperation, AnswerValidator } from './validate/answer-validator.ts';
export { SDK_VERSION } from './version.ts';
export type {
  AccountMetrics,
  AccountStatusResponse,
  Blocklist,
  BlocklistPaused,
  BlocklistResyncQueued,
  Connection,
  ConnectionStatus,
  ContactOutreachResponse,
  CreateWebhookBody,
  Delivery,
  DeliveryMetrics,
  Destination,
  HealthLive,
  HealthReady,
  MeResponse,
  paths,
  PlatformEvent,
  PlatformEventWithDeliveries,
  ReplayQueued,
  ReplyRelay,
  RequestMetrics,
  RequestReceipt,
  RetryQueued,
  Source,
  StatusIssue,
  Sync,
  SyncMetrics,
  TestEventQueued,
  UpdateWebhookBody,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@svc/contract/types';
