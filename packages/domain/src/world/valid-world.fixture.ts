import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { parseWorld, WorldError } from './parse.ts';
import type { WorldEntity, WorldInput } from './schema.ts';

/** Returns a new copy of a small valid world with one or two rows of each kind. */
export function validWorld(): WorldInput {
  const config = { ...SOURCE_CONFIG_DEFAULTS, createOrUpdateCompany: true };
  const capabilities = { sync: true, destinations: true, blocklists: true };
  const connection = {
    crm: 'HUBSPOT',
    organizationId: '1',
    organizationDomain: 'example.com',
    canUseApi: true,
    capabilities,
    crmToken: 'token',
    recordedError: null,
    createdAt: '-10d',
  };
  const log = { accountId: 1, connectionId: 1, sourceId: 1, createdAt: '-1h' };
  return {
    version: 1,
    name: 'sound',
    accounts: [
      { id: 1, email: 'one@example.com', canUseWebhooks: true, createdAt: '-10d' },
      { id: 2, email: 'two@example.com', canUseWebhooks: true, createdAt: '-10d' },
    ],
    apiKeys: [
      {
        id: 1,
        accountId: 1,
        token: 'osapi_first',
        name: 'One',
        scopes: ['read'],
        connectionScope: 'account',
        connectionId: null,
        createdAt: '-10d',
        revokedAt: '-1h',
        rotatedAt: null,
      },
      {
        id: 2,
        accountId: 1,
        token: 'osapi_second',
        name: 'Two',
        scopes: ['read', 'write'],
        connectionScope: 'connection',
        connectionId: 1,
        createdAt: '-10d',
        revokedAt: null,
        rotatedAt: null,
      },
    ],
    connections: [
      { id: 1, accountId: 1, ...connection },
      { id: 2, accountId: 2, ...connection },
    ],
    sources: [
      { id: 1, connectionId: 1, platform: 'smartlead', path: 'one', config, createdAt: '-10d' },
      { id: 2, connectionId: 2, platform: 'smartlead', path: '100/200', config, createdAt: '-10d' },
    ],
    destinations: [
      {
        id: 1,
        connectionId: 1,
        url: 'https://hooks.example.com/a',
        description: '',
        createdAt: '-10d',
        bindings: [{ sourceId: 1, eventTypes: ['EMAIL_SENT'], isDelayed: false }],
      },
      { id: 2, connectionId: 2, url: 'https://hooks.example.com/b', description: '', createdAt: '-10d', bindings: [] },
    ],
    replyRelays: [
      {
        id: 1,
        connectionId: 1,
        description: '',
        ccEmail: 'rep@example.com',
        delayMinutes: 5,
        bodyTemplates: ['Hello'],
        categoryAllowlist: [{ id: '1', name: 'Interested' }],
        sourceIds: [1],
        createdAt: '-10d',
      },
      {
        id: 2,
        connectionId: 1,
        description: '',
        ccEmail: 'rep@example.com',
        delayMinutes: 5,
        bodyTemplates: [],
        categoryAllowlist: [],
        sourceIds: [],
        createdAt: '-10d',
      },
    ],
    blocklists: [
      {
        id: 1,
        connectionId: 1,
        listName: 'Customers',
        crmListId: '9',
        crm: 'HUBSPOT',
        platform: 'smartlead',
        blockType: 'ADDRESS',
        status: 'SYNCED',
        isEnabled: true,
        hasActiveFetchJob: false,
        clientId: null,
        syncedCount: 1,
        pendingCount: 0,
        lastFetchedAt: '-2h',
        lastError: null,
        lastAttemptedAt: '-3h',
        createdAt: '-10d',
      },
    ],
    requests: [
      { id: 1, ...log, path: 'one', outcome: 'synced', body: { time_sent: { $instant: '-4h' } }, createdAt: '-4h' },
      { id: 2, ...log, connectionId: null, sourceId: null, path: 'gone', outcome: 'ignored', body: null },
      { id: 3, ...log, accountId: 2, connectionId: 2, sourceId: 2, path: '100/200', outcome: 'synced', body: null },
    ],
    syncs: [
      {
        id: 1,
        ...log,
        payloadId: 1,
        status: 'success',
        eventType: 'EMAIL_SENT',
        toEmail: 'lead@example.org',
        platform: 'smartlead',
        error: null,
      },
    ],
    deliveries: [
      {
        id: 1,
        ...log,
        destinationId: 1,
        destinationUrl: 'https://hooks.example.com/a',
        status: 'success',
        httpStatus: 200,
        isHttpStatusInferred: false,
        eventType: 'EMAIL_SENT',
        toEmail: 'lead@example.org',
        payloadId: 1,
        error: null,
      },
    ],
    categorySignals: [
      { accountId: 1, connectionId: 1, identity: 'lead@example.org', categoryName: 'Interested', at: '-5h' },
    ],
    syncHealth: [{ sourceId: 1, connectionId: 1, consecutiveFailures: 3, failingSince: '-6h' }],
    webhooks: [
      {
        id: 'oswhk_1',
        accountId: 1,
        url: 'https://hooks.example.com/svc',
        description: '',
        enabledEvents: [],
        isActive: false,
        autoDisabledAt: '-7h',
        consecutiveDeadCount: 20,
        secret: 'oswhsec_1',
        createdAt: '-10d',
        updatedAt: '-9h',
        deletedAt: '-8h',
      },
      {
        id: 'oswhk_2',
        accountId: 2,
        url: 'https://hooks.example.com/svc',
        description: '',
        enabledEvents: ['sync.failed'],
        isActive: true,
        autoDisabledAt: null,
        consecutiveDeadCount: 0,
        secret: 'oswhsec_2',
        createdAt: '-10d',
        updatedAt: '-10d',
        deletedAt: null,
      },
    ],
    events: [
      {
        id: 'osevt_1',
        accountId: 1,
        type: 'sync.recovered',
        summary: 'Works again',
        data: { failedSince: { $instant: '-6h' } },
        connectionId: 1,
        sourceId: 1,
        createdAt: '-1h',
      },
      {
        id: 'osevt_2',
        accountId: 1,
        type: 'test.ping',
        summary: 'Test',
        data: {},
        connectionId: null,
        sourceId: null,
        createdAt: '-1h',
      },
    ],
    webhookDeliveries: [
      {
        id: 'oswhd_1',
        eventId: 'osevt_1',
        webhookId: 'oswhk_1',
        status: 'PENDING',
        attemptCount: 2,
        lastAttemptAt: '-10h',
        lastHttpStatus: 500,
        lastError: 'HTTP 500',
        nextAttemptAt: '+1h',
        replayOfDeliveryId: null,
        createdAt: '-11h',
        updatedAt: '-11h',
      },
      {
        id: 'oswhd_2',
        eventId: 'osevt_1',
        webhookId: 'oswhk_1',
        status: 'SUCCEEDED',
        attemptCount: 1,
        lastAttemptAt: '-1h',
        lastHttpStatus: 200,
        lastError: null,
        nextAttemptAt: null,
        replayOfDeliveryId: 'oswhd_1',
        createdAt: '-1h',
        updatedAt: '-1h',
      },
    ],
  };
}

/** Returns the problems that `parseWorld` finds. */
export function problemsOf(json: unknown): { path: string; message: string }[] {
  try {
    parseWorld(json);
  } catch (error) {
    if (error instanceof WorldError) {
      return [...error.problems];
    }
    throw error;
  }
  return [];
}

/** Returns the valid world with some fields of one row changed. */
export function withRow<Entity extends WorldEntity>(
  entity: Entity,
  index: number,
  changes: Partial<WorldInput[Entity][number]>,
): WorldInput {
  const world = validWorld();
  const rows: object[] = world[entity];
  return { ...world, [entity]: rows.map((row, at) => (at === index ? { ...row, ...changes } : row)) };
}

/** Returns the valid world with a changed second copy of a row. */
export function withCopy<Entity extends WorldEntity>(
  entity: Entity,
  index: number,
  changes: Partial<WorldInput[Entity][number]>,
): WorldInput {
  const world = validWorld();
  const rows: object[] = world[entity];
  return { ...world, [entity]: [...rows, { ...rows[index], ...changes }] };
}
