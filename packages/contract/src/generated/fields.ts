// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

/**
 * The fields of each schema as dotted paths, in the order of the contract. Paths lead through arrays. `a.*` stands for an object `a`
 * whose fields the contract leaves open.
 */
export const ERROR_BODY_FIELDS = [
  'statusCode',
  'message',
  'error',
] as const;

export const HEALTH_LIVE_FIELDS = [
  'status',
] as const;

export const HEALTH_READY_FIELDS = [
  'status',
  'checks',
  'checks.*',
] as const;

export const API_LINK_FIELDS = [
  'href',
  'description',
] as const;

export const ME_LINKS_FIELDS = [
  'accountStatus',
  'accountStatus.href',
  'accountStatus.description',
  'accountMetrics',
  'accountMetrics.href',
  'accountMetrics.description',
  'connections',
  'connections.href',
  'connections.description',
  'destinations',
  'destinations.href',
  'destinations.description',
  'requests',
  'requests.href',
  'requests.description',
  'destinationsReplyRelays',
  'destinationsReplyRelays.href',
  'destinationsReplyRelays.description',
  'sources',
  'sources.href',
  'sources.description',
  'contactsOutreach',
  'contactsOutreach.href',
  'contactsOutreach.description',
  'syncs',
  'syncs.href',
  'syncs.description',
  'documentation',
  'documentation.href',
  'documentation.description',
  'openapi',
  'openapi.href',
  'openapi.description',
] as const;

export const ME_ACCOUNT_FIELDS = [
  'id',
  'email',
] as const;

export const ME_API_KEY_FIELDS = [
  'name',
  'scopes',
  'connectionScope',
  'connectionId',
] as const;

export const ME_CONNECTION_FIELDS = [
  'id',
  'crm',
  'organizationId',
  'organizationDomain',
] as const;

export const ME_RESPONSE_FIELDS = [
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
  'links.accountStatus',
  'links.accountStatus.href',
  'links.accountStatus.description',
  'links.accountMetrics',
  'links.accountMetrics.href',
  'links.accountMetrics.description',
  'links.connections',
  'links.connections.href',
  'links.connections.description',
  'links.destinations',
  'links.destinations.href',
  'links.destinations.description',
  'links.requests',
  'links.requests.href',
  'links.requests.description',
  'links.destinationsReplyRelays',
  'links.destinationsReplyRelays.href',
  'links.destinationsReplyRelays.description',
  'links.sources',
  'links.sources.href',
  'links.sources.description',
  'links.contactsOutreach',
  'links.contactsOutreach.href',
  'links.contactsOutreach.description',
  'links.syncs',
  'links.syncs.href',
  'links.syncs.description',
  'links.documentation',
  'links.documentation.href',
  'links.documentation.description',
  'links.openapi',
  'links.openapi.href',
  'links.openapi.description',
] as const;

export const CRM_CONNECTION_STATUS_FIELDS = [
  'status',
  'crm',
  'organizationId',
  'organizationDomain',
] as const;

export const SOURCES_STATUS_FIELDS = [
  'status',
  'count',
  'platforms',
] as const;

export const DESTINATIONS_STATUS_FIELDS = [
  'status',
  'count',
  'eventTypes',
  'forwardingCount',
  'replyRelayCount',
] as const;

export const BLOCKLISTS_STATUS_FIELDS = [
  'status',
  'enabledCount',
  'lastError',
  'lastFetchedAt',
] as const;

export const CONNECTION_STATUS_FIELDS = [
  'connectionId',
  'crm',
  'ready',
  'crmConnection',
  'crmConnection.status',
  'crmConnection.crm',
  'crmConnection.organizationId',
  'crmConnection.organizationDomain',
  'sources',
  'sources.status',
  'sources.count',
  'sources.platforms',
  'destinations',
  'destinations.status',
  'destinations.count',
  'destinations.eventTypes',
  'destinations.forwardingCount',
  'destinations.replyRelayCount',
  'blocklists',
  'blocklists.status',
  'blocklists.enabledCount',
  'blocklists.lastError',
  'blocklists.lastFetchedAt',
] as const;

export const BLOCKER_FIELDS = [
  'code',
  'connectionId',
  'crm',
  'message',
  'remediation',
  'docUrl',
] as const;

export const WARNING_FIELDS = [
  'code',
  'connectionId',
  'crm',
  'message',
  'remediation',
  'docUrl',
] as const;

export const ACCOUNT_STATUS_RESPONSE_FIELDS = [
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
  'blockers',
  'blockers.code',
  'blockers.connectionId',
  'blockers.crm',
  'blockers.message',
  'blockers.remediation',
  'blockers.docUrl',
  'warnings',
  'warnings.code',
  'warnings.connectionId',
  'warnings.crm',
  'warnings.message',
  'warnings.remediation',
  'warnings.docUrl',
] as const;

export const CONNECTION_CAPABILITIES_FIELDS = [
  'sync',
  'destinations',
  'blocklists',
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

export const CONNECTION_LIST_FIELDS = [
  'connections',
  'connections.id',
  'connections.crm',
  'connections.status',
  'connections.organizationId',
  'connections.organizationDomain',
  'connections.capabilities',
  'connections.capabilities.sync',
  'connections.capabilities.destinations',
  'connections.capabilities.blocklists',
  'connections.createdAt',
] as const;

export const SOURCE_CONFIG_FIELDS = [
  'createOrUpdateCompany',
  'createOrUpdateTask',
  'assignContactOwner',
  'salesforceObjectType',
] as const;

export const SOURCE_DESTINATION_FIELDS = [
  'url',
  'description',
  'eventTypes',
  'isDelayed',
] as const;

export const SOURCE_REPLY_RELAY_FIELDS = [
  'id',
  'description',
  'ccEmail',
  'delayMinutes',
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

export const SOURCE_LIST_FIELDS = [
  'sources',
  'sources.id',
  'sources.url',
  'sources.platform',
  'sources.connectionId',
  'sources.crm',
  'sources.config',
  'sources.config.createOrUpdateCompany',
  'sources.config.createOrUpdateTask',
  'sources.config.assignContactOwner',
  'sources.config.salesforceObjectType',
  'sources.destinations',
  'sources.destinations.url',
  'sources.destinations.description',
  'sources.destinations.eventTypes',
  'sources.destinations.isDelayed',
  'sources.replyRelay',
  'sources.replyRelay.id',
  'sources.replyRelay.description',
  'sources.replyRelay.ccEmail',
  'sources.replyRelay.delayMinutes',
  'sources.createdAt',
] as const;

export const DESTINATION_RESOURCE_FIELDS = [
  'id',
  'url',
  'description',
  'connectionId',
  'eventTypes',
  'isDelayed',
  'sourceIds',
  'createdAt',
] as const;

export const DESTINATION_LIST_FIELDS = [
  'destinations',
  'destinations.id',
  'destinations.url',
  'destinations.description',
  'destinations.connectionId',
  'destinations.eventTypes',
  'destinations.isDelayed',
  'destinations.sourceIds',
  'destinations.createdAt',
] as const;

export const RELAY_CATEGORY_FIELDS = [
  'id',
  'name',
] as const;

export const REPLY_RELAY_FIELDS = [
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

export const REPLY_RELAY_LIST_FIELDS = [
  'replyRelays',
  'replyRelays.id',
  'replyRelays.connectionId',
  'replyRelays.description',
  'replyRelays.ccEmail',
  'replyRelays.delayMinutes',
  'replyRelays.bodyTemplates',
  'replyRelays.categoryAllowlist',
  'replyRelays.categoryAllowlist.id',
  'replyRelays.categoryAllowlist.name',
  'replyRelays.sourceIds',
  'replyRelays.createdAt',
] as const;

export const BLOCKLIST_FIELDS = [
  'id',
  'connectionId',
  'listName',
  'crm',
  'platform',
  'blockType',
  'status',
  'isEnabled',
  'clientId',
  'syncedCount',
  'pendingCount',
  'lastFetchedAt',
  'lastError',
  'lastAttemptedAt',
  'createdAt',
] as const;

export const BLOCKLIST_LIST_FIELDS = [
  'blocklists',
  'blocklists.id',
  'blocklists.connectionId',
  'blocklists.listName',
  'blocklists.crm',
  'blocklists.platform',
  'blocklists.blockType',
  'blocklists.status',
  'blocklists.isEnabled',
  'blocklists.clientId',
  'blocklists.syncedCount',
  'blocklists.pendingCount',
  'blocklists.lastFetchedAt',
  'blocklists.lastError',
  'blocklists.lastAttemptedAt',
  'blocklists.createdAt',
] as const;

export const BLOCKLIST_PAUSED_FIELDS = [
  'id',
  'isEnabled',
  'status',
] as const;

export const BLOCKLIST_RESYNC_QUEUED_FIELDS = [
  'id',
  'queued',
  'isEnabled',
  'status',
] as const;

export const REQUEST_RECEIPT_FIELDS = [
  'id',
  'sourceId',
  'connectionId',
  'path',
  'createdAt',
] as const;

export const REQUEST_PAGE_FIELDS = [
  'data',
  'data.id',
  'data.sourceId',
  'data.connectionId',
  'data.path',
  'data.createdAt',
  'hasMore',
  'nextCursor',
] as const;

export const SYNC_RESOURCE_FIELDS = [
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

export const SYNC_PAGE_FIELDS = [
  'data',
  'data.id',
  'data.status',
  'data.connectionId',
  'data.sourceId',
  'data.eventType',
  'data.toEmail',
  'data.platform',
  'data.payloadId',
  'data.error',
  'data.error.*',
  'data.createdAt',
  'hasMore',
  'nextCursor',
] as const;

export const RETRY_QUEUED_FIELDS = [
  'queued',
  'syncId',
] as const;

export const DESTINATION_DELIVERY_FIELDS = [
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

export const DELIVERY_PAGE_FIELDS = [
  'data',
  'data.id',
  'data.destinationId',
  'data.destinationUrl',
  'data.status',
  'data.httpStatus',
  'data.connectionId',
  'data.sourceId',
  'data.eventType',
  'data.toEmail',
  'data.payloadId',
  'data.error',
  'data.createdAt',
  'hasMore',
  'nextCursor',
] as const;

export const REPLAY_QUEUED_FIELDS = [
  'queued',
  'destinationId',
  'payloadId',
] as const;

export const REQUEST_METRICS_FIELDS = [
  'count',
] as const;

export const SYNC_METRICS_FIELDS = [
  'success',
  'warning',
  'error',
] as const;

export const DESTINATION_DELIVERY_METRICS_FIELDS = [
  'success',
  'error',
  'http2xx',
] as const;

export const ACCOUNT_METRICS_RESPONSE_FIELDS = [
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

export const OUTREACH_QUERY_FIELDS = [
  'email',
  'profileUrls',
] as const;

export const OUTREACH_SUMMARY_FIELDS = [
  'everContacted',
  'everEmailed',
  'everOpened',
  'everCalled',
  'everSocialTouched',
  'totalEvents',
  'firstTouchAt',
  'lastTouchAt',
  'daysSinceLastTouch',
  'lastEventType',
  'lastPlatform',
] as const;

export const OUTREACH_EVENT_TYPE_FIELDS = [
  'eventType',
  'count',
  'firstAt',
  'lastAt',
] as const;

export const OUTREACH_PLATFORM_FIELDS = [
  'platform',
  'count',
  'lastAt',
  'lastEventType',
] as const;

export const OUTREACH_OUTCOMES_FIELDS = [
  'replied',
  'lastReplyAt',
  'bounced',
  'unsubscribed',
  'lastCategoryName',
  'lastCategoryAt',
] as const;

export const DO_NOT_CONTACT_FIELDS = [
  'value',
  'reasons',
] as const;

export const OUTREACH_BLOCKLISTS_FIELDS = [
  'evaluated',
  'matched',
  'matches',
] as const;

export const CONTACT_OUTREACH_RESPONSE_FIELDS = [
  'email',
  'query',
  'query.email',
  'query.profileUrls',
  'found',
  'summary',
  'summary.everContacted',
  'summary.everEmailed',
  'summary.everOpened',
  'summary.everCalled',
  'summary.everSocialTouched',
  'summary.totalEvents',
  'summary.firstTouchAt',
  'summary.lastTouchAt',
  'summary.daysSinceLastTouch',
  'summary.lastEventType',
  'summary.lastPlatform',
  'eventTypes',
  'eventTypes.eventType',
  'eventTypes.count',
  'eventTypes.firstAt',
  'eventTypes.lastAt',
  'platforms',
  'platforms.platform',
  'platforms.count',
  'platforms.lastAt',
  'platforms.lastEventType',
  'outcomes',
  'outcomes.replied',
  'outcomes.lastReplyAt',
  'outcomes.bounced',
  'outcomes.unsubscribed',
  'outcomes.lastCategoryName',
  'outcomes.lastCategoryAt',
  'doNotContact',
  'doNotContact.value',
  'doNotContact.reasons',
  'blocklists',
  'blocklists.evaluated',
  'blocklists.matched',
  'blocklists.matches',
] as const;

export const WEBHOOK_ENDPOINT_FIELDS = [
  'id',
  'url',
  'description',
  'enabledEvents',
  'isActive',
  'autoDisabledAt',
  'createdAt',
  'updatedAt',
] as const;

export const WEBHOOK_ENDPOINT_WITH_SECRET_FIELDS = [
  'id',
  'url',
  'description',
  'enabledEvents',
  'isActive',
  'autoDisabledAt',
  'createdAt',
  'updatedAt',
  'secret',
] as const;

export const WEBHOOK_LIST_FIELDS = [
  'webhooks',
  'webhooks.id',
  'webhooks.url',
  'webhooks.description',
  'webhooks.enabledEvents',
  'webhooks.isActive',
  'webhooks.autoDisabledAt',
  'webhooks.createdAt',
  'webhooks.updatedAt',
] as const;

export const CREATE_WEBHOOK_BODY_FIELDS = [
  'url',
  'description',
  'enabledEvents',
] as const;

export const UPDATE_WEBHOOK_BODY_FIELDS = [
  'url',
  'description',
  'enabledEvents',
  'isActive',
] as const;

export const TEST_EVENT_QUEUED_FIELDS = [
  'eventId',
] as const;

export const WEBHOOK_DELIVERY_FIELDS = [
  'id',
  'endpointId',
  'status',
  'attemptCount',
  'lastAttemptAt',
  'lastHttpStatus',
  'lastError',
  'replayOfDeliveryId',
  'createdAt',
  'updatedAt',
] as const;

export const WEBHOOK_DELIVERY_PAGE_FIELDS = [
  'data',
  'data.id',
  'data.endpointId',
  'data.status',
  'data.attemptCount',
  'data.lastAttemptAt',
  'data.lastHttpStatus',
  'data.lastError',
  'data.replayOfDeliveryId',
  'data.createdAt',
  'data.updatedAt',
  'hasMore',
  'nextCursor',
] as const;

export const PLATFORM_EVENT_FIELDS = [
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

export const PLATFORM_EVENT_WITH_DELIVERIES_FIELDS = [
  'id',
  'type',
  'summary',
  'data',
  'data.*',
  'connectionId',
  'sourceId',
  'delivered',
  'createdAt',
  'deliveries',
  'deliveries.id',
  'deliveries.endpointId',
  'deliveries.status',
  'deliveries.attemptCount',
  'deliveries.lastAttemptAt',
  'deliveries.lastHttpStatus',
  'deliveries.lastError',
  'deliveries.replayOfDeliveryId',
  'deliveries.createdAt',
  'deliveries.updatedAt',
] as const;

export const EVENT_PAGE_FIELDS = [
  'data',
  'data.id',
  'data.type',
  'data.summary',
  'data.data',
  'data.data.*',
  'data.connectionId',
  'data.sourceId',
  'data.delivered',
  'data.createdAt',
  'hasMore',
  'nextCursor',
] as const;

export const SYNC_FAILED_DATA_FIELDS = [
  'connectionId',
  'crm',
  'sourceId',
  'sourcePlatform',
  'reason',
  'remediation',
] as const;

export const SYNC_RECOVERED_DATA_FIELDS = [
  'connectionId',
  'crm',
  'sourceId',
  'sourcePlatform',
  'failedSince',
] as const;

export const WEBHOOK_ENVELOPE_FIELDS = [
  'id',
  'type',
  'created',
  'summary',
  'data',
  'data.*',
] as const;

export const SYNC_FAILED_ENVELOPE_FIELDS = [
  'id',
  'type',
  'created',
  'summary',
  'data',
  'data.*',
  'type',
  'data',
  'data.connectionId',
  'data.crm',
  'data.sourceId',
  'data.sourcePlatform',
  'data.reason',
  'data.remediation',
] as const;

export const SYNC_RECOVERED_ENVELOPE_FIELDS = [
  'id',
  'type',
  'created',
  'summary',
  'data',
  'data.*',
  'type',
  'data',
  'data.connectionId',
  'data.crm',
  'data.sourceId',
  'data.sourcePlatform',
  'data.failedSince',
] as const;

export const TEST_PING_ENVELOPE_FIELDS = [
  'id',
  'type',
  'created',
  'summary',
  'data',
  'data.*',
  'type',
  'data',
  'data.*',
] as const;
