import { runHere } from '../../../../scripts/vitest/run-here.ts';
import { runCommandLine } from '../../src/main/command-line.ts';
import { type CliOptions, cliEnvironment, type CliResult } from './run-cli.ts';

const PACKAGE_FOLDER = new URL('../../', import.meta.url);

/** Whether Node reads a variable when a process starts. */
export function isReadAtStart(name: string): boolean {
  return /^(TZ|NODE_.*|SSL_CERT_.*)$/.test(name);
}

export interface InProcessOptions extends CliOptions {
  /** stdin stays open, and an attempt to read it fails the command. */
  readonly isStdinOpen?: boolean;
}

/**
 * Runs a command of the bundle in the process of the test, which takes a tenth of the time of a process. Commands
 * run one after another. Use `runCli` for signals, terminals, and variables that Node reads when it starts.
 *
 * @throws Error for options that need a process
 */
export async function runInProcess(argv: readonly string[], options: InProcessOptions = {}): Promise<CliResult> {
  const needed = Object.keys(options.env ?? {}).filter(isReadAtStart);
  if (options.timeoutMs !== undefined) needed.push('timeoutMs');
  if (needed.length > 0) throw new Error(`${needed.join(', ')} need a process of its own: use runCli`);
  const { cwd, stdin = '', isStdinOpen } = options;
  const finished = await runHere(() => runCommandLine(argv, PACKAGE_FOLDER), {
    env: cliEnvironment(options),
    stdin: isStdinOpen === true ? null : stdin,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { ...finished, signal: null };
}
