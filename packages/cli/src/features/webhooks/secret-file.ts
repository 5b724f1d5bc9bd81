import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { removeOnExit } from '../../terminal/interrupts.ts';
import { guardWrite } from '../../errors/write-error.ts';
import { openSpecialFile } from '../export/special-file.ts';

export interface SecretFile {
  /** @throws CliError that says how to get another secret for the webhook */
  write(secret: string, webhookId: string): Promise<void>;
  discard(): Promise<void>;
}

const OWNER_ONLY = 0o600;

/**
 * Opens a file for a secret before the secret exists. The secret is written to a private temporary file, which then
 * replaces the file. Pipes and devices are written directly.
 *
 * @throws CliError if the path cannot be written, or (exit 2) if the file exists and must not be replaced
 */
export async function openSecretFile(path: string, { replaces }: { readonly replaces: boolean }): Promise<SecretFile> {
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile() && !found.isDirectory()) return openSpecial(path);
  if (found?.isFile() === true && !replaces) {
    throw usageError(`${path} already exists and may contain another secret`, 'Use another file, or delete it.');
  }
  if (found === null && (await lstat(path).catch(() => null))?.isSymbolicLink() === true) {
    throw usageError(`${path} is a link to a file that does not exist`, 'Use the target file, or remove the link.');
  }
  // Replaces the target of a link, not the link.
  const target = found === null ? path : await realpath(path);
  const partial = join(dirname(target), `.${basename(target).slice(0, 50)}.${randomBytes(4).toString('hex')}.partial`);
  await guardWrite(path, async () => {
    const isFolder = found?.isDirectory() === true || path.endsWith('/');
    if (isFolder) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
    closeSync(openSync(partial, 'wx', OWNER_ONLY));
  });
  const forget = removeOnExit(partial);
  return {
    async discard() {
      await rm(partial, { force: true });
      forget();
    },
    async write(secret, webhookId) {
      const save = async () => {
        const file = await open(partial, 'r+');
        await file.writeFile(`${secret}\n`);
        await file.sync();
        await file.close();
        await rename(partial, target);
      };
      await writeOrExplain(webhookId, () => guardWrite(path, save));
      forget();
    },
  };
}

async function openSpecial(path: string): Promise<SecretFile> {
  const sink = await openSpecialFile(path);
  return {
    discard: () => sink.discard(),
    write: (secret, webhookId) =>
      writeOrExplain(webhookId, async () => {
        await sink.write(`${secret}\n`);
        await sink.commit();
      }),
  };
}

async function writeOrExplain(webhookId: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The secret of ${webhookId} is lost. ${reason}`;
    const hint = `The webhook exists. \`svc webhooks rotate-secret ${webhookId}\` creates a new secret.`;
    throw new CliError('secret_lost', EXIT_CODES.unexpected, message, hint, error);
  }
}
