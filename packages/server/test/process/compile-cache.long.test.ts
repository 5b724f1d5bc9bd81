/** Node keeps the compiled code of a process for the next one, and V8 refuses what was compiled under other flags. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { SERVER } from '../support/processes.ts';

test('a short command and the server use the compiled code of each other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc compiled '));
  /** Returns the files whose compiled code was used and refused. */
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [SERVER, ...args], {
      env: { NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const filesThat = (what: string) =>
      [...`${stdout}\n${stderr}`.matchAll(new RegExp(`code cache for .*?(\\S+) was ${what}`, 'g'))]
        .map(([, file = '']) => file)
        .filter((file) => !file.includes('node_modules'));
    return { accepted: filesThat('accepted').length, rejected: filesThat('rejected') };
  };
  try {
    // It loads what a server needs, and ends because the embedded database has no room for another process.
    const start = ['start', '--role', 'api', '--data-dir', join(folder, 'data')];
    const migrate = ['migrate', '--data-dir', join(folder, 'data')];
    for (const args of [start, migrate]) await run(...args);
    for (const args of [start, migrate]) {
      const { accepted, rejected } = await run(...args);
      expect(rejected).toEqual([]);
      expect(accepted).toBeGreaterThan(20);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);
