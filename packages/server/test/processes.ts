import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SIMULATOR = fileURLToPath(new URL('../src/simulators/hubspot-process.ts', import.meta.url));

export interface Process {
  child: ChildProcess;
  /** From its ready line. */
  url: string;
  stdout: () => string;
  stderr: () => string;
  /** Ends it and waits; resolves with the exit code, or null after a kill. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface FinishedProcess {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** `svc-server` from its sources, with an environment that knows nothing of the machine's. */
function spawnServer(args: readonly string[], env: Environment = {}): ChildProcess {
  return spawnNode([SERVER, ...args], env);
}

export function startServerProcess(args: readonly string[], env: Environment = {}): Promise<Process> {
  return untilReady(spawnServer(['start', ...args], env));
}

export function startSimulatorProcess(): Promise<Process> {
  return untilReady(spawnNode([SIMULATOR, '--port', '0'], {}));
}

/** Runs a command that ends by itself. */
export async function runServerCommand(args: readonly string[], env: Environment = {}): Promise<FinishedProcess> {
  const child = spawnServer(args, env);
  const output = collect(child);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

function spawnNode(args: readonly string[], env: Environment): ChildProcess {
  return spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_NO_WARNINGS: '1', ...env },
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return output;
}

function untilReady(child: ChildProcess): Promise<Process> {
  const output = collect(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`exit ${code} before it was ready: ${output.stderr}`)));
    if (!child.stdout) throw new Error('stdout is not piped');
    createInterface({ input: child.stdout }).once('line', (line) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url === undefined) return reject(new Error(`not a ready line: ${line}`));
      resolve({
        child,
        url,
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        async stop(signal = 'SIGTERM') {
          if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
          const exited = new Promise<number | null>((done) => child.once('close', done));
          child.kill(signal);
          return exited;
        },
      });
    });
  });
}

/** A JSON answer that a test looks into freely. */
export async function getJson(url: string): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await (await fetch(url)).text());
}
