/** Runs the built command `svc-mock` as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { World } from '@svc/domain/world';
import type { StartOptions } from './target.ts';

const COMMAND = fileURLToPath(new URL('../../../../mock/bin/svc-mock.js', import.meta.url));
const READY = /^svc-mock is ready on (http:\/\/\S+)$/;

export interface SvcMock {
  readonly url: string;
  /** Makes a control call below `/__svc`, which must succeed, and returns the answer. */
  readonly control: (method: string, path: string, body?: object) => Promise<ReturnType<typeof JSON.parse>>;
  readonly stop: () => Promise<void>;
}

export async function startSvcMock(world: World, options: StartOptions): Promise<SvcMock> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc mock '));
  const worldFile = path.join(folder, 'world.json');
  await writeFile(worldFile, JSON.stringify(world));
  const child = spawn(process.execPath, [COMMAND, '--port', '0', '--world', worldFile, ...toArguments(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' },
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await waitUntilReady(child);
  await rm(folder, { recursive: true });
  return {
    url,
    async control(method, route, body) {
      const answer = await fetch(`${url}/__svc${route}`, { method, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
      return JSON.parse(text);
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function toArguments({ now, rateLimit = 'off', trustedProxies = 0, workers = 'on' }: StartOptions): string[] {
  const limits = rateLimit === 'on' ? 'spec' : 'off';
  const proxies = String(trustedProxies);
  return ['--now', now.toISOString(), '--rate-limit', limits, '--trust-proxy', proxies, '--jobs', workers];
}

/** Returns the URL in the first line of stdout. */
function waitUntilReady(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The output of svc-mock is not piped.');
  let errors = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`svc-mock ended with ${code} before it was ready: ${errors}`)));
    createInterface({ input: stdout }).once('line', (line) => {
      const url = READY.exec(line)?.[1];
      if (url === undefined) reject(new Error(`not a ready line: ${line}`));
      else resolve(url);
    });
  });
}
