import { describe, expect, test } from 'vitest';
import { createCrmOauth } from './crm-oauth.ts';

const VENDORS = {
  HUBSPOT: { loginUrl: 'https://app.hubspot.com', apiUrl: 'https://api.hubapi.com' },
  SALESFORCE: { loginUrl: 'https://login.salesforce.com', apiUrl: '' },
  PIPEDRIVE: { loginUrl: 'https://oauth.pipedrive.com', apiUrl: 'https://api.pipedrive.com' },
};

function isOwnUrl(crm: string, url: string, urls = VENDORS): boolean | undefined {
  const fetch = () => Promise.reject(new Error('no call is expected'));
  return createCrmOauth({ clients: {}, urls, fetch, now: () => new Date(0) })
    .get(crm)
    ?.isOwnUrl(url);
}

test.each([
  ['SALESFORCE', 'https://acme.my.salesforce.com'],
  ['SALESFORCE', 'https://acme--dev.sandbox.my.salesforce.com'],
  ['SALESFORCE', 'https://ACME.my.Salesforce.com:443'],
  ['PIPEDRIVE', 'https://acme.pipedrive.com'],
])('%s: %s may get tokens', (crm, url) => {
  expect(isOwnUrl(crm, url)).toBe(true);
});

test.each([
  'http://acme.my.salesforce.com',
  'https://acme.my.salesforce.com:8443',
  'https://acme.my.salesforce.com.',
  'https://acme.my.salesforce.com.example.org',
  'https://evilsalesforce.com',
  'https://example.org/.salesforce.com',
  'https://example.org#.salesforce.com',
  String.raw`https://example.org\.salesforce.com`,
  'https://kim@acme.my.salesforce.com',
  'https://acme.my.salesforce.com@example.org',
  'https://acme.my.sаlesforce.com',
  'https://acme.my.salesforce.com/services/apexrest/take',
  'https://acme.my.salesforce.com?to=',
  'https://acme.my.salesforce.com#to',
  'https://127.0.0.1:8080',
  'ftp://acme.my.salesforce.com',
  'acme.my.salesforce.com',
  '',
])('%s gets no tokens of Salesforce', (url) => {
  expect(isOwnUrl('SALESFORCE', url)).toBe(false);
});

test('loopback addresses may get tokens only where the configured one is loopback', () => {
  const urls = { ...VENDORS, SALESFORCE: { loginUrl: 'http://127.0.0.1:4000', apiUrl: '' } };
  expect(isOwnUrl('SALESFORCE', 'http://127.0.0.1:4001', urls)).toBe(true);
  expect(isOwnUrl('PIPEDRIVE', 'http://127.0.0.1:4001', urls)).toBe(false);
});

describe('HubSpot', () => {
  const oauthWith = (status: number, body: unknown) => {
    const oauth = createCrmOauth({
      clients: { HUBSPOT: { id: 'app', secret: 'app-secret' } },
      urls: VENDORS,
      fetch: async () => Response.json(body, { status }),
      now: () => new Date(0),
    }).get('HUBSPOT');
    if (oauth === undefined) throw new Error('HubSpot has no OAuth');
    return oauth;
  };
  const loginUrl = VENDORS.HUBSPOT.loginUrl;
  const generic = { correlationId: 'aeb5f871-7f07-4993-9211-075dc63e7cbf', category: 'VALIDATION_ERROR' };

  test('an answer with tokens names the account and lists the scopes', async () => {
    const answer = {
      ...{ access_token: 'a', refresh_token: 'r', expires_in: 1_800, token_type: 'bearer', token_use: 'access_token' },
      ...{ hub_id: 4711, user_id: 9, scopes: ['oauth', 'crm.objects.contacts.read'] },
    };
    expect(await oauthWith(200, answer).refresh({ loginUrl, refreshToken: 'r' })).toMatchObject({
      status: 'granted',
      tokens: { organizationId: '4711', scopes: ['oauth', 'crm.objects.contacts.read'] },
    });
  });

  test.each([
    ['Invalid input', {}],
    ['Invalid refresh token', { subCategory: 'INVALID_TOKEN' }],
    ['missing or invalid refresh token', { status: 'BAD_REFRESH_TOKEN' }],
  ])('a refresh refused with the form of all its errors (%s) has ended', async (message, extras) => {
    const oauth = oauthWith(400, { ...generic, message, ...extras });
    expect(await oauth.refresh({ loginUrl, refreshToken: 'r' })).toMatchObject({ status: 'ended' });
  });

  test.each(['missing or invalid client id or secret', 'the grant_type is not supported'])(
    'a refresh that is refused for the app (%s) does not end the grant',
    async (message) => {
      const oauth = oauthWith(400, { ...generic, message });
      expect(await oauth.refresh({ loginUrl, refreshToken: 'r' })).toMatchObject({ status: 'refused' });
    },
  );

  test('a refused code ends nothing', async () => {
    const oauth = oauthWith(400, { ...generic, message: 'Invalid input' });
    const redirectUri = 'https://svc.example.com/oauth/hubspot/callback';
    expect(await oauth.exchangeCode({ loginUrl, code: 'c', redirectUri, codeVerifier: null })).toMatchObject({
      status: 'refused',
    });
  });
});

test('an endless answer of a token endpoint is not read to its end, and counts as lost', async () => {
  let chunks = 0;
  const endless = new ReadableStream({
    pull(controller) {
      chunks += 1;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
  const clients = { SALESFORCE: { id: 'app', secret: 'secret' } };
  const fetch = async () => new Response(endless);
  const oauth = createCrmOauth({ clients, urls: VENDORS, fetch, now: () => new Date(0) }).get('SALESFORCE');
  const loginUrl = VENDORS.SALESFORCE.loginUrl;
  expect(await oauth?.refresh({ loginUrl, refreshToken: 'r' })).toMatchObject({
    status: 'unavailable',
    isAnswerLost: true,
    error: { code: 'answer_too_large', message: 'Salesforce sent more than 262144 bytes for an access token' },
  });
  expect(chunks).toBeLessThan(8);
});
