import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ReceiverSimulator, startReceiverSimulator } from '@svc/simulators';
import { createOutbound, type DialTarget } from './outbound.ts';

let receiver: ReceiverSimulator;
beforeAll(async () => {
  receiver = await startReceiverSimulator();
});
afterAll(async () => {
  await receiver.close();
});
beforeEach(() => {
  receiver.reset();
});

const post = { headers: { 'X-Test': '1' }, body: '{"a":1}', timeoutMs: 2_000 };
/** A guard that resolves names by `addresses`; `dialled` records the calls. */
function guarded(addresses: Record<string, string[]> = {}, allowedCidrs: string[] = []) {
  const dialled: DialTarget[] = [];
  const outbound = createOutbound({
    resolve: async (host, signal) => addresses[host] ?? receiver.resolve(host, signal),
    dial: (target) => {
      dialled.push(target);
      return receiver.dial(target);
    },
    allowedCidrs,
  });
  return { outbound, dialled };
}

/** Private hosts in every spelling that the URL parser accepts. */
const HOSTILE_HOSTS = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '0177.0.0.1', '127.0.0.1.'],
  ...['0.0.0.0', '0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['168.63.129.16', '[2001:470::5efe:a01:203]', '[2001:470::200:5efe:a01:203]'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fe80::1]', '[fc00::1]', '[fd12:3456::1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::127.0.0.1]', '[2001:db8::1]', '[ff02::1]'],
  ...['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
  ...['localhost', 'LOCALHOST.', 'a.localhost', 'printer', 'nas.local', 'db.internal', 'router.lan', 'x.home.arpa'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1'],
];

describe('the guard', () => {
  test.each(HOSTILE_HOSTS)('never dials %s', async (host) => {
    const { outbound, dialled } = guarded();
    const result = await outbound.post({ ...post, url: `https://${host}/hook` });
    expect(result).toEqual({
      httpStatus: null,
      error: expect.stringContaining('private, local or reserved'),
      isRefused: true,
    });
    expect(await outbound.isAllowed(`https://${host}/hook`)).toBe(false);
    expect(dialled).toEqual([]);
  });

  test.each([0, 22, 25, 6667])('never dials port %i', async (port) => {
    const { outbound, dialled } = guarded({}, ['0.0.0.0/0']);
    const url = `https://hooks.example.com:${port}/hook`;
    expect(await outbound.post({ ...post, url })).toMatchObject({
      error: 'The port is one on which no HTTP service listens',
      isRefused: true,
    });
    expect(await outbound.isAllowed(url)).toBe(false);
    expect(dialled).toEqual([]);
  });

  test('without it the same hosts would be dialled, so the tests above can fail', async () => {
    const { outbound, dialled } = guarded({}, ['0.0.0.0/0', '::/0']);
    for (const host of HOSTILE_HOSTS) {
      await outbound.post({ ...post, url: `https://${host}/hook` });
      // Several of them are spellings of one host.
      outbound.closeKept();
    }
    expect(dialled).toHaveLength(HOSTILE_HOSTS.length);
  });

  test('refuses a name with one private address among public ones', async () => {
    const { outbound, dialled } = guarded({ 'mixed.example.com': ['93.184.215.14', '10.0.0.5'] });
    expect((await outbound.post({ ...post, url: 'https://mixed.example.com/' })).httpStatus).toBeNull();
    expect(dialled).toEqual([]);
  });

  test('checks again when a name resolves differently at connect time', async () => {
    const addresses = { 'rebind.example.com': ['93.184.215.14'] };
    const { outbound, dialled } = guarded(addresses);
    expect(await outbound.isAllowed('https://rebind.example.com/')).toBe(true);
    addresses['rebind.example.com'] = ['127.0.0.1'];
    expect((await outbound.post({ ...post, url: 'https://rebind.example.com/' })).httpStatus).toBeNull();
    expect(dialled).toEqual([]);
  });

  test('dials the checked address, with the name for the certificate', async () => {
    const { outbound, dialled } = guarded({ 'hooks.example.com': ['93.184.215.99'] });
    await outbound.post({ ...post, url: 'https://hooks.example.com:8443/x?y=1' });
    expect(dialled).toMatchObject([
      { addresses: ['93.184.215.99'], port: 8443, host: 'hooks.example.com', isTls: true },
    ]);
    expect(receiver.posts()).toMatchObject([{ host: 'hooks.example.com:8443', path: '/x?y=1', body: '{"a":1}' }]);
  });

  test('accepts a name that cannot be resolved now, and a post to it says why it failed', async () => {
    const outbound = createOutbound({
      resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
      dial: receiver.dial,
      allowedCidrs: [],
    });
    expect(await outbound.isAllowed('https://gone.example.com/')).toBe(true);
    const result = await outbound.post({ ...post, url: 'https://gone.example.com/' });
    expect(result).toEqual({ httpStatus: null, error: 'ENOTFOUND: getaddrinfo ENOTFOUND', isRefused: false });
  });

  test('allows ranges that the operator has opened', async () => {
    const { outbound } = guarded({ 'inside.example.com': ['10.1.2.3'] }, ['10.1.0.0/16']);
    expect((await outbound.post({ ...post, url: 'https://inside.example.com/' })).httpStatus).toBe(200);
  });
});

describe('a post', () => {
  test.each([200, 204, 301, 404, 500])('returns status %d and follows no redirect', async (status) => {
    receiver.answerNext(status);
    const { outbound } = guarded();
    expect(await outbound.post({ ...post, url: 'https://hooks.example.com/' })).toEqual({
      httpStatus: status,
      error: null,
      isRefused: false,
    });
    expect(receiver.posts()).toHaveLength(1);
  });

  test('sends text as UTF-8 and bytes unchanged, each with its length', async () => {
    const { outbound } = guarded();
    // Invalid UTF-8, which decoding would change.
    const bytes = Uint8Array.from([0x7b, 0xff, 0xc3, 0x28, 0x00, 0x7d]);
    for (const body of ['{"é":1}', bytes]) await outbound.post({ ...post, body, url: 'https://hooks.example.com/' });
    expect(receiver.posts().map((received) => received.bytes)).toEqual([Buffer.from('{"é":1}'), Buffer.from(bytes)]);
    expect(receiver.posts().map((received) => received.headers['content-length'])).toEqual(['8', '6']);
  });

  test.each(['ftp://hooks.example.com/', 'no address'])('refuses %s', async (url) => {
    const { outbound, dialled } = guarded();
    expect(await outbound.post({ ...post, url })).toMatchObject({ httpStatus: null, isRefused: true });
    expect(await outbound.isAllowed(url)).toBe(false);
    expect(dialled).toEqual([]);
  });

  test('ends at its timeout, whatever the receiver does', async () => {
    receiver.answerNext('hang');
    const { outbound } = guarded();
    const result = await outbound.post({ ...post, timeoutMs: 100, url: 'https://hooks.example.com/' });
    expect(result).toEqual({ httpStatus: null, error: 'No answer within 0.1 seconds', isRefused: false });
  });

  test('reports a broken connection with its code', async () => {
    receiver.answerNext('reset');
    const { outbound } = guarded();
    const result = await outbound.post({ ...post, url: 'https://hooks.example.com/' });
    expect(result).toEqual({ httpStatus: null, error: expect.stringContaining('ECONNRESET'), isRefused: false });
  });

  test('stops reading an endless answer', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n');
      const feed = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', feed);
      feed();
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const { port } = endless.address() as AddressInfo;
    const outbound = createOutbound({
      resolve: receiver.resolve,
      dial: async () => (await import('node:net')).connect({ host: '127.0.0.1', port }),
      allowedCidrs: [],
    });
    expect((await outbound.post({ ...post, url: 'https://hooks.example.com/' })).httpStatus).toBe(200);
    endless.close();
  });
});
