import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('as a process: prints a ready line, serves its state, and ends quietly', async () => {
  const script = fileURLToPath(new URL('./process.ts', import.meta.url));
  const options = ['--port', '0', '--token', 't1', '--hub-id', '42', '--owner', 'rep@example.com'];
  const child = spawn(process.execPath, [script, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [line]: string[] = await once(createInterface(child.stdout), 'line');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line ?? '')?.[0];
    expect(line).toBe(`hubspot simulator ready at ${url}`);

    const inputs = [{ idProperty: 'email', id: 'kim@example.org', properties: {} }];
    const write = (token: string) =>
      fetch(`${url}/crm/objects/2026-09/contacts/batch/upsert`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: JSON.stringify({ inputs }),
      });
    expect((await write('t2')).status).toBe(401);
    expect((await write('t1')).status).toBe(200);

    const state: unknown = await (await fetch(`${url}/__sim/state`)).json();
    expect(state).toMatchObject({
      contacts: [{ properties: { email: 'kim@example.org' }, writes: 1 }],
      engagements: [],
      counts: { contacts: 1, engagements: 0, requests: 2, engagementWrites: 0 },
    });
    const consent = await fetch(`${url}/oauth/authorize?client_id=app&redirect_uri=http://127.0.0.1/callback`);
    expect(await consent.text()).toContain('use account 42?');
    expect((await fetch(`${url}/__sim/other`)).status).toBe(404);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
});
