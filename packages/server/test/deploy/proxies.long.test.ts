/** `deploy/nginx` and `deploy/caddy`, run by Debian's programs in front of a server: only names, ports and certificates are replaced. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { settleWithin } from '../support/replies.ts';
import { DEPLOY } from './compose.ts';
import { findLacking } from './programs.ts';

const API = 'svc.example.com';
const INBOUND = 'in.svc.example.com';
const EVENT = { event_type: 'EMAIL_REPLY', to_email: 'kim@example.org', reply_body: 'Yes!' };
const BODY_LIMIT = 64 * 1024;

interface Proxy {
  readonly name: string;
  readonly program: string;
  /** Writes its configuration into a folder. Returns the arguments that run it in the foreground. */
  configure(folder: string, ports: { http: number; https: number; server: number }): string[];
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    configure(folder, { http, https, server }) {
      const certificate = join(folder, 'certificate.pem');
      const key = join(folder, 'key.pem');
      const names = ['-subj', `/CN=${API}`, '-addext', `subjectAltName=DNS:${API},DNS:${INBOUND}`];
      const openssl = ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', ...names];
      execFileSync('openssl', [...openssl, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
      const site = readFileSync(join(DEPLOY, 'nginx', 'svc-server.conf'), 'utf8')
        .replaceAll(/listen 80;/g, `listen 127.0.0.1:${http};`)
        .replaceAll(/listen 443/g, `listen 127.0.0.1:${https}`)
        .replaceAll(/127\.0\.0\.1:400[01]/g, `127.0.0.1:${server}`)
        .replaceAll(/\/etc\/letsencrypt\S+fullchain\.pem/g, certificate)
        .replaceAll(/\/etc\/letsencrypt\S+privkey\.pem/g, key);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${join(folder, kind)};`,
      );
      // The worker reads temporary files that only this user may enter.
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      writeFileSync(
        join(folder, 'nginx.conf'),
        `${user} worker_processes 1; daemon off; pid ${join(folder, 'pid')}; error_log stderr warn;
         events {} http { access_log off; ${paths.join(' ')}\n${site}}`,
      );
      return ['-e', 'stderr', '-p', folder, '-c', 'nginx.conf'];
    },
  },
  {
    name: 'Caddy',
    program: 'caddy',
    configure(folder, { http, https, server }) {
      const options = `{\n admin off \n local_certs \n skip_install_trust \n http_port ${http} \n https_port ${https} \n default_bind 127.0.0.1 \n storage file_system ${folder}/store\n`;
      const site = readFileSync(join(DEPLOY, 'caddy', 'Caddyfile'), 'utf8').replaceAll(
        /127\.0\.0\.1:400[01]/g,
        `127.0.0.1:${server}`,
      );
      // The file has a block of options, which must be the only one.
      writeFileSync(join(folder, 'Caddyfile'), site.replace(/^\{\n/m, options));
      return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  },
];

describe.each(proxies)('$name', ({ name, program, configure }) => {
  const isSkipped = findLacking(`proxies: ${name}`, [program, 'openssl']);
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  const ports = { http: 0, https: 0, server: 0 };
  let server: TestServer;
  let proxy: ChildProcess;

  beforeAll(async () => {
    if (isSkipped) return;
    const [backend] = backends;
    if (backend === undefined) throw new Error('no backend');
    server = await startTestServer(backend, { rateLimit: 'on', env: { SVC_TRUST_PROXY: '1' } });
    [ports.http, ports.https] = await Promise.all([freePort(), freePort()]);
    ports.server = Number(new URL(server.url).port);
    mkdirSync(join(folder, 'home'));
    const env = { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: join(folder, 'home') };
    proxy = spawn(program, configure(folder, ports), { stdio: ['ignore', 'ignore', 'pipe'], env });
    let complaints = '';
    proxy.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    // Caddy makes its certificates first.
    await vi.waitUntil(
      () => {
        if (proxy.exitCode !== null) throw new Error(`${program} ended: ${complaints}`);
        return ask(API, 'GET', '/health/live').then(
          ({ status }) => status === 200,
          () => false,
        );
      },
      { timeout: 300_000, interval: 100 },
    );
  });
  afterAll(async () => {
    if (!isSkipped) {
      const ended = new Promise((resolve) => proxy.once('exit', resolve));
      if (proxy.exitCode === null && proxy.kill()) await ended;
      await server.close();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** Calls the proxy as a client with an address of its own. */
  function ask(
    host: string,
    method: string,
    path: string,
    { body = '', from = '127.0.0.1', headers = {} }: { body?: string | Buffer; from?: string; headers?: object } = {},
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
    return new Promise((resolve, reject) => {
      const call = request(
        {
          ...{ host: '127.0.0.1', port: ports.https, servername: host, method, path, localAddress: from, agent: false },
          // Its certificate is this test's own.
          rejectUnauthorized: false,
          headers: { host, 'content-length': Buffer.byteLength(body), ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          const { statusCode = 0 } = response;
          response
            .once('end', () => resolve({ status: statusCode, headers: response.headers, text }))
            .once('error', reject);
        },
      );
      call.once('error', reject).end(body);
    });
  }

  test.skipIf(isSkipped)('a post reaches the CRM, and the API answers under its own name', async () => {
    const authorization = { authorization: 'Bearer osapi_demo_read' };
    expect((await ask(INBOUND, 'POST', '/webhooks/demo-smartlead', { body: JSON.stringify(EVENT) })).status).toBe(200);
    await settleWithin(server, 60_000);
    const range = new URLSearchParams({ from: '2026-03-31', to: '2026-04-01', limit: '1' });
    const page = await ask(API, 'GET', `/api/v1/syncs?${range}`, { headers: authorization });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('kim@example.org')]);
    expect((await ask(API, 'GET', '/docs')).status).toBe(200);
  });

  test.skipIf(isSkipped)(
    'live events of the dashboard pass at once, also to a client that takes compressed answers',
    async () => {
      const { cookie } = await signIn(server, { email: `${program}@example.com`, role: 'viewer' });
      let text = '';
      const stream = request({
        ...{ host: '127.0.0.1', port: ports.https, servername: API, path: '/dashboard/api/live', agent: false },
        rejectUnauthorized: false,
        headers: { host: API, cookie, 'accept-encoding': 'gzip, deflate, br, zstd' },
      });
      stream.once('response', (response) => {
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      });
      stream.end();
      try {
        await expect.poll(() => text).toContain('event: hello');
        await ask(INBOUND, 'POST', '/webhooks/demo-smartlead', { body: JSON.stringify({ ...EVENT, live: true }) });
        await expect.poll(() => text).toContain('event: change');
      } finally {
        stream.destroy();
      }
    },
  );

  test.skipIf(isSkipped)('each name answers its own part, and neither answers metrics', async () => {
    const statuses = await Promise.all([
      ask(API, 'GET', '/metrics'),
      ask(API, 'POST', '/webhooks/demo-smartlead', { body: '{}' }),
      ask(INBOUND, 'GET', '/metrics'),
      ask(INBOUND, 'GET', '/api/v1/me'),
      ask(INBOUND, 'GET', '/'),
    ]);
    expect(statuses.map(({ status, text }) => [status, text.includes('Service')])).toEqual(
      Array.from({ length: 5 }, () => [404, false]),
    );
    const plain = await fetch(`http://127.0.0.1:${ports.http}/api/v1/me`, {
      redirect: 'manual',
      headers: { host: API },
    });
    expect(plain.status).toBe(308);
  });

  test.skipIf(isSkipped)('the rate limit counts for the address of the client, whatever it claims', async () => {
    const claim = { 'x-forwarded-for': '203.0.113.9' };
    for (const from of ['127.0.0.2', '127.0.0.3'])
      expect((await ask(API, 'GET', '/api/v1/me', { from, headers: claim })).status).toBe(401);
    const { rows } = await server.db.query<{ bucket: string }>(
      "select bucket from rate_windows where bucket like '%:ip:%'",
    );
    const addresses = rows.map(({ bucket }) => bucket.replace('general:ip:', ''));
    expect(addresses.toSorted()).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  });

  test.skipIf(isSkipped)(
    'a body that is too large is refused with 413, by the server and above its limit by the proxy',
    async () => {
      // Caddy closes the connection half a second after it refused, and a busy client may still be writing then.
      const send = (options: { body: string | Buffer; headers?: object }, attempts = 3): ReturnType<typeof ask> =>
        ask(INBOUND, 'POST', '/webhooks/demo-smartlead', options).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNRESET' || attempts === 1) throw error;
          return send(options, attempts - 1);
        });
      const post = (bytes: number) => send({ body: 'x'.repeat(bytes) });
      const [atServer, larger] = [await post(BODY_LIMIT + 1), await post(3 * 1024 * 1024)];
      for (const { status, text } of [atServer, larger])
        expect([status, JSON.parse(text)]).toEqual([413, expect.objectContaining({ statusCode: 413 })]);
      expect((await post(9 * 1024 * 1024)).status).toBe(413);
      // Empty blocks: the server waits for the end of what decompresses to nothing, so only the proxy can refuse it.
      const blocks = Buffer.alloc(9 * 1024 * 1024, Buffer.from('000000ffff', 'hex'));
      const body = Buffer.concat([Buffer.from('7801', 'hex'), blocks]);
      const headers = { 'content-encoding': 'deflate' };
      expect((await send({ body, headers })).status).toBe(413);
    },
  );
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
