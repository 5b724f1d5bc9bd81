import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from './support/mock-service.ts';
import { buildCli, type CliResult, runCli } from './support/run-cli.ts';

let service: MockService;
/** The service behind TLS, with a self-signed certificate. Null without openssl. */
let tls: { readonly url: string; readonly ca: string; close(): void } | null = null;
let proxy: Proxy;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
  proxy = await startProxy();
  tls = await startTls(service.url);
});
afterAll(async () => {
  tls?.close();
  proxy.close();
  await service.close();
});
beforeEach(() => {
  proxy.seen.length = 0;
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return (address satisfies AddressInfo).port;
}

const listen = (server: Server) =>
  new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve(portOf(server))));

interface Proxy {
  readonly url: string;
  /** Requests as `CONNECT host:port` or `GET http://...`, followed by the proxy credentials. */
  readonly seen: string[];
  close(): void;
}

/** Starts a proxy that tunnels https and forwards http. It resolves every name to this machine. */
async function startProxy(): Promise<Proxy> {
  const seen: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage) =>
    seen.push(`${method} ${url} ${headers['proxy-authorization'] ?? ''}`.trim());
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    note(incoming);
    const target = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = request(
      {
        host: '127.0.0.1',
        port: target.port,
        path: target.pathname,
        method,
        headers: { ...headers, host: `127.0.0.1:${target.port}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket: Socket) => {
    note(incoming);
    const port = Number((incoming.url ?? '').split(':').at(-1));
    const onward = connect({ host: '127.0.0.1', port }, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => {});
    }
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @returns null without openssl */
async function startTls(target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
  const names = 'subjectAltName=DNS:localhost,DNS:svc.example,IP:127.0.0.1';
  try {
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '30',
        '-subj',
        '/CN=svc.example',
        '-addext',
        names,
      ].concat(['-keyout', key, '-out', ca]),
      { stdio: 'pipe' },
    );
  } catch (error) {
    console.error(`SKIPPED: everything about TLS, because openssl does not work here: ${String(error)}`);
    return null;
  }
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(ca) }, (incoming, response) => {
    const { method, headers, url } = incoming;
    // The service accepts only its own host name.
    const ownHeaders = { ...headers, host: new URL(target).host };
    const onward = request(new URL(url ?? '/', target), { method, headers: ownHeaders }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  const port = await listen(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `https://localhost:${port}`, ca, close };
}

/** The service under a name that only the proxy can resolve. */
const elsewhere = () => service.url.replace('127.0.0.1', 'svc.invalid');

const whoami = (url: string, env: Record<string, string>): Promise<CliResult> =>
  service.run(['whoami', '--json', '--max-retries', '0'], { env: { SVC_BASE_URL: url, ...env } });

describe('HTTP_PROXY, HTTPS_PROXY, NO_PROXY', () => {
  test('http goes through the proxy with a warning that the key is not encrypted', async () => {
    const { code, stderr } = await whoami(elsewhere(), { HTTP_PROXY: proxy.url });
    expect([code, proxy.seen]).toEqual([0, [`GET ${elsewhere()}/api/v1/me`]]);
    expect(JSON.parse(stderr)).toEqual({ note: `${elsewhere()} is not https: the API key travels unencrypted.` });
  });

  test('calls to this machine do not', async () => {
    const { code, stderr } = await whoami(service.url, { HTTP_PROXY: proxy.url });
    expect([code, stderr, proxy.seen]).toEqual([0, '', []]);
  });

  test('proxy credentials are sent', async () => {
    const withPassword = proxy.url.replace('//', '//me:secret@');
    const { code } = await whoami(elsewhere(), { http_proxy: withPassword });
    expect(code).toBe(0);
    expect(proxy.seen).toEqual([`GET ${elsewhere()}/api/v1/me Basic ${Buffer.from('me:secret').toString('base64')}`]);
  });

  test('https goes through a tunnel', async ({ skip }) => {
    if (tls === null) return skip();
    const { port } = new URL(tls.url);
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: tls.ca };
    const { code, stderr } = await whoami(`https://svc.example:${port}`, env);
    expect([code, stderr, proxy.seen]).toEqual([0, '', [`CONNECT svc.example:${port}`]]);
  });

  test.each([
    ['among others', 'x.example, svc.invalid'],
    ['everything', '*'],
  ])('NO_PROXY: %s', async (_name, noProxy) => {
    // Without the proxy, the name cannot be resolved.
    expect((await whoami(elsewhere(), { HTTP_PROXY: proxy.url, NO_PROXY: noProxy })).code).toBe(8);
    expect(proxy.seen).toEqual([]);
  });

  test('NO_PROXY for other hosts or ports has no effect', async () => {
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'svc.invalid:1,example.com' };
    expect((await whoami(elsewhere(), env)).code).toBe(0);
    expect(proxy.seen).toHaveLength(1);
  });

  test('bodies go through, and refusals keep their exit codes', async () => {
    const env = { HTTP_PROXY: proxy.url, SVC_BASE_URL: elsewhere() };
    const created = await service.run(['api', 'POST', '/webhooks', '-f', 'url=https://hooks.example.com/p'], { env });
    expect(created.code).toBe(0);
    const id: string = JSON.parse(created.stdout).id;
    expect(await service.run(['api', 'DELETE', `/webhooks/${id}`], { env })).toMatchObject({ code: 0, stdout: '' });
    expect((await service.run(['syncs', 'get', '999999999'], { env })).code).toBe(3);
    expect(proxy.seen.map((line) => line.split(' ')[0])).toEqual(['POST', 'DELETE', 'GET']);
  });

  test('an unreachable proxy is named without its password', async () => {
    const { code, stderr } = await whoami(elsewhere(), { HTTP_PROXY: 'http://me:secret@127.0.0.1:9' });
    expect(code).toBe(8);
    expect(JSON.parse(stderr.split('\n')[1] ?? '').error.hint).toContain(
      'Calls go through the proxy http://127.0.0.1:9.',
    );
    expect(stderr).not.toContain('secret');
    const wrong = await whoami(elsewhere(), { HTTP_PROXY: 'socks5://me:secret@127.0.0.1:9' });
    expect([wrong.code, wrong.stderr.includes('secret')]).toEqual([2, false]);
  });
});

describe('NODE_EXTRA_CA_CERTS', () => {
  test('a private certificate authority is trusted only when it is given', async ({ skip }) => {
    if (tls === null) return skip();
    const without = await whoami(tls.url, {});
    expect([without.code, JSON.parse(without.stderr).error.message]).toEqual([8, expect.stringMatching(/certificate/)]);
    expect((await whoami(tls.url, { NODE_EXTRA_CA_CERTS: tls.ca })).code).toBe(0);
  });
});

describe('doctor', () => {
  const doctor = async (env: Record<string, string>, ...argv: string[]) => {
    const { code, stdout, stderr } = await service.run(['doctor', '--json', ...argv], { env });
    const { ok, checks }: { ok: boolean; checks: { name: string; status: string; detail: string; hint: string }[] } =
      JSON.parse(stdout);
    return { code, stderr, ok, byName: Object.fromEntries(checks.map(({ name, ...rest }) => [name, rest])) };
  };

  test('all checks pass', async () => {
    const { code, stdout, stderr } = await service.svc('doctor');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^PASS {2}version {7}@svc\/cli/);
    expect(stdout).toMatch(/^PASS {2}scopes {8}read, write; all connections$/m);
    expect(stdout).not.toMatch(/FAIL|WARN/);
    const { ok, byName } = await doctor({});
    expect(ok).toBe(true);
    expect(Object.keys(byName)).toEqual([
      'version',
      'files',
      'address',
      'certificates',
      'proxy',
      'dns',
      'tls',
      'live',
      'ready',
      'clock',
      'key',
      'scopes',
    ]);
    expect(byName.tls).toEqual({ status: 'skip', detail: 'the address is not https', hint: null });
    expect(byName.clock).toMatchObject({ status: 'pass' });
  });

  test('nothing listens at the address', async () => {
    const gone = createServer();
    const url = `http://127.0.0.1:${await listen(gone)}`;
    await new Promise((resolve) => gone.close(resolve));
    const { code, ok, byName } = await doctor({ SVC_BASE_URL: url });
    expect([code, ok]).toEqual([1, false]);
    expect(byName.live).toEqual({
      status: 'fail',
      detail: expect.stringContaining('ECONNREFUSED'),
      hint: `Is the service running at ${url}? The address comes from SVC_BASE_URL.`,
    });
    expect(byName.ready).toMatchObject({ status: 'skip' });
    expect(byName.key).toMatchObject({ status: 'skip' });
    const plain = await runCli(['doctor'], { env: { SVC_BASE_URL: url } });
    expect([plain.code, plain.stderr]).toEqual([1, '']);
    expect(plain.stdout).toMatch(/^FAIL {2}key +No API key is configured\n +Set SVC_API_KEY, or run `svc login`/m);
  });

  test('an unknown host name and an invalid address', async () => {
    const unknown = await doctor({ SVC_BASE_URL: 'http://svc.invalid' });
    expect([unknown.code, unknown.byName.dns?.status]).toEqual([1, 'fail']);
    expect(unknown.byName.address).toMatchObject({ status: 'warn', hint: expect.stringContaining('https') });
    const none = await doctor({ SVC_BASE_URL: 'nonsense' });
    expect([none.code, none.byName.address?.status]).toEqual([1, 'fail']);
  });

  test('a rejected key and a read-only key', async () => {
    const refused = await doctor({ SVC_API_KEY: 'osapi_wrong' });
    expect([refused.code, refused.byName.key]).toEqual([
      1,
      {
        status: 'fail',
        detail: 'Invalid API key',
        hint: `The key comes from SVC_API_KEY and was sent to ${service.url}.`,
      },
    ]);
    expect(JSON.stringify(refused)).not.toContain('osapi_');
    const reading = await doctor({ SVC_API_KEY: 'osapi_demo_read' });
    expect([reading.code, reading.byName.scopes?.detail]).toEqual([0, expect.stringMatching(/^read; .*without write/)]);
  });

  test('files that others can read, and broken files', async () => {
    const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
    const file = join(SVC_CONFIG_DIR, 'profiles.json');
    writeFileSync(file, '{"active":null,"profiles":{}}', { mode: 0o644 });
    const open = await doctor({ SVC_CONFIG_DIR });
    expect([open.code, open.byName.files]).toEqual([
      0,
      { status: 'warn', detail: `others on this machine can read ${file}`, hint: `chmod 600 ${file}` },
    ]);
    writeFileSync(file, '{ osapi_broken');
    const broken = await doctor({ SVC_CONFIG_DIR, SVC_API_KEY: 'osapi_demo_read' });
    expect([broken.code, broken.byName.files?.status, broken.byName.key?.status]).toEqual([1, 'fail', 'pass']);
  });

  test('the platform is up and not ready', async () => {
    service.mock.faults.add({
      operations: ['getHealthReady'],
      effect: { kind: 'status', status: 503, body: { status: 'error', checks: { database: 'error', queue: 'ok' } } },
    });
    const { code, byName } = await doctor({});
    service.mock.faults.clear();
    expect([code, byName.ready?.detail]).toEqual([1, 'The platform is up but not ready: database failed']);
  });

  test('https: trust and remaining days of the certificate', async ({ skip }) => {
    if (tls === null) return skip();
    const untrusted = await doctor({ SVC_BASE_URL: tls.url });
    expect(untrusted.code).toBe(1);
    expect(untrusted.byName.tls).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    const trusted = await doctor({ SVC_BASE_URL: tls.url, NODE_EXTRA_CA_CERTS: tls.ca });
    expect(trusted.code).toBe(0);
    expect(trusted.byName.tls?.detail).toMatch(/^TLSv1\.3, certificate of svc\.example, (29|30) days left$/);
    expect(trusted.byName.certificates).toMatchObject({ status: 'pass', detail: `${tls.ca} (1)` });
    const missing = await doctor({ NODE_EXTRA_CA_CERTS: '/none.pem' });
    expect([missing.code, missing.byName.certificates?.status]).toEqual([1, 'fail']);
    const noTls = await doctor({ SVC_BASE_URL: service.url.replace('http:', 'https:') });
    expect([noTls.code, noTls.byName.tls?.status]).toEqual([1, 'fail']);
  });

  test('calls through a proxy', async () => {
    const env = { HTTP_PROXY: proxy.url.replace('//', '//me:secret@'), SVC_BASE_URL: elsewhere() };
    const { code, byName } = await doctor(env);
    expect([code, byName.proxy, byName.dns?.status]).toEqual([
      0,
      { status: 'pass', detail: `calls go through ${proxy.url}`, hint: null },
      'skip',
    ]);
    expect((await doctor({ HTTP_PROXY: proxy.url })).byName.proxy?.detail).toMatch(/^set, but not for/);
  });

  test('a wrong clock', async () => {
    const dated = (offsetMs: number) =>
      createServer((_request, response) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          date: new Date(Date.now() + offsetMs).toUTCString(),
        });
        response.end('{"status":"ok","checks":{}}');
      });
    for (const [offsetMs, status, words] of [
      [-30_000, 'warn', /^(29|30|31) s ahead of the service$/],
      [3_600_000, 'fail', /^(3599|3600|3601) s behind the service$/],
    ] as const) {
      const server = dated(offsetMs);
      const port = await listen(server);
      const { byName } = await doctor({ SVC_BASE_URL: `http://127.0.0.1:${port}` });
      expect([byName.clock?.status, byName.clock?.detail]).toEqual([status, expect.stringMatching(words)]);
      server.closeAllConnections();
      server.close();
    }
  });
});
