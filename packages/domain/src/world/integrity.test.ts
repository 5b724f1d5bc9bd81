import { describe, expect, test } from 'vitest';
import { findRowProblems } from './integrity.ts';
import { indexWorld } from './integrity-references.ts';
import { materializeWorld } from './materialize.ts';
import { parseWorld } from './parse.ts';
import type { WorldInput } from './schema.ts';
import { problemsOf, validWorld, withCopy, withRow } from './valid-world.fixture.ts';

describe('integrity: what must be unique', () => {
  const cases: readonly (readonly [title: string, world: WorldInput, path: string, message: string])[] = [
    ['account id', withCopy('accounts', 0, {}), 'accounts[2].id', '1 is taken by accounts[0]'],
    ['key id', withCopy('apiKeys', 0, { token: 'osapi_third' }), 'apiKeys[2].id', '1 is taken by apiKeys[0]'],
    ['key token', withCopy('apiKeys', 1, { id: 9 }), 'apiKeys[2].token', 'osapi_second is taken by apiKeys[1]'],
    ['connection id', withCopy('connections', 0, {}), 'connections[2].id', '1 is taken by connections[0]'],
    ['source id', withCopy('sources', 0, { path: 'new' }), 'sources[2].id', '1 is taken by sources[0]'],
    ['source path', withCopy('sources', 1, { id: 9 }), 'sources[2].path', '100/200 is taken by sources[1]'],
    ['destination id', withCopy('destinations', 0, {}), 'destinations[2].id', '1 is taken by destinations[0]'],
    ['relay id', withCopy('replyRelays', 1, {}), 'replyRelays[2].id', '2 is taken by replyRelays[1]'],
    ['block list id', withCopy('blocklists', 0, {}), 'blocklists[1].id', '1 is taken by blocklists[0]'],
    ['request id', withCopy('requests', 0, {}), 'requests[3].id', '1 is taken by requests[0]'],
    ['sync id', withCopy('syncs', 0, {}), 'syncs[1].id', '1 is taken by syncs[0]'],
    ['delivery id', withCopy('deliveries', 0, {}), 'deliveries[1].id', '1 is taken by deliveries[0]'],
    [
      'health of a source',
      withCopy('syncHealth', 0, {}),
      'syncHealth[1].sourceId',
      '1 on connection 1 is taken by syncHealth[0]',
    ],
    ['webhook id', withCopy('webhooks', 0, {}), 'webhooks[2].id', 'oswhk_1 is taken by webhooks[0]'],
    ['event id', withCopy('events', 1, {}), 'events[2].id', 'osevt_2 is taken by events[1]'],
    [
      'webhook delivery id',
      withCopy('webhookDeliveries', 1, {}),
      'webhookDeliveries[2].id',
      'oswhd_2 is taken by webhookDeliveries[1]',
    ],
  ];
  test.each(cases)('%s', (_title, world, path, message) => {
    expect(problemsOf(world)).toEqual([{ path, message }]);
  });
});

describe('integrity: what must exist and belong together', () => {
  const cases: readonly (readonly [title: string, world: WorldInput, path: string, message: string])[] = [
    ['account of a key', withRow('apiKeys', 0, { accountId: 9 }), 'apiKeys[0].accountId', 'there is no account 9'],
    [
      'connection of a key',
      withRow('apiKeys', 1, { connectionId: 9 }),
      'apiKeys[1].connectionId',
      'there is no connection 9',
    ],
    [
      "a key for another account's connection",
      withRow('apiKeys', 1, { connectionId: 2 }),
      'apiKeys[1].connectionId',
      'connection 2 is not of account 1',
    ],
    [
      'a connection key without connection',
      withRow('apiKeys', 1, { connectionId: null }),
      'apiKeys[1].connectionId',
      'a key with connectionScope connection must name its connection',
    ],
    [
      'an account key with a connection',
      withRow('apiKeys', 0, { connectionId: 1 }),
      'apiKeys[0].connectionId',
      'must be null on a key with connectionScope account',
    ],
    [
      'source of a binding',
      withRow('destinations', 0, { bindings: [{ sourceId: 9, eventTypes: [], isDelayed: false }] }),
      'destinations[0].bindings[0].sourceId',
      'there is no source 9',
    ],
    [
      "a binding to another connection's source",
      withRow('destinations', 0, { bindings: [{ sourceId: 2, eventTypes: [], isDelayed: false }] }),
      'destinations[0].bindings[0].sourceId',
      'source 2 is not on connection 1',
    ],
    [
      'a source bound twice to a destination',
      withRow('destinations', 0, {
        bindings: [
          { sourceId: 1, eventTypes: ['EMAIL_SENT'], isDelayed: false },
          { sourceId: 1, eventTypes: ['EMAIL_OPEN'], isDelayed: true },
        ],
      }),
      'destinations[0].bindings[1].sourceId',
      'source 1 is bound to this destination already',
    ],
    [
      'source of a relay',
      withRow('replyRelays', 1, { sourceIds: [9] }),
      'replyRelays[1].sourceIds[0]',
      'there is no source 9',
    ],
    [
      'a source with two relays',
      withRow('replyRelays', 1, { sourceIds: [1] }),
      'replyRelays[1].sourceIds[0]',
      'source 1 has relay 1 already',
    ],
    [
      'connection of a block list',
      withRow('blocklists', 0, { connectionId: 9 }),
      'blocklists[0].connectionId',
      'there is no connection 9',
    ],
    [
      'a request with a connection whose source is gone',
      withRow('requests', 0, { sourceId: null }),
      'requests[0].connectionId',
      'must be null exactly when sourceId is: the source is gone',
    ],
    ['source of a request', withRow('requests', 0, { sourceId: 9 }), 'requests[0].sourceId', 'there is no source 9'],
    ['request of a sync', withRow('syncs', 0, { payloadId: 9 }), 'syncs[0].payloadId', 'there is no request 9'],
    [
      "a sync of another account's request",
      withRow('syncs', 0, { payloadId: 3 }),
      'syncs[0].payloadId',
      'request 3 is not of account 1',
    ],
    ['source of a sync', withRow('syncs', 0, { sourceId: 2 }), 'syncs[0].sourceId', 'source 2 is not on connection 1'],
    [
      'destination of a delivery',
      withRow('deliveries', 0, { destinationId: 9 }),
      'deliveries[0].destinationId',
      'there is no destination 9',
    ],
    [
      "a delivery to another connection's destination",
      withRow('deliveries', 0, { destinationId: 2 }),
      'deliveries[0].destinationId',
      'destination 2 is not on connection 1',
    ],
    [
      'request of a delivery',
      withRow('deliveries', 0, { payloadId: 9 }),
      'deliveries[0].payloadId',
      'there is no request 9',
    ],
    [
      'an inferred status that is missing',
      withRow('deliveries', 0, { isHttpStatusInferred: true, httpStatus: null }),
      'deliveries[0].httpStatus',
      'must be set when isHttpStatusInferred is true',
    ],
    [
      'connection of a category signal',
      withRow('categorySignals', 0, { connectionId: 2 }),
      'categorySignals[0].connectionId',
      'connection 2 is not of account 1',
    ],
    [
      'source of a health row',
      withRow('syncHealth', 0, { sourceId: 2 }),
      'syncHealth[0].sourceId',
      'source 2 is not on connection 1',
    ],
    [
      'failing with two failures',
      withRow('syncHealth', 0, { consecutiveFailures: 2 }),
      'syncHealth[0].failingSince',
      'must be set exactly from 3 consecutive failures on',
    ],
    [
      'three failures and healthy',
      withRow('syncHealth', 0, { failingSince: null }),
      'syncHealth[0].failingSince',
      'must be set exactly from 3 consecutive failures on',
    ],
    [
      'account of a webhook',
      withRow('webhooks', 1, { accountId: 9 }),
      'webhooks[1].accountId',
      'there is no account 9',
    ],
    [
      'active although auto-disabled',
      withRow('webhooks', 0, { isActive: true }),
      'webhooks[0].isActive',
      'must be false on a webhook that was auto-disabled',
    ],
    [
      'source of an event',
      withRow('events', 1, { sourceId: 1 }),
      'events[1].sourceId',
      'source 1 is not on connection null',
    ],
    [
      'event of a webhook delivery',
      withRow('webhookDeliveries', 1, { eventId: 'osevt_9', replayOfDeliveryId: null }),
      'webhookDeliveries[1].eventId',
      'there is no event osevt_9',
    ],
    [
      'webhook of a webhook delivery',
      withRow('webhookDeliveries', 1, { webhookId: 'oswhk_9', replayOfDeliveryId: null }),
      'webhookDeliveries[1].webhookId',
      'there is no webhook oswhk_9',
    ],
    [
      "another account's webhook",
      withRow('webhookDeliveries', 1, { webhookId: 'oswhk_2', replayOfDeliveryId: null }),
      'webhookDeliveries[1].webhookId',
      'webhook oswhk_2 is of another account than the event',
    ],
    [
      'the delivery that is replayed',
      withRow('webhookDeliveries', 1, { replayOfDeliveryId: 'oswhd_9' }),
      'webhookDeliveries[1].replayOfDeliveryId',
      'there is no other delivery oswhd_9',
    ],
    [
      'a replay of itself',
      withRow('webhookDeliveries', 1, { replayOfDeliveryId: 'oswhd_2' }),
      'webhookDeliveries[1].replayOfDeliveryId',
      'there is no other delivery oswhd_2',
    ],
    [
      'a replay of another event',
      withRow('webhookDeliveries', 1, { eventId: 'osevt_2' }),
      'webhookDeliveries[1].replayOfDeliveryId',
      'delivery oswhd_1 is of another event or webhook',
    ],
    [
      'a replay of another webhook',
      {
        ...withCopy('webhooks', 0, { id: 'oswhk_3' }),
        webhookDeliveries: withRow('webhookDeliveries', 1, { webhookId: 'oswhk_3' }).webhookDeliveries,
      },
      'webhookDeliveries[1].replayOfDeliveryId',
      'delivery oswhd_1 is of another event or webhook',
    ],
    [
      'pending without a next attempt',
      withRow('webhookDeliveries', 0, { nextAttemptAt: null }),
      'webhookDeliveries[0].nextAttemptAt',
      'must be set exactly while the delivery is PENDING',
    ],
    [
      'succeeded with a next attempt',
      withRow('webhookDeliveries', 1, { nextAttemptAt: '+1m' }),
      'webhookDeliveries[1].nextAttemptAt',
      'must be set exactly while the delivery is PENDING',
    ],
    [
      'attempts without a last one',
      withRow('webhookDeliveries', 0, { lastAttemptAt: null }),
      'webhookDeliveries[0].lastAttemptAt',
      'must be null exactly when attemptCount is 0',
    ],
    [
      'an answer without attempt',
      withRow('webhookDeliveries', 0, { attemptCount: 0, lastAttemptAt: null }),
      'webhookDeliveries[0].lastHttpStatus',
      'must be null when attemptCount is 0',
    ],
    [
      'succeeded without attempt',
      withRow('webhookDeliveries', 1, { attemptCount: 0, lastAttemptAt: null, lastHttpStatus: null }),
      'webhookDeliveries[1].attemptCount',
      'must be at least 1 when the delivery is SUCCEEDED',
    ],
    [
      'dead without attempt',
      withRow('webhookDeliveries', 1, { status: 'DEAD', attemptCount: 0, lastAttemptAt: null, lastHttpStatus: null }),
      'webhookDeliveries[1].attemptCount',
      'must be at least 1 when the delivery is DEAD',
    ],
  ];
  test.each(cases)('%s', (_title, world, path, message) => {
    expect(problemsOf(world)).toEqual([{ path, message }]);
  });

  test.each([
    ['connections', { accountId: 9 }, 'connections[0].accountId'],
    ['sources', { connectionId: 9 }, 'sources[0].connectionId'],
    ['destinations', { connectionId: 9 }, 'destinations[0].connectionId'],
    ['replyRelays', { connectionId: 9 }, 'replyRelays[0].connectionId'],
    ['requests', { accountId: 9 }, 'requests[0].accountId'],
    ['syncs', { connectionId: 9 }, 'syncs[0].connectionId'],
    ['deliveries', { accountId: 9 }, 'deliveries[0].accountId'],
    ['events', { accountId: 9 }, 'events[0].accountId'],
  ] as const)('%s: a reference to a missing row', (entity, changes, path) => {
    expect(problemsOf(withRow(entity, 0, changes)).map((problem) => problem.path)).toContain(path);
  });

  test.each([
    ['destinations', { connectionId: 9, bindings: [] }],
    ['replyRelays', { connectionId: 9, sourceIds: [] }],
  ] as const)('%s: a missing connection without a bound source', (entity, changes) => {
    expect(problemsOf(withRow(entity, 0, changes))).toContainEqual({
      path: `${entity}[0].connectionId`,
      message: 'there is no connection 9',
    });
  });

  test.each([
    ['a sync without request', withRow('syncs', 0, { payloadId: null })],
    ['a delivery without request', withRow('deliveries', 0, { payloadId: null })],
    ['a delivery without answer', withRow('deliveries', 0, { isHttpStatusInferred: false, httpStatus: null })],
    ['an inferred status', withRow('deliveries', 0, { isHttpStatusInferred: true, httpStatus: 200 })],
  ])('%s is valid', (_title, world) => {
    expect(problemsOf(world)).toEqual([]);
  });
});

describe('integrity: webhooks per account', () => {
  /** Gives account 2 this many live webhooks and five deleted ones. */
  const withLiveWebhooks = (count: number): WorldInput => {
    const world = validWorld();
    const live = world.webhooks.filter((row) => row.deletedAt === null);
    const deleted = world.webhooks.filter((row) => row.deletedAt !== null);
    const more = live.flatMap((row) =>
      Array.from({ length: count - 1 }, (_, at) => ({ ...row, id: `oswhk_more${at}` })),
    );
    const gone = deleted.flatMap((row) =>
      Array.from({ length: 5 }, (_, at) => ({ ...row, id: `oswhk_gone${at}`, accountId: 2 })),
    );
    return { ...world, webhooks: [...world.webhooks, ...more, ...gone] };
  };

  test('20 are allowed, deleted ones do not count', () => {
    expect(problemsOf(withLiveWebhooks(20))).toEqual([]);
  });

  test('the 21st is a problem', () => {
    const message = 'account 2 has over 20 webhooks';
    expect(problemsOf(withLiveWebhooks(21))).toEqual([{ path: 'webhooks[21].accountId', message }]);
  });
});

describe('integrity: some rows of a loaded world', () => {
  const loadWorld = () => {
    const world = materializeWorld(parseWorld(validWorld()), new Date('2026-03-01T12:00:00.000Z'));
    return { world, index: indexWorld(world) };
  };

  test('a valid world has no problems', () => {
    const { world, index } = loadWorld();
    expect(findRowProblems(world, index)).toEqual([]);
    expect(findRowProblems({}, index)).toEqual([]);
  });

  test('checks only the given rows, against the whole world', () => {
    const { world, index } = loadWorld();
    const syncs = world.syncs.slice(0, 1).map((row) => ({ ...row, connectionId: 9, sourceId: null }));
    expect(findRowProblems({ syncs }, index)).toEqual([
      { path: 'syncs[0].connectionId', message: 'there is no connection 9' },
    ]);
    const events = world.events
      .slice(0, 1)
      .map((row) => ({ ...row, accountId: 9, connectionId: null, sourceId: null }));
    expect(findRowProblems({ events }, index)).toEqual([
      { path: 'events[0].accountId', message: 'there is no account 9' },
    ]);
    expect(findRowProblems({ apiKeys: world.apiKeys }, { ...index, accounts: new Map() }).length).toBeGreaterThan(1);
  });
});
