/**
 * Random valid worlds: several accounts, keys of every kind, connections with and without API access and capabilities, rows that
 * share an instant, nulls wherever they are allowed, one contact in many spellings.
 *
 * Two rules keep a world within what both sides support. The event of a failed sync is in its payload, so that a retry finds it.
 * A block list that is read or pushed belongs to HubSpot and to a platform with a connector.
 */
import type { WorldInput } from '@svc/domain/world';
import type { Draw } from './draw.ts';
import { type Payload, PAYLOADS, payloadsOf } from './payloads.ts';
import { randomPolicy } from './random-policy.ts';
import { NO_SOURCES, randomPlatformRows, type Row } from './random-platform-rows.ts';
import {
  CONTACTS,
  EVENT_TYPES,
  HOOKS,
  IDENTITIES,
  INSTANTS,
  ODD_TEXTS,
  PAST_INSTANTS,
  PLATFORMS,
} from './random-values.ts';

type Body = Record<string, unknown>;

const CRMS = ['HUBSPOT', 'HUBSPOT', 'SALESFORCE', 'PIPEDRIVE', 'SOME_CRM'];
const BLOCKLIST_STATUSES = ['CREATED', 'FETCHING', 'SYNCING', 'SYNCED', 'SYNCING_NEW_CONTACTS'] as const;

/** Keys with the tokens of the demo world, so that the fuzz requests fit here too. */
const KEYS = [
  { token: 'osapi_demo_write', account: 0, write: true },
  { token: 'osapi_demo_read', account: 0, write: false },
  { token: 'osapi_demo_connection', account: 0, write: true, connection: 0 },
  { token: 'osapi_demo_connection_read', account: 0, write: false, connection: 1 },
  { token: 'osapi_demo_connection_other', account: 0, write: true, connection: 2 },
  { token: 'osapi_demo_other', account: 1, write: true },
  { token: 'osapi_demo_no_api', account: 2, write: true },
  { token: 'osapi_demo_no_webhooks', account: 3, write: true },
  { token: 'osapi_demo_empty', account: 4, write: true },
  { token: 'osapi_demo_revoked', account: 0, write: true, revoked: true },
  { token: 'osapi_demo_rotated', account: 0, write: true, rotated: true },
] as const;
export const TOKENS: readonly string[] = KEYS.map(({ token }) => token);

const ACCOUNT_COUNT = 5;
const LOG_ROWS = 90;

export function randomWorld(draw: Draw, name: string): WorldInput {
  const { maybe, number, pick } = draw;
  const text = () => pick(ODD_TEXTS);
  const subset = <Each>(all: readonly Each[]) => all.filter(() => maybe(50));
  const newId = createIds(draw);

  const accounts = Array.from({ length: ACCOUNT_COUNT }, (_, index) => ({
    id: newId('account'),
    email: `owner-${index}@example.com`,
    canUseWebhooks: index === 0 || index === NO_SOURCES || (index !== 3 && maybe(70)),
    createdAt: pick(PAST_INSTANTS),
  }));
  const accountAt = (index: number) => accounts[index]?.id ?? 1;

  const connections: Row<'connections'>[] = [4, 2, 2, 2, 1].flatMap((count, account) =>
    Array.from({ length: count }, (_, index) => {
      // The first account's first connection has every capability.
      const isWhole = account === 0 && index === 0;
      return {
        id: newId('connection'),
        accountId: accountAt(account),
        crm: isWhole || account === 1 ? 'HUBSPOT' : pick(CRMS),
        organizationId: `${1_000 + number(1_000)}`,
        organizationDomain: text(),
        canUseApi: account === NO_SOURCES || isWhole || (account !== 2 && (index === 0 || maybe(70))),
        capabilities: {
          sync: isWhole || maybe(80),
          destinations: isWhole || maybe(75),
          blocklists: isWhole || maybe(70),
        },
        crmToken: isWhole || maybe(70) ? `token-${account}-${index}` : null,
        recordedError: maybe(20) ? text() : null,
        createdAt: pick(INSTANTS),
      };
    }),
  );
  const connectionsOf = (account: number) => connections.filter(({ accountId }) => accountId === accountAt(account));
  const withData = connections.filter(({ accountId }) => accountId !== accountAt(NO_SOURCES));

  const apiKeys = KEYS.map((key): Row<'apiKeys'> => {
    const scoped = 'connection' in key ? connectionsOf(key.account)[key.connection] : undefined;
    return {
      id: newId('key'),
      accountId: accountAt(key.account),
      token: key.token,
      name: text(),
      scopes: key.write ? pick([['read', 'write'] as const, ['write', 'read'] as const]).slice() : ['read'],
      connectionScope: scoped === undefined ? 'account' : 'connection',
      connectionId: scoped?.id ?? null,
      createdAt: pick(INSTANTS),
      revokedAt: 'revoked' in key ? '-1h' : null,
      rotatedAt: 'rotated' in key ? '-1h' : null,
    };
  });

  const sources = withData.flatMap((connection) =>
    Array.from({ length: number(4) + (connection === connections[0] ? 2 : 0) }, (_, index): Row<'sources'> => {
      const id = newId('source');
      return {
        id,
        connectionId: connection.id,
        platform: connection === connections[0] && index < 2 ? pick(['smartlead', 'instantly']) : pick(PLATFORMS),
        path: pick([`code-${id}`, `Code_${id}`, `${id}00/${id}`]),
        config: {
          createOrUpdateCompany: maybe(50),
          createOrUpdateTask: maybe(50),
          assignContactOwner: maybe(50),
          salesforceObjectType: maybe(30) ? 'Lead' : null,
        },
        policy: randomPolicy(draw),
        createdAt: pick(INSTANTS),
      };
    }),
  );
  const sourcesOf = (connectionId: number) => sources.filter((source) => source.connectionId === connectionId);

  const destinations = withData.flatMap((connection) =>
    Array.from(
      { length: number(4) },
      (): Row<'destinations'> => ({
        id: newId('destination'),
        connectionId: connection.id,
        url: pick([...HOOKS, 'http://plain.example.com/']),
        description: maybe(30) ? '' : text(),
        createdAt: pick(INSTANTS),
        bindings: subset(sourcesOf(connection.id)).map(({ id }) => ({
          sourceId: id,
          eventTypes: maybe(40) ? [] : pick([subset(EVENT_TYPES), subset(EVENT_TYPES).toReversed()]),
          isDelayed: maybe(40),
        })),
      }),
    ),
  );

  const relayed = new Set<number>();
  const replyRelays = withData.flatMap((connection) =>
    Array.from({ length: number(3) }, (): Row<'replyRelays'> => {
      const sourceIds = subset(sourcesOf(connection.id))
        .map(({ id }) => id)
        .filter((id) => !relayed.has(id));
      for (const id of sourceIds) relayed.add(id);
      return {
        id: newId('relay'),
        connectionId: connection.id,
        description: maybe(30) ? '' : text(),
        ccEmail: 'rep@example.com',
        delayMinutes: number(3) * 5,
        bodyTemplates: subset(ODD_TEXTS),
        categoryAllowlist: subset(ODD_TEXTS).map((each, index) => ({ id: `${index}`, name: each })),
        sourceIds,
        createdAt: pick(INSTANTS),
      };
    }),
  );

  const blocklists = withData.flatMap((connection) =>
    Array.from({ length: number(5) + (connection === connections[0] ? 3 : 0) }, () =>
      randomBlocklist(connection, { draw, id: newId('blocklist') }),
    ),
  );

  const eventOf = new Map<number, Payload['event']>();
  const requests = Array.from({ length: LOG_ROWS }, (): Row<'requests'> => {
    const isOrphan = sources.length === 0 || maybe(8);
    const source = isOrphan ? null : pick(sources);
    const connection = connections.find(({ id }) => id === source?.connectionId);
    const id = newId('request');
    const platform = source?.platform ?? 'smartlead';
    const payload = maybe(25) ? null : pick(payloadsOf(platform));
    const body = payload && bodyOf(payload, { platform, id });
    const isRead = PAYLOADS.has(platform) && body !== null && Object.keys(body).length > 0;
    eventOf.set(id, isRead ? (payload?.event ?? null) : null);
    return {
      id,
      accountId: connection?.accountId ?? accountAt(number(3)),
      connectionId: connection?.id ?? null,
      sourceId: source?.id ?? null,
      path: source?.path ?? 'gone',
      outcome: pick(['synced', 'duplicate', 'unparsed', 'ignored']),
      body,
      createdAt: pick(INSTANTS),
    };
  });

  const syncs = Array.from({ length: LOG_ROWS }, (): Row<'syncs'> => {
    const connection = maybe(60) ? (connections[0] ?? pick(withData)) : pick(withData);
    const source = sourcesOf(connection.id).length === 0 || maybe(10) ? null : pick(sourcesOf(connection.id));
    const own = requests.filter(({ accountId, sourceId }) =>
      source === null ? accountId === connection.accountId : sourceId === source.id,
    );
    const request = own.length === 0 || maybe(10) ? null : pick(own);
    const event = maybe(85) && request !== null && source !== null ? (eventOf.get(request.id) ?? null) : null;
    const isUnreadable = request !== null && source !== null && event === null;
    const status = isUnreadable ? pick(['success', 'warning'] as const) : pick(['success', 'error', 'error'] as const);
    return {
      id: newId('sync'),
      accountId: connection.accountId,
      connectionId: connection.id,
      sourceId: source?.id ?? null,
      payloadId: request?.id ?? null,
      status,
      eventType: event?.eventType ?? pick(EVENT_TYPES),
      toEmail: event?.toEmail ?? pick(CONTACTS),
      platform: source?.platform ?? pick(PLATFORMS),
      error:
        status === 'success' || maybe(10) ? null : { code: 'x', message: text(), nested: { b: [1, null], a: 1.5 } },
      createdAt: pick(INSTANTS),
    };
  });

  const deliveries = Array.from({ length: destinations.length === 0 ? 0 : LOG_ROWS }, (): Row<'deliveries'> => {
    const destination = pick(destinations);
    const accountId = connections.find(({ id }) => id === destination.connectionId)?.accountId ?? 1;
    const source = sourcesOf(destination.connectionId).find(() => maybe(50)) ?? null;
    const own = requests.filter((request) => request.accountId === accountId);
    const httpStatus = maybe(20) ? null : pick([200, 204, 299, 301, 404, 500, 199]);
    return {
      id: newId('delivery'),
      accountId,
      connectionId: destination.connectionId,
      destinationId: destination.id,
      destinationUrl: maybe(80) ? destination.url : 'https://former.example.com/',
      status: pick(['success', 'error']),
      httpStatus,
      isHttpStatusInferred: httpStatus !== null && maybe(30),
      sourceId: source?.id ?? null,
      eventType: maybe(20) ? null : pick(EVENT_TYPES),
      toEmail: maybe(20) ? null : pick(CONTACTS),
      payloadId: own.length === 0 || maybe(20) ? null : pick(own).id,
      error: maybe(50) ? null : text(),
      createdAt: pick(INSTANTS),
    };
  });

  const pairs = sources.filter(() => maybe(50));
  return {
    version: 1,
    name,
    accounts,
    apiKeys,
    connections,
    sources,
    destinations,
    replyRelays,
    blocklists,
    requests,
    syncs,
    deliveries,
    categorySignals: Array.from({ length: 8 }, () => {
      const connection = pick(withData);
      return {
        accountId: connection.accountId,
        connectionId: connection.id,
        identity: pick(IDENTITIES),
        categoryName: text(),
        at: pick(INSTANTS),
      };
    }),
    syncHealth: pairs.map(({ id, connectionId }) => {
      const consecutiveFailures = number(5);
      const failingSince = consecutiveFailures >= 3 ? pick(PAST_INSTANTS) : null;
      return { sourceId: id, connectionId, consecutiveFailures, failingSince };
    }),
    ...randomPlatformRows({ draw, accounts, connections, sources }),
  };
}

function randomBlocklist(
  connection: Row<'connections'>,
  { draw, id }: { readonly draw: Draw; readonly id: number },
): Row<'blocklists'> {
  const { maybe, number, pick } = draw;
  const isReadable = connection.crm === 'HUBSPOT' && maybe(75);
  const status = pick(BLOCKLIST_STATUSES);
  const isEnabled = maybe(75);
  const isPushed = status === 'SYNCING' || status === 'SYNCING_NEW_CONTACTS';
  const syncedCount = status === 'CREATED' && !isReadable ? 0 : 1 + number(30);
  return {
    id,
    connectionId: connection.id,
    listName: pick(ODD_TEXTS),
    crmListId: isReadable ? `${id}` : null,
    crm: isReadable || maybe(70) ? connection.crm : null,
    platform: isReadable || isPushed ? pick(['smartlead', 'instantly']) : pick(PLATFORMS),
    blockType: pick(['ADDRESS', 'DOMAIN']),
    status,
    isEnabled,
    hasActiveFetchJob: status === 'FETCHING' || (status === 'SYNCING_NEW_CONTACTS' && maybe(30)),
    clientId: maybe(40) ? pick(ODD_TEXTS) : null,
    syncedCount,
    pendingCount: number(20),
    lastFetchedAt: maybe(70) ? pick(PAST_INSTANTS) : null,
    lastError: maybe(25) ? pick(ODD_TEXTS) : null,
    lastAttemptedAt: maybe(70) ? pick(PAST_INSTANTS) : null,
    createdAt: pick(INSTANTS),
  };
}

/** Returns a payload with an event id of its own. */
function bodyOf({ text }: Payload, { platform, id }: { readonly platform: string; readonly id: number }): Body {
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) return {};
  return { ...body, ...(platform === 'instantly' ? { email_id: `world-${id}` } : { stats_id: `world-${id}` }) };
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Draws unique small ids per kind, in no order, so that random parameters often match. */
function createIds(draw: Draw): (kind: string) => number {
  const taken = new Map<string, Set<number>>();
  return (kind) => {
    const ids = taken.get(kind) ?? new Set();
    taken.set(kind, ids);
    for (;;) {
      const id = 1 + draw.number(30 + ids.size * 3);
      if (ids.has(id)) continue;
      ids.add(id);
      return id;
    }
  };
}
