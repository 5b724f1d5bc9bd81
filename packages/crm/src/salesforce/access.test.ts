import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { createSalesforceConnector } from './connector.ts';
import { toLongId } from './values.ts';

const TOKEN = '00D000000000001!not-a-real-token';
let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ tokens: [TOKEN], organizationId: '00D5g00000AbCdEEAV' });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const check = (token = TOKEN) =>
  createSalesforceConnector({ fetch, timeoutMs: 60_000 }).checkAccess(accessTo(token, { apiUrl: simulator.url }));

test('names the org, and misses nothing when the user sees every object', async () => {
  expect(await check()).toEqual({ status: 'accepted', organizationId: '00D5g00000AbCdEEAV', missing: [] });
});

test('names the objects that the user may not use', async () => {
  simulator.configure({ hiddenObjects: ['Account', 'Campaign'] });
  expect(await check()).toMatchObject({
    missing: [
      { use: 'companies', scope: 'Account: read' },
      { use: 'companies', scope: 'Account: create' },
      { use: 'lists', scope: 'Campaign: read' },
    ],
  });
});

test('a bad token is answered with 403 and plain text: disconnected', async () => {
  const outcome = await check('another-token');
  expect(outcome).toMatchObject({
    status: 'error',
    retry: 'never',
    disconnected: true,
    error: { code: 'disconnected', httpStatus: 403 },
  });
  expect(JSON.stringify(outcome)).not.toContain('another-token');
});

test('a token of an OAuth grant is accepted until it ends', async () => {
  const { accessToken } = simulator.oauth.issueGrant();
  expect(await check(accessToken)).toMatchObject({ status: 'accepted', organizationId: simulator.organizationId });
  simulator.oauth.expireAccessTokens();
  expect(await check(accessToken)).toMatchObject({ status: 'error', disconnected: true });
});

test.each(['html', 503, 'reset'] as const)('%s is no disconnect', async (fault) => {
  simulator.failNext(1, fault);
  expect(await check()).toMatchObject({ status: 'error', disconnected: false, isUnavailable: true });
});

test.each([
  ['0015000000Gv7qJ', '0015000000Gv7qJAAR'],
  ['00D50000000IZ3Z', '00D50000000IZ3ZEAW'],
  ['00D50000000IZ3ZEAW', '00D50000000IZ3ZEAW'],
])('the 18-character form of %s', (id, expected) => {
  expect(toLongId(id)).toBe(expected);
});
