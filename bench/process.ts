import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A part of a benchmark that runs in a process of its own, so that it does not share a thread with who measures it. */
export type BenchProcess = {
  /** What it said when it was ready, usually its URL. */
  readonly ready: string;
  /** Sends a line and waits for the one that it answers. */
  ask(line: string): Promise<string>;
  /** It ends with its stdin. */
  stop(): void;
};

/**
 * Starts `bench/<file>`, which prints one line when it is ready and one for every line that it reads.
 *
 * @throws Error when it ends before it has answered
 */
export async function startProcess(file: string, ...args: readonly string[]): Promise<BenchProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
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
    stop: () => child.stdin.end(),
  };
}

/** The other side of it: says that it is ready, and answers every line. Cleans up and ends with its stdin. */
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
