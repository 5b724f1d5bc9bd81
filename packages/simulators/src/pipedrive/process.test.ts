import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('as a process: prints a ready line, serves its state, and ends quietly', async () => {
  const script = fileURLToPath(new URL('./process.ts', import.meta.url));
  const options = ['--port', '0', '--token', 't1', '--company-id', '42', '--user', 'rep@example.com', '--burst', '100'];
  const child = spawn(process.execPath, [script, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    const [line]: string[] = await once(createInterface(child.stdout), 'line');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line ?? '')?.[0];
    expect(line).toBe(`pipedrive simulator ready at ${url}`);
    const me = (token: string) => fetch(`${url}/api/v1/users/me`, { headers: { 'x-api-token': token } });
    expect((await me('t2')).status).toBe(401);
    const answer = await me('t1');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100');
    expect(await answer.json()).toMatchObject({ data: { company_id: 42, email: 'rep@example.com' } });
    const consent = await fetch(`${url}/oauth/authorize?client_id=app&redirect_uri=http://127.0.0.1/callback`);
    expect(await consent.text()).toContain('use account 42?');
    const state: unknown = await (await fetch(`${url}/__sim/state`)).json();
    expect(state).toMatchObject({ persons: [], counts: { requests: 3, tokens: 2 } });
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
});
