/** `kill` of any program of the checkout ends it whole: no process stays behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from './processes.ts';

let folder = '';
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-signals-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program and waits for the address on its stdout. */
async function start(command: string, args: readonly string[]): Promise<{ url: string; closed: Promise<unknown[]> }> {
  const started = spawn(command, args, {
    cwd: root,
    env: { ...process.env, SVC_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  // `close` comes when the last process that holds the output has ended, not only the first.
  const closed = once(started, 'close');
  for await (const line of createInterface({ input: started.stdout })) {
    const url = /http:\/\/\S+?:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    started.stdout.resume();
    return { url, closed };
  }
  throw new Error(`${command} ended without printing its address`);
}

const programs: [string, string[]][] = [
  ['bin/svc-server', ['start', '--port', '0']],
  ['bin/svc-mock', ['--port', '0']],
  ['bin/svc', ['mock', 'start', '--port', '0']],
  ['node_modules/.bin/svc-server', ['start', '--port', '0']],
  ['node_modules/.bin/svc-mock', ['--port', '0']],
];

test.each(programs)('kill of %s %j', async (program, args) => {
  const { url, closed } = await start(join(root, program), args);
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  child?.kill('SIGTERM');
  await closed;
  await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed');
});

test('kill of npm start', async () => {
  const { url, closed } = await start('npm', ['start', '--', '--port', '0', '--data-dir', folder]);
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  child?.kill('SIGTERM');
  await closed;
  await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed');
});
