import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('as a process: prints a ready line, serves its state, and ends quietly', async () => {
  const script = fileURLToPath(new URL('./process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, '--port', '0', '--token', 't1', '--user', 'rep@example.com'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [line]: string[] = await once(createInterface(child.stdout), 'line');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line ?? '')?.[0];
    expect(line).toBe(`salesforce simulator ready at ${url}`);
    const write = (token: string) =>
      fetch(`${url}/services/data/v66.0/sobjects/Contact`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: JSON.stringify({ LastName: 'Berg' }),
      });
    expect((await write('t2')).status).toBe(401);
    expect((await write('t1')).status).toBe(201);
    expect(await (await fetch(`${url}/__sim/state`)).json()).toMatchObject({
      contacts: [{ values: { LastName: 'Berg' }, writes: 1 }],
      tasks: [],
      counts: { contacts: 1, tasks: 0, requests: 2 },
    });
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
});
