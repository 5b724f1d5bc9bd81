import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../config/config-files.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { guardWrite } from '../../errors/write-error.ts';
import { removeOnExit } from '../../terminal/interrupts.ts';
import { findTarget, NEW_FILE_MODE } from '../export/file-target.ts';

/**
 * @returns null if there is no file
 * @throws CliError if it cannot be read
 */
export function readConfigText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'read_failed';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CliError(code, EXIT_CODES.unexpected, `Cannot read ${file} (${code})`, null, error);
  }
}

/**
 * Replaces the text of a file at once. Its permissions stay; a link stays, and its target is replaced.
 *
 * @param before the text that `after` was made from; null if there was no file
 * @returns the copy of the old file, which replaces an older copy
 * @throws CliError
 */
export async function replaceConfigText(file: string, before: string | null, after: string): Promise<string | null> {
  return guardWrite(file, async () => {
    makeFolder(dirname(file));
    const target = await findTarget(file);
    const backup = before === null ? null : `${file}.svc-backup`;
    const drafts: Draft[] = [];
    try {
      if (before !== null && backup !== null) drafts.push(await writeDraft(backup, before, target.mode));
      drafts.push(await writeDraft(target.path, after, target.mode));
      // After all that takes time, because the client may save the file at any moment.
      if (readConfigText(file) !== before) {
        throw new CliError(
          'file_changed',
          EXIT_CODES.conflict,
          `${file} was changed meanwhile`,
          'Run the command again.',
        );
      }
      for (const { draft, path } of drafts) renameSync(draft, path);
      return backup;
    } finally {
      for (const { discard } of drafts) discard();
    }
  });
}

/** A complete file that only has to be moved to its place. */
interface Draft {
  readonly draft: string;
  readonly path: string;
  /** Does nothing after the move. */
  readonly discard: () => void;
}

/** @param mode null for that of a new file */
async function writeDraft(path: string, text: string, mode: number | null): Promise<Draft> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 50)}.${randomBytes(4).toString('hex')}.partial`);
  const forget = removeOnExit(draft);
  const discard = () => {
    rmSync(draft, { force: true });
    forget();
  };
  try {
    const file = await open(draft, 'wx', mode ?? NEW_FILE_MODE);
    try {
      // The umask has reduced the mode.
      if (mode !== null) await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return { draft, path, discard };
  } catch (error) {
    discard();
    throw error;
  }
}
