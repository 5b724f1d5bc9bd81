/** Recorders and replays: what is recorded of a service, and how it is replayed. The service is the mock itself. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@svc/sdk';
import { setupServer } from 'msw/node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toFileText } from '../src/cassette/cassette.ts';
import {
  type Cassette,
  createMock,
  createRecorder,
  createReplay,
  type Mock,
  type RecorderOptions,
} from '../src/index.ts';
import { smartleadEvent } from './support/payloads.ts';

const NOW = '2026-03-31T12:00:00Z';
const UPSTREAM = 'https://api.example.com';
const MONTH = 'from=2026-03-01&to=2026-03-31';

let service: Mock;
const closers: (() => Promise<void>)[] = [];
let warnings: string[];
beforeEach(() => {
  service = createMock({ now: NOW, baseUrl: UPSTREAM });
  warnings = [];
  closers.push(() => service.close());
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function record(options: Partial<RecorderOptions> = {}) {
  const onWarning = (message: string) => void warnings.push(message);
  const recorder = createRecorder({ upstream: UPSTREAM, fetch: service.fetch, onWarning, ...options });
  closers.push(() => recorder.close());
  return recorder;
}

function replay(cassette: object, options: { ignoreQuery?: string[] } = {}) {
  const player = createReplay({ cassette, ...options });
  closers.push(() => player.close());
  return player;
}

interface Ask {
  readonly method?: string;
  readonly key?: string | null;
  readonly body?: unknown;
}

async function ask(
  { fetch }: { fetch: typeof globalThis.fetch },
  path: string,
  { method = 'GET', key = 'osapi_demo_write', body }: Ask = {},
) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const json: ReturnType<typeof JSON.parse> = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}

/** The JSON of a file, as a test reads it. */
const fromFile = (cassette: Cassette): object => JSON.parse(toFileText(cassette));

describe('a replay', () => {
  test('answers every recorded call as the service did, offline', async () => {
    const recorder = record();
    const calls: [string, Ask?][] = [
      ['/api/v1/me'],
      ['/api/v1/account/status'],
      [`/api/v1/syncs?${MONTH}&limit=3`],
      ['/api/v1/syncs/999999'],
      ['/api/v1/syncs'],
      ['/api/v1/me', { key: 'osapi_wrong' }],
      ['/api/v1/openapi.yaml', { key: null }],
      ['/health/ready', { key: null }],
      ['/nowhere'],
      ['/api/v1/me', { method: 'HEAD' }],
    ];
    const recorded = [];
    for (const [path, options] of calls) recorded.push(await ask(recorder, path, options));
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 404, 400, 401, 200, 200, 404, 200]);
    expect(warnings).toEqual([]);
    await service.close();

    const player = replay(fromFile(recorder.cassette()));
    for (const [index, [path, options]] of calls.entries()) {
      const { status, json, text, headers } = await ask(player, path, options);
      const before = recorded[index];
      const local = JSON.parse(JSON.stringify(before?.json ?? null).replaceAll(UPSTREAM, 'http://127.0.0.1:4010'));
      expect([path, status, json ?? null]).toEqual([path, before?.status, local]);
      if (json === undefined) expect(text).toBe(before?.text.replaceAll(UPSTREAM, 'http://127.0.0.1:4010'));
      for (const name of ['content-type', 'retry-after', 'www-authenticate']) {
        expect(headers.get(name)).toBe(before?.headers.get(name) ?? null);
      }
      expect(headers.has('service-request-id')).toBe(before?.headers.has('service-request-id'));
    }
    expect(player.unmatched()).toEqual([]);
  });

  test('serves the SDK: pages follow their cursors, writes and their effects come in order', async () => {
    const flow = async (fetch: typeof globalThis.fetch) => {
      const client = createClient({ baseUrl: UPSTREAM, apiKey: 'osapi_demo_write', fetch, now: () => Date.parse(NOW) });
      const syncs = await client.syncs
        .list({ from: '2026-03-01', to: '2026-03-31', pageSize: 7 })
        .toArray({ limit: 30 });
      const before = await client.webhooks.list();
      const made = await client.webhooks.create({ url: 'https://hooks.mine.example/' });
      const after = await client.webhooks.list();
      return {
        ids: syncs.map(({ id }) => id),
        before: before.webhooks.length,
        id: made.id,
        after: after.webhooks.length,
      };
    };
    const recorder = record();
    const recorded = await flow(recorder.fetch);
    expect(recorded.ids).toHaveLength(30);
    expect(recorded.after).toBe(recorded.before + 1);
    expect(await flow(replay(fromFile(recorder.cassette())).fetch)).toEqual(recorded);
  });

  test('gives equal calls their answers in order, then the last one again; reset starts anew', async () => {
    const recorder = record();
    service.faults.add({ nth: 1, times: 1, effect: { kind: 'status', status: 503, retryAfterSeconds: 1 } });
    service.faults.add({ nth: 2, times: 1, effect: { kind: 'status', status: 500 } });
    const statuses = async (from: { fetch: typeof fetch }, count: number) => {
      const all = [];
      for (let call = 0; call < count; call += 1) all.push((await ask(from, '/api/v1/me')).status);
      return all;
    };
    expect(await statuses(recorder, 3)).toEqual([503, 500, 200]);
    const player = replay(fromFile(recorder.cassette()));
    expect(await statuses(player, 5)).toEqual([503, 500, 200, 200, 200]);
    player.reset();
    expect(await statuses(player, 1)).toEqual([503]);
  });

  test('ignores the order of the query and of JSON fields, and the key', async () => {
    const recorder = record();
    const url = 'https://hooks.mine.example/a';
    await ask(recorder, `/api/v1/syncs?${MONTH}&status=error&limit=2`);
    await ask(recorder, '/api/v1/webhooks', { method: 'POST', body: { url, description: 'x' } });
    const player = replay(fromFile(recorder.cassette()));
    const asked = await ask(player, `/api/v1/syncs?limit=2&status=error&to=2026-03-31&from=2026-03-01`, {
      key: 'other',
    });
    expect([asked.status, asked.json.data.length]).toEqual([200, 2]);
    const body = { description: 'x', url };
    expect((await ask(player, '/api/v1/webhooks', { method: 'POST', body })).status).toBe(200);
    expect(
      (await ask(player, '/api/v1/webhooks', { method: 'POST', body: { ...body, description: 'y' } })).status,
    ).toBe(501);
  });

  test('answers 501 to a call that was not recorded and names the nearest recorded one', async () => {
    const recorder = record();
    await ask(recorder, '/api/v1/sources');
    await ask(recorder, `/api/v1/syncs?${MONTH}&limit=2`);
    const player = replay(fromFile(recorder.cassette()));
    const { status, json, headers } = await ask(player, `/api/v1/syncs?${MONTH}&limit=3&status=error`);
    const message =
      'The cassette has no answer for GET /api/v1/syncs?from=2026-03-01&limit=3&status=error&to=2026-03-31. The nearest recorded request is GET /api/v1/syncs?from=2026-03-01&limit=2&to=2026-03-31 (limit was 3, recorded 2; status was error, recorded absent).';
    expect([status, json]).toEqual([501, { statusCode: 501, message, error: 'Not Implemented' }]);
    expect(headers.get('svc-mock-hint')).toBe(message);
    expect((await ask(player, '/api/v1/sources', { method: 'POST' })).json.message).toContain(
      'The nearest recorded request is GET /api/v1/sources (the method was POST, recorded GET).',
    );
    const moved = await ask(player, '/api/v1/syncs?from=2026-04-01&to=2026-04-30&limit=2');
    expect(moved.json.message).toMatch(
      /\(from was 2026-04-01, recorded 2026-03-01; to was 2026-04-30, recorded 2026-03-31\)\. To accept other times: --ignore-query from,to/,
    );
    expect(player.unmatched()).toHaveLength(3);
    const empty = replay({ ...recorder.cassette(), interactions: [] });
    expect((await ask(empty, '/api/v1/me')).json.message).toBe(
      'The cassette has no answer for GET /api/v1/me. It is empty.',
    );
  });

  test.each([
    ['while recording', { ignoreQuery: ['from', 'to'] }, {}],
    ['while replaying', {}, { ignoreQuery: ['to', 'from'] }],
  ])('accepts other times when from and to were ignored %s', async (_name, recording, replaying) => {
    const recorder = record(recording);
    const { json } = await ask(recorder, `/api/v1/syncs?${MONTH}&limit=2`);
    const player = replay(fromFile(recorder.cassette()), replaying);
    const later = await ask(player, '/api/v1/syncs?from=2027-01-01&limit=2&to=2027-01-07');
    expect(later.json).toEqual(json);
    expect((await ask(player, '/api/v1/syncs?from=2027-01-01&limit=5')).status).toBe(501);
  });

  test('refuses what is no cassette', () => {
    expect(() => createReplay({ cassette: { interactions: [] } })).toThrow('This is not a cassette: format: must be');
    expect(() => createReplay({ cassette: { ...record().cassette(), version: 2 } })).toThrow('update @svc/mock');
    expect(() => createReplay({ cassette: [] })).toThrow('This is not a cassette: the file:');
  });

  test('works behind MSW, and on a port with /__svc/health and /__svc/reset', async () => {
    const recorder = record();
    await ask(recorder, '/api/v1/me');
    const player = replay(fromFile(recorder.cassette()));
    const { url } = await player.listen();
    expect(await (await fetch(`${url}/__svc/health`)).json()).toEqual({ status: 'ok' });
    const me = await (await fetch(`${url}/api/v1/me`)).json();
    expect(me).toMatchObject({ links: { sources: { href: `${url}/api/v1/sources` } } });
    expect((await fetch(`${url}/api/v1/you`)).status).toBe(501);
    expect((await fetch(`${url}/__svc/reset`, { method: 'POST' })).status).toBe(204);
    expect(player.unmatched()).toEqual([]);
    const clock = await fetch(`${url}/__svc/clock`);
    expect([clock.status, await clock.json()]).toMatchObject([404, { message: expect.stringContaining('no worlds') }]);

    const server = setupServer(...player.handlers('https://replayed.example.com'));
    server.listen({ onUnhandledFrame: 'error' });
    const response = await fetch('https://replayed.example.com/api/v1/me');
    server.close();
    expect(await response.json()).toMatchObject({
      links: { sources: { href: 'https://replayed.example.com/api/v1/sources' } },
    });
  });
});

describe('a recorder', () => {
  test('passes method, path, query, headers and body on, and answers what the service answered', async () => {
    const recorder = record();
    const body = { url: 'https://hooks.mine.example/secret/path', description: 'ä' };
    const direct = await ask(service, '/api/v1/me');
    const passed = await ask(recorder, '/api/v1/me');
    expect(passed.text).toBe(direct.text);
    const made = await ask(recorder, '/api/v1/webhooks', { method: 'POST', body });
    expect(made.json).toMatchObject({ ...body, secret: expect.stringMatching(/^oswhsec_\w{20,}/) });
    service.verify({ operation: 'createWebhook', keyName: 'Operations', body, times: 1 });
  });

  test('leads links to itself when it listens, and answers only calls from this machine', async () => {
    const recorder = record();
    const { url } = await recorder.listen();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { Authorization: 'Bearer osapi_demo_read' };
    const me = await fetch(`${url}/api/v1/me`, { headers });
    expect(await me.json()).toMatchObject({ links: { sources: { href: `${url}/api/v1/sources` } } });
    expect(me.headers.get('link')).toContain(`<${url}/api/v1/openapi.json>`);
    expect((await fetch(`${url}/__svc/clock`)).status).toBe(404);
    expect(JSON.stringify(recorder.cassette())).not.toContain('127.0.0.1');
  });

  test.each(['http://localhost:4000', 'http://127.0.0.1:4000'])(
    'takes links to %s for links to the service',
    async (link) => {
      const recorder = record({
        upstream: 'http://localhost:4000',
        fetch: () => Promise.resolve(Response.json([`${link}/x`, `${link}1/x`, 'http://localhost.example:4000'])),
      });
      await ask(recorder, '/other');
      expect(recorder.cassette().interactions[0]?.answer.json).toEqual([
        'https://upstream.invalid/x',
        `${link}1/x`,
        'http://localhost.example:4000',
      ]);
    },
  );

  test('records no secret: keys, signing secrets, URLs of sources and customers', async () => {
    const recorder = record();
    const key = 'osapi_demo_write';
    await ask(recorder, '/api/v1/webhooks', {
      method: 'POST',
      body: { url: 'https://hooks.slack.com/T01/B02/x3cr3t' },
    });
    await ask(recorder, '/api/v1/sources');
    await ask(recorder, '/api/v1/destinations');
    await ask(recorder, `/api/v1/requests?${MONTH}`);
    await ask(recorder, `/api/v1/me?api_key=${key}`);
    await ask(recorder, '/webhooks/demo-smartlead', { method: 'POST', key: null, body: smartleadEvent('EMAIL_SENT') });
    const text = toFileText(recorder.cassette());
    for (const secret of [key, 'authorization', 'x3cr3t', 'demo-smartlead', 'Bearer osapi']) {
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    }
    expect(text).not.toMatch(/oswhsec_(?!REDACTED)/);
    expect(text).toContain('"secret": "oswhsec_REDACTED"');
    expect(text).toMatch(/"path": "\/webhooks\/redacted-[\da-f]{10}"/);

    const player = replay(JSON.parse(text));
    const post = { method: 'POST', key: null, body: smartleadEvent('EMAIL_SENT') };
    expect((await ask(player, '/webhooks/demo-smartlead', post)).status).toBe(200);
    expect((await ask(player, '/webhooks/demo-other', post)).status).toBe(501);
    expect((await ask(player, '/api/v1/me?api_key=another')).status).toBe(200);
  });

  test('replaces addresses by pseudonyms when asked to, and matches both', async () => {
    const email = service.db.syncs.findFirst()?.toEmail ?? '';
    const path = `/api/v1/contacts/outreach?email=${encodeURIComponent(email)}`;
    const plain = record();
    await ask(plain, path);
    expect(toFileText(plain.cassette())).toContain(email);
    const recorder = record({ redactEmails: true });
    await ask(recorder, path);
    await ask(recorder, `/api/v1/syncs?${MONTH}`);
    const text = toFileText(recorder.cassette());
    expect(text.match(/[\w.+-]+@[\w-]+\.[\w.-]+/g)?.filter((each) => !each.endsWith('@redacted.example'))).toEqual([]);
    const player = replay(JSON.parse(text));
    const { json, status } = await ask(player, path);
    expect([status, json.query.email]).toEqual([200, expect.stringMatching(/^person-[\da-f]{10}@redacted\.example$/)]);
    expect((await ask(player, `/api/v1/contacts/outreach?email=${json.query.email}`)).json).toEqual(json);
  });

  test('makes the same cassette of the same calls in any order', async () => {
    const paths = ['/api/v1/sources', '/api/v1/me', `/api/v1/syncs?limit=1&${MONTH}`, '/api/v1/webhooks'];
    const one = record({ ignoreQuery: ['to', 'from'] });
    for (const path of paths) await ask(one, path);
    const other = record({ ignoreQuery: ['from', 'to'] });
    await Promise.all(paths.toReversed().map((path) => ask(other, path)));
    expect(toFileText(other.cassette())).toBe(toFileText(one.cassette()));
    expect(toFileText(one.cassette())).toMatch(
      /^\{\n {2}"format": "svc-mock cassette",\n {2}"version": 1,[\s\S]*\}\n$/,
    );
  });

  test('keeps equal calls in the order of their arrival', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let count = 0;
    const recorder = record({
      fetch: async () => {
        const number = count;
        count += 1;
        await gates[number]?.promise;
        return Response.json({ number });
      },
    });
    const both = [ask(recorder, '/other'), ask(recorder, '/other')];
    await expect.poll(() => count).toBe(2);
    gates[1]?.resolve();
    await both[1];
    gates[0]?.resolve();
    await both[0];
    expect(recorder.cassette().interactions.map(({ answer }) => answer.json)).toEqual([{ number: 0 }, { number: 1 }]);
  });

  test.each<[string, () => Promise<Response>, RegExp]>([
    [
      'refuses the connection',
      () =>
        Promise.reject(
          new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
        ),
      /^svc-mock record: https:\/\/api\.example\.com did not answer \(ECONNREFUSED\)\.$/,
    ],
    [
      'does not answer in time',
      () => Promise.reject(new DOMException('x', 'TimeoutError')),
      /did not answer \(the time limit is over\)\.$/,
    ],
    [
      'sends no text',
      () => Promise.resolve(new Response(new Uint8Array([0xff, 0xfe, 0xfd]))),
      /is not text in UTF-8\.$/,
    ],
    [
      'sends more than 16 MiB',
      () => Promise.resolve(new Response('x'.repeat(16 * 1024 * 1024 + 1))),
      /The answer is larger than 16777216 bytes\.$/,
    ],
  ])('a service that %s is a 502, which is not recorded', async (_name, fetch, message) => {
    const recorder = record({ fetch });
    const { status, json } = await ask(recorder, '/api/v1/me');
    expect([status, json.error, json.message]).toEqual([502, 'Bad Gateway', expect.stringMatching(message)]);
    expect(recorder.cassette().interactions).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^GET \/api\/v1\/me: .* Nothing was recorded\.$/)]);
  });

  test('records failures and redirects of the service as answers', async () => {
    const recorder = record({
      fetch: () =>
        Promise.resolve(new Response('Gone away', { status: 302, headers: { Location: `${UPSTREAM}/login` } })),
    });
    expect((await ask(recorder, '/elsewhere')).status).toBe(302);
    expect(recorder.cassette().interactions[0]?.answer).toEqual({
      status: 302,
      headers: { 'content-type': 'text/plain;charset=UTF-8', location: 'https://upstream.invalid/login' },
      text: 'Gone away',
    });
  });

  test.each<[string, unknown, number, string]>([
    [
      'a missing field',
      { account: { id: 1 } },
      200,
      'The answer to GET /api/v1/me differs from the contract: account.email: Invalid input: expected string, received undefined',
    ],
    [
      'an undeclared status',
      {},
      201,
      'The answer to GET /api/v1/me differs from the contract: status 201 is not declared',
    ],
    [
      'another error body',
      { oops: true },
      500,
      'The answer to GET /api/v1/me differs from the contract: the 500 has no error body',
    ],
  ])('warns of an answer with %s, once, and records it', async (_name, body, status, warning) => {
    const recorder = record({ fetch: () => Promise.resolve(Response.json(body, { status })) });
    await ask(recorder, '/api/v1/me');
    await ask(recorder, '/api/v1/me');
    expect(warnings).toContain(warning);
    expect(new Set(warnings).size).toBe(warnings.length);
    expect(recorder.cassette().interactions).toHaveLength(2);
  });

  test.each([
    'ftp://api.example.com',
    'api.example.com',
    'https://user:pass@api.example.com',
    'https://api.example.com/?a=1',
    'https://api.example.com/api/v1/',
    'file:///etc/passwd',
  ])('refuses the upstream %s', (upstream) => {
    expect(() => record({ upstream })).toThrow('The upstream must');
  });

  test('refuses a body that is larger than any the service takes', async () => {
    const recorder = record();
    const body = 'x'.repeat(50 * 1024 * 1024);
    expect((await ask(recorder, '/webhooks/demo-smartlead', { method: 'POST', body })).status).toBe(413);
    expect(recorder.cassette().interactions).toEqual([]);
  });
});

describe('the file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc cassette '));
    closers.push(() => Promise.resolve(rmSync(folder, { recursive: true })));
  });

  test('is written as the recording goes, whole at any time, and complete after close', async () => {
    const output = join(folder, 'cassette.json');
    writeFileSync(output, 'old');
    const recorder = record({ output });
    const recordedIn = () => (JSON.parse(readFileSync(output, 'utf8')) as Cassette).interactions.length;
    await ask(recorder, '/api/v1/me');
    await expect.poll(() => readFileSync(output, 'utf8').startsWith('{') && recordedIn()).toBe(1);
    for (let id = 1; id <= 20; id += 1) await ask(recorder, `/api/v1/syncs/${id}`);
    expect(recordedIn()).toBeGreaterThan(0);
    await recorder.close();
    expect(readFileSync(output, 'utf8')).toBe(toFileText(recorder.cassette()));
    expect(recordedIn()).toBe(21);
    expect(readdirSync(folder)).toEqual(['cassette.json']);
  });

  test('that cannot be written makes close fail', async () => {
    const recorder = createRecorder({
      upstream: UPSTREAM,
      fetch: service.fetch,
      output: join(folder, 'none', 'c.json'),
    });
    await ask(recorder, '/api/v1/me');
    await expect(recorder.close()).rejects.toThrow('ENOENT');
  });

  test('is not written when nothing was recorded', async () => {
    await record({ output: join(folder, 'c.json') }).close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
