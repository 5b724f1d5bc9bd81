import type { ChildProcess } from 'node:child_process';
import { accountStatusResponseSchema } from '@svc/contract/schemas';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, type CliResult, collectResult, spawnCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
});
afterAll(() => service.close());
beforeEach(() => service.mock.reset());

function watch(...argv: string[]): { child: ChildProcess; result: Promise<CliResult>; looks(): number } {
  const child = spawnCli(['status', '--watch', '--interval', '1s', ...argv], {
    server: { url: service.url, apiKey: service.apiKey },
  });
  const looks = () => service.mock.journal.find({ operation: 'getAccountStatus' }).length;
  return { child, result: collectResult(child), looks };
}

test('--json, piped: one line for each look, until Ctrl-C', async () => {
  const { child, result, looks } = watch('--json');
  child.stdin?.end();
  await expect.poll(looks).toBeGreaterThan(2);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await result;
  expect(code).toBe(130);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(accountStatusResponseSchema.parse(JSON.parse(line)).ready).toBe(false);
  expect(JSON.parse(stderr).error.code).toBe('interrupted');
});

test('--fields', async () => {
  const { child, result, looks } = watch('--json', '--fields', 'ready,blockers.code');
  await expect.poll(looks).toBeGreaterThan(1);
  child.kill('SIGTERM');
  const { code, stdout } = await result;
  expect(code).toBe(143);
  expect(stdout.split('\n')[0]).toBe('{"ready":false,"blockers":[{"code":"crm_disconnected"}]}');
});

test('piped: one page after the other', async () => {
  const { child, result, looks } = watch();
  await expect.poll(looks).toBeGreaterThan(2);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await result;
  expect([code, stderr]).toEqual([130, 'Error: Interrupted\n']);
  expect(stdout.match(/^Not ready \(checked /gm)?.length).toBeGreaterThan(1);
  expect(stdout).not.toContain('\u001b');
});

test('while the service is away: told once, then it goes on', async () => {
  const { child, result, looks } = watch();
  await expect.poll(looks).toBe(1);
  const fault = service.mock.faults.add({ operations: ['getAccountStatus'], effect: { kind: 'status', status: 503 } });
  await expect.poll(looks).toBeGreaterThan(3);
  service.mock.faults.remove(fault.id);
  const before = looks();
  await expect.poll(looks).toBeGreaterThan(before + 1);
  child.kill('SIGINT');
  const { stdout, stderr } = await result;
  expect(stderr.match(/^The status cannot be seen: /gm)).toHaveLength(1);
  expect(stdout.match(/^Not ready/gm)?.length).toBeGreaterThan(1);
});

test('the same with --json: an error in one line', async () => {
  const { child, result, looks } = watch('--json');
  await expect.poll(looks).toBe(1);
  service.mock.faults.add({ operations: ['getAccountStatus'], times: 2, effect: { kind: 'status', status: 503 } });
  await expect.poll(looks).toBeGreaterThan(4);
  child.kill('SIGTERM');
  const { code, stderr } = await result;
  expect([code, JSON.parse(stderr).error.status]).toEqual([143, 503]);
});

test('a key that is void ends it, at the start and later', async () => {
  const first = await service.run(['status', '--watch'], { apiKey: 'osapi_wrong' });
  expect([first.code, first.stdout]).toEqual([4, '']);
  const { result, looks } = watch('--json');
  await expect.poll(looks).toBe(1);
  service.mock.faults.add({ operations: ['getAccountStatus'], effect: { kind: 'status', status: 401 } });
  const { code, stderr } = await result;
  expect([code, JSON.parse(stderr).error.code]).toEqual([4, 'not_authenticated']);
});

test('a reader that has enough ends it', async () => {
  const { child, result } = watch('--json');
  child.stdout?.once('data', () => child.stdout?.destroy());
  expect((await result).code).toBe(0);
});

test.each([
  ['--interval without --watch', ['status', '--interval', '5s']],
  ['--watch with --exit-code', ['status', '--watch', '--exit-code']],
])('%s is wrong usage', async (_name, argv) => {
  const { code, stdout } = await service.run([...argv, '--json']);
  expect([code, stdout]).toEqual([2, '']);
});
