import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { AdminError } from './admin-error.ts';
import { readSigningKey, toSigningKeyPem } from './signing-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const passphrase = { cipher: 'aes-256-cbc', passphrase: 'secret' } as const;

test.each(['pkcs8', 'pkcs1'] as const)('an RSA key in %s', (type) => {
  const der = readSigningKey(rsa.privateKey.export({ format: 'pem', type }).toString());
  expect(toSigningKeyPem(der)).toBe(rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
});

test.each([
  ['encrypted (PKCS #8)', rsa.privateKey.export({ format: 'pem', type: 'pkcs8', ...passphrase }), /with a passphrase/],
  ['encrypted (PKCS #1)', rsa.privateKey.export({ format: 'pem', type: 'pkcs1', ...passphrase }), /with a passphrase/],
  ['EC', ec.privateKey.export({ format: 'pem', type: 'sec1' }), /of the type ec, .* only RSA/],
  ['a public key', rsa.publicKey.export({ format: 'pem', type: 'spki' }), /has a public key, .* the private key/],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', /has a certificate, /],
  ['a truncated key', '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----', /no private key in PEM/],
  ['a token', 'pat-na1-secret', /no private key in PEM/],
])('%s is refused with what to do', (_name, text, message) => {
  const refusal = refusalOf(() => readSigningKey(String(text)));
  expect(refusal).toMatch(message);
  expect(refusal).not.toMatch(/MII|pat-na1/);
});

test('the key of another type is refused by the server too', () => {
  const der = ec.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  expect(refusalOf(() => toSigningKeyPem(der))).toContain('only RSA');
  expect(refusalOf(() => toSigningKeyPem('AAAA'))).toContain('not a private key');
});

function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof AdminError && error.code === 'invalid_input') return error.message;
    throw error;
  }
  throw new Error('It was accepted.');
}
