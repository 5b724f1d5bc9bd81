import { accessSync, constants, existsSync, type MakeDirectoryOptions, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, usageError } from '../errors/cli-error.ts';
import { NO_HOME } from './environment.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { guardWrite, toWriteError } from '../errors/write-error.ts';

/** The CLI's own files, which only their owner may read. */
export type ConfigFileName = 'profiles' | 'config';

export function configFile(configDir: string, name: ConfigFileName): string {
  return join(configDir, `${name}.json`);
}

/**
 * Reads a file without the `conf` package, which takes too long to load at every start.
 *
 * @returns `text` is null if the file does not exist
 * @throws CliError (exit 1) if the file cannot be read
 */
export function readConfigFile(configDir: string, name: ConfigFileName): { file: string; text: string | null } {
  const file = configFile(configDir, name);
  try {
    return { file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    if (isMissing(error)) return { file, text: null };
    throw new CliError(`${name}_unreadable`, EXIT_CODES.unexpected, `Cannot read ${file}`, null, error);
  }
}

/** Creates the folder level by level, because Node's recursive mkdir never ends where folders cannot be created (`/proc`). */
export function makeFolder(folder: string, options: MakeDirectoryOptions = {}): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), options);
  mkdirSync(folder, options);
}

/** @throws CliError if the folder cannot be created or written to */
export function prepareConfigDir(configDir: string, name: ConfigFileName): void {
  if (configDir.startsWith(NO_HOME)) {
    throw usageError(`This user has no home folder to keep ${name}.json in`, 'Set SVC_CONFIG_DIR to a private folder.');
  }
  try {
    makeFolder(configDir, { mode: 0o700 });
    accessSync(configDir, constants.W_OK);
  } catch (error) {
    throw toWriteError(error, configFile(configDir, name));
  }
}

/**
 * Changes a file, which no other process changes meanwhile. It is written atomically. Only its owner can read it, also if
 * the old file was less private.
 *
 * @param change reads the file and returns its new content
 * @throws CliError if it cannot be written, or (exit 6) if another process does not finish its change
 */
export async function changeConfigFile(configDir: string, name: ConfigFileName, change: () => object): Promise<void> {
  prepareConfigDir(configDir, name);
  const [{ default: Conf }, { lockFile }] = await Promise.all([import('conf'), import('./file-lock.ts')]);
  const file = configFile(configDir, name);
  const release = await lockFile(file, `changing ${file}`, { waitMs: 10_000 });
  try {
    const value = change();
    await guardWrite(file, async () => {
      const store = new Conf<Record<string, unknown>>({
        cwd: configDir,
        configName: name,
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
      });
      store.store = { ...value };
    });
  } finally {
    await release();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
