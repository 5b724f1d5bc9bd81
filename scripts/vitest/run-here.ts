import { Readable, Writable } from 'node:stream';

interface RunHere {
  readonly env: Readonly<Record<string, string>>;
  /** What the command reads from stdin, which then ends. `null`: stdin stays open, and an attempt to read it fails the command. */
  readonly stdin?: string | null;
  readonly cwd?: string;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the code of a command in the process of the test. The environment, the standard streams, the folder and the exit code belong to
 * the process, so commands run one after another.
 */
export function runHere(command: () => Promise<void>, options: RunHere): Promise<Finished> {
  const result = last.then(() => runNow(command, options));
  last = result.catch(() => {});
  return result;
}

async function runNow(command: () => Promise<void>, { env, stdin = '', cwd }: RunHere): Promise<Finished> {
  const stdout = collectText();
  const stderr = collectText();
  const input = stdin === null ? openStdin() : Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]);
  const folder = process.cwd();
  const restore = replaceProperties({ stdin: input, stdout: stdout.stream, stderr: stderr.stream, env: { ...env } });
  const { exitCode } = process;
  process.exitCode = undefined;
  if (cwd !== undefined) process.chdir(cwd);
  try {
    await command();
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
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
