/** The header `Svc-Mock-Hint`. The bodies of the answers are the contract's: `ask` validates them. */
import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, NOW, type TestCall } from '../../test/support/demo.ts';
import { createMock } from '../index.ts';
import { entriesOf } from '../state/history.ts';
import { applyScenarios } from '../state/scenarios.ts';
import { update, type World } from '../state/world.ts';
import { verifyCalls } from '../state/verify.ts';

const KEYS =
  'Keys of world "demo": osapi_demo_write, osapi_demo_read, osapi_demo_connection, osapi_demo_connection_read, osapi_demo_no_api, osapi_demo_no_webhooks, osapi_demo_empty, osapi_demo_other, osapi_demo_connection_salesforce, osapi_demo_connection_no_api.';
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000).toISOString();

function hintOf(target: string, call: TestCall = {}, world: World = createDemoWorld()) {
  const { status, headers } = ask(world, target, call);
  return { status, hint: headers['Svc-Mock-Hint'] ?? null };
}

describe('a 401', () => {
  test.each<[string, TestCall, string]>([
    ['without a key', { key: null }, 'No key was sent: send the header Authorization: Bearer KEY.'],
    [
      'without a scheme',
      { key: null, headers: { authorization: 'osapi_demo_read' } },
      'Authorization must be: Bearer KEY.',
    ],
    ['an empty key', { key: '' }, 'Authorization must be: Bearer KEY.'],
    ['a revoked key', { key: 'osapi_demo_revoked' }, 'The key "Former agency" is revoked.'],
    ['a rotated key', { key: 'osapi_demo_rotated' }, 'is rotated.'],
    [
      'the key of a deleted world',
      { key: 'osapi_demo_write_gone' },
      'The key is one of world "gone", which does not exist (any more).',
    ],
    [
      'a key that looks real',
      { key: 'osapi_live_0123456789abcdef0123456789abcdef' },
      'The key osapi_live... is not one of this mock.',
    ],
    [
      'a key of another service',
      { key: 'sk_live_0123456789abcdef\u00e4' },
      'The key sk_liv... is not one of this mock and does not begin with osapi_.',
    ],
  ])('%s: names the keys of the world, and no other key in full', (_name, call, text) => {
    const { status, hint } = hintOf('/api/v1/me', call);
    expect([status, hint]).toEqual([401, expect.stringContaining(text)]);
    expect(hint).toMatch(/^[ -~]+$/);
    expect(hint).not.toContain('0123');
    expect(hint?.slice(-KEYS.length)).toBe(KEYS);
  });

  test('in a world whose keys are all revoked', () => {
    const world = createDemoWorld();
    applyScenarios(world, ['revoked-key'], { now: NOW });
    expect(hintOf('/api/v1/me', {}, world).hint).toBe(
      'The key "Dashboard" is revoked. World "demo" has no valid keys.',
    );
  });

  test('is in the journal without keys, and in the error of verify', () => {
    const world = createDemoWorld();
    ask(world, '/api/v1/me', { key: 'osapi_live_0123456789abcdef0123456789abcdef' });
    expect(entriesOf(world.state.journal)[0]?.hint).toBe('The key osapi_live... is not one of this mock.');
    expect(verifyCalls(world.state.journal, { operation: 'getMe', status: 200 }).message).toContain(
      '#1 getMe (GET /api/v1/me) answered 401: The key osapi_live... is not one of this mock. (status was 401, not 200)',
    );
  });

  test('that a fault makes has no hint', () => {
    const world = createDemoWorld();
    update(world, {
      faults: [{ id: 'f', effect: { kind: 'status', status: 401 }, matchedCount: 0, hitCount: 0 }],
    });
    expect(hintOf('/api/v1/me', {}, world)).toEqual({ status: 401, hint: null });
  });

  test('has it in process too', async () => {
    const mock = createMock();
    const response = await mock.fetch('/api/v1/me', { headers: { Authorization: 'Bearer osapi_wrong' } });
    expect([response.status, response.headers.get('svc-mock-hint')]).toEqual([
      401,
      expect.stringContaining('osapi_demo_write'),
    ]);
    await mock.close();
  });
});

describe('a range that begins after the clock', () => {
  test.each([
    '/api/v1/syncs',
    '/api/v1/syncs/metrics',
    '/api/v1/requests',
    '/api/v1/deliveries',
    '/api/v1/account/metrics',
  ])('%s', (path) => {
    const { status, hint } = hintOf(`${path}?from=${later(1)}&to=${later(2)}`);
    expect([status, hint]).toEqual([
      200,
      `The range begins at ${later(1)}, but the clock of world "demo" is frozen at ${later(0)}: nothing has happened in the range yet. Ask for an earlier range, or move the clock (POST /__svc/clock, option --now).`,
    ]);
  });

  test('also warns of a running clock that is behind', () => {
    const world = createDemoWorld();
    update(world, { clock: { mode: 'running', offsetMs: -3_600_000 } });
    expect(hintOf(`/api/v1/syncs?from=${later(0)}&to=${later(1)}`, {}, world).hint).toContain(
      `the clock of world "demo" shows only ${later(-1)}`,
    );
  });

  test('an earlier range, a refused one and a call without one have no hint', () => {
    expect(hintOf(`/api/v1/syncs?from=${later(0)}&to=${later(1)}`)).toEqual({ status: 200, hint: null });
    expect(hintOf(`/api/v1/syncs?from=${later(2)}&to=${later(1)}`)).toEqual({ status: 400, hint: null });
    expect(hintOf('/api/v1/syncs?from=2999-01-01')).toEqual({ status: 400, hint: null });
    expect(hintOf('/api/v1/me?from=2999-01-01')).toMatchObject({ hint: null });
  });
});

test('a call that matches no operation gets a hint with the nearest', () => {
  expect(hintOf('/api/v1/sync')).toEqual({
    status: 404,
    hint: 'No operation matched. The nearest is GET /api/v1/syncs (listSyncs).',
  });
  expect(hintOf('/api/v1/syncs/999999')).toEqual({ status: 404, hint: null });
  expect(hintOf('/docs', { key: null })).toEqual({ status: 200, hint: null });
});
