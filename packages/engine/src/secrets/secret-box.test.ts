import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecretBox, generateEncryptionKey, hashApiKey, type SecretPlace } from './secret-box.ts';

const place: SecretPlace = { kind: 'CRM token', id: 7 };

/** Seals as earlier releases did: with the key's id and no associated data. */
function sealUnbound(key: string, plain: string): string {
  const [id] = createSecretBox([key]).encrypt('', place).split('.');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), iv);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `${id}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

describe('secrets at rest', () => {
  test('property: decrypts what it encrypted, and the stored text does not contain it', () => {
    const box = createSecretBox([generateEncryptionKey()]);
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: 'binary' }), (plain) => {
        const sealed = box.encrypt(plain, place);
        expect(box.decrypt(sealed, place)).toBe(plain.toWellFormed());
        expect(sealed).not.toContain(plain);
      }),
    );
  });

  test('encrypts the same secret differently each time', () => {
    const box = createSecretBox([generateEncryptionKey()]);
    expect(box.encrypt('oswhsec_x', place)).not.toBe(box.encrypt('oswhsec_x', place));
  });

  test('an old key still decrypts after a new first key was added', () => {
    const old = generateEncryptionKey();
    const sealed = createSecretBox([old]).encrypt('token', place);
    const box = createSecretBox([generateEncryptionKey(), old]);
    expect(box.decrypt(sealed, place)).toBe('token');
    expect([box.isCurrent(sealed), box.isCurrent(box.encrypt('token', place))]).toEqual([false, true]);
  });

  test.each<SecretPlace>([
    { kind: 'CRM token', id: 8 },
    { kind: 'sequencer token', id: 7 },
    { kind: 'webhook signing secret', id: '7' },
  ])('does not decrypt a text that was copied to %j', (other) => {
    const box = createSecretBox([generateEncryptionKey()]);
    expect(() => box.decrypt(box.encrypt('token', place), other)).toThrow('copied from another row');
  });

  test('reads what an earlier release sealed and reports it as not current; refuses a new text without its mark', () => {
    const key = generateEncryptionKey();
    const box = createSecretBox([key]);
    const old = sealUnbound(key, 'token');
    expect([box.decrypt(old, place), box.isCurrent(old)]).toEqual(['token', false]);
    expect(() => box.decrypt(box.encrypt('token', place).replace('.v2.', '.'), place)).toThrow('was changed');
  });

  test('names the unknown key of a text', () => {
    const sealed = createSecretBox([generateEncryptionKey()]).encrypt('token', place);
    const keyId = sealed.split('.')[0];
    expect(() => createSecretBox([generateEncryptionKey()]).decrypt(sealed, place)).toThrow(
      `key ${keyId}, which is not configured`,
    );
  });

  test('refuses a changed text', () => {
    const box = createSecretBox([generateEncryptionKey()]);
    const [id, mark, data = ''] = box.encrypt('token', place).split('.');
    const bytes = Buffer.from(data, 'base64url');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => box.decrypt(`${id}.${mark}.${bytes.toString('base64url')}`, place)).toThrow('was changed');
  });

  test('refuses a key of another length and says how to make one', () => {
    expect(() => createSecretBox([Buffer.from('short').toString('base64')])).toThrow('openssl rand -base64 32');
  });

  test('stores an API key as its SHA-256', () => {
    expect(hashApiKey('osapi_demo_read').toString('hex')).toBe(
      '9b6b92c8de234e43bbf37f7677320f6627a6ac286e3e5eaf578de9cfef4d7477',
    );
  });
});
