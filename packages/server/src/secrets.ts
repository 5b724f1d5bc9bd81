import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Where each kind of secret is stored. */
export const SECRET_COLUMNS = {
  'CRM token': { table: 'connections', column: 'crm_token' },
  'webhook signing secret': { table: 'webhooks', column: 'secret' },
  'sequencer token': { table: 'blocklists', column: 'sequencer_token' },
} as const;
export type SecretKind = keyof typeof SECRET_COLUMNS;

/** The place of one secret: it can be decrypted there and nowhere else. */
export interface SecretPlace {
  kind: SecretKind;
  /** Id of its row. */
  id: number | string;
}

/** Encrypts what must be read back later: CRM and sequencer tokens and webhook signing secrets. API keys are only hashed. */
export interface SecretBox {
  encrypt(plain: string, place: SecretPlace): string;
  /** Throws an Error that says why when the text was encrypted with another key or for another place, or was changed. */
  decrypt(sealed: string, place: SecretPlace): string;
  /** Whether it is what `encrypt` makes today: with the first key, bound to its place. */
  isCurrent(sealed: string): boolean;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A new encryption key, base64. */
export function generateEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** Marks texts that are bound to their place; those of earlier releases are not, and have no mark. */
const BOUND = 'v2';

/**
 * AES-256-GCM with the key's id in front: `keyId.v2.base64url(iv, tag, ciphertext)`, with table, column and row id as
 * associated data. The first key encrypts; all of them decrypt, so that a key can be replaced without losing what the old one
 * sealed. `keyId.base64url(...)` of earlier releases can still be read.
 *
 * @param keys base64, 32 bytes each
 * @throws Error when a key has another length
 */
export function createSecretBox(keys: readonly string[]): SecretBox {
  const byId = new Map(keys.map((text) => decodeKey(text)).map((key) => [keyId(key), key]));
  const [current] = byId;
  if (!current) throw new Error('At least one encryption key is needed.');
  const [currentId, currentKey] = current;
  const prefix = `${currentId}.${BOUND}.`;
  return {
    encrypt(plain, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', currentKey, iv).setAAD(associatedData(place));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    decrypt(sealed, place) {
      const [id = '', mark = '', boundData = ''] = sealed.split('.', 3);
      const key = byId.get(id);
      if (!key) throw new Error(`A stored secret was encrypted with key ${id}, which is not configured.`);
      const isBound = mark === BOUND;
      return open(key, Buffer.from(isBound ? boundData : mark, 'base64url'), isBound ? place : null);
    },
    isCurrent: (sealed) => sealed.startsWith(prefix),
  };
}

function open(key: Buffer, bytes: Buffer, place: SecretPlace | null): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    if (place !== null) decipher.setAAD(associatedData(place));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error('A stored secret was changed, or copied from another row: it has to be stored anew.', { cause });
  }
}

function associatedData({ kind, id }: SecretPlace): Buffer {
  const { table, column } = SECRET_COLUMNS[kind];
  return Buffer.from(`${table}/${column}/${id}`);
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
