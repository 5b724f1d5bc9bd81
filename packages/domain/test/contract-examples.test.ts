/** The contract's examples match these rules: cursors, events, issues, identities, range ends. */
import { openapiJson } from '@svc/contract/document';
import type { AccountStatusResponse, MeResponse, Page } from '@svc/contract/types';
import { EVENT_TYPES } from '@svc/contract/vocabulary';
import { describe, expect, test } from 'vitest';
import { accountStatus, type ConnectionFacts } from '../src/account/account-status.ts';
import { type CursorRows, decodeCursor } from '../src/requests/cursor.ts';
import { INSTANT_FORM, parseDateRange } from '../src/requests/date-range.ts';
import { testPingEvent } from '../src/webhooks/event-types.ts';
import { meResponse } from '../src/account/me.ts';
import { type SyncHealthSubject, syncFailedEvent, syncRecoveredEvent } from '../src/syncs/sync-health.ts';

interface Reference {
  $ref: string;
}
interface Parameter {
  name: string;
  schema: { pattern?: string };
  example: string;
}
interface Operation {
  operationId: string;
  parameters?: (Parameter | Reference)[];
  responses: Record<
    string,
    { content?: { 'application/json'?: { examples?: Record<string, { value: unknown }> } } } | Reference
  >;
}
interface ContractDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}
const contract: ContractDocument = JSON.parse(openapiJson);
const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods));

function parameterOf(operation: Operation, name: string): Parameter | undefined {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? contract.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
  );
  return parameters.find((parameter) => parameter?.name === name);
}

/** Returns the examples of an operation's 200 answer. */
function examplesOf(operation: Operation): unknown[] {
  const response = operation.responses['200'];
  if (response === undefined || '$ref' in response) return [];
  return Object.values(response.content?.['application/json']?.examples ?? {}).map(({ value }) => value);
}

/** The kind of rows of each paged list. */
const ROWS_OF_LIST: Record<string, CursorRows> = {
  listRequests: 'request',
  listSourceRequests: 'request',
  listSyncs: 'sync',
  listSourceSyncs: 'sync',
  listDeliveries: 'delivery',
  listDestinationDeliveries: 'delivery',
  listWebhookDeliveries: 'webhook-delivery',
  listEvents: 'event',
};

function isPage(value: unknown): value is Page<{ createdAt: string; id: number | string }> {
  return typeof value === 'object' && value !== null && 'nextCursor' in value;
}

describe('cursors', () => {
  const lists = operations.flatMap((operation) => {
    const cursor = parameterOf(operation, 'cursor');
    return cursor === undefined ? [] : [{ id: operation.operationId, operation, cursor }];
  });

  test('covers every paged list', () => {
    expect(lists.map(({ id }) => id).sort()).toEqual(Object.keys(ROWS_OF_LIST).sort());
  });

  test.each(lists)('$id accepts the example of its cursor parameter', ({ id, cursor }) => {
    const rows = ROWS_OF_LIST[id];
    if (rows === undefined) throw new Error(`${id} is not known here`);
    expect(decodeCursor(rows, cursor.example).createdAt.getTime()).toBeGreaterThan(0);
  });

  test.each(lists)('nextCursor in the examples of $id is the position of the last row', ({ id, operation }) => {
    const rows = ROWS_OF_LIST[id];
    if (rows === undefined) throw new Error(`${id} is not known here`);
    const pages = examplesOf(operation).filter(isPage);
    expect(pages.length).toBeGreaterThan(0);
    for (const { data, hasMore, nextCursor } of pages) {
      expect(nextCursor !== null).toBe(hasMore);
      if (nextCursor === null) continue;
      const position = decodeCursor(rows, nextCursor);
      const last = data.at(-1);
      if (last !== undefined) {
        expect({ createdAt: position.createdAt.toISOString(), id: position.id }).toEqual({
          createdAt: last.createdAt,
          id: last.id,
        });
      }
    }
  });
});

interface EventExample {
  type: (typeof EVENT_TYPES)[number];
  summary: string;
  data: SyncHealthSubject & { failedSince: string; webhookId: string };
}

function isEventExample(value: object): value is EventExample {
  return 'type' in value && EVENT_TYPES.some((type) => type === value.type) && 'summary' in value && 'data' in value;
}

/** Finds every event in the contract. */
function* findEvents(value: unknown): Generator<EventExample> {
  if (typeof value !== 'object' || value === null) return;
  if (isEventExample(value)) yield value;
  for (const item of Object.values(value)) yield* findEvents(item);
}

const DASHBOARD_URL = 'https://app.example.com';
const DOCS_URL = 'https://docs.example.com/api';

function raise({ type, data }: EventExample): { type: string; summary: string; data: unknown } {
  switch (type) {
    case 'sync.failed':
      return syncFailedEvent(data, {
        error: { status: 'error', category: 'VALIDATION_ERROR', message: 'Property values were not valid' },
        dashboardUrl: DASHBOARD_URL,
      });
    case 'sync.recovered':
      return syncRecoveredEvent(data, new Date(data.failedSince));
    case 'test.ping':
      return testPingEvent(data.webhookId);
  }
}

describe('events', () => {
  const events = [...findEvents(contract)];

  test('the contract shows each event type at least twice', () => {
    for (const type of EVENT_TYPES) expect(events.filter((event) => event.type === type).length).toBeGreaterThan(1);
  });

  test.each(events)('$type: $summary', (event) => {
    const { type, summary, data } = event;
    expect({ type, summary, data }).toEqual(raise(event));
  });
});

test('examples of the account status match the rule', () => {
  const operation = operations.find(({ operationId }) => operationId === 'getAccountStatus');
  const examples = operation === undefined ? [] : (examplesOf(operation) as AccountStatusResponse[]);
  expect(examples.some(({ blockers, warnings }) => blockers.length > 0 && warnings.length > 0)).toBe(true);
  for (const example of examples) {
    const made = accountStatus({
      connections: example.connections.map(toFacts),
      now: new Date(example.checkedAt),
      dashboardUrl: DASHBOARD_URL,
      docsUrl: DOCS_URL,
    });
    expect(made).toEqual(example);
  }
});

test('examples of identities match the rule', () => {
  const operation = operations.find(({ operationId }) => operationId === 'getMe');
  const examples = operation === undefined ? [] : (examplesOf(operation) as MeResponse[]);
  expect(examples.map(({ apiKey }) => apiKey.connectionScope).sort()).toEqual(['account', 'connection']);
  for (const example of examples) {
    const { account, apiKey: key, connections, links } = example;
    const now = new Date(new URL(links.syncs.href).searchParams.get('to') ?? '');
    const urls = { apiUrl: new URL(links.openapi.href).origin, docsUrl: DOCS_URL };
    expect(meResponse({ account, key, connections, urls, now })).toEqual(example);
  }
});

/** Builds facts that give this status. */
function toFacts(status: AccountStatusResponse['connections'][number]): ConnectionFacts {
  const { crmConnection, sources, destinations, blocklists } = status;
  const list = {
    isEnabled: true,
    status: 'SYNCED' as const,
    lastError: blocklists.lastError,
    lastFetchedAt: blocklists.lastFetchedAt === null ? null : new Date(blocklists.lastFetchedAt),
  };
  return {
    id: status.connectionId,
    crm: status.crm,
    organizationId: crmConnection.organizationId,
    organizationDomain: crmConnection.organizationDomain,
    capabilities: {
      sync: crmConnection.status !== 'disabled',
      destinations: destinations.status !== 'disabled',
      blocklists: blocklists.status !== 'disabled',
    },
    hasCrmToken: crmConnection.status !== 'disconnected',
    recordedError: crmConnection.status === 'error' ? 'boom' : null,
    sources: Array.from({ length: sources.count }, (_, index) => ({
      id: index + 1,
      recentOutcomes: [],
      platform: sources.platforms[index % sources.platforms.length] ?? '',
    })),
    destinations: Array.from({ length: destinations.forwardingCount }, (_, index) => ({
      url: `https://hooks.example.com/${index}`,
      eventTypes: destinations.eventTypes,
    })),
    replyRelays: Array.from({ length: destinations.replyRelayCount }, () => ({ isBound: true })),
    blocklists: Array.from({ length: blocklists.enabledCount }, () => list),
  };
}

describe('from and to', () => {
  const { From, To } = contract.components.parameters;

  test.each([
    ['from', From],
    ['to', To],
  ])('the pattern of %s is INSTANT_FORM and matches its example', (name, parameter) => {
    expect(parameter?.name).toBe(name);
    expect(parameter?.schema).toEqual({ type: 'string', pattern: INSTANT_FORM.source });
    expect(parameter?.example).toMatch(INSTANT_FORM);
  });

  test('the examples form a valid range', () => {
    expect(() => parseDateRange({ from: From?.example, to: To?.example })).not.toThrow();
  });
});
