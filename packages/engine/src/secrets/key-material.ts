import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../config/config.ts';
import { generateEncryptionKey, openBox, type SecretBox } from './secret-box.ts';
import { sampleSealedSecrets } from './stored-secrets.sql.ts';
import type { Db } from '../store/database/db.ts';
import { KEY_FILE, makePrivateFolder } from '../store/database/private-folder.ts';

/** Path of the generated key file. */
export function keyFileOf(dataDir: string): string {
  return path.join(dataDir, KEY_FILE);
}

/**
 * Loads the encryption key of stored secrets: the configured one, or the file in the data directory (mode 0600), which
 * is generated at the first start. No key is generated while the database has secrets, because it could not decrypt
 * them.
 *
 * @param options.mayGenerate false when several machines share a database: each would generate its own key
 * @param options.db database of the secrets; null when all of them are about to be replaced
 * @throws ConfigError when the key is missing and must not be generated, or is malformed
 */
export async function loadSecretBox(options: {
  configuredKeys: readonly string[] | undefined;
  dataDir: string;
  mayGenerate: boolean;
  db: Db | null;
}): Promise<SecretBox> {
  if (options.configuredKeys) return openBox('SVC_ENCRYPTION_KEY', options.configuredKeys);
  if (options.mayGenerate) await makePrivateFolder(options.dataDir);
  const file = keyFileOf(options.dataDir);
  return openBox(file, [(await readKeyFile(file)) ?? (await generateKeyFile(file, options))]);
}

/** Returns null for a missing file; an unreadable one is an error, not a missing one. */
async function readKeyFile(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new ConfigError(
      `The encryption key could not be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function generateKeyFile(
  file: string,
  { mayGenerate, db }: { mayGenerate: boolean; db: Db | null },
): Promise<string> {
  if (!mayGenerate) {
    throw new ConfigError(
      'SVC_ENCRYPTION_KEY is needed with DATABASE_URL, the same on every machine: create one with `openssl rand -base64 32` and keep it safe, because stored CRM tokens cannot be read without it.',
    );
  }
  if (db !== null && (await sampleSealedSecrets(db)).length > 0) {
    throw new ConfigError(
      `${file} is missing, and the database contains secrets that were encrypted with it: restore the file from a backup, or set SVC_ENCRYPTION_KEY to that key. A new key could not decrypt them.`,
    );
  }
  const key = generateEncryptionKey();
  // Written as a whole by renaming: half a key would make all secrets unreadable.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
  return key;
}
