import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from './config.ts';
import { createSecretBox, generateEncryptionKey, type SecretBox } from './secrets.ts';
import { sampleSealedSecrets } from './store/admin/sealed-secrets.ts';
import type { Db } from './store/db.ts';
import { KEY_FILE, makePrivateFolder } from './store/private-folder.ts';

/** Where the generated key is kept. */
export function keyFileOf(dataDir: string): string {
  return path.join(dataDir, KEY_FILE);
}

/**
 * The key that secrets at rest are encrypted with: configured, or kept in the data directory (mode 0600) where it is
 * generated at the first start. Where secrets are stored already, a new key could not read them, and what it encrypts could not
 * be read once the old one is back: then none is made.
 *
 * @param options.mayGenerate false where several machines share a database: each would make a key of its own
 * @param options.db where the secrets are; null when all of it is about to be replaced
 * @throws ConfigError when there is none and none may be made, or when it is malformed
 */
export async function loadSecretBox(options: {
  configuredKeys: readonly string[] | undefined;
  dataDir: string;
  mayGenerate: boolean;
  db: Db | null;
}): Promise<SecretBox> {
  if (options.configuredKeys) return usable('SVC_ENCRYPTION_KEY', options.configuredKeys);
  if (options.mayGenerate) await makePrivateFolder(options.dataDir);
  const file = keyFileOf(options.dataDir);
  return usable(file, [(await readKeyFile(file)) ?? (await generateKeyFile(file, options))]);
}

function usable(where: string, keys: readonly string[]): SecretBox {
  try {
    return createSecretBox(keys);
  } catch (error) {
    throw new ConfigError(`${where} is not usable: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Null when there is no such file; one that is there and cannot be read must not be taken for a missing one. */
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
      'SVC_ENCRYPTION_KEY is needed with DATABASE_URL, the same on every machine: make one with `openssl rand -base64 32` and keep it safe, stored CRM tokens cannot be read without it.',
    );
  }
  if (db !== null && (await sampleSealedSecrets(db)).length > 0) {
    throw new ConfigError(
      `${file} is gone, and the database holds secrets that were encrypted with it: put the file back from a backup, or set SVC_ENCRYPTION_KEY to that key. No new key is made: it could not read them.`,
    );
  }
  const key = generateEncryptionKey();
  // Complete or not at all: half a key would lock everything it was meant to protect.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
  return key;
}
