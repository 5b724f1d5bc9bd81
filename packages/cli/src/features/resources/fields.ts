/**
 * The fields of what the commands show, in the order of the contract; a test holds the lists against its
 * schemas. They are the columns of a CSV and what `--fields` takes.
 */

import { WEBHOOK_DELIVERY_FIELDS } from '../webhooks/fields.ts';

export const SYNC_FIELDS = [
  'id',
  'status',
  'connectionId',
  'sourceId',
  'eventType',
  'toEmail',
  'platform',
  'payloadId',
  'error',
  'error.*',
  'createdAt',
] as const;

export const CONNECTION_FIELDS = [
  'id',
  'crm',
  'status',
  'organizationId',
  'organizationDomain',
  'capabilities',
  'capabilities.sync',
  'capabilities.destinations',
  'capabilities.blocklists',
  'createdAt',
] as const;

export const SOURCE_FIELDS = [
  'id',
  'url',
  'platform',
  'connectionId',
  'crm',
  'config',
  'config.createOrUpdateCompany',
  'config.createOrUpdateTask',
  'config.assignContactOwner',
  'config.salesforceObjectType',
  'destinations',
  'destinations.url',
  'destinations.description',
  'destinations.eventTypes',
  'destinations.isDelayed',
  'replyRelay',
  'replyRelay.id',
  'replyRelay.description',
  'replyRelay.ccEmail',
  'replyRelay.delayMinutes',
  'createdAt',
] as const;

export const SYNC_METRICS_FIELDS = ['success', 'warning', 'error'] as const;

export const ME_FIELDS = [
  'account',
  'account.id',
  'account.email',
  'apiKey',
  'apiKey.name',
  'apiKey.scopes',
  'apiKey.connectionScope',
  'apiKey.connectionId',
  'connections',
  'connections.id',
  'connections.crm',
  'connections.organizationId',
  'connections.organizationDomain',
  'links',
  'links.*',
] as const;

const issueFields = (list: string) =>
  ['', '.code', '.connectionId', '.crm', '.message', '.remediation', '.docUrl'].map((field) => `${list}${field}`);

export const STATUS_FIELDS: readonly string[] = [
  'ready',
  'checkedAt',
  'connections',
  'connections.connectionId',
  'connections.crm',
  'connections.ready',
  'connections.crmConnection',
  'connections.crmConnection.status',
  'connections.crmConnection.crm',
  'connections.crmConnection.organizationId',
  'connections.crmConnection.organizationDomain',
  'connections.sources',
  'connections.sources.status',
  'connections.sources.count',
  'connections.sources.platforms',
  'connections.destinations',
  'connections.destinations.status',
  'connections.destinations.count',
  'connections.destinations.eventTypes',
  'connections.destinations.forwardingCount',
  'connections.destinations.replyRelayCount',
  'connections.blocklists',
  'connections.blocklists.status',
  'connections.blocklists.enabledCount',
  'connections.blocklists.lastError',
  'connections.blocklists.lastFetchedAt',
  ...issueFields('blockers'),
  ...issueFields('warnings'),
];

export const REQUEST_FIELDS = ['id', 'sourceId', 'connectionId', 'path', 'createdAt'] as const;

export const DELIVERY_FIELDS = [
  'id',
  'destinationId',
  'destinationUrl',
  'status',
  'httpStatus',
  'connectionId',
  'sourceId',
  'eventType',
  'toEmail',
  'payloadId',
  'error',
  'createdAt',
] as const;

export const DESTINATION_FIELDS = [
  'id',
  'url',
  'description',
  'connectionId',
  'eventTypes',
  'isDelayed',
  'sourceIds',
  'createdAt',
] as const;

export const RELAY_FIELDS = [
  'id',
  'connectionId',
  'description',
  'ccEmail',
  'delayMinutes',
  'bodyTemplates',
  'categoryAllowlist',
  'categoryAllowlist.id',
  'categoryAllowlist.name',
  'sourceIds',
  'createdAt',
] as const;

export const EVENT_FIELDS = [
  'id',
  'type',
  'summary',
  'data',
  'data.*',
  'connectionId',
  'sourceId',
  'delivered',
  'createdAt',
] as const;

export const EVENT_WITH_DELIVERIES_FIELDS = [
  ...EVENT_FIELDS,
  'deliveries',
  ...WEBHOOK_DELIVERY_FIELDS.map((field) => `deliveries.${field}` as const),
] as const;

export const RETRY_QUEUED_FIELDS = ['queued', 'syncId'] as const;

/** Of our own: the summary of `syncs retry --all`. */
export const RETRY_ALL_FIELDS = [
  'from',
  'to',
  'dryRun',
  'found',
  'queued',
  'skipped',
  'skipped.id',
  'skipped.reason',
  'refused',
  'refused.id',
  'refused.status',
  'refused.message',
] as const;

export const REPLAY_QUEUED_FIELDS = ['queued', 'destinationId', 'payloadId'] as const;

export const REQUEST_METRICS_FIELDS = ['count'] as const;

export const DELIVERY_METRICS_FIELDS = ['success', 'error', 'http2xx'] as const;

export const ACCOUNT_METRICS_FIELDS = [
  'from',
  'to',
  'requests',
  'requests.count',
  'syncs',
  'syncs.success',
  'syncs.warning',
  'syncs.error',
  'destinationDeliveries',
  'destinationDeliveries.success',
  'destinationDeliveries.error',
  'destinationDeliveries.http2xx',
] as const;
