import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { POSTPONED_OPTIMIZATION } from '@svc/engine/runtime/postponed-optimization';
import { runHere } from '../../../../scripts/vitest/run-here.ts';
import type { MovedClockOrder } from './moved-clock-server.ts';

/** Types are stripped and code is compiled once for all processes of a run, which halves the time of a command. */
export const COMPILE_CACHE = join(tmpdir(), 'svc-server-compiled');
/** `svc-server` from its sources. */
export const SERVER_SOURCES = fileURLToPath(new URL('../../src/main/main.ts', import.meta.url));

/**
 * The entry point of `svc-server`: the bundle, which starts in half of the time, where `npm test` or `npm run test:long` has just built it; else
 * the sources, so that a file that is run alone tests what was edited.
 */
export const SERVER =
  process.env['SVC_TEST_BUNDLES'] === '1'
    ? fileURLToPath(new URL('../../bin/svc-server.js', import.meta.url))
    : SERVER_SOURCES;
const MOVED_CLOCK_SERVER = fileURLToPath(new URL('./moved-clock-server.ts', import.meta.url));

export interface Process {
  child: ChildProcess;
  /** The URL of its ready line. */
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

/**
 * Starts `svc-server` without the machine's environment variables.
 *
 * @param main its entry point in another release
 */
export function startServerProcess(args: readonly string[], env: Environment = {}, main = SERVER): Promise<Process> {
  return untilReady(spawnNode([main, 'start', ...args], env));
}

/** Starts the simulator of HubSpot as a process, so that its state outlives the server that writes to it. */
export function startSimulatorProcess(...args: readonly string[]): Promise<Process> {
  return startSimulator('hubspot', ...args);
}

export function startSimulator(crm: string, ...args: readonly string[]): Promise<Process> {
  return untilReady(spawnNode([SERVER, 'simulate', crm, ...args], {}));
}

export interface MovedClockServer extends Process {
  /** Resolves once the order is carried out. */
  order(order: MovedClockOrder): Promise<void>;
}

/** Starts a server whose clock the test moves; see `moved-clock-server.ts`. */
export async function startMovedClockServer(
  options: { receiverPort: number; offsetMs: number; rate?: number; epochMs?: number },
  env: Environment,
): Promise<MovedClockServer> {
  const { receiverPort, offsetMs, rate = 1, epochMs = 0 } = options;
  const numbers = [receiverPort, offsetMs, rate, epochMs].map(String);
  const started = await untilReady(spawnNode([MOVED_CLOCK_SERVER, ...numbers], env, { moreStdio: ['ipc'] }));
  const { child } = started;
  return {
    ...started,
    async order(order) {
      const done = once(child, 'message');
      child.send(order);
      await done;
    },
  };
}

/**
 * Runs a command that ends by itself, with `input` (default empty) on its stdin, in the process of the test: a process of its own takes ten
 * times as much, most of all with the embedded database. Commands run one after another. What they log goes to the stderr of the test.
 * Use `runServerCommand` for `start` and `simulate`, for commands at the same time, and for what `main.ts` adds.
 */
export async function runServerCommandHere(
  args: readonly string[],
  env: Environment = {},
  input = '',
): Promise<FinishedProcess> {
  const [{ createProgram }, { reportError }] = await Promise.all([
    import('../../src/main/program.ts'),
    import('../../src/main/report-error.ts'),
  ]);
  const json = args.includes('--json');
  const command = async () => {
    try {
      await createProgram({ writesErrors: !json }).parseAsync(args, { from: 'user' });
    } catch (error) {
      process.exitCode = reportError(error, { json });
    }
  };
  return runHere(command, { env: environmentOf(env), stdin: input });
}

/** Runs a command that ends by itself as a process. */
export async function runServerCommand(
  args: readonly string[],
  env: Environment = {},
  input = '',
  main = SERVER,
): Promise<FinishedProcess> {
  const child = spawnNode([main, ...args], env, { input });
  const output = collect(child);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

/** Nothing listens at port 9: without a simulator no CRM is called. */
function environmentOf(env: Environment): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_NO_WARNINGS: '1', SVC_HUBSPOT_URL: 'http://127.0.0.1:9', ...env };
}

/** A server of a test lives for seconds too. Node refuses to start if V8 no longer knows the flag. */
function spawnNode(
  args: readonly string[],
  env: Environment,
  { input = '', moreStdio = [] }: { input?: string; moreStdio?: readonly 'ipc'[] } = {},
): ChildProcess {
  const child = spawn(process.execPath, [POSTPONED_OPTIMIZATION, ...args], {
    stdio: ['pipe', 'pipe', 'pipe', ...moreStdio],
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environmentOf(env) },
  });
  // A command without input may have ended before it is written.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return child;
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

/** Fetches JSON. */
export async function getJson(url: string): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await (await fetch(url)).text());
}
