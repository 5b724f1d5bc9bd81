import { operations } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { matchRoute } from './routes.ts';

const find = (method: string, target: string) => {
  const match = matchRoute(method, target);
  return match === null ? null : [match.route.id, match.params];
};

describe('finds every operation', () => {
  test.each(operations.map((operation) => [operation.id, operation]))('%s', (id, { method, path, pathParams }) => {
    const values = Object.fromEntries(pathParams.map(({ name }, index) => [name, `value ${index}`]));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''));
    expect(find(method, filled)).toEqual([id, values]);
    expect(find(method, `${filled}?limit=5&x=/y`)).toEqual([id, values]);
  });
});

test.each([
  ['GET', '/api/v1/destinations/reply-relays', ['listReplyRelays', {}]],
  ['GET', '/api/v1/destinations/reply-relays/deliveries', ['listDestinationDeliveries', { id: 'reply-relays' }]],
  ['POST', '/api/v1/syncs/metrics/retry', ['retrySync', { id: 'metrics' }]],
  ['HEAD', '/api/v1/me', ['getMe', {}]],
  ['GET', '/api/v1/syncs/a%2Fb%20c', ['getSync', { id: 'a/b c' }]],
  ['GET', '/api/v1/syncs/..', ['getSync', { id: '..' }]],
  ['GET', '/api/v1/syncs/__proto__', ['getSync', { id: '__proto__' }]],
  ['POST', '/webhooks/some-code', ['inbound', { code: 'some-code' }]],
  ['POST', '/webhooks/123/456', ['inbound', { hubId: '123', ownerId: '456' }]],
])('%s %s is a route', (method, target, expected) => {
  expect(find(method, target)).toEqual(expected);
});

test.each([
  ['POST', '/api/v1/me', 'another method'],
  ['OPTIONS', '/api/v1/me', 'another method'],
  ['get', '/api/v1/me', 'a method in lower case'],
  ['GET', '/api/v1/me/', 'a trailing slash'],
  ['GET', '/API/v1/me', 'another letter case'],
  ['GET', '/api/v1/%6De', 'fixed segments are not decoded'],
  ['GET', '/api/v1/syncs/', 'an empty parameter'],
  ['POST', '/api/v1/syncs//retry', 'an empty parameter'],
  ['GET', '/api/v1/syncs/%zz', 'a parameter that cannot be decoded'],
  ['GET', '/api/v1/syncs/%ff', 'a parameter that is not UTF-8'],
  ['GET', '/api/v1/syncs/1/2/3/4/5', 'too many segments'],
  ['GET', '/api/v1/accounts', 'a reserved name'],
  ['GET', '/', 'nothing'],
  ['GET', '', 'nothing at all'],
  ['GET', '?/api/v1/me', 'only a query'],
])('%s %s is no route: %s', (method, target) => {
  expect(matchRoute(method, target)).toBeNull();
});
