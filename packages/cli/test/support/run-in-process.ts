import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/main/command-line.ts';
import { type CliOptions, cliEnvironment, type CliResult } from './run-cli.ts';

const PACKAGE_FOLDER = new URL('../../', import.meta.url);

/** Whether Node reads a variable when a process starts. */
export function isReadAtStart(name: string): boolean {
  return /^(TZ|NODE_.*|SSL_CERT_.*)$/.test(name);
}

let last: Promise<unknown> = Promise.resolve();

export interface InProcessOptions extends CliOptions {
  /** stdin stays open, and an attempt to read it fails the command. */
  readonly isStdinOpen?: boolean;
}

/**
 * Runs a command of the bundle in the process of the test, which takes a tenth of the time of a process. The environment,
 * the standard streams, the folder and the exit code belong to the process, so commands run one after another. Use `runCli`
 * for signals, terminals, and variables that Node reads when it starts.
 *
 * @throws Error for options that need a process
 */
export function runInProcess(argv: readonly string[], options: InProcessOptions = {}): Promise<CliResult> {
  const needed = Object.keys(options.env ?? {}).filter(isReadAtStart);
  if (options.timeoutMs !== undefined) needed.push('timeoutMs');
  if (needed.length > 0) throw new Error(`${needed.join(', ')} need a process of its own: use runCli`);
  const result = last.then(() => runNow(argv, options));
  last = result.catch(() => {});
  return result;
}

async function runNow(argv: readonly string[], options: InProcessOptions): Promise<CliResult> {
  const stdout = collectText();
  const stderr = collectText();
  const stdin =
    options.isStdinOpen === true ? openStdin() : Readable.from(options.stdin ? [Buffer.from(options.stdin)] : []);
  const folder = process.cwd();
  const restore = replaceProperties({
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: cliEnvironment(options),
  });
  const { exitCode } = process;
  process.exitCode = undefined;
  if (options.cwd !== undefined) process.chdir(options.cwd);
  try {
    await runCommandLine(argv, PACKAGE_FOLDER);
    return { code: Number(process.exitCode ?? 0), signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = exitCode;
    process.chdir(folder);
    restore();
  }
}

function openStdin(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error('The command reads stdin, which stays open'));
    },
  });
}

function collectText(): { readonly stream: Writable; text(): string } {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      if (!isWarningOfNode(piece)) pieces.push(piece);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(pieces).toString() };
}

/** Node warns about the process of the tests, for example about a file that an earlier command left to the end of its process. */
function isWarningOfNode(piece: Buffer): boolean {
  return piece.toString('utf8', 0, 40).startsWith(`(node:${process.pid}) `);
}

/** Replaces properties of `process`. Call the returned function to restore them. */
function replaceProperties(values: Readonly<Record<'stdin' | 'stdout' | 'stderr' | 'env', unknown>>): () => void {
  const kept = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  }
  return () => {
    for (const [name, descriptor] of kept)
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
  };
}
