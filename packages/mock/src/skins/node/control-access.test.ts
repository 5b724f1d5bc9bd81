import { expect, test } from 'vitest';
import { refuseControl, refuseForeignHost } from './control-access.ts';

interface Sender {
  readonly ip?: string;
  readonly host?: string;
  readonly origin?: string | null;
  readonly sent?: string;
  readonly token?: string;
}

function refusedWith({ ip = '127.0.0.1', host = '127.0.0.1:4010', origin = null, sent, token }: Sender): number | null {
  const headers: Record<string, string> = sent === undefined ? {} : { 'svc-control-token': sent };
  return refuseControl({ headers, ip }, { host, origin }, token)?.statusCode ?? null;
}

test.each<[string, Sender]>([
  ['this machine', {}],
  ['this machine, by IPv6', { ip: '::1', host: '[::1]:4010' }],
  ['this machine, as an IPv4-mapped IPv6 address', { ip: '::ffff:127.0.0.1' }],
  ['another loopback address', { ip: '127.8.9.1', host: '127.8.9.1' }],
  ['localhost', { host: 'localhost:4010' }],
  ['a page of this machine', { origin: 'http://localhost:5173' }],
  [
    'anywhere, with the token',
    { ip: '203.0.113.5', host: 'mock.example.com', origin: 'https://app.example.com', sent: 's3cret', token: 's3cret' },
  ],
])('allowed: %s', (_name, sender) => {
  expect(refusedWith(sender)).toBeNull();
});

test.each<[string, Sender, number]>([
  ['another machine', { ip: '192.168.1.7' }, 403],
  ['another machine with a Host of this one', { ip: '10.0.0.1', host: 'localhost' }, 403],
  ['a foreign host name that resolves to this machine', { host: 'rebound.example.com' }, 403],
  ['a name that only begins like ours', { host: 'localhost.example.com' }, 403],
  ['an address that only begins like ours', { host: '127.0.0.1.example.com' }, 403],
  ['no name at all', { host: '' }, 403],
  ['a page of another site', { origin: 'https://evil.example.com' }, 403],
  ['a page of a site whose name begins like ours', { origin: 'http://localhost.evil.example.com' }, 403],
  ['a page without an origin of its own', { origin: 'null' }, 403],
  ['this machine without the token', { token: 's3cret' }, 401],
  ['a part of the token', { token: 's3cret', sent: 's3cre' }, 401],
  ['more than the token', { token: 's3cret', sent: 's3cret!' }, 401],
  ['an empty token', { token: 's3cret', sent: '' }, 401],
])('refused: %s', (_name, sender, status) => {
  expect(refusedWith(sender)).toBe(status);
});

test('the refusal says what to do', () => {
  const refusal = refuseControl({ headers: {}, ip: '10.0.0.1' }, { host: '', origin: null }, undefined);
  expect(refusal?.message).toBe(
    '/__svc is for this machine only. Start svc-mock with --control-token to control it from elsewhere.',
  );
});

test.each([
  [true, 'a.example.com', null],
  [true, 'localhost:4010', null],
  [true, '', null],
  [true, 'b.example.com', 403],
  // A container is called by a name of its network.
  [false, 'b.example.com', null],
])('listening on this machine only: %s, called by "%s": %s', (isLocalOnly, host, status) => {
  const refusal = refuseForeignHost({ host, isLocalOnly }, ['https://a.example.com/svc']);
  expect(refusal?.statusCode ?? null).toBe(status);
  if (refusal !== null) expect(refusal.message).toContain('set --base-url (createMock: baseUrl) to');
});
