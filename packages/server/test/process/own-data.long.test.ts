/** Runs the commands of docs/operating.md, "First start", from an empty folder to an event in the CRM. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { getJson, type Process, SERVER, startServerProcess, startSimulatorProcess } from '../support/processes.ts';

const started: Process[] = [];
let dir = '';
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

/** Returns the commands of the section "First start", without those of `svc`. */
async function readCommands(): Promise<{ start: string; rest: string }> {
  const text = await readFile(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('First start\n')) ?? '';
  const [start = '', rest = ''] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return {
    start,
    rest: rest
      .split('\n')
      .filter((line) => !line.startsWith('svc '))
      .join('\n'),
  };
}

/** Creates programs with these names, first in the path. */
async function makeShims(shims: Record<string, string>): Promise<string> {
  const bin = path.join(dir, 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(shims)) {
    await writeFile(path.join(bin, name), script);
    await chmod(path.join(bin, name), 0o755);
  }
  return bin;
}

/** The part of curl that the section needs, where the machine has none: `curl -d BODY URL`. */
const CURL = `#!/bin/sh
exec "${process.execPath}" -e '
const [, body, url] = process.argv.slice(1);
fetch(url, { method: "POST", body }).then(async (response) => {
  console.log(await response.text());
  process.exitCode = response.ok ? 0 : 22;
});
' -- "$@"
`;

async function runShell(script: string, env: Record<string, string>) {
  const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

test('the commands of "First start" lead from an empty folder to an event in the CRM', {
  timeout: 300_000,
}, async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc own '));
  await writeFile(path.join(dir, 'token.txt'), 'pat-na1-of-the-docs\n', { mode: 0o600 });
  const crm = await startSimulatorProcess('--token', 'pat-na1-of-the-docs', '--organization-id', '12345678');
  started.push(crm);
  const { start, rest } = await readCommands();
  expect(start).toBe('svc-server start --data-dir data\n');
  const dataDir = path.join(dir, 'data');
  const server = await startServerProcess(['--port', '0'], { SVC_DATA_DIR: dataDir, SVC_HUBSPOT_URL: crm.url });
  started.push(server);

  const bin = await makeShims({
    'svc-server': `#!/bin/sh\nexec "${process.execPath}" "${SERVER}" "$@"\n`,
    curl: CURL,
  });
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: dir, NODE_NO_WARNINGS: '1' };
  const typed = await runShell(`${rest}\necho "KEY $SVC_API_KEY"`, env);
  expect(typed).toMatchObject({ code: 0 });
  expect(typed.stdout).toContain('Account 1 of you@example.com is created.');
  expect(typed.stdout).toContain(
    'Connection 1 to HUBSPOT (example.com) is added. HUBSPOT accepts its token for account 12345678.',
  );
  expect(typed.stdout).toMatch(/^PASS {2}database /m);
  expect(typed.stdout).toMatch(/^PASS {2}CRM tokens /m);
  expect(typed.stdout).not.toMatch(/^FAIL/m);
  expect(typed.stdout).toContain('"received":true');
  const key = /^KEY (osapi_\w+)$/m.exec(typed.stdout)?.[1] ?? '';

  const range = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date(Date.now() + 3_600_000).toISOString()}`;
  const listSyncs = async () => {
    const answer = await fetch(`${server.url}/api/v1/syncs?${range}`, { headers: { authorization: `Bearer ${key}` } });
    return JSON.parse(await answer.text()).data;
  };
  await expect.poll(listSyncs, { timeout: 60_000, interval: 500 }).toEqual([
    expect.objectContaining({
      status: 'success',
      toEmail: 'kim@example.org',
      platform: 'smartlead',
      eventType: 'EMAIL_REPLY',
    }),
  ]);
  const { contacts, counts } = await getJson(`${crm.url}/__sim/state`);
  expect(contacts[0].properties.email).toBe('kim@example.org');
  expect(counts.engagements).toBe(1);
});
