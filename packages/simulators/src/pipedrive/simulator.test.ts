import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from './simulator.ts';

/** What the official client does not show: limits, headers, faults, the search index. */
let simulator: PipedriveSimulator;
let nowMs = 0;
beforeAll(async () => {
  simulator = await startPipedriveSimulator({ now: () => new Date(nowMs) });
});
afterAll(() => simulator.close());
beforeEach(() => {
  nowMs = Date.UTC(2026, 2, 1);
  simulator.reset();
});

function call(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${simulator.url}${path}`, {
    method,
    headers: { 'x-api-token': 't' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const emails = [{ value: 'kim@example.org', primary: true, label: 'work' }];
const search = async () => {
  const path = '/api/v2/persons/search?term=kim@example.org&fields=email&exact_match=true';
  const { data }: { data: { items: unknown[] } } = JSON.parse(await (await call('GET', path)).text());
  return data.items.length;
};

test('POST answers 200 in both versions; unknown paths are a page', async () => {
  const person = await call('POST', '/api/v2/persons', { name: 'Kim', emails });
  expect(person.status).toBe(200);
  const { data }: { data: { id: number } } = JSON.parse(await person.text());
  expect((await call('POST', '/api/v1/notes', { content: 'x', person_id: data.id })).status).toBe(200);
  const unknown = await call('GET', '/api/v2/users/me');
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
});

test('search lags behind while frozen, lists do not', async () => {
  simulator.freezeSearch(true);
  await call('POST', '/api/v2/persons', { name: 'Kim', emails });
  expect(await search()).toBe(0);
  const listed: { data: unknown[] } = JSON.parse(await (await call('GET', '/api/v2/persons')).text());
  expect(listed.data).toHaveLength(1);
  simulator.freezeSearch(false);
  expect(await search()).toBe(1);
});

test.each([
  ['a name that is missing', 'POST', '/api/v2/persons', {}, 400],
  ['a first name, which cannot be written', 'POST', '/api/v2/persons', { name: 'Kim', first_name: 'Kim' }, 400],
  ['a field of the contact sync', 'POST', '/api/v2/persons', { name: 'Kim', job_title: 'CEO' }, 403],
  [
    'a marketing status without the add-on',
    'POST',
    '/api/v2/persons',
    { name: 'Kim', marketing_status: 'archived' },
    403,
  ],
  ['an unknown own field', 'POST', '/api/v2/persons', { name: 'Kim', custom_fields: { ab: 'x' } }, 400],
  ['an unknown type', 'POST', '/api/v2/activities', { subject: 'x', type: 'nope' }, 400],
  ['a person outside of the participants', 'POST', '/api/v2/activities', { subject: 'x', person_id: 1 }, 400],
  ['a note of nobody', 'POST', '/api/v1/notes', { content: 'x' }, 400],
  ['a note of an unknown person', 'POST', '/api/v1/notes', { content: 'x', person_id: 99 }, 404],
])('%s is refused', async (_, method, path, body, status) => {
  const answer = await call(method, path, body);
  expect(answer.status).toBe(status);
  expect(JSON.parse(await answer.text())).toMatchObject({ success: false, error: expect.any(String) });
  expect(simulator.state().counts).toMatchObject({ persons: 0, activities: 0, notes: 0 });
});

describe('limits', () => {
  test('calls within two seconds, with the headers of a live account', async () => {
    simulator.setRateLimit({ burst: 2 });
    const first = await call('GET', '/api/v1/users/me');
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '2',
      'x-correlation-id': expect.any(String),
    });
    await call('GET', '/api/v1/users/me');
    nowMs += 1_999;
    expect((await call('GET', '/api/v1/users/me')).status).toBe(429);
    nowMs += 1;
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
  });

  test('ten searches within two seconds', async () => {
    simulator.setRateLimit({ burst: 100 });
    const path = '/api/v2/persons/search?term=kim@example.org&fields=email';
    const statuses = await Promise.all(Array.from({ length: 11 }, async () => (await call('GET', path)).status));
    expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
  });

  test('tokens of the day, by what each call costs', async () => {
    simulator.setRateLimit({ burst: 100, dailyTokens: 40 });
    const remaining = async (method: string, path: string, body?: unknown) =>
      (await call(method, path, body)).headers.get('x-daily-ratelimit-token-remaining');
    expect(await remaining('POST', '/api/v2/persons', { name: 'Kim', emails })).toBe('35');
    expect(await remaining('GET', '/api/v2/persons/search?term=kim@example.org')).toBe('15');
    expect(await remaining('GET', '/api/v2/persons/1')).toBe('14');
    expect(await remaining('GET', '/api/v2/persons')).toBe('4');
    expect(await remaining('GET', '/api/v1/users/me')).toBe('2');
    const over = await call('POST', '/api/v2/persons', { name: 'Lou' });
    expect([over.status, over.headers.get('x-daily-ratelimit-token-remaining')]).toEqual([429, '0']);
    expect(simulator.state().counts).toMatchObject({ tokens: 38, refusals: 1, persons: 1 });
  });

  test('Cloudflare answers a caller that goes on', async () => {
    simulator.setRateLimit({ burst: 1, cloudflareAfter: 2 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await call('GET', '/api/v1/users/me')).status);
    expect(statuses).toEqual([200, 429, 429, 403]);
    expect(await (await call('GET', '/api/v1/users/me')).text()).toContain('Cloudflare');
  });
});

test('a deleted person is shown for a while, and then is gone', async () => {
  await call('POST', '/api/v2/persons', { name: 'Kim', emails });
  await call('DELETE', '/api/v2/persons/1');
  expect(JSON.parse(await (await call('GET', '/api/v2/persons/1')).text())).toMatchObject({
    data: { is_deleted: true },
  });
  expect(await search()).toBe(0);
  simulator.purgePerson(1);
  expect((await call('GET', '/api/v2/persons/1')).status).toBe(404);
});

test('failures on command', async () => {
  simulator.failNext(1, 'daily');
  simulator.failNext(1, 'cloudflare');
  simulator.failNext(1, 402);
  const answers = [];
  for (let count = 0; count < 4; count += 1) answers.push((await call('GET', '/api/v1/users/me')).status);
  expect(answers).toEqual([429, 403, 402, 200]);
});
