import { execFileSync, spawn } from 'node:child_process';
import { leaveOut } from '../../../../scripts/vitest/lacking.ts';
import { BIN, type CliResult, collectResult } from './run-cli.ts';
import { isReadAtStart, runInProcess } from './run-in-process.ts';
import { quote } from './terminal.ts';

/**
 * Kinds of stdin: a closed descriptor, a pipe, or a terminal (then also stdout and stderr). A piped command runs in the
 * process of the test where it needs no signal; every other command is a process.
 */
export const WAYS = ['closed', 'piped', 'terminal'] as const;
export type Way = (typeof WAYS)[number];

export interface WayOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Input of the pipe, which then ends. Default: a line that must not be read, in a pipe that stays open. */
  readonly stdin?: string | undefined;
  readonly unreadStdin?: string | undefined;
  /** In a terminal: the prompt and the answer to type. */
  readonly prompt?: { readonly question: RegExp; readonly typed: string } | undefined;
  /** Send Ctrl-C once this has been printed. */
  readonly until?: RegExp | undefined;
  /** The command becomes another program, which needs a process. */
  readonly isOtherProgram?: boolean | undefined;
}

const LIMIT = { timeout: 60_000, killSignal: 'SIGKILL' } as const;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** Whether `script` of util-linux, which provides the terminals, is installed. Says so if not; throws if `CI=true`. */
export function hasScript(): boolean {
  try {
    if (execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')) return true;
  } catch {
    // Reported below.
  }
  leaveOut({ what: 'script of util-linux', untested: 'commands in terminals', remedy: 'apt-get install bsdutils' });
  return false;
}

/** Runs a command. In a terminal, the result's stdout contains everything on the screen. */
export function runInWay(way: Way, argv: readonly string[], options: WayOptions): Promise<CliResult> {
  if (way === 'terminal') return runInTerminal(argv, options);
  // Only the cache of compiled code, which a running process has already.
  const { NODE_COMPILE_CACHE: _cache, ...env } = options.env;
  const { cwd, stdin, until, isOtherProgram } = options;
  const needsProcess = until !== undefined || isOtherProgram === true || Object.keys(env).some(isReadAtStart);
  if (way === 'closed' || needsProcess) return runWithoutTerminal(way, argv, options);
  return runInProcess(argv, { env, cwd, ...(stdin === undefined ? { isStdinOpen: true } : { stdin }) });
}

async function runWithoutTerminal(
  way: 'closed' | 'piped',
  argv: readonly string[],
  { env, cwd, stdin, unreadStdin = 'surprise', until }: WayOptions,
): Promise<CliResult> {
  const words = [process.execPath, BIN, ...argv];
  const [command = '', ...rest] = way === 'closed' ? ['sh', '-c', 'exec "$0" "$@" <&-', ...words] : words;
  const child = spawn(command, rest, { env, cwd, stdio: 'pipe', ...LIMIT });
  // The command may exit while the pipe is being written to.
  child.stdin.on('error', () => {});
  if (stdin !== undefined) child.stdin.end(stdin);
  else child.stdin.write(`${unreadStdin}\n`);
  if (until !== undefined) {
    const interrupt = onceSeen(until, () => child.kill('SIGINT'));
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', interrupt);
  }
  return collectResult(child);
}

async function runInTerminal(
  argv: readonly string[],
  { env, cwd, prompt, until, stdin }: WayOptions,
): Promise<CliResult> {
  const command = [process.execPath, BIN, ...argv].map(quote).join(' ');
  const terminal = ['--quiet', '--return', '--command', `stty cols 80 rows 50; exec ${command}`, '/dev/null'];
  const child = spawn('script', terminal, {
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    cwd,
    stdio: 'pipe',
    ...LIMIT,
  });
  child.stdin.on('error', () => {});
  const type = (text: string) => () => child.stdin.write(text);
  const seen = [
    ...(prompt === undefined ? [] : [onceSeen(prompt.question, type(prompt.typed))]),
    ...(until === undefined ? [] : [onceSeen(until, type(CTRL_C))]),
  ];
  for (const notice of seen) child.stdout.setEncoding('utf8').on('data', notice);
  if (stdin !== undefined && prompt === undefined) type(CTRL_D)();
  const { stdout, ...result } = await collectResult(child);
  return { ...result, stdout: stdout.replaceAll('\r\n', '\n') };
}

/** Returns a listener that calls `act` once, as soon as the collected text matches. */
function onceSeen(pattern: RegExp, act: () => void): (text: string) => void {
  let printed = '';
  let isDone = false;
  return (text) => {
    printed += text;
    if (isDone || !pattern.test(printed)) return;
    isDone = true;
    act();
  };
}
