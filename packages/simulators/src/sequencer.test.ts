import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type SequencerSimulator, startSequencerSimulator } from './sequencer.ts';

let simulator: SequencerSimulator;
beforeAll(async () => {
  simulator = await startSequencerSimulator({ tokens: ['key'] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(simulator.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
const smartlead = (body: object, key = 'key') => post(`/api/v1/leads/add-domain-block-list?api_key=${key}`, body);
const instantly = (values: readonly string[], token = 'key') =>
  post('/api/v2/block-lists-entries/bulk-create', { bl_values: values }, { authorization: `Bearer ${token}` });

test('stores entries by platform, key and client; repeated ones change nothing', async () => {
  await smartlead({ domain_block_list: ['b.example', 'a@b.example'] });
  await smartlead({ domain_block_list: ['b.example'], client_id: null });
  await smartlead({ domain_block_list: ['c.example'], client_id: 42 });
  expect(await (await instantly(['d.example', 'a@d.example'])).json()).toMatchObject({
    items: [
      { bl_value: 'd.example', is_domain: true },
      { bl_value: 'a@d.example', is_domain: false },
    ],
    valid_count: 2,
    invalid_count: 0,
  });
  expect(simulator.entries({ platform: 'smartlead', token: 'key' })).toEqual(['a@b.example', 'b.example']);
  const state: unknown = await (await fetch(`${simulator.url}/__sim/state`)).json();
  expect(state).toEqual({
    blocklists: [
      { platform: 'smartlead', token: 'key', clientId: null, entries: ['a@b.example', 'b.example'] },
      { platform: 'smartlead', token: 'key', clientId: '42', entries: ['c.example'] },
      { platform: 'instantly', token: 'key', clientId: null, entries: ['a@d.example', 'd.example'] },
    ],
    counts: { requests: 4, entries: 5 },
  });
});

test('refuses a wrong key, no entries, more than 1,000 at Instantly, and any other call', async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => `${index}.example`);
  const answers = [
    smartlead({ domain_block_list: ['a.example'] }, 'other'),
    instantly(['a.example'], 'other'),
    smartlead({}),
    instantly(many),
    post('/api/v1/leads', {}),
    fetch(`${simulator.url}/api/v1/leads/add-domain-block-list?api_key=key`),
  ];
  expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([401, 401, 400, 400, 404, 404]);
  expect(simulator.state().counts.entries).toBe(0);
});

test('fails on request, before or after the entries are stored', async () => {
  simulator.failNext(1, 429, { retryAfterSeconds: 7 });
  simulator.failNext(1, 'reset');
  simulator.failNext(1, 'lost-answer');
  const limited = await smartlead({ domain_block_list: ['a.example'] });
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
  await expect(smartlead({ domain_block_list: ['b.example'] })).rejects.toThrow('fetch failed');
  await expect(smartlead({ domain_block_list: ['c.example'] })).rejects.toThrow('fetch failed');
  expect(simulator.entries({ platform: 'smartlead', token: 'key' })).toEqual(['c.example']);
});

const bearer = { authorization: 'Bearer key' };
const lemlist = (value: string, key = 'key') =>
  fetch(`${simulator.url}/api/unsubscribes/${encodeURIComponent(value)}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`:${key}`)}` },
  });

test('EmailBison takes one entry per call, and refuses one that it has', async () => {
  const add = () => post('/api/blacklisted-domains', { domain: 'a.example' }, bearer);
  const answers = [await add(), await add(), await post('/api/blacklisted-domains', {}, bearer)];
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 400]);
  expect(await answers[1]?.text()).toContain('already been taken');
  expect((await post('/api/blacklisted-emails', { email: 'k@b.example' }, bearer)).status).toBe(201);
  expect(simulator.entries({ platform: 'emailbison', token: 'key' })).toEqual(['a.example', 'k@b.example']);
});

test('lemlist takes one entry per call; with a clock, 20 calls in 2 seconds', async () => {
  expect([(await lemlist('a@b.example')).status, (await lemlist('b.example', 'other')).status]).toEqual([200, 401]);
  expect(simulator.entries({ platform: 'lemlist', token: 'key' })).toEqual(['a@b.example']);
  let nowMs = 0;
  simulator.limitCalls(() => nowMs);
  for (let count = 0; count < 20; count += 1) expect((await lemlist(`${count}.example`)).status).toBe(200);
  nowMs = 500;
  const limited = await lemlist('late.example');
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
  nowMs = 2_000;
  expect((await lemlist('late.example')).status).toBe(200);
});

test('Reply.io has a result per entry', async () => {
  simulator.refuseEntries(['c.example']);
  simulator.leaveOutEntries(['d.example']);
  const add = (...domains: string[]) =>
    post(
      '/v3/contact-blacklist-rules/domains/bulk',
      domains.map((pattern) => ({ pattern })),
      bearer,
    );
  await add('b.example');
  expect(await (await add('a.example', 'b.example', 'c.example', 'd.example')).json()).toMatchObject([
    { id: 2, error: null },
    { id: null, error: 2 },
    { id: null, error: 4 },
    { id: null, error: 5 },
  ]);
  expect(simulator.entries({ platform: 'reply-io', token: 'key' })).toEqual(['a.example', 'b.example']);
});

test('listens on loopback only', () => {
  expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
