import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from './config.ts';
import { createSecretBox, generateEncryptionKey, type SecretBox } from './secrets.ts';

const KEY_FILE = 'encryption.key';

/**
 * The key that secrets at rest are encrypted with: configured, or kept in the data directory (mode 0600) where it is
 * generated at the first start.
 *
 * @param options.mayGenerate false where several machines share a database: each would make a key of its own
 * @throws ConfigError when there is none and none may be made, or when it is malformed
 */
export async function loadSecretBox(options: {
  configuredKeys: readonly string[] | undefined;
  dataDir: string;
  mayGenerate: boolean;
}): Promise<SecretBox> {
  try {
    return createSecretBox(options.configuredKeys ?? [await readOrGenerate(options)]);
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error;
    throw new ConfigError(`SVC_ENCRYPTION_KEY is not usable: ${error.message}`, { cause: error });
  }
}

async function readOrGenerate(options: { dataDir: string; mayGenerate: boolean }): Promise<string> {
  const file = path.join(options.dataDir, KEY_FILE);
  const existing = await readFile(file, 'utf8').catch(() => null);
  if (existing !== null) return existing.trim();
  if (!options.mayGenerate) {
    throw new ConfigError(
      'SVC_ENCRYPTION_KEY is needed with DATABASE_URL, the same on every machine: make one with `openssl rand -base64 32` and keep it safe, stored CRM tokens cannot be read without it.',
    );
  }
  const key = generateEncryptionKey();
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}
