import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigError } from '../config/config.ts';

/** The column of each kind of secret. */
export const SECRET_COLUMNS = {
  'CRM token': { table: 'connections', column: 'crm_token', owner: 'connection' },
  'webhook signing secret': { table: 'webhooks', column: 'secret', owner: 'webhook' },
  'source secret': { table: 'sources', column: 'secrets', owner: 'source' },
  'sequencer token': { table: 'blocklists', column: 'sequencer_token', owner: 'block list' },
  'alert channel': { table: 'alert_channels', column: 'target', owner: null },
  'sequencer key': { table: 'sequencer_keys', column: 'token', owner: null },
} as const;
export type SecretKind = keyof typeof SECRET_COLUMNS;

/** The row of a secret, which can be decrypted only there. */
export interface SecretPlace {
  kind: SecretKind;
  /** Id of its row. */
  id: number | string;
}

/** For example `CRM token of connection 1`. */
export function describePlace({ kind, id }: SecretPlace): string {
  const { owner } = SECRET_COLUMNS[kind];
  return owner === null ? `${kind} ${id}` : `${kind} of ${owner} ${id}`;
}

/**
 * Encrypts secrets that must be read back: CRM and sequencer tokens, secrets of sources, and webhook signing secrets. API keys are only
 * hashed.
 */
export interface SecretBox {
  /** The ids of the keys, that of the first one first: 8 hexadecimal digits. */
  readonly keyIds: readonly string[];
  encrypt(plain: string, place: SecretPlace): string;
  /** @throws Error with the reason when the text was encrypted with another key or for another place, or was changed */
  decrypt(sealed: string, place: SecretPlace): string;
  /** Returns whether a text was encrypted with the first key and in the current format. */
  isCurrent(sealed: string): boolean;
  /** Returns a key of 32 bytes for another purpose: the same in each process that has the same first key. */
  deriveKey(purpose: string): Uint8Array;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Generates an encryption key in base64. */
export function generateEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** Marks texts that are bound to their row; those of earlier releases have no mark. */
const BOUND = 'v2';

/**
 * AES-256-GCM with the key's id in front: `keyId.v2.base64url(iv, tag, ciphertext)`, with table, column and row id as
 * associated data. The first key encrypts; all of them decrypt, so that keys can be replaced. `keyId.base64url(...)` of
 * earlier releases can still be read.
 *
 * @param keys 32 bytes each, in base64
 * @throws Error when a key has another length
 */
export function createSecretBox(keys: readonly string[]): SecretBox {
  const byId = new Map(keys.map((text) => decodeKey(text)).map((key) => [keyId(key), key]));
  const [current] = byId;
  if (!current) throw new Error('At least one encryption key is needed.');
  const [currentId, currentKey] = current;
  const prefix = `${currentId}.${BOUND}.`;
  return {
    keyIds: [...byId.keys()],
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
    deriveKey: (purpose) => new Uint8Array(hkdfSync('sha256', currentKey, '', purpose, KEY_BYTES)),
  };
}

/**
 * Creates the box of configured keys.
 *
 * @param where the variable or file that has them
 * @throws ConfigError when a key is malformed
 */
export function openBox(where: string, keys: readonly string[]): SecretBox {
  try {
    return createSecretBox(keys);
  } catch (error) {
    throw new ConfigError(`${where} is invalid: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the id of the key that a text was encrypted with. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.', 1)[0] ?? '';
}

function open(key: Buffer, bytes: Buffer, place: SecretPlace | null): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    if (place !== null) decipher.setAAD(associatedData(place));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error('A stored secret was changed, or copied from another row: store it again.', { cause });
  }
}

function associatedData({ kind, id }: SecretPlace): Buffer {
  const { table, column } = SECRET_COLUMNS[kind];
  return Buffer.from(`${table}/${column}/${id}`);
}

/** Returns what is stored of an API key, so that a copy of the database gives no access. */
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
