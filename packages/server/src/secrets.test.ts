import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecretBox, generateEncryptionKey, hashApiKey } from './secrets.ts';

describe('secrets at rest', () => {
  test('law: what was encrypted comes back, and the stored text does not show it', () => {
    const box = createSecretBox([generateEncryptionKey()]);
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: 'binary' }), (plain) => {
        const sealed = box.encrypt(plain);
        expect(box.decrypt(sealed)).toBe(plain.toWellFormed());
        expect(sealed).not.toContain(plain);
      }),
    );
  });

  test('the same secret is stored differently each time', () => {
    const box = createSecretBox([generateEncryptionKey()]);
    expect(box.encrypt('oswhsec_x')).not.toBe(box.encrypt('oswhsec_x'));
  });

  test('an old key still decrypts after a new one was put in front', () => {
    const old = generateEncryptionKey();
    const sealed = createSecretBox([old]).encrypt('token');
    expect(createSecretBox([generateEncryptionKey(), old]).decrypt(sealed)).toBe('token');
  });

  test('a text sealed with an unknown key names that key', () => {
    const sealed = createSecretBox([generateEncryptionKey()]).encrypt('token');
    const keyId = sealed.split('.')[0];
    expect(() => createSecretBox([generateEncryptionKey()]).decrypt(sealed)).toThrow(
      `key ${keyId}, which is not configured`,
    );
  });

  test('a changed text is refused', () => {
    const box = createSecretBox([generateEncryptionKey()]);
    const [id, data = ''] = box.encrypt('token').split('.');
    const bytes = Buffer.from(data, 'base64url');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => box.decrypt(`${id}.${bytes.toString('base64url')}`)).toThrow('unable to authenticate');
  });

  test('a key of another length is refused with how to make one', () => {
    expect(() => createSecretBox([Buffer.from('short').toString('base64')])).toThrow('openssl rand -base64 32');
  });

  test('an API key is stored as its SHA-256', () => {
    expect(hashApiKey('osapi_demo_read').toString('hex')).toBe(
      '9b6b92c8de234e43bbf37f7677320f6627a6ac286e3e5eaf578de9cfef4d7477',
    );
  });
});
