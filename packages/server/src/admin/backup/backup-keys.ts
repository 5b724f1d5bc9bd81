/** With what a backup is encrypted: a passphrase, or public keys of age (`age1...`), whose private keys open it. */
import type { Decrypter, Encrypter } from 'age-encryption';
import { readSecret } from '../cli/read-secret.ts';
import { invalidInput } from '@svc/operations/implemented/admin-error';
import { BackupError } from './archive.ts';

export interface PassphraseSource {
  passphraseFile: string | undefined;
  /** `SVC_BACKUP_PASSPHRASE`, used without a file. */
  configured: string | undefined;
}

/** @throws BackupError for what is no public key; AdminError without a passphrase */
export async function createEncrypter(recipients: readonly string[], source: PassphraseSource): Promise<Encrypter> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  if (recipients.length === 0) {
    encrypter.setPassphrase(await readPassphrase(source, { isNew: true }));
    return encrypter;
  }
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw new BackupError(`--recipient ${recipient} is not a public key of age (age1...).`, { cause: error });
    }
  }
  return encrypter;
}

/**
 * @param identityFile a file that `age-keygen` wrote; comments begin with #
 * @throws BackupError for a file without identities; AdminError without a passphrase
 */
export async function createDecrypter(identityFile: string | undefined, source: PassphraseSource): Promise<Decrypter> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  if (identityFile === undefined) {
    decrypter.addPassphrase(await readPassphrase(source, { isNew: false }));
    return decrypter;
  }
  const text = await readSecret('identity', identityFile, '--identity-file');
  const lines = text.split('\n').map((line) => line.trim());
  try {
    for (const line of lines) if (line !== '' && !line.startsWith('#')) decrypter.addIdentity(line);
  } catch (error) {
    throw new BackupError(`${identityFile} is not an identity file of age.`, { cause: error });
  }
  return decrypter;
}

async function readPassphrase(source: PassphraseSource, { isNew }: { isNew: boolean }): Promise<string> {
  const { passphraseFile, configured } = source;
  if (passphraseFile === undefined && configured !== undefined) return configured;
  const passphrase = await readSecret('passphrase of the backup', passphraseFile, '--passphrase-file');
  if (isNew && passphraseFile === undefined && process.stdin.isTTY) {
    const again = await readSecret('same passphrase again', undefined, '--passphrase-file');
    if (again !== passphrase) throw invalidInput('The passphrases differ: nothing was written.');
  }
  return passphrase;
}
