import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { copyFile, link, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lockFile } from '../../config/file-lock.ts';
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
 * Opens a file for a secret before the secret exists, and locks it until the secret is written. The secret is written to
 * a private temporary file, which then replaces the file. Pipes and devices are written directly.
 *
 * @throws CliError if the path cannot be written, or (exit 2) if the file exists and must not be replaced, or (exit 6)
 *   if another process writes a secret to it
 */
export async function openSecretFile(path: string, { replaces }: { readonly replaces: boolean }): Promise<SecretFile> {
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile() && !found.isDirectory()) return openSpecial(path);
  await guardWrite(path, async () => {
    const isFolder = found?.isDirectory() === true || path.endsWith('/');
    if (isFolder) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
  });
  // Replaces the target of a link, not the link.
  const target = await realpath(path).catch(() => path);
  const release = await lockFile(target, `writing a secret to ${path}`);
  try {
    return await openLocked(path, target, replaces, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function openLocked(
  path: string,
  target: string,
  replaces: boolean,
  release: () => Promise<void>,
): Promise<SecretFile> {
  const found = await lstat(target).catch(() => null);
  if (found?.isSymbolicLink() === true) {
    throw usageError(`${path} is a link to a file that does not exist`, 'Use the target file, or remove the link.');
  }
  if (found !== null && !replaces) {
    throw usageError(`${path} already exists and may contain another secret`, 'Use another file, or delete it.');
  }
  const partial = join(dirname(target), `.${basename(target).slice(0, 50)}.${randomBytes(4).toString('hex')}.partial`);
  await guardWrite(path, async () => closeSync(openSync(partial, 'wx', OWNER_ONLY)));
  const forget = removeOnExit(partial);
  return {
    async discard() {
      await rm(partial, { force: true });
      forget();
      await release();
    },
    async write(secret, webhookId) {
      const save = async () => {
        const file = await open(partial, 'r+');
        await file.writeFile(`${secret}\n`);
        await file.sync();
        await file.close();
        if (found === null) return moveToNew(partial, target);
        await rename(partial, target);
        return true;
      };
      try {
        const isMoved = await writeOrExplain(webhookId, () => guardWrite(path, save));
        forget();
        if (isMoved) return;
      } finally {
        await release();
      }
      const message = `${path} was created meanwhile and stays as it is. The secret of ${webhookId} is in ${partial}`;
      const hint = 'Move it to where it is needed: it is not shown again.';
      throw new CliError('file_exists', EXIT_CODES.conflict, message, hint);
    },
  };
}

/** @returns false if somebody has created the target meanwhile */
async function moveToNew(partial: string, target: string): Promise<boolean> {
  const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST';
  try {
    // A rename would replace the target.
    await link(partial, target).catch((error: unknown) => {
      if (isTaken(error)) throw error;
      // File systems without links, such as exFAT, refuse with different codes.
      return copyFile(partial, target, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  await rm(partial);
  return true;
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

async function writeOrExplain<T>(webhookId: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The secret of ${webhookId} is lost. ${reason}`;
    const hint = `The webhook exists. \`svc webhooks rotate-secret ${webhookId}\` creates a new secret.`;
    throw new CliError('secret_lost', EXIT_CODES.unexpected, message, hint, error);
  }
}
