export type { ApiPromise, WithResponse } from './call.ts';
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
} from './errors.ts';
export type { CallOptions, Hooks, RequestInfo, ResponseInfo, RetryInfo, WaitInfo } from './fetch.ts';
export type { LogParams, RangeParams } from './log-query.ts';
export type { Bucket, PacingMode } from './pacing.ts';
export type { List, Page, ResumePoint } from './paginate.ts';
export type { RawAnswer, RawClient, RawMethod } from './raw-client.ts';
export type { AccountResource } from './resources/account.ts';
export type { ConnectionsResource } from './resources/connections.ts';
export type { DiscoveryResource, OpenapiDocument } from './resources/discovery.ts';
export type { MeResource } from './resources/me.ts';
export type { SourceSyncListParams, SourcesResource } from './resources/sources.ts';
export type { SyncListParams, SyncMetricsParams, SyncsResource } from './resources/syncs.ts';
export { SDK_VERSION } from './version.ts';
export type {
  AccountStatusResponse,
  Connection,
  ConnectionStatus,
  HealthReady,
  MeResponse,
  paths,
  Source,
  StatusIssue,
  Sync,
  SyncMetrics,
} from '@svc/contract/types';
