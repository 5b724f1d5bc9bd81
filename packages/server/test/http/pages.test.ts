/** The HTML pages: content, content security policy and caching. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { STATUS_CODES } from '@svc/domain/errors/status-codes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const [pglite] = backends;
if (!pglite) throw new Error('there is no embedded database');

const STATIC_PAGES = ['/', '/docs/status-codes'];

describe('pages', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(pglite, { rateLimit: 'on' });
  });
  afterAll(async () => {
    await server.close();
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers, redirect: 'manual' });

  test.each([...STATIC_PAGES, '/docs'])('%s is HTML that cannot be framed, and is not rate limited', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('ratelimit')).toBeNull();
    const policy = (answer.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join()).not.toMatch(/unsafe-eval|https?:|\*/);
    expect(policy.find((directive) => directive.startsWith('script-src'))).toBe(
      path === '/docs' ? "script-src 'self'" : undefined,
    );
  });

  test.each([...STATIC_PAGES, '/docs'])('%s is a 304 for a client that has it', async (path) => {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    expect([first.headers.get('cache-control'), etag]).toEqual(['no-cache', expect.stringMatching(/^".{10,}"$/)]);
    const again = await raw(server.url + path, { 'if-none-match': etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await raw(server.url + path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test.each(STATIC_PAGES)('%s loads nothing: its policy allows only its one style sheet', async (path) => {
    const answer = await get(path);
    const html = await answer.text();
    expect(html).not.toMatch(/<script|<img|<iframe|<form|\bon\w+=|\bstyle="/i);
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
  });

  test('explains every status code at its docUrl', async () => {
    const html = await (await get('/docs/status-codes')).text();
    for (const [code, { kind, meaning, fix }] of Object.entries(STATUS_CODES)) {
      const [, section = ''] = new RegExp(`<section id="${code}">([^]*?)</section>`).exec(html) ?? [];
      for (const text of [`<code>${code}</code>`, kind, meaning, fix]) expect(section).toContain(text);
    }
    expect(html.match(/<section/g)).toHaveLength(Object.keys(STATUS_CODES).length);
  });

  describe('the reference', () => {
    const scripts = async () => {
      const html = await (await get('/docs')).text();
      return [...html.matchAll(/<script src="([^"]+)"/g)].map(([, source = '']) => source);
    };

    test('uses relative URLs only, so that it works below any prefix', async () => {
      const html = await (await get('/docs')).text();
      const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);
      expect(addresses.filter((address) => !address.startsWith('data:')).length).toBeGreaterThan(3);
      for (const address of addresses) expect(address).not.toMatch(/^(\/|https?:)/);
      const withSlash = await get('/docs/');
      expect([withSlash.status, withSlash.headers.get('location')]).toEqual([308, '../docs']);
    });

    test('its scripts are cached forever under a URL with their hash', async () => {
      expect(await scripts()).toHaveLength(2);
      for (const source of await scripts()) {
        const answer = await get(`/${source}`);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        await answer.arrayBuffer();
        const [path = ''] = source.split('?');
        for (const other of [path, `${path}?v=older`]) {
          const headers = (await get(`/${other}`, { 'if-none-match': '"older"' })).headers;
          expect(headers.get('cache-control')).toBe('no-cache');
        }
      }
    });

    test('compresses the large script for clients that accept it, with an ETag per encoding', async () => {
      const [source = ''] = await scripts();
      const gzipped = await raw(`${server.url}/${source}`, { 'accept-encoding': 'gzip, br' });
      const plain = await raw(`${server.url}/${source}`, {});
      expect([gzipped.headers['content-encoding'], plain.headers['content-encoding']]).toEqual(['gzip', undefined]);
      expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
      expect(gzipped.body.length).toBeLessThan(plain.body.length / 2);
      expect(gzipped.headers['etag']).not.toBe(plain.headers['etag']);
      for (const { headers } of [gzipped, plain]) expect(headers['vary']).toBe('Accept-Encoding');
      const again = await raw(`${server.url}/${source}`, {
        'accept-encoding': 'gzip',
        'if-none-match': String(gzipped.headers['etag']),
      });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    });

    test('features that call other services are switched off', async () => {
      const [, source = ''] = await scripts();
      const script = await (await get(`/${source}`)).text();
      for (const setting of [
        'withDefaultFonts: false',
        'telemetry: false',
        "proxyUrl: ''",
        'agent: { disabled: true }',
        'mcp: { disabled: true }',
        'persistAuth: false',
      ]) {
        expect(script).toContain(setting);
      }
      expect(script).not.toMatch(/https?:/);
    });
  });

  test('404 for another method, another letter case and a path below', async () => {
    for (const path of ['/', '/docs']) {
      expect((await fetch(server.url + path, { method: 'POST' })).status).toBe(404);
    }
    for (const path of ['/Docs', '/docs/nothing', '/docs/status-codes/', '/docs/../../etc/passwd']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('pages with an admin app elsewhere', () => {
  const url = 'https://admin.example.com/app';
  let server: TestServer;
  beforeAll(async () => {
    const env = { SVC_DASHBOARD: 'off', SVC_DASHBOARD_URL: url, SVC_SYNC_URL: 'https://in.example.com' };
    server = await startTestServer(pglite, { env, hasPublishedKeys: true });
  });
  afterAll(async () => {
    await server.close();
  });

  test('404 for the dashboard; remediations and the index lead there', async () => {
    const answer = await fetch(`${server.url}/dashboard/connections/3`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { statusCode: 404, message: 'No such route', error: 'Not Found' },
    ]);
    const { json } = await server.get('getAccountStatus', '/api/v1/account/status');
    expect(json.blockers[0].remediation).toContain(`: ${url}/connections/3`);
    expect(await (await fetch(server.url)).text()).toContain(`href="${url}"`);
  });

  test('with published keys, 403 for a Host that is neither this machine nor a configured address', async () => {
    const port = new URL(server.url).port;
    const statuses = async (host: string) => {
      const seen: number[] = [];
      for (const path of ['/api/v1/me', '/health/live', '/nothing', '/docs', '/webhooks/demo-smartlead']) {
        const method = path.startsWith('/webhooks') ? 'POST' : 'GET';
        const headers = { host, authorization: 'Bearer osapi_demo_read' };
        // `fetch` does not let a caller choose `Host`.
        const outgoing = request(server.url + path, { method, headers }).end(method === 'POST' ? '{}' : undefined);
        const [answer]: IncomingMessage[] = await once(outgoing, 'response');
        if (answer === undefined) throw new Error('there is no answer');
        seen.push(answer.statusCode ?? 0);
        const body = await text(answer);
        if (answer.statusCode === 403) expect(JSON.parse(body).message).toContain('set SVC_PUBLIC_URL');
      }
      return seen;
    };
    const accepted = [`localhost:${port}`, `[::1]:${port}`, 'svc.localhost', 'in.example.com', 'admin.example.com:443'];
    for (const host of accepted) expect([host, await statuses(host)]).toEqual([host, [200, 200, 404, 200, 200]]);
    for (const host of [`rebound.example.com:${port}`, 'localhost.example.com', 'example.com']) {
      expect([host, await statuses(host)]).toEqual([host, [403, 403, 403, 403, 403]]);
    }
  });

  test('/metrics of a server with a public address is closed without a token, even on this machine', async () => {
    const ask = async (headers: Record<string, string>) => (await fetch(`${server.url}/metrics`, { headers })).json();
    expect(await ask({})).toEqual({
      statusCode: 403,
      message: expect.stringContaining('set SVC_METRICS_TOKEN'),
      error: 'Forbidden',
    });
    expect(await ask({ 'x-forwarded-for': '192.0.2.7' })).toMatchObject({ statusCode: 404 });
  });
});

/** Without what `fetch` adds (`Cache-Control` to a conditional request) and undoes (compression). */
function raw(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}
