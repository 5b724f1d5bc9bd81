import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '../../config/environment.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { isRecord } from '../../format/fields.ts';
import type { Entry } from './mcp-client.ts';

const TIME_LIMIT_MS = 60_000;
const MESSAGE_CHARACTERS_MAX = 300;

/**
 * Returns the path of a program, or null. On Windows only `.exe` counts: Node starts scripts (`.cmd`) only through a shell, which
 * would read the arguments.
 */
export function findProgram(name: string, { platform, programFolders }: Machine): string | null {
  const file = platform === 'win32' ? `${name}.exe` : name;
  return programFolders.map((folder) => join(folder, file)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs the program of a client without stdin.
 *
 * @returns its stdout
 * @throws CliError with the beginning of what it said
 */
export function runProgram(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { timeout: TIME_LIMIT_MS, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const said = (stderr.trim() || stdout.trim() || error.message).replaceAll(/\s+/g, ' ');
      const text = `${program} failed: ${said.slice(0, MESSAGE_CHARACTERS_MAX)}`;
      reject(new CliError('client_failed', EXIT_CODES.unexpected, text, null, error));
    });
    child.stdin?.end();
  });
}

/**
 * Asks a program for an entry of its own configuration.
 *
 * @returns null if it has none, or prints something else
 */
export async function askProgram(program: string, args: readonly string[]): Promise<Entry | null> {
  try {
    const shown: unknown = JSON.parse(await runProgram(program, args));
    if (!isRecord(shown) || !isRecord(shown.transport)) return null;
    const { type: _type, ...way } = shown.transport;
    // Codex prints null for each key that its file does not have.
    return Object.fromEntries(Object.entries(way).filter(([key, value]) => value !== null && !isEmptyList(key, value)));
  } catch {
    return null;
  }
}

/** Codex prints lists that its file does not have as empty. */
function isEmptyList(key: string, value: unknown): boolean {
  return key !== 'args' && Array.isArray(value) && value.length === 0;
}
