import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer } from '../../test/support/harness.ts';
import type { Role } from '@svc/engine/config/roles';
import { askHealth } from './health.ts';

const ALL: ReadonlySet<Role> = new Set(['api', 'inbound', 'worker']);
const closes: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closes) await close();
});

const settings = (port: number) => ({ host: '0.0.0.0', port, adminListener: null, roles: ALL });

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closes.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return (server.address() as AddressInfo).port;
}

describe('svc-server health', () => {
  test('a server whose workers do not run is live, and not ready', async () => {
    const [backend] = backends;
    if (backend === undefined) throw new Error('no backend');
    const server = await startTestServer(backend);
    closes.push(() => server.close());
    const port = Number(new URL(server.url).port);
    expect(await askHealth(settings(port), { live: true })).toEqual({
      ok: true,
      message: `The server on http://127.0.0.1:${port} is live.`,
    });
    expect(await askHealth(settings(port), { live: false })).toEqual({
      ok: false,
      message: `The server on http://127.0.0.1:${port} is not ready: queue`,
    });
  });

  test('the administrative listener is asked where there is one', async () => {
    const asked: string[] = [];
    const admin = await listen((request, response) => {
      asked.push(request.url ?? '');
      response.end('{"status":"ok"}');
    });
    const config = { ...settings(1), adminListener: { host: '127.0.0.1', port: admin } };
    expect(await askHealth({ ...config, roles: new Set<Role>(['worker']) }, { live: false })).toMatchObject({
      ok: true,
    });
    expect(asked).toEqual(['/health/ready']);
  });

  test.each([
    [
      503,
      '{"statusCode":503,"message":"The service is starting: try again shortly."}',
      'The service is starting: try again shortly.',
    ],
    [502, '<html>', 'status 502'],
    [503, 'null', 'status 503'],
  ])('%i with %s is a failure with its reason', async (status, body, reason) => {
    const port = await listen((_request, response) => response.writeHead(status).end(body));
    const { ok, message } = await askHealth(settings(port), { live: true });
    expect([ok, message]).toEqual([false, `The server on http://127.0.0.1:${port} is not live: ${reason}`]);
  });

  test('no server, and one that closes the connection, are failures', async () => {
    const closing = await listen((request) => request.socket.destroy());
    expect((await askHealth(settings(closing), { live: true })).message).toContain('No answer from');
    expect(await askHealth(settings(1), { live: true })).toEqual({
      ok: false,
      message: 'No answer from http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  test('a server without a known port cannot be asked', async () => {
    await expect(askHealth(settings(0), { live: true })).rejects.toThrow('SVC_PORT is 0');
    await expect(askHealth({ ...settings(4000), roles: new Set<Role>(['worker']) }, { live: true })).rejects.toThrow(
      'set SVC_ADMIN_PORT',
    );
  });
});
