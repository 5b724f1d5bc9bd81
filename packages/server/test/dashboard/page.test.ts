/** The page of the dashboard and its files: headers, encodings, paths, and where they are served. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { anyBackend } from '@svc/engine/test/backends';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.ts';

const SCRIPT = '/dashboard/assets/index-a1b2c3d4.js';
const PAGES = [
  '/dashboard',
  '/dashboard/',
  '/dashboard/connections/3',
  '/dashboard/accounts/1/logs',
  '/dashboard/welcome',
];

describe('the page', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyBackend, { rateLimit: 'on' });
  });
  afterAll(() => server.close());

  test.each(PAGES)('%s is the page, with a policy that allows only own scripts and no text as script', async (page) => {
    const answer = await raw(server.url, page);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-cache',
      },
    });
    expect(answer.headers['ratelimit']).toBeUndefined();
    expect(answer.body.toString()).toContain('<base href="/dashboard/">');
    const again = await raw(server.url, page, { 'if-none-match': String(answer.headers['etag']) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test.each([
    ['br', 'br, gzip', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    [undefined, 'identity', (body: Buffer) => body],
  ])('a script is sent as %s to clients that accept %s', async (encoding, accepted, decompress) => {
    const headers = { 'accept-encoding': accepted };
    const answer = await raw(server.url, SCRIPT, headers);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      vary: 'Accept-Encoding',
    });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(decompress(answer.body).toString()).toMatch(/^\/\/ A script that is worth compressing/);
    const again = await raw(server.url, SCRIPT, { ...headers, 'if-none-match': String(answer.headers['etag']) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test('each encoding has an ETag of its own', async () => {
    const etags = ['br', 'gzip', 'identity'].map(async (accepted) => {
      return (await raw(server.url, SCRIPT, { 'accept-encoding': accepted })).headers['etag'];
    });
    expect(new Set(await Promise.all(etags)).size).toBe(3);
  });

  test('a file whose name does not change with its content is asked for again', async () => {
    const { headers } = await raw(server.url, '/dashboard/icon.svg');
    expect([headers['content-type'], headers['cache-control']]).toEqual(['image/svg+xml', 'no-cache']);
  });

  test.each([
    '/dashboard/index.html',
    '/dashboard/assets/',
    '/dashboard/assets/other.js',
    '/dashboard/assets/nothing',
    '/dashboard/../package.json',
    '/dashboard/..%2f..%2fpackage.json',
    '/dashboard/%2e%2e/%2e%2e/package.json',
    '/dashboard/assets/../../../package.json',
    '/dashboard/assets/..%5c..%5cindex.html',
    '/dashboard/assets/%00.js',
    '/dashboard//etc/passwd.txt',
    '/dashboard/.vite/manifest.json',
    '/dashboards',
    '/Dashboard',
  ])('404 for %s', async (target) => {
    const answer = await raw(server.url, target);
    expect([answer.status, answer.body.toString()]).toEqual([404, expect.not.stringContaining('<html')]);
  });

  test('404 for other methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect([method, (await raw(server.url, '/dashboard', {}, method)).status]).toEqual([method, 404]);
    }
  });
});

describe('below a prefix that a proxy takes away', () => {
  let server: TestServer;
  let proxy: PrefixProxy;
  beforeAll(async () => {
    proxy = await startPrefixProxy('/some/prefix');
    server = await startTestServer(anyBackend, { env: { SVC_DASHBOARD_URL: `${proxy.url}/dashboard` } });
    proxy.target = server.url;
  });
  afterAll(async () => {
    await server.close();
    await proxy.close();
  });

  test('the page names the prefix, and its relative addresses lead to its files', async () => {
    const html = (await raw(proxy.url, '/dashboard/connections/3')).body.toString();
    const base = new URL(/<base href="([^"]*)">/.exec(html)?.[1] ?? '', proxy.url);
    expect(base.href).toBe(`${proxy.url}/dashboard/`);
    const addresses = [...html.matchAll(/(?:src|href)="(\.[^"]*)"/g)].map(([, address = '']) => new URL(address, base));
    expect(addresses).toHaveLength(3);
    for (const { href } of addresses) expect([href, (await fetch(href)).status]).toEqual([href, 200]);
  });

  test('a user signs in there, and the cookie is for the prefix only', async () => {
    const user = await signIn({ url: proxy.url, running: server.running }, { email: 'kim@example.com', role: 'admin' });
    const { json } = await user.call('GET', 'session');
    expect(json.user).toMatchObject({ email: 'kim@example.com', role: 'admin' });
  });
});

describe('SVC_DASHBOARD', () => {
  const statusesOf = async (url: string | null) => {
    if (url === null) throw new Error('there is no administrative listener');
    const paths = ['/dashboard', SCRIPT, '/dashboard/api/session'];
    return Promise.all(paths.map(async (target) => (await raw(url, target)).status));
  };

  test('admin: at the administrative listener only, whose address links have', async () => {
    const env = { SVC_DASHBOARD: 'admin', SVC_ADMIN_PORT: '0' };
    const server = await startTestServer(anyBackend, { env });
    try {
      expect(await statusesOf(server.adminUrl)).toEqual([200, 200, 200]);
      expect(await statusesOf(server.url)).toEqual([404, 404, 404]);
      expect(server.running.ctx.urls.dashboard).toBe(`${server.adminUrl}/dashboard`);
    } finally {
      await server.close();
    }
  });

  test('on: not at the administrative listener', async () => {
    const server = await startTestServer(anyBackend, { env: { SVC_ADMIN_PORT: '0' } });
    try {
      expect(await statusesOf(server.url)).toEqual([200, 200, 200]);
      expect(await statusesOf(server.adminUrl)).toEqual([404, 404, 404]);
    } finally {
      await server.close();
    }
  });

  test('off: nowhere', async () => {
    const server = await startTestServer(anyBackend, { env: { SVC_DASHBOARD: 'off', SVC_ADMIN_PORT: '0' } });
    try {
      expect(await statusesOf(server.url)).toEqual([404, 404, 404]);
      expect(await statusesOf(server.adminUrl)).toEqual([404, 404, 404]);
    } finally {
      await server.close();
    }
  });
});

test('a source tree without a built page says how to build it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-no-page-'));
  const server = await startTestServer(anyBackend, { dashboardFolder: pathToFileURL(`${folder}/`) });
  try {
    const answer = await raw(server.url, '/dashboard');
    expect([answer.status, answer.body.toString()]).toEqual([503, expect.stringContaining('npm run build')]);
    expect((await raw(server.url, '/dashboard/api/session')).status).toBe(200);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});

/** Without what `fetch` does to paths, headers and bodies. */
function raw(
  url: string,
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = { hostname, port, path: `${pathname.replace(/\/$/, '')}${target}`, headers, method };
    request(sent, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
        reject,
      );
    })
      .once('error', reject)
      .end();
  });
}
