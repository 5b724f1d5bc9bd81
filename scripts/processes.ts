import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** The root folder of the repository. */
export const root: string = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Path of a tool that a package (default: the root) depends on. */
export function tool(name: string, packageFolder = ''): string {
  return join(root, packageFolder, 'node_modules', '.bin', name);
}

export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Show the output at once instead of collecting it. */
  readonly inherit?: boolean;
};

export type RunResult = {
  /** Exit code; 128 + n for a process ended by signal n, 127 when it could not be started. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in the order of their output; empty with `inherit`. */
  readonly output: string;
};

/** Runs a program without a shell and without stdin. Never rejects: problems are in `code` and `output`. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: {
        ...process.env,
        ...(options.inherit === true ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined }),
        ...options.env,
      },
      stdio: ['ignore', options.inherit === true ? 'inherit' : 'pipe', options.inherit === true ? 'inherit' : 'pipe'],
    });
    // Shown output means that somebody watches: Ctrl-C reaches the program from the terminal, so here it only waits for its end.
    const onInterrupt = () => {};
    const onTerminate = () => child.kill('SIGTERM');
    if (options.inherit === true) process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
    const texts = { stdout: '', stderr: '', output: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
        texts.output += text;
      });
    }
    const end = (code: number) => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
      // Some tools colour their errors whatever NO_COLOR says.
      const [stdout, stderr, output] = [texts.stdout, texts.stderr, texts.output].map(stripVTControlCharacters);
      done({ code, stdout: stdout ?? '', stderr: stderr ?? '', output: output ?? '' });
    };
    child.on('error', (error) => {
      texts.output += `${error.message}\n`;
      end(127);
    });
    child.on('close', (code, signal) => end(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/**
 * Runs TypeScript in half of the processor time of its defaults: several checkers compute common types several times, and the garbage
 * collector runs more often than this memory needs.
 */
export function runTsc(args: readonly string[], options: Pick<RunOptions, 'cwd'> = {}): Promise<RunResult> {
  return run(tool('tsc'), [...args, '--pretty', 'false', '--checkers', '1'], { ...options, env: { GOGC: '400' } });
}
