import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from './simulator.ts';

let simulator: HubspotSimulator;
beforeAll(async () => {
  simulator = await startHubspotSimulator({ tokens: ['good-token'], owners: ['Rep@example.com'] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

async function call(method: string, path: string, body?: unknown, token = 'good-token') {
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, headers: response.headers, body: answer as Record<string, unknown> };
}

const upsert = (type: string, idProperty: string, ...inputs: { id: string; properties?: object }[]) =>
  call('POST', `/crm/objects/2026-09/${type}/batch/upsert`, {
    inputs: inputs.map((input) => ({ idProperty, properties: {}, ...input })),
  });
const contact = (email: string, properties: object = {}) => upsert('contacts', 'email', { id: email, properties });

async function makeKey(type: string, name = 'svc_event_key') {
  await call('POST', `/crm/properties/2026-09/${type}/groups`, { name: 'svc', label: 'Svc' });
  return await call('POST', `/crm/properties/2026-09/${type}`, {
    name,
    label: 'Key',
    groupName: 'svc',
    type: 'string',
    fieldType: 'text',
    hasUniqueValue: true,
  });
}

describe('access', () => {
  test('401 without a token, with a wrong one, or with another scheme', async () => {
    for (const authorization of [undefined, 'Bearer other', 'Basic good-token']) {
      const response = await fetch(
        `${simulator.url}/crm/owners/2026-09`,
        authorization === undefined ? {} : { headers: { authorization } },
      );
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        status: 'error',
        category: 'INVALID_AUTHENTICATION',
        correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    }
    expect(simulator.state().counts.contacts).toBe(0);
  });

  test('421 for a request to another host, as a page sends whose name resolves to loopback', async () => {
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        const outgoing = request(`${simulator.url}/__sim/state`, { headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        outgoing.once('error', reject).end();
      });
    expect(await statusFor('rebound.example')).toBe(421);
    expect(await statusFor('localhost:4010')).toBe(200);
    // The address of a forwarder, as containers use: no page can make it lead here.
    expect(await statusFor('10.88.0.1:8088')).toBe(200);
    expect(await statusFor('[fd00::1]:8088')).toBe(200);
  });

  test('listens on loopback only', () => {
    expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});

describe('contacts by email', () => {
  test('the first upsert creates one, the second finds it in any letter case', async () => {
    const first = await contact('Kim@Example.org', { firstname: 'Kim' });
    expect(first).toMatchObject({
      status: 200,
      body: {
        status: 'COMPLETE',
        results: [
          {
            id: expect.stringMatching(/^\d+$/),
            new: true,
            archived: false,
            properties: { email: 'kim@example.org', firstname: 'Kim' },
          },
        ],
      },
    });
    expect(await contact('kim@example.org', { lastname: 'Berg' })).toMatchObject({
      body: { results: [{ new: false, properties: { firstname: 'Kim', lastname: 'Berg' } }] },
    });
    expect(simulator.contacts()).toMatchObject([{ writes: 2, properties: { lastname: 'Berg' } }]);
  });

  test.each([
    ['an unknown property', { nickname: 'K' }, 'PROPERTY_DOESNT_EXIST'],
    ['a read-only property', { hs_object_id: '1' }, 'READ_ONLY_VALUE'],
    ['an unknown option', { lifecyclestage: 'friend' }, 'INVALID_OPTION'],
    ['a too long text', { company: 'x'.repeat(65_537) }, 'PROPERTY_VALUE_TOO_LONG'],
  ])('400 for %s', async (_what, properties, code) => {
    const { status, body } = await contact('kim@example.org', properties);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      status: 'error',
      category: 'VALIDATION_ERROR',
      message: expect.stringContaining(code),
      correlationId: expect.any(String),
    });
    expect(simulator.contacts()).toEqual([]);
  });

  test('400 for an invalid address', async () => {
    expect(await contact('not-an-address')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('INVALID_EMAIL') },
    });
  });

  test('a batch by email is written completely or not at all', async () => {
    const { status } = await upsert('contacts', 'email', { id: 'a@example.org' }, { id: 'broken' });
    expect(status).toBe(400);
    expect(simulator.contacts()).toEqual([]);
  });

  test('400 for more than 100 inputs, no inputs, or a repeated one', async () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ id: `c${index}@example.org` }));
    expect((await upsert('contacts', 'email', ...many)).status).toBe(400);
    expect((await upsert('contacts', 'email', ...many.slice(1))).status).toBe(200);
    expect((await upsert('contacts', 'email')).status).toBe(400);
    expect((await upsert('contacts', 'email', { id: 'a@example.org' }, { id: 'A@example.org' })).status).toBe(400);
    expect((await call('POST', '/crm/objects/2026-09/contacts/batch/upsert', '{"inputs":')).status).toBe(400);
  });

  test('a second create is 409', async () => {
    const body = { properties: { email: 'kim@example.org' } };
    expect((await call('POST', '/crm/objects/2026-09/contacts', body)).status).toBe(201);
    expect(await call('POST', '/crm/objects/2026-09/contacts', body)).toMatchObject({
      status: 409,
      body: { category: 'CONFLICT' },
    });
  });

  test('reading a batch with missing records is a 207 that names them', async () => {
    await contact('kim@example.org', { firstname: 'Kim' });
    const inputs = [{ id: 'kim@example.org' }, { id: 'nobody@example.org' }];
    expect(
      await call('POST', '/crm/objects/2026-09/contacts/batch/read', {
        idProperty: 'email',
        inputs,
        properties: ['firstname', 'company'],
      }),
    ).toMatchObject({
      status: 207,
      body: {
        results: [{ properties: { firstname: 'Kim', company: null } }],
        numErrors: 1,
        errors: [{ category: 'OBJECT_NOT_FOUND', context: { ids: ['nobody@example.org'] } }],
      },
    });
  });
});

describe('engagements by a unique property', () => {
  test('400 until the property exists and has unique values', async () => {
    const refused = await upsert('notes', 'svc_event_key', { id: 'k1', properties: { hs_timestamp: '1' } });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('non-unique 0-46 property svc_event_key') },
    });
    expect((await makeKey('notes')).status).toBe(201);
    expect(await makeKey('notes')).toMatchObject({ status: 409, body: { category: 'OBJECT_ALREADY_EXISTS' } });
    expect((await upsert('notes', 'svc_event_key', { id: 'k1', properties: { hs_timestamp: '1' } })).status).toBe(200);
    expect((await upsert('notes', 'hs_note_body', { id: 'k1' })).status).toBe(400);
  });

  test('two writes with one key create one engagement', async () => {
    await makeKey('notes');
    for (const text of ['a', 'b'])
      await upsert('notes', 'svc_event_key', {
        id: 'k1',
        properties: { hs_timestamp: '2026-01-01T00:00:00Z', hs_note_body: text },
      });
    expect(simulator.engagements()).toMatchObject([
      { objectType: 'notes', writes: 2, properties: { svc_event_key: 'k1', hs_note_body: 'b' } },
    ]);
    expect(simulator.state().counts).toMatchObject({ engagements: 1, engagementWrites: 2 });
  });

  test('207 when one of a batch is refused', async () => {
    await makeKey('notes');
    const good = { id: 'k1', properties: { hs_timestamp: '2026-01-01T00:00:00Z' } };
    const { status, body } = await upsert(
      'notes',
      'svc_event_key',
      good,
      { id: 'k2' },
      { id: 'k3', properties: { hs_timestamp: 'soon' } },
    );
    expect(status).toBe(207);
    expect(body).toMatchObject({
      numErrors: 2,
      results: [{ properties: { svc_event_key: 'k1' } }],
      errors: [{ context: { ids: ['k2'], properties: ['hs_timestamp'] } }, { category: 'VALIDATION_ERROR' }],
    });
    expect(simulator.engagements()).toHaveLength(1);
  });

  test('refuses a value that another record has', async () => {
    await makeKey('contacts', 'svc_profile_url');
    await contact('a@example.org', { svc_profile_url: 'p' });
    expect(await contact('b@example.org', { svc_profile_url: 'P' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('CONFLICTING_UNIQUE_VALUE') },
    });
  });

  test('allows ten unique properties per type; the group must exist', async () => {
    for (let index = 0; index < 10; index += 1) expect((await makeKey('notes', `key_${index}`)).status).toBe(201);
    expect((await makeKey('notes', 'key_10')).status).toBe(400);
    const orphan = { name: 'x', label: 'x', groupName: 'none', type: 'string', fieldType: 'text' };
    expect((await call('POST', '/crm/properties/2026-09/calls', orphan)).status).toBe(400);
  });

  test('an association may be created twice', async () => {
    await makeKey('notes');
    await contact('kim@example.org');
    await upsert('notes', 'svc_event_key', { id: 'k1', properties: { hs_timestamp: '1' } });
    const [note, person] = [simulator.engagements()[0]?.id, simulator.contacts()[0]?.id];
    const path = `/crm/objects/2026-09/notes/${note}/associations/default/contacts/${person}`;
    for (const _ of [1, 2])
      expect(await call('PUT', path)).toMatchObject({
        status: 200,
        body: { results: [{ associationSpec: { associationTypeId: 202 } }] },
      });
    expect(simulator.engagements()[0]?.associations).toEqual({ contacts: [person] });
    expect((await call('PUT', `/crm/objects/2026-09/notes/${note}/associations/default/contacts/1`)).status).toBe(404);
    expect((await call('PUT', `/crm/objects/2026-09/notes/${note}/associations/default/notes/${note}`)).status).toBe(
      400,
    );
  });
});

describe('search', () => {
  const byDomain = {
    filterGroups: [{ filters: [{ propertyName: 'domain', operator: 'EQ', value: 'Example.org' }] }],
    limit: 1,
  };

  test('finds by value; while frozen, does not find later records', async () => {
    await call('POST', '/crm/objects/2026-09/companies', { properties: { domain: 'example.org' } });
    expect(await call('POST', '/crm/objects/2026-09/companies/search', byDomain)).toMatchObject({
      body: { total: 1, results: [{ properties: { domain: 'example.org' } }] },
    });
    simulator.reset();
    simulator.freezeSearch(true);
    await call('POST', '/crm/objects/2026-09/companies', { properties: { domain: 'example.org' } });
    expect(await call('POST', '/crm/objects/2026-09/companies/search', byDomain)).toMatchObject({ body: { total: 0 } });
  });

  test('400 beyond 10,000 results', async () => {
    expect(
      (await call('POST', '/crm/objects/2026-09/companies/search', { ...byDomain, limit: 100, after: 9_950 })).status,
    ).toBe(400);
  });
});

describe('limits and faults', () => {
  test('429 beyond the interval limit, with headers, until the interval ends', async () => {
    let now = new Date('2026-03-01T00:00:00Z');
    const limited = await startHubspotSimulator({ now: () => now });
    limited.setRateLimit({ max: 2, intervalMs: 10_000, daily: 4, retryAfterSeconds: 7 });
    const ask = () => fetch(`${limited.url}/crm/owners/2026-09`, { headers: { Authorization: 'Bearer any' } });
    try {
      const answers = [await ask(), await ask(), await ask()];
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429]);
      expect(answers[1]?.headers.get('x-hubspot-ratelimit-remaining')).toBe('0');
      expect(answers[2]?.headers.get('retry-after')).toBe('7');
      expect(await answers[2]?.json()).toMatchObject({ errorType: 'RATE_LIMIT', policyName: 'TEN_SECONDLY_ROLLING' });
      now = new Date(now.getTime() + 10_000);
      expect((await ask()).status).toBe(200);
      const daily = await ask();
      expect(await daily.json()).toMatchObject({ policyName: 'DAILY' });
      expect(daily.headers.get('x-hubspot-ratelimit-daily-remaining')).toBe('0');
    } finally {
      await limited.close();
    }
  });

  test('simulates each kind of failure, in order, as often as requested, only for matching calls', async () => {
    simulator.failNext(1, 503, { retryAfterSeconds: 2 });
    simulator.failNext(1, 'html');
    simulator.failNext(1, 'daily');
    simulator.failNext(1, 'reset');
    simulator.failNext(1, 'truncated');
    simulator.failNext(1, 404, { match: /^PUT / });
    const path = '/crm/owners/2026-09';
    expect((await call('GET', path)).headers.get('retry-after')).toBe('2');
    await expect(call('GET', path)).rejects.toThrow(SyntaxError);
    expect((await call('GET', path)).body).toMatchObject({ policyName: 'DAILY' });
    await expect(call('GET', path)).rejects.toThrow('fetch failed');
    await expect(call('GET', path)).rejects.toThrow('terminated');
    expect((await call('GET', path)).status).toBe(200);
    expect((await call('PUT', path)).body).toMatchObject({ message: 'simulated 404' });
  });

  test('a lost answer was written, a reset connection was not', async () => {
    simulator.failNext(1, 'reset');
    await expect(contact('a@example.org')).rejects.toThrow('fetch failed');
    expect(simulator.contacts()).toHaveLength(0);
    simulator.failNext(1, 'lost-answer');
    await expect(contact('a@example.org')).rejects.toThrow('fetch failed');
    expect(simulator.contacts()).toHaveLength(1);
  });

  test('faults as a function', async () => {
    const flaky = await startHubspotSimulator({ faults: ({ count }) => (count % 2 === 0 ? 500 : null) });
    try {
      const statuses = [];
      for (const _ of [1, 2, 3])
        statuses.push(
          (await fetch(`${flaky.url}/crm/owners/2026-09`, { headers: { Authorization: 'Bearer x' } })).status,
        );
      expect(statuses).toEqual([200, 500, 200]);
    } finally {
      await flaky.close();
    }
  });
});

test('the journal contains what was sent; the state is a copy', async () => {
  await contact('kim@example.org');
  expect(simulator.requests()).toMatchObject([
    {
      method: 'POST',
      path: '/crm/objects/2026-09/contacts/batch/upsert',
      authorization: 'Bearer good-token',
      status: 200,
    },
  ]);
  const [copy] = simulator.contacts();
  if (copy !== undefined) copy.properties['email'] = 'changed';
  expect(simulator.contacts()[0]?.properties['email']).toBe('kim@example.org');
});

test('owners by email', async () => {
  expect((await call('GET', '/crm/owners/2026-09?email=rep%40example.com&limit=1')).body).toMatchObject({
    results: [{ id: '7001', email: 'rep@example.com' }],
  });
  expect((await call('GET', '/crm/owners/2026-09/?email=nobody%40example.com')).body).toEqual({ results: [] });
});

describe('required properties', () => {
  const rules = [
    { objectType: 'contacts', property: 'phone' },
    { objectType: 'contacts', property: 'city', when: { property: 'country', value: 'Denmark' } },
  ] as const;

  test('400 names what a new contact lacks, and what a value requires', async () => {
    simulator.requireProperties(...rules);
    const { status, body } = await contact('kim@example.org', { country: 'Denmark' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      category: 'VALIDATION_ERROR',
      errors: [
        { code: 'MISSING_REQUIRED_PROPERTY', context: { propertyName: ['phone'] } },
        {
          code: 'MISSING_CONDITIONAL_REQUIRED_PROPERTY',
          message: 'city is required because of a conditional property rule based on [country]',
          context: { propertyName: ['city'] },
        },
      ],
    });
    expect((await contact('kim@example.org', { country: 'Norway', phone: '+47 1' })).status).toBe(200);
    expect((await contact('kim@example.org', { country: 'Denmark', city: 'Aarhus' })).status).toBe(200);
  });

  test('are not asked for by numbered paths', async () => {
    simulator.requireProperties(...rules);
    const input = { idProperty: 'email', id: 'kim@example.org', properties: { country: 'Denmark' } };
    expect((await call('POST', '/crm/v3/objects/contacts/batch/upsert', { inputs: [input] })).status).toBe(200);
  });
});

test('400 for a search with more than 3,000 characters', async () => {
  const search = (length: number) =>
    call('POST', '/crm/objects/2026-09/companies/search', `{"filterGroups":[],"query":""}${' '.repeat(length - 30)}`);
  expect((await search(3_000)).status).toBe(200);
  expect((await search(3_001)).status).toBe(400);
});

test('a refused input of a batch has errors and links, a 429 a category', async () => {
  await makeKey('emails');
  const { status, body } = await upsert('emails', 'svc_event_key', { id: 'k1' });
  expect([status, body['errors']]).toEqual([
    207,
    [expect.objectContaining({ status: 'error', category: 'VALIDATION_ERROR', errors: [], links: {} })],
  ]);
  simulator.failNext(1, 'daily');
  expect((await contact('kim@example.org')).body).toMatchObject({
    category: 'RATE_LIMITS',
    correlationId: expect.any(String),
    policyName: 'DAILY',
  });
});

test('400 for a property with unique values where the portal allows none', async () => {
  const strict = await startHubspotSimulator({ refusesUniqueOn: ['emails'] });
  try {
    const make = (type: string, hasUniqueValue: boolean) =>
      fetch(`${strict.url}/crm/properties/2026-09/${type}`, {
        method: 'POST',
        headers: { Authorization: 'Bearer any' },
        body: JSON.stringify({
          ...{ name: 'key', label: 'Key', groupName: 'hubspot_defined' },
          ...{ type: 'string', fieldType: 'text', hasUniqueValue },
        }),
      });
    expect((await make('emails', true)).status).toBe(400);
    expect((await make('emails', false)).status).toBe(201);
    expect((await make('contacts', true)).status).toBe(201);
  } finally {
    await strict.close();
  }
});
