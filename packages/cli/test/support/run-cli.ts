import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from '../../../../scripts/build.ts';
import { API_KEY } from './contract-server.ts';

export const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

/**
 * Builds the bundle, which the tests run, if it is missing or older than its sources. A lock keeps other test files
 * from rebuilding at the same time, which would delete files in use.
 */
export async function buildCli(): Promise<void> {
  const release = await takeLock(
    join(tmpdir(), `svc-cli-build-${createHash('sha256').update(BIN).digest('hex').slice(0, 16)}`),
  );
  try {
    if (!(await build({ packages: ['cli'], quiet: true }))) throw new Error('packages/cli could not be built');
  } finally {
    release();
  }
}

async function takeLock(path: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch {
      if (!isHeld(path)) rmSync(path, { force: true });
      else await setTimeout(50);
    }
  }
}

/** Whether the process that took the lock still runs. */
function isHeld(path: string): boolean {
  try {
    const holder = Number(readFileSync(path, 'utf8'));
    // 0: the lock was just created and has no pid yet.
    return holder === 0 || process.kill(holder, 0);
  } catch {
    return false;
  }
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** The service to call; `apiKey` defaults to the key of the contract server. */
  readonly server?: { readonly url: string; readonly apiKey?: string };
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** The process is killed after this time. Default 60,000. */
  readonly timeoutMs?: number;
}

/** Returns an environment without the keys and profiles of the person who runs the tests. */
export function cliEnvironment({ server, env }: CliOptions = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    SVC_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'svc-cli-config-')),
    NODE_COMPILE_CACHE: join(tmpdir(), 'svc-cli-compiled'),
    ...(server ? { SVC_BASE_URL: server.url, SVC_API_KEY: server.apiKey ?? API_KEY } : {}),
    ...env,
  };
}

export function spawnCli(argv: readonly string[], options: CliOptions = {}): ChildProcess {
  const { cwd } = options;
  const limit = { timeout: options.timeoutMs ?? 60_000, killSignal: 'SIGKILL' } as const;
  return spawn(process.execPath, [BIN, ...argv], { env: cliEnvironment(options), cwd, stdio: 'pipe', ...limit });
}

export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = spawnCli(argv, options);
  child.stdin?.end(options.stdin ?? '');
  return collectResult(child);
}

export async function collectResult(child: ChildProcess): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
