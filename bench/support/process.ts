import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A part of a benchmark in its own process, so that it does not share a thread with the measurement. */
export type BenchProcess = {
  /** The line it printed when ready, usually its URL. */
  readonly ready: string;
  /** Sends a line and returns the answer line. */
  ask(line: string): Promise<string>;
  /** Does `work` while it runs; from then on it stands still between such work, so that what it has left to do slows no other measurement. */
  only<T>(work: () => Promise<T>): Promise<T>;
  /** Ends it by closing its stdin. */
  stop(): void;
};

/**
 * Starts `bench/support/<file>`, which prints one line when it is ready and one for every line it reads.
 *
 * @throws Error when it ends before it has answered
 */
export function startProcess(file: string, ...args: readonly string[]): Promise<BenchProcess> {
  return startProcessWith({}, file, ...args);
}

/** The same with more environment variables. */
export async function startProcessWith(
  env: Readonly<Record<string, string>>,
  file: string,
  ...args: readonly string[]
): Promise<BenchProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout });
  const nextLine = () =>
    new Promise<string>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${file} ${args[0] ?? ''} ended with ${code}`));
      child.once('exit', onExit);
      lines.once('line', (line) => {
        child.off('exit', onExit);
        resolve(line);
      });
    });
  const ready = await nextLine();
  return {
    ready,
    ask(line) {
      const answer = nextLine();
      child.stdin.write(`${line}\n`);
      return answer;
    },
    async only(work) {
      child.kill('SIGCONT');
      return await work().finally(() => child.kill('SIGSTOP'));
    },
    stop() {
      child.kill('SIGCONT');
      child.stdin.end();
    },
  };
}

/** The other side: prints `ready`, answers every line, and cleans up at the end of its stdin. */
export function answerLines(ready: string, answer: (line: string) => Promise<string>, cleanUp: () => void): void {
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      answer(line).then(
        (text) => process.stdout.write(`${text}\n`),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
          cleanUp();
          process.exit(1);
        },
      );
    })
    .once('close', () => {
      cleanUp();
      process.exit(0);
    });
  process.stdout.write(`${ready}\n`);
}
