/** Default values of rows that a test creates: like rows of the demo world, at world time. */
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import type { Branding } from '@svc/domain/pages/branding';
import {
  ID_RANDOM_BYTES,
  newEventId,
  newSecret,
  newWebhookDeliveryId,
  newWebhookId,
  SECRET_RANDOM_BYTES,
} from '@svc/domain/values/resource-ids';
import type { ConnectionRow, DbKind, DbRows, SourceRow } from '../generated/row-types.ts';
import { nextId, nextLogId } from '../state/ids.ts';
import { findRow, newestFirst } from '../state/log.ts';
import type { WorldData } from '../state/world-data.ts';
import { RowError } from './types.ts';

export interface DefaultsContext {
  /** Part of default keys and ingress codes, which must be unique among worlds. */
  readonly worldId: string;
  readonly branding: Branding;
  readonly data: WorldData;
  /** World time. */
  readonly now: Date;
  /** The world's random generator. */
  readonly randomBytes: (count: number) => Uint8Array;
}

/** A row without fields that are null by default. */
type NewRow<Row> = { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & Partial<Row>;

type Defaults = {
  readonly [Kind in DbKind]: (given: Partial<DbRows[Kind]>, context: DefaultsContext) => NewRow<DbRows[Kind]>;
};

export const DEFAULTS: Defaults = {
  accounts(given, { data, now }) {
    const id = given.id ?? nextId(data.accounts);
    return { id, email: `account-${id}@example.com`, canUseWebhooks: true, createdAt: now };
  },

  apiKeys({ connectionId = null, ...given }, { worldId, branding, data, now }) {
    const id = given.id ?? nextId(data.apiKeys);
    const { accountId } = connectionId === null ? accountFor(data, given) : connectionFor(data, { connectionId });
    return {
      id,
      accountId,
      token: `${branding.keyPrefix}mock_${id}_${worldId}`,
      name: `Key ${id}`,
      scopes: ['read'],
      connectionScope: connectionId === null ? 'account' : 'connection',
      connectionId,
      createdAt: now,
      revokedAt: null,
      rotatedAt: null,
    };
  },

  connections(given, { data, now }) {
    const id = given.id ?? nextId(data.connections);
    return {
      id,
      ...accountFor(data, given),
      crm: 'HUBSPOT',
      organizationId: `organization-${id}`,
      organizationDomain: `organization-${id}.example.com`,
      canUseApi: true,
      capabilities: { sync: true, destinations: true, blocklists: true },
      crmToken: `crm-token-${id}`,
      recordedError: null,
      createdAt: now,
    };
  },

  sources(given, { worldId, data, now }) {
    const id = given.id ?? nextId(data.sources);
    return {
      id,
      connectionId: connectionFor(data, given).id,
      platform: 'smartlead',
      path: `mock-source-${id}-${worldId}`,
      config: { ...SOURCE_CONFIG_DEFAULTS, createOrUpdateCompany: true },
      secrets: [],
      createdAt: now,
    };
  },

  destinations(given, { data, now }) {
    const id = given.id ?? nextId(data.destinations);
    const connectionId = connectionFor(data, given).id;
    return { id, connectionId, url: `https://hooks.example.com/${id}`, description: '', createdAt: now, bindings: [] };
  },

  replyRelays(given, { data, now }) {
    const id = given.id ?? nextId(data.replyRelays);
    return {
      id,
      connectionId: connectionFor(data, given).id,
      description: `Relay ${id}`,
      ccEmail: `relay-${id}@example.com`,
      delayMinutes: 0,
      bodyTemplates: ['In copy from here on.'],
      categoryAllowlist: [],
      sourceIds: [],
      createdAt: now,
    };
  },

  blocklists(given, { data, now }) {
    const id = given.id ?? nextId(data.blocklists);
    const connection = connectionFor(data, given);
    return {
      id,
      connectionId: connection.id,
      listName: `List ${id}`,
      crmListId: String(9_000 + id),
      crm: connection.crm,
      platform: 'smartlead',
      blockType: 'ADDRESS',
      status: 'CREATED',
      isEnabled: true,
      clientId: null,
      syncedCount: 0,
      pendingCount: 0,
      lastFetchedAt: null,
      lastError: null,
      lastAttemptedAt: null,
      createdAt: now,
      run: 0,
    };
  },

  webhooks(given, { branding, data, now, randomBytes }) {
    return {
      id: newWebhookId(now, randomBytes(ID_RANDOM_BYTES)),
      ...accountFor(data, given),
      url: `https://hooks.example.com/webhook-${data.webhooks.length + 1}`,
      description: '',
      enabledEvents: [],
      isActive: true,
      autoDisabledAt: null,
      consecutiveDeadCount: 0,
      secret: newSecret(branding.secretPrefix, randomBytes(SECRET_RANDOM_BYTES)),
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
  },

  requests(given, { data, now }) {
    const { source, ...place } = placeFor(data, given);
    const path = source?.path ?? 'gone';
    return { id: nextLogId(data.requests), ...place, path, outcome: 'synced', body: {}, createdAt: now };
  },

  syncs({ status = 'success', ...given }, { data, now }) {
    const { source, ...place } = placeFor(data, given);
    return {
      id: nextLogId(data.syncs),
      ...place,
      connectionId: place.connectionId ?? connectionFor(data, given).id,
      payloadId: source === null ? null : newestRequest(data, source.id),
      status,
      eventType: 'EMAIL_SENT',
      toEmail: 'contact@example.com',
      platform: source?.platform ?? 'smartlead',
      error: status === 'success' ? null : { ...CRM_ERROR },
      isEventKnown: true,
      createdAt: now,
    };
  },

  deliveries({ status = 'success', ...given }, { data, now }) {
    const destination = destinationFor(data, given);
    const connection = connectionFor(data, { connectionId: destination.connectionId });
    const [binding] = destination.bindings;
    const sourceId = given.sourceId === undefined ? (binding?.sourceId ?? null) : given.sourceId;
    return {
      id: nextLogId(data.deliveries),
      accountId: connection.accountId,
      connectionId: connection.id,
      destinationId: destination.id,
      destinationUrl: destination.url,
      status,
      httpStatus: status === 'success' ? 200 : 500,
      isHttpStatusInferred: false,
      sourceId,
      eventType: 'EMAIL_REPLY',
      toEmail: 'contact@example.com',
      payloadId: sourceId === null ? null : newestRequest(data, sourceId),
      error: status === 'success' ? null : 'HTTP 500',
      createdAt: now,
    };
  },

  events({ type = 'sync.failed', createdAt, ...given }, { data, now, randomBytes }) {
    const at = createdAt ?? now;
    const { source: _source, ...place } = placeFor(data, given);
    const id = newEventId(at, randomBytes(ID_RANDOM_BYTES));
    return { id, ...place, type, summary: `${type}, made by a test`, data: {}, createdAt: at };
  },

  webhookDeliveries({ status = 'SUCCEEDED', createdAt, ...given }, { data, now, randomBytes }) {
    const at = createdAt ?? now;
    const wasTried = status !== 'PENDING';
    return {
      id: newWebhookDeliveryId(at, randomBytes(ID_RANDOM_BYTES)),
      ...eventAndWebhook(data, given),
      status,
      attemptCount: wasTried ? 1 : 0,
      lastAttemptAt: wasTried ? at : null,
      lastHttpStatus: wasTried ? (status === 'SUCCEEDED' ? 200 : 404) : null,
      lastError: !wasTried || status === 'SUCCEEDED' ? null : 'HTTP 404',
      nextAttemptAt: wasTried ? null : now,
      replayOfDeliveryId: null,
      createdAt: at,
      updatedAt: at,
    };
  },
};

const CRM_ERROR = { code: 'crm_refused', message: 'The CRM refused the write', httpStatus: 400 };

function accountFor(data: WorldData, { accountId }: { accountId?: number }): { accountId: number } {
  const id = accountId ?? data.accounts[0]?.id;
  if (id === undefined) throw new RowError('There is no account: create one first.');
  return { accountId: id };
}

interface PlaceGiven {
  readonly accountId?: number;
  readonly connectionId?: number | null;
  readonly sourceId?: number | null;
}

/** Returns the given connection, else the first API-enabled one (of the given account), preferably with a source. */
function connectionFor(data: WorldData, { accountId, connectionId }: PlaceGiven): ConnectionRow {
  const named = data.connections.find(({ id }) => id === connectionId);
  if (named !== undefined) return named;
  if (connectionId !== undefined && connectionId !== null) {
    throw new RowError(`connectionId: there is no connection ${connectionId}`);
  }
  const enabled = data.connections.filter((row) => row.canUseApi && row.accountId === (accountId ?? row.accountId));
  const found = enabled.find(({ id }) => data.sources.some((source) => source.connectionId === id)) ?? enabled[0];
  if (found === undefined) throw new RowError('There is no API-enabled connection: create one first.');
  return found;
}

interface Place {
  readonly accountId: number;
  readonly connectionId: number | null;
  readonly sourceId: number | null;
  readonly source: SourceRow | null;
}

/** Returns a consistent account, connection and source, derived from the given ones. */
function placeFor(data: WorldData, given: PlaceGiven): Place {
  if (given.connectionId === null)
    return { ...accountFor(data, given), connectionId: null, sourceId: null, source: null };
  const named = sourceFor(data, given.sourceId);
  const connection = connectionFor(data, named === null ? given : { connectionId: named.connectionId, ...given });
  const ofConnection = data.sources.find(({ connectionId }) => connectionId === connection.id) ?? null;
  const source = given.sourceId === undefined ? ofConnection : named;
  return { accountId: connection.accountId, connectionId: connection.id, sourceId: source?.id ?? null, source };
}

function sourceFor(data: WorldData, sourceId: number | null | undefined): SourceRow | null {
  if (sourceId === undefined || sourceId === null) return null;
  const source = data.sources.find(({ id }) => id === sourceId);
  if (source === undefined) throw new RowError(`sourceId: there is no source ${sourceId}`);
  return source;
}

function newestRequest(data: WorldData, sourceId: number): number | null {
  for (const row of newestFirst(data.requests)) if (row.sourceId === sourceId) return row.id;
  return null;
}

function destinationFor(
  data: WorldData,
  { destinationId, connectionId, sourceId }: PlaceGiven & { destinationId?: number },
): DbRows['destinations'] {
  const wanted = connectionId ?? sourceFor(data, sourceId)?.connectionId;
  const found = data.destinations.find((row) => {
    if (destinationId !== undefined) return row.id === destinationId;
    const isEnabled = data.connections.some(({ id, canUseApi }) => id === row.connectionId && canUseApi);
    return wanted === undefined ? isEnabled : row.connectionId === wanted;
  });
  if (found !== undefined) return found;
  if (destinationId !== undefined) throw new RowError(`destinationId: there is no destination ${destinationId}`);
  throw new RowError('There is no destination: create one first.');
}

/** Returns the given webhook and event. Defaults: the first webhook that is not deleted, and the newest event of its account. */
function eventAndWebhook(
  data: WorldData,
  { eventId, webhookId }: { eventId?: string; webhookId?: string },
): { eventId: string; webhookId: string } {
  const named = eventId === undefined ? null : findRow(data.events, eventId);
  const webhook = data.webhooks.find((row) =>
    webhookId === undefined
      ? row.deletedAt === null && row.accountId === (named?.accountId ?? row.accountId)
      : row.id === webhookId,
  );
  if (webhook === undefined) {
    const isNamed = webhookId !== undefined;
    throw new RowError(
      isNamed ? `webhookId: there is no webhook ${webhookId}` : 'There is no webhook: create one first.',
    );
  }
  if (eventId !== undefined) return { eventId, webhookId: webhook.id };
  for (const event of newestFirst(data.events)) {
    if (event.accountId === webhook.accountId) return { eventId: event.id, webhookId: webhook.id };
  }
  throw new RowError('There is no event to deliver: create one first.');
}
