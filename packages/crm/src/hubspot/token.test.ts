import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import { createHubspotConnector } from './connector.ts';

const TOKEN = 'pat-eu1-0000-not-a-real-token';
const INFO = 'access-token-info';

let simulator: HubspotSimulator;
let scopes: string[] | undefined;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    tokens: [TOKEN],
    describeToken: () => ({ hubId: 4711, ...(scopes === undefined ? {} : { scopes }) }),
  });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  scopes = undefined;
});
const check = (token = TOKEN, timeoutMs = 60_000) =>
  createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs }).checkAccess(accessTo(token));

describe('the check of a token', () => {
  test('names the account, and nothing is missing', async () => {
    expect(await check()).toEqual({ status: 'accepted', organizationId: '4711', missing: [] });
    // European tokens need the header, although the body has the token too.
    expect(simulator.requests()).toMatchObject([
      {
        method: 'POST',
        path: '/oauth/v2/private-apps/get/access-token-info',
        authorization: `Bearer ${TOKEN}`,
        body: { tokenKey: TOKEN },
        status: 200,
      },
    ]);
  });

  test('names each missing scope with what needs it', async () => {
    scopes = ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write', 'crm.schemas.contacts.read'];
    expect(await check()).toMatchObject({
      missing: [
        { use: 'events', scope: 'crm.schemas.contacts.write' },
        { use: 'companies', scope: 'crm.objects.companies.read' },
        { use: 'companies', scope: 'crm.objects.companies.write' },
        { use: 'companies', scope: 'crm.schemas.companies.read' },
        { use: 'companies', scope: 'crm.schemas.companies.write' },
        { use: 'owners', scope: 'crm.objects.owners.read' },
        { use: 'lists', scope: 'crm.lists.read' },
        { use: 'companyLists', scope: 'crm.objects.companies.read' },
      ],
    });
  });

  test('a wrong token is not accepted, and not repeated in the message', async () => {
    const failed = await check('pat-wrong-token');
    expect(failed).toMatchObject({ status: 'error', disconnected: true, error: { httpStatus: 401 } });
    expect(JSON.stringify(failed)).not.toContain('pat-wrong-token');
  });

  test.each([400, 401, 403, 404, 405, 410])(
    '%i of the endpoint that HubSpot does not publish: the account is known, its scopes are not',
    async (status) => {
      simulator.failNext(1, status, { match: new RegExp(INFO) });
      expect(await check()).toEqual({ status: 'accepted', organizationId: '4711', missing: null });
    },
  );

  test.each(['reset', 'hang', 'html', 503, 'ten-secondly'] as const)('%s: no verdict on the token', async (fault) => {
    simulator.failNext(1, fault);
    const failed = await check(TOKEN, fault === 'hang' ? 50 : undefined);
    expect(failed).toMatchObject({ status: 'error', disconnected: false });
    expect('retry' in failed && failed.retry).not.toBe('never');
  });

  test('of a grant asks for the account alone, because only the app may ask for its scopes', async () => {
    const connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000 });
    expect(await connector.checkAccess(accessTo(TOKEN, { tokenType: 'oauth' }))).toEqual({
      status: 'accepted',
      organizationId: '4711',
      missing: null,
    });
    expect(simulator.requests()).toMatchObject([{ method: 'GET', path: '/account-info/2026-09/details' }]);
  });
});
