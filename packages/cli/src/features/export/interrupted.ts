import type { Client } from '@svc/sdk';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { type Asked, askedOf, type ExportFlags } from './flags.ts';
import { formatCount } from '../../terminal/progress.ts';
import { toShellWord } from '../../format/shell-quote.ts';
import {
  busyError,
  type Checkpoint,
  isBeingWritten,
  type Origin,
  readCheckpoint,
  removeCheckpoint,
  rewind,
} from './checkpoint.ts';
import { findPlace } from './files.ts';
import { chooseTarget } from './target.ts';

/** The flags of what writes a file that it can go on with. */
export type FileFlags = Omit<ExportFlags, 'since' | 'until' | 'from' | 'to'>;

export interface Sought {
  /** Such as `svc syncs export`, with its arguments: what goes on with it, but for the flags. */
  readonly command: string;
  /** Such as `syncs export`. */
  readonly name: string;
  /** The plural of what is written, for messages. */
  readonly what: string;
}

/** Where an export to this file was interrupted; null where there is none, or it is thrown away. */
export async function findCheckpoint(flags: FileFlags, { command, name, what }: Sought): Promise<Checkpoint | null> {
  const { kind, output } = await chooseTarget(flags);
  if (kind !== 'file') return null;
  const path = await findPlace(output);
  const checkpoint = readState(path, flags.restart);
  if (checkpoint !== null && isBeingWritten(checkpoint)) throw busyError(output, checkpoint.pid);
  // A process that was killed before its first page has left nothing to go on with.
  if (flags.restart || checkpoint?.pages === 0) removeCheckpoint(path);
  if (checkpoint === null || flags.restart || checkpoint.pages === 0) return null;
  if (!flags.resume) {
    const rows = `${formatCount(rewind(checkpoint).input?.records ?? checkpoint.rows)} ${what}`;
    throw usageError(
      `An export to ${output} was interrupted behind ${rows}`,
      `To go on: ${resumeCommand(command, flags)}\nTo start anew: add --restart.`,
    );
  }
  assertSameExport(checkpoint, flags, name, output);
  return rewind(checkpoint);
}

/** What cannot be read can still be thrown away. */
function readState(path: string, isThrownAway: boolean): Checkpoint | null {
  try {
    return readCheckpoint(path);
  } catch (error) {
    if (isThrownAway && error instanceof CliError) return null;
    throw error;
  }
}

/** What is asked for again must be what was asked for; what is left out is taken from there. */
function assertSameExport(checkpoint: Checkpoint, flags: FileFlags, command: string, output: string): void {
  const hint = 'Leave it out to go on, or start anew with --restart.';
  if (checkpoint.command !== command) {
    throw usageError(`${output} was begun by svc ${checkpoint.command}`, 'Use another file, or --restart.');
  }
  const begun: Asked = checkpoint.asked;
  for (const [name, value] of Object.entries(askedOf(flags))) {
    if (JSON.stringify(begun[name]) === JSON.stringify(value)) continue;
    const before = begun[name] === undefined ? 'without it' : `with --${name} ${String(begun[name])}`;
    throw usageError(`--${name} ${String(value)} does not fit: the export to ${output} was begun ${before}`, hint);
  }
}

export async function readOrigin(client: Client, baseUrl: string): Promise<Origin> {
  const { account, apiKey } = await client.me.get();
  return { baseUrl: baseUrl.replace(/\/+$/, ''), accountId: account.id, connectionId: apiKey.connectionId };
}

/** Other keys of the account go on as well, as long as they see the same. */
export function assertSameOrigin(begun: Origin, now: Origin, output: string): void {
  const name = ({ baseUrl, accountId, connectionId }: Origin) =>
    `account ${accountId}${connectionId === null ? '' : `, connection ${connectionId} only,`} at ${baseUrl}`;
  if (name(begun) === name(now)) return;
  throw usageError(
    `The export to ${output} was begun for ${name(begun)}; this key is for ${name(now)}`,
    'Use its key and address, for example with --profile, or start anew with --restart.',
  );
}

/** As it can be typed, or pasted. */
export function resumeCommand(command: string, flags: FileFlags): string {
  const words = ['--output', flags.output ?? '', '--resume'];
  if (flags.json) words.push('--json');
  if (flags.profile !== undefined) words.push('--profile', flags.profile);
  if (flags['base-url'] !== undefined) words.push('--base-url', flags['base-url']);
  return [command, ...words.map(toShellWord)].join(' ');
}

/** Without the name of the program. */
export function nameOf(command: string): string {
  return command.replace(/^\S+ /, '');
}
