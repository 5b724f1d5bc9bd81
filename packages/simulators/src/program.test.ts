import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_ORGANIZATIONS, type SimulatedCrm, type SimulatorProgram, startSimulatorProgram } from './program.ts';

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers: (token: string) => Record<string, string>;
  readonly body?: unknown;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** A write of each CRM, and what its state then shows. */
const WRITES: Readonly<Record<SimulatedCrm, Call & { readonly status: number; readonly state: object }>> = {
  hubspot: {
    path: '/crm/objects/2026-09/contacts/batch/upsert',
    headers: bearer,
    body: { inputs: [{ idProperty: 'email', id: 'kim@example.org', properties: {} }] },
    status: 200,
    state: { contacts: [{ properties: { email: 'kim@example.org' } }], counts: { requests: 2 } },
  },
  salesforce: {
    path: '/services/data/v66.0/sobjects/Contact',
    headers: bearer,
    body: { LastName: 'Berg' },
    status: 201,
    state: { contacts: [{ values: { LastName: 'Berg' } }], counts: { requests: 2 } },
  },
  pipedrive: {
    path: '/api/v2/persons',
    headers: (token) => ({ 'x-api-token': token, 'Content-Type': 'application/json' }),
    body: { name: 'Kim Berg' },
    status: 200,
    state: { persons: [{ name: 'Kim Berg' }], counts: { requests: 2 } },
  },
};

let program: SimulatorProgram;
afterEach(() => program.close());

async function start(crm: SimulatedCrm, changes: { isLimited?: boolean; owners?: string[] } = {}): Promise<void> {
  const organizationId = crm === 'salesforce' ? DEFAULT_ORGANIZATIONS.salesforce : '42';
  program = await startSimulatorProgram(crm, {
    ...{ port: 0, tokens: ['t1'], organizationId, owners: ['rep@example.com'], isLimited: false },
    ...changes,
  });
}

function send({ path, method = 'POST', headers, body }: Call, token = 't1'): Promise<Response> {
  const text = body === undefined ? null : JSON.stringify(body);
  return fetch(`${program.url}${path}`, { method, headers: headers(token), body: text });
}

const control = (method: string, body?: unknown) => send({ path: '/__sim/faults', method, headers: () => ({}), body });

describe.each(Object.entries(WRITES))('the program of %s', (name, write) => {
  const crm = name as SimulatedCrm;

  test('accepts its tokens only, and shows what it was sent', async () => {
    await start(crm);
    expect([(await send(write, 't2')).status, (await send(write)).status]).toEqual([401, write.status]);
    const state: unknown = await (await fetch(`${program.url}/__sim/state`)).json();
    expect(state).toMatchObject(write.state);
  });

  test('fails as many calls as a fault says', async () => {
    await start(crm);
    expect((await control('POST', { count: 2, fault: 503, retryAfterSeconds: 7 })).status).toBe(204);
    const failed = await send(write);
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '7']);
    expect([(await send(write)).status, (await send(write)).status]).toEqual([503, write.status]);
    await control('POST', { count: 100, fault: 'reset' });
    await expect(send(write)).rejects.toThrow('fetch failed');
    expect((await control('DELETE')).status).toBe(204);
    expect((await send(write)).ok).toBe(true);
  });

  test('consents for its account', async () => {
    await start(crm);
    const paths = {
      hubspot: '/oauth/authorize',
      salesforce: '/services/oauth2/authorize',
      pipedrive: '/oauth/authorize',
    };
    const query = 'client_id=app&redirect_uri=http://127.0.0.1/callback&response_type=code&code_challenge=x';
    const page = await (await fetch(`${program.url}${paths[crm]}?${query}`)).text();
    expect(page).toContain(`use account ${crm === 'salesforce' ? DEFAULT_ORGANIZATIONS.salesforce : '42'}?`);
  });
});

test.each([
  ['hubspot', 'x-hubspot-ratelimit-max', '190', '/crm/v3/owners/'],
  ['pipedrive', 'x-ratelimit-limit', '80', '/api/v1/users/me'],
] as const)('with limits, %s says so in %s', async (crm, header, expected, path) => {
  await start(crm, { isLimited: true });
  const answer = await send({ path, method: 'GET', headers: (token) => ({ ...bearer(token), 'x-api-token': token }) });
  expect(answer.headers.get(header)).toBe(expected);
});

test.each([{ fault: 200 }, { fault: 'slow' }, { count: 0, fault: 503 }, { count: '3', fault: 503 }, [], 'x'])(
  'refuses the fault %j, and says what is right',
  async (order) => {
    await start('hubspot');
    const refused = await control('POST', order);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('{\\"count\\": 3, \\"fault\\": 503}'),
    ]);
  },
);
