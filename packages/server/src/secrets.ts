import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts what must be read back later: CRM and sequencer tokens and webhook signing secrets. API keys are only hashed. */
export interface SecretBox {
  encrypt(plain: string): string;
  /** Throws an Error that names the key id when the text was encrypted with another key, or was changed. */
  decrypt(sealed: string): string;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A new encryption key, base64. */
export function generateEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/**
 * AES-256-GCM with the key's id in front: `keyId.base64url(iv, tag, ciphertext)`. The first key encrypts; all of them
 * decrypt, so that a key can be replaced without losing what the old one sealed.
 *
 * @param keys base64, 32 bytes each
 * @throws Error when a key has another length
 */
export function createSecretBox(keys: readonly string[]): SecretBox {
  const byId = new Map(keys.map((text) => decodeKey(text)).map((key) => [keyId(key), key]));
  const [current] = byId;
  if (!current) throw new Error('At least one encryption key is needed.');
  return {
    encrypt(plain) {
      const [id, key] = current;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${id}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
    },
    decrypt(sealed) {
      const [id = '', data = ''] = sealed.split('.', 2);
      const key = byId.get(id);
      if (!key) throw new Error(`A stored secret was encrypted with key ${id}, which is not configured.`);
      const bytes = Buffer.from(data, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}

/** What is stored of an API key: it is looked up by this, so that a copy of the database opens nothing. */
export function hashApiKey(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

function decodeKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `An encryption key must be ${KEY_BYTES} bytes in base64, for example from: openssl rand -base64 32`,
    );
  }
  return key;
}

function keyId(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
