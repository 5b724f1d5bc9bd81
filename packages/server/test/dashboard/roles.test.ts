/** Every private route of the dashboard with every role: without a session, as a viewer, as an admin, and with an old sign-in. */
import { operations as apiOperations } from '@svc/contract/operations';
import { operations } from '@svc/operations/perform';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { type DashboardUser, send, signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
let admin: DashboardUser;
let viewer: DashboardUser;
/** The same user with a sign-in of 16 minutes ago. */
let tired: DashboardUser;

beforeAll(async () => {
  server = await startTestServer(anyBackend);
  tired = await signIn(server, { email: 'tired@example.com', role: 'admin' });
  server.clock.advance(16 * 60_000);
  admin = await signIn(server, { email: 'kim@example.com', role: 'admin' });
  viewer = await signIn(server, { email: 'lin@example.com', role: 'viewer' });
});
afterAll(() => server.close());

const codeOf = ({ status, json }: { status: number; json: { error?: { code?: string } } }) =>
  `${status} ${json.error?.code ?? ''}`;

/** Input that no operation accepts, so that a permitted call changes nothing. */
const NO_INPUT: unknown[] = [];

describe('operations', () => {
  const declarations = [...operations.values()].map(({ declaration }) => declaration);

  test.each(declarations)('$name', async ({ name, permission, needsRecentSignIn, onlyOnMachine }) => {
    const path = `operations/${name}`;
    const answers = {
      stranger: codeOf(await send(server.url, 'POST', path, NO_INPUT, {})),
      viewer: codeOf(await viewer.call('POST', path, NO_INPUT)),
      tired: codeOf(await tired.call('POST', path, NO_INPUT)),
      admin: codeOf(await admin.call('POST', path, NO_INPUT)),
    };
    const permitted = onlyOnMachine === true ? '404 not_found' : '400 invalid_input';
    expect(answers).toEqual({
      stranger: '401 signed_out',
      viewer: onlyOnMachine !== true && permission === 'write' ? '403 forbidden' : permitted,
      tired: needsRecentSignIn === true ? '403 confirm_required' : permitted,
      admin: permitted,
    });
  });

  test('those that show or replace secrets, remove data or change users need a recent sign-in', () => {
    const marked = declarations.filter((it) => it.needsRecentSignIn === true).map(({ name }) => name);
    expect(marked.sort()).toEqual([
      'accounts/remove',
      'alerts/add',
      'alerts/remove',
      'alerts/set-url',
      'blocklists/remove',
      'blocklists/set-token',
      'config/apply',
      'connections/add',
      'connections/disconnect',
      'connections/remove',
      'destinations/remove',
      'keys/create',
      'keys/revoke',
      'keys/rotate',
      'persons/erase',
      'relays/remove',
      'secrets/discard',
      'sequencer-keys/add',
      'sequencer-keys/remove',
      'sequencer-keys/set-token',
      'sources/drop-held',
      'sources/remove',
      'sources/remove-secret',
      'sources/set-secret',
      'users/end-sessions',
      'users/invite',
      'users/remove',
      'users/update',
    ]);
    expect(declarations.filter((it) => it.onlyOnMachine === true).map(({ name }) => name)).toEqual([
      'backup/copy',
      'backup/finish',
    ]);
  });
});

describe('operations of the API', () => {
  const NEED_RECENT_SIGN_IN = ['createWebhook', 'rotateWebhookSecret', 'deleteWebhook'];

  test.each(apiOperations.filter(({ access }) => access !== 'public'))('$id', async ({ id, method, path, scope }) => {
    // No row has this id, so a permitted call changes nothing.
    const filled = `accounts/1${path.replaceAll(/\{\w+\}/g, '999999999')}`;
    const answers = {
      stranger: codeOf(await send(server.url, method, filled, undefined, {})),
      key: codeOf(await send(server.url, method, filled, undefined, { authorization: 'Bearer osapi_demo_write' })),
      viewer: codeOf(await viewer.call(method, filled)),
      tired: codeOf(await tired.call(method, filled)),
      admin: codeOf(await admin.call(method, filled)),
    };
    const permitted = expect.stringMatching(/^(200|400|404) $/);
    expect(answers).toEqual({
      stranger: '401 signed_out',
      key: '401 signed_out',
      viewer: scope === 'write' ? '403 forbidden' : permitted,
      tired: NEED_RECENT_SIGN_IN.includes(id) ? '403 confirm_required' : permitted,
      admin: permitted,
    });
  });

  test.each(apiOperations.filter(({ access }) => access === 'public'))('$id is not here', async ({ method, path }) => {
    expect(codeOf(await admin.call(method, `accounts/1${path}`))).toBe('404 not_found');
  });

  test.each(['0', '-1', '1.5', '01', '99999999', 'x', '1%2F..%2F2'])('404 for the account %s', async (id) => {
    expect(codeOf(await admin.call('GET', `accounts/${id}/api/v1/sources`))).toBe('404 not_found');
  });
});
