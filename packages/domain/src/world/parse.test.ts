import { describe, expect, test } from 'vitest';
import { parseWorld } from './parse.ts';
import { problemsOf, validWorld, withRow } from './valid-world.fixture.ts';

test('the valid world has no problems', () => {
  expect(problemsOf(validWorld())).toEqual([]);
});

describe('shape', () => {
  const cases: readonly (readonly [title: string, world: unknown, path: string])[] = [
    ['not an object', 'world', '(world)'],
    ['another version', { ...validWorld(), version: 2 }, 'version'],
    ['a missing array', { ...validWorld(), syncs: undefined }, 'syncs'],
    ['an unknown array', { ...validWorld(), sync: [] }, '(world)'],
    ['an id of 0', withRow('accounts', 0, { id: 0 }), 'accounts[0].id'],
    ['a bad instant', withRow('accounts', 1, { createdAt: '3 days ago' }), 'accounts[1].createdAt'],
    ['a token without prefix', withRow('apiKeys', 0, { token: 'sk_1' }), 'apiKeys[0].token'],
    ['a token that no server would look up', withRow('apiKeys', 0, { token: 'osapi_one' }), 'apiKeys[0].token'],
    ['a key without read', withRow('apiKeys', 1, { scopes: ['write'] }), 'apiKeys[1].scopes'],
    ['a scope twice', withRow('apiKeys', 1, { scopes: ['read', 'read'] }), 'apiKeys[1].scopes'],
    ['a CRM in lower case', withRow('connections', 0, { crm: 'hubspot' }), 'connections[0].crm'],
    ['a platform in upper case', withRow('sources', 0, { platform: 'SMARTLEAD' }), 'sources[0].platform'],
    ['a path with three parts', withRow('sources', 0, { path: 'a/b/c' }), 'sources[0].path'],
    ['a destination that is no URL', withRow('destinations', 0, { url: 'hooks' }), 'destinations[0].url'],
    [
      '51 categories',
      withRow('replyRelays', 0, {
        categoryAllowlist: Array.from({ length: 51 }, (_, at) => ({ id: `${at}`, name: 'Any' })),
      }),
      'replyRelays[0].categoryAllowlist',
    ],
    [
      'an identity in upper case',
      withRow('categorySignals', 0, { identity: 'A@example.com' }),
      'categorySignals[0].identity',
    ],
    ['a webhook over http', withRow('webhooks', 0, { url: 'http://example.com/' }), 'webhooks[0].url'],
    ['a webhook over httpss', withRow('webhooks', 0, { url: 'httpss://example.com/' }), 'webhooks[0].url'],
    ['a webhook over xhttps', withRow('webhooks', 0, { url: 'xhttps://example.com/' }), 'webhooks[0].url'],
    [
      'a webhook URL of 2049 characters',
      withRow('webhooks', 0, { url: `https://example.com/${'x'.repeat(2_029)}` }),
      'webhooks[0].url',
    ],
    ['a description of 501', withRow('webhooks', 0, { description: 'x'.repeat(501) }), 'webhooks[0].description'],
    [
      'an event type twice',
      withRow('webhooks', 0, { enabledEvents: ['sync.failed', 'sync.failed'] }),
      'webhooks[0].enabledEvents',
    ],
    ['a secret without prefix', withRow('webhooks', 0, { secret: 'x' }), 'webhooks[0].secret'],
    ['an event id without prefix', withRow('events', 0, { id: 'evt_1' }), 'events[0].id'],
    ['nine attempts', withRow('webhookDeliveries', 0, { attemptCount: 9 }), 'webhookDeliveries[0].attemptCount'],
    [
      'a broken mark in a body',
      withRow('requests', 0, { body: { a: { $instant: 'x' } } }),
      'requests[0].body.a.$instant',
    ],
    ['a broken mark in data', withRow('events', 0, { data: { a: { $instant: 1 } } }), 'events[0].data.a.$instant'],
  ];
  test.each(cases)('%s', (_title, world, path) => {
    expect(problemsOf(world).map((problem) => problem.path)).toContain(path);
  });

  test('webhook limits are inclusive', () => {
    const url = `https://example.com/${'x'.repeat(2_028)}`;
    expect(url).toHaveLength(2_048);
    expect(problemsOf(withRow('webhooks', 0, { url, description: 'x'.repeat(500) }))).toEqual([]);
  });
});

describe('messages for invalid fields', () => {
  const instant = 'must be an ISO-8601 date-time with offset or a distance from now such as -3d4h or 0s';
  const token = 'must be osapi_ and 4 to 128 letters, digits, - or _';
  const crm = 'must be an upper-case CRM type such as HUBSPOT';
  const platform = 'must be a lower-case platform such as smartlead';
  const eventType = 'must be an event type such as EMAIL_SENT';
  const identity = 'must be an email address or a canonical profile URL, in lower case';
  const mark = 'must be the only key and hold an instant such as -3d4h';
  const cases: readonly (readonly [path: string, world: unknown, message: string])[] = [
    ['accounts[1].createdAt', withRow('accounts', 1, { createdAt: '3 days ago' }), instant],
    ['apiKeys[0].token', withRow('apiKeys', 0, { token: 'sk_1' }), token],
    ['apiKeys[1].scopes', withRow('apiKeys', 1, { scopes: ['write'] }), 'a key always holds read'],
    ['apiKeys[1].scopes', withRow('apiKeys', 1, { scopes: ['read', 'read'] }), 'names a scope twice'],
    ['connections[0].crm', withRow('connections', 0, { crm: 'hubspot' }), crm],
    ['connections[0].crm', withRow('connections', 0, { crm: 'xHUBSPOT' }), crm],
    ['connections[0].crm', withRow('connections', 0, { crm: 'HUBSPOT ' }), crm],
    ['sources[0].platform', withRow('sources', 0, { platform: 'Smartlead' }), platform],
    ['sources[0].platform', withRow('sources', 0, { platform: 'smartlead!' }), platform],
    ['sources[0].path', withRow('sources', 0, { path: 'a/b/c' }), 'must be an ingress code or hubId/ownerId'],
    ['syncs[0].eventType', withRow('syncs', 0, { eventType: 'email_sent' }), eventType],
    ['syncs[0].eventType', withRow('syncs', 0, { eventType: 'an EMAIL_SENT' }), eventType],
    ['syncs[0].eventType', withRow('syncs', 0, { eventType: 'EMAIL_SENT.' }), eventType],
    ['categorySignals[0].identity', withRow('categorySignals', 0, { identity: 'A@example.com' }), identity],
    [
      'webhooks[0].enabledEvents',
      withRow('webhooks', 0, { enabledEvents: ['sync.failed', 'sync.failed'] }),
      'names an event type twice',
    ],
    ['events[0].id', withRow('events', 0, { id: 'evt_1' }), 'must be an id that begins with osevt_'],
    ['requests[0].body.a.$instant', withRow('requests', 0, { body: { a: { $instant: 'x' } } }), mark],
  ];
  test.each(cases)('%s (%#)', (path, world, message) => {
    expect(problemsOf(world)).toContainEqual({ path, message });
  });
});

describe('WorldError', () => {
  test('has a message for one problem', () => {
    const message = 'The world is not valid (1 problem):\n  syncs[0].sourceId: there is no source 9';
    expect(() => parseWorld(withRow('syncs', 0, { sourceId: 9 }))).toThrow(
      expect.objectContaining({ name: 'WorldError', message }),
    );
  });

  test('lists every problem with its path', () => {
    const world = withRow('syncs', 0, { sourceId: 9, payloadId: 9 });
    expect(() => parseWorld(world)).toThrow(
      'The world is not valid (2 problems):\n  syncs[0].sourceId: there is no source 9\n  syncs[0].payloadId: there is no request 9',
    );
  });

  test('shows twenty and counts the rest', () => {
    const syncs = Array.from({ length: 25 }, (_, at) => ({ ...validWorld().syncs[0], id: at + 1, sourceId: 9 }));
    expect(() => parseWorld({ ...validWorld(), syncs })).toThrow('... and 5 more');
    expect(problemsOf({ ...validWorld(), syncs })).toHaveLength(25);
  });
});
