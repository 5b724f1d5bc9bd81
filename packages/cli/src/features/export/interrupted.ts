import type { Client } from '@svc/sdk';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { type ContentFlags, pickContentFlags, type ExportFlags } from './flags.ts';
import { lockFile } from '../../config/file-lock.ts';
import { formatCount } from '../../terminal/progress.ts';
import { toShellWord } from '../../format/shell-quote.ts';
import { type Checkpoint, type Origin, readCheckpoint, removeCheckpoint, rewind } from './checkpoint.ts';
import { findPlace } from './files.ts';
import { chooseTarget } from './target.ts';

/** The flags of a command whose output file can be resumed. */
export type FileFlags = Omit<ExportFlags, 'since' | 'until' | 'from' | 'to'>;

export interface ResumableCommand {
  /** The command with its arguments, such as `svc syncs export`. */
  readonly command: string;
  /** The name of the command, such as `syncs export`. */
  readonly name: string;
  /** The plural of the rows, for messages. */
  readonly rowsName: string;
}

/**
 * Runs an export while no other process exports to its file. The lock is taken before the checkpoint is read, so that
 * two processes cannot resume from the same one.
 *
 * @throws CliError (exit 6) if another process exports to the file
 */
export async function lockOutput<T>(flags: FileFlags, run: () => Promise<T>): Promise<T> {
  const { kind, output } = await chooseTarget(flags);
  if (kind !== 'file') return run();
  const release = await lockFile(await findPlace(output), `exporting to ${output}`);
  try {
    return await run();
  } finally {
    await release();
  }
}

/** Returns the checkpoint of an interrupted export to this file, or null. `--restart` deletes it. The file is locked. */
export async function findCheckpoint(
  flags: FileFlags,
  { command, name, rowsName }: ResumableCommand,
): Promise<Checkpoint | null> {
  const { kind, output } = await chooseTarget(flags);
  if (kind !== 'file') return null;
  const path = await findPlace(output);
  const checkpoint = readState(path, flags.restart);
  // Without pages there is nothing to resume.
  if (flags.restart || checkpoint?.pages === 0) removeCheckpoint(path);
  if (checkpoint === null || flags.restart || checkpoint.pages === 0) return null;
  if (!flags.resume) {
    const rows = `${formatCount(rewind(checkpoint).input?.records ?? checkpoint.rows)} ${rowsName}`;
    throw usageError(
      `An export to ${output} was interrupted after ${rows}`,
      `To resume: ${resumeCommand(command, flags)}\nTo start over: add --restart.`,
    );
  }
  assertSameExport(checkpoint, flags, name, output);
  return rewind(checkpoint);
}

/** Reads the checkpoint. An invalid one is ignored if it will be discarded. */
function readState(path: string, isDiscarded: boolean): Checkpoint | null {
  try {
    return readCheckpoint(path);
  } catch (error) {
    if (isDiscarded && error instanceof CliError) return null;
    throw error;
  }
}

/** Checks that explicit flags match the checkpoint; omitted flags are taken from it. */
function assertSameExport(checkpoint: Checkpoint, flags: FileFlags, command: string, output: string): void {
  const hint = 'Remove the flag to resume, or start over with --restart.';
  if (checkpoint.command !== command) {
    throw usageError(`${output} was started by svc ${checkpoint.command}`, 'Use another file or --restart.');
  }
  const begun: ContentFlags = checkpoint.asked;
  for (const [name, value] of Object.entries(pickContentFlags(flags))) {
    if (JSON.stringify(begun[name]) === JSON.stringify(value)) continue;
    const before = begun[name] === undefined ? 'without it' : `with ${describeFlag(name, begun[name])}`;
    const problem = `${describeFlag(name, value)} does not match: the export to ${output} was started ${before}`;
    throw usageError(problem, hint);
  }
}

function describeFlag(name: string, value: ContentFlags[string]): string {
  return value === true ? `--${name}` : `--${name} ${String(value)}`;
}

export async function readOrigin(client: Client, baseUrl: string): Promise<Origin> {
  const { account, apiKey } = await client.me.get();
  return { baseUrl: baseUrl.replace(/\/+$/, ''), accountId: account.id, connectionId: apiKey.connectionId };
}

/** Checks that the key belongs to the same account with the same access. */
export function assertSameOrigin(begun: Origin, now: Origin, output: string): void {
  const name = ({ baseUrl, accountId, connectionId }: Origin) =>
    `account ${accountId}${connectionId === null ? '' : `, connection ${connectionId} only,`} at ${baseUrl}`;
  if (name(begun) === name(now)) return;
  throw usageError(
    `The export to ${output} was started for ${name(begun)}; this key is for ${name(now)}`,
    'Use the same key and address, for example with --profile, or start over with --restart.',
  );
}

/** Returns a command line that resumes the export. */
export function resumeCommand(command: string, flags: FileFlags): string {
  const words = ['--output', flags.output ?? '', '--resume'];
  if (flags.json) words.push('--json');
  if (flags.profile !== undefined) words.push('--profile', flags.profile);
  if (flags['base-url'] !== undefined) words.push('--base-url', flags['base-url']);
  return [command, ...words.map(toShellWord)].join(' ');
}

/** Removes the name of the program from a command. */
export function commandName(command: string): string {
  return command.replace(/^\S+ /, '');
}
