import type { NotFoundResource } from './error-messages.ts';

/**
 * The access that an operation requires.
 *
 * - `public`: anybody, without a key.
 * - `read`: any valid key.
 * - `action-write`: a key with write scope; connection-scoped keys too.
 * - `webhook-read`: webhooks enabled for the account, and an account-scoped key.
 * - `webhook-write`: the same, and write scope.
 * - `events-read`: webhooks enabled for the account; connection-scoped keys too.
 */
export type Access = 'public' | 'read' | 'action-write' | 'webhook-read' | 'webhook-write' | 'events-read';

/** The rate limit that an operation counts towards. A `public` operation counts only towards that of the IP address. */
export type RateBucket = 'none' | 'general' | 'outreach';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A path parameter, and the resource that a 404 names when the value does not exist or is not within reach. */
export interface PathParam {
  readonly name: string;
  readonly resource: NotFoundResource;
  /** `integer` ids are sequential; others are prefixed strings. */
  readonly type: 'integer' | 'string';
}

/** One row of the table that server and mock mount. A test compares the table with `openapi.yaml`. */
export interface Operation {
  readonly id: string;
  readonly method: HttpMethod;
  /** As in OpenAPI: `/api/v1/syncs/{id}`. See `toRoutePath`. */
  readonly path: string;
  readonly access: Access;
  /** Scope that the key needs; null when no key is needed. */
  readonly scope: 'read' | 'write' | null;
  readonly rateBucket: RateBucket;
  /** The status of success. */
  readonly successStatus: 200 | 202 | 204;
  readonly pathParams: readonly PathParam[];
  /** Known query parameters; others are ignored. */
  readonly queryParams: readonly string[];
  /** Whether a JSON body is read; otherwise bodies are ignored. */
  readonly hasBody: boolean;
}

const SCOPES = {
  public: null,
  read: 'read',
  'action-write': 'write',
  'webhook-read': 'read',
  'webhook-write': 'write',
  'events-read': 'read',
} as const satisfies Record<Access, Operation['scope']>;

type Details = Partial<Pick<Operation, 'rateBucket' | 'successStatus' | 'pathParams' | 'queryParams' | 'hasBody'>>;

function operation<const Id extends string>(
  id: Id,
  method: HttpMethod,
  path: string,
  access: Access,
  details: Details = {},
): Operation & { readonly id: Id } {
  return {
    id,
    method,
    path,
    access,
    scope: SCOPES[access],
    rateBucket: 'general',
    successStatus: 200,
    pathParams: [],
    queryParams: [],
    hasBody: false,
    ...details,
  };
}

const integerParam = (name: string, resource: NotFoundResource): PathParam => ({ name, resource, type: 'integer' });
const stringParam = (name: string, resource: NotFoundResource): PathParam => ({ name, resource, type: 'string' });

const SOURCE = [integerParam('sourceId', 'Source')];
const SYNC = [integerParam('id', 'Sync')];
const DESTINATION = [integerParam('id', 'Destination')];
const DELIVERY = [...DESTINATION, integerParam('deliveryId', 'Delivery')];
const BLOCKLIST = [integerParam('id', 'Blocklist')];
const WEBHOOK = [stringParam('id', 'Webhook')];
const WEBHOOK_DELIVERY = [...WEBHOOK, stringParam('deliveryId', 'Delivery')];
const EVENT = [stringParam('id', 'Event')];

const RANGE = ['from', 'to'];
const PAGE = ['cursor', 'limit'];

/**
 * All operations in mounting order: a path without parameters comes before a path whose parameter would match it
 * (`/destinations/reply-relays` before `/destinations/{id}`).
 */
export const operations = [
  // Discovery and health
  operation('getHealthLive', 'GET', '/health/live', 'public', { rateBucket: 'none' }),
  operation('getHealthReady', 'GET', '/health/ready', 'public', { rateBucket: 'none' }),
  operation('getOpenapiJson', 'GET', '/api/v1/openapi.json', 'public'),
  operation('getOpenapiYaml', 'GET', '/api/v1/openapi.yaml', 'public'),

  // Introspection
  operation('getMe', 'GET', '/api/v1/me', 'read'),
  operation('getAccountStatus', 'GET', '/api/v1/account/status', 'read'),
  operation('listConnections', 'GET', '/api/v1/connections', 'read'),
  operation('listSources', 'GET', '/api/v1/sources', 'read'),
  operation('listDestinations', 'GET', '/api/v1/destinations', 'read'),
  operation('listReplyRelays', 'GET', '/api/v1/destinations/reply-relays', 'read'),
  operation('getDestination', 'GET', '/api/v1/destinations/{id}', 'read', { pathParams: DESTINATION }),
  operation('getContactOutreach', 'GET', '/api/v1/contacts/outreach', 'read', {
    rateBucket: 'outreach',
    queryParams: ['email', 'profileUrl'],
  }),
  operation('listBlocklists', 'GET', '/api/v1/blocklists', 'read', { queryParams: ['connectionId'] }),

  // Observability
  operation('listRequests', 'GET', '/api/v1/requests', 'read', { queryParams: [...RANGE, 'sourceId', ...PAGE] }),
  operation('getRequestMetrics', 'GET', '/api/v1/requests/metrics', 'read', { queryParams: [...RANGE, 'sourceId'] }),
  operation('listSourceRequests', 'GET', '/api/v1/sources/{sourceId}/requests', 'read', {
    pathParams: SOURCE,
    queryParams: [...RANGE, ...PAGE],
  }),
  operation('listSyncs', 'GET', '/api/v1/syncs', 'read', {
    queryParams: [...RANGE, 'status', 'sourceId', 'connectionId', ...PAGE],
  }),
  operation('getSyncMetrics', 'GET', '/api/v1/syncs/metrics', 'read', {
    queryParams: [...RANGE, 'sourceId', 'connectionId'],
  }),
  operation('getSync', 'GET', '/api/v1/syncs/{id}', 'read', { pathParams: SYNC }),
  operation('listSourceSyncs', 'GET', '/api/v1/sources/{sourceId}/syncs', 'read', {
    pathParams: SOURCE,
    queryParams: [...RANGE, 'status', 'connectionId', ...PAGE],
  }),
  operation('listDestinationDeliveries', 'GET', '/api/v1/destinations/{id}/deliveries', 'read', {
    pathParams: DESTINATION,
    queryParams: [...RANGE, 'status', ...PAGE],
  }),
  operation('getDestinationDeliveryMetrics', 'GET', '/api/v1/destinations/{id}/deliveries/metrics', 'read', {
    pathParams: DESTINATION,
    queryParams: RANGE,
  }),
  operation('listDeliveries', 'GET', '/api/v1/deliveries', 'read', {
    queryParams: [...RANGE, 'status', 'destinationId', ...PAGE],
  }),
  operation('getAccountMetrics', 'GET', '/api/v1/account/metrics', 'read', {
    queryParams: [...RANGE, 'connectionId', 'sourceId'],
  }),

  // Write actions
  operation('retrySync', 'POST', '/api/v1/syncs/{id}/retry', 'action-write', { pathParams: SYNC }),
  operation('replayDelivery', 'POST', '/api/v1/destinations/{id}/deliveries/{deliveryId}/replay', 'action-write', {
    pathParams: DELIVERY,
  }),
  operation('pauseBlocklist', 'POST', '/api/v1/blocklists/{id}/pause', 'action-write', { pathParams: BLOCKLIST }),
  operation('resyncBlocklist', 'POST', '/api/v1/blocklists/{id}/resync', 'action-write', { pathParams: BLOCKLIST }),

  // Webhooks
  operation('createWebhook', 'POST', '/api/v1/webhooks', 'webhook-write', { hasBody: true }),
  operation('listWebhooks', 'GET', '/api/v1/webhooks', 'webhook-read'),
  operation('getWebhook', 'GET', '/api/v1/webhooks/{id}', 'webhook-read', { pathParams: WEBHOOK }),
  operation('updateWebhook', 'PATCH', '/api/v1/webhooks/{id}', 'webhook-write', {
    pathParams: WEBHOOK,
    hasBody: true,
  }),
  operation('deleteWebhook', 'DELETE', '/api/v1/webhooks/{id}', 'webhook-write', {
    pathParams: WEBHOOK,
    successStatus: 204,
  }),
  operation('rotateWebhookSecret', 'POST', '/api/v1/webhooks/{id}/rotate-secret', 'webhook-write', {
    pathParams: WEBHOOK,
  }),
  operation('testWebhook', 'POST', '/api/v1/webhooks/{id}/test', 'webhook-write', {
    pathParams: WEBHOOK,
    successStatus: 202,
  }),
  operation('listWebhookDeliveries', 'GET', '/api/v1/webhooks/{id}/deliveries', 'webhook-read', {
    pathParams: WEBHOOK,
    queryParams: ['status', ...PAGE],
  }),
  operation('replayWebhookDelivery', 'POST', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', 'webhook-write', {
    pathParams: WEBHOOK_DELIVERY,
  }),

  // Events
  operation('listEvents', 'GET', '/api/v1/events', 'events-read', { queryParams: ['type', 'delivered', ...PAGE] }),
  operation('getEvent', 'GET', '/api/v1/events/{id}', 'events-read', { pathParams: EVENT }),
] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]['id'];

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((row): [string, Operation] => [row.id, row]));

/** Returns the row of an operation. */
export function operationById(id: OperationId): Operation {
  const row = byId.get(id);
  if (row === undefined) throw new Error(`No operation is called ${id}`);
  return row;
}

/** Returns whether a string is an operation id. */
export function isOperationId(id: string): id is OperationId {
  return byId.has(id);
}

/** Converts a path to the form of routers: `/api/v1/syncs/{id}` becomes `/api/v1/syncs/:id`. */
export function toRoutePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
