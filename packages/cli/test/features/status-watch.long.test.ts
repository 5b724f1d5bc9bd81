import type { ChildProcess } from 'node:child_process';
import { accountStatusResponseSchema } from '@svc/contract/schemas';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, type CliResult, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.reset());

function watch(...argv: string[]): { child: ChildProcess; result: Promise<CliResult>; requestCount(): number } {
  const child = spawnCli(['status', '--watch', '--interval', '1s', ...argv], {
    server: { url: service.url, apiKey: service.apiKey },
  });
  const requestCount = () => service.mock.journal.find({ operation: 'getAccountStatus' }).length;
  return { child, result: collectResult(child), requestCount };
}

test('--json, piped: one line for each request, until Ctrl-C', async () => {
  const { child, result, requestCount } = watch('--json');
  child.stdin?.end();
  await expect.poll(requestCount).toBeGreaterThan(2);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await result;
  expect(code).toBe(130);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(accountStatusResponseSchema.parse(JSON.parse(line)).ready).toBe(false);
  expect(JSON.parse(stderr).error.code).toBe('interrupted');
});

test('--fields', async () => {
  const { child, result, requestCount } = watch('--json', '--fields', 'ready,blockers.code');
  await expect.poll(requestCount).toBeGreaterThan(1);
  child.kill('SIGTERM');
  const { code, stdout } = await result;
  expect(code).toBe(143);
  expect(stdout.split('\n')[0]).toBe('{"ready":false,"blockers":[{"code":"crm_disconnected"}]}');
});

test('piped: prints the pages one after another', async () => {
  const { child, result, requestCount } = watch();
  await expect.poll(requestCount).toBeGreaterThan(2);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await result;
  expect([code, stderr]).toEqual([130, '']);
  expect(stdout.match(/^Not ready \(checked /gm)?.length).toBeGreaterThan(1);
  expect(stdout).not.toContain('\u001b');
});

test('reports a failing service once and continues', async () => {
  const { child, result, requestCount } = watch();
  await expect.poll(requestCount).toBe(1);
  const fault = service.mock.faults.add({ operations: ['getAccountStatus'], effect: { kind: 'status', status: 503 } });
  await expect.poll(requestCount).toBeGreaterThan(3);
  service.mock.faults.remove(fault.id);
  const before = requestCount();
  await expect.poll(requestCount).toBeGreaterThan(before + 1);
  child.kill('SIGINT');
  const { stdout, stderr } = await result;
  expect(stderr.match(/^Cannot read the status: /gm)).toHaveLength(1);
  expect(stdout.match(/^Not ready/gm)?.length).toBeGreaterThan(1);
});

test('reports a failing service as one line of JSON with --json', async () => {
  const { child, result, requestCount } = watch('--json');
  await expect.poll(requestCount).toBe(1);
  service.mock.faults.add({ operations: ['getAccountStatus'], times: 2, effect: { kind: 'status', status: 503 } });
  await expect.poll(requestCount).toBeGreaterThan(4);
  child.kill('SIGTERM');
  const { code, stderr } = await result;
  expect([code, JSON.parse(stderr).error.status]).toEqual([143, 503]);
});

test('a rejected key ends it, at the start and later', async () => {
  const first = await service.run(['status', '--watch'], { apiKey: 'osapi_wrong' });
  expect([first.code, first.stdout]).toEqual([4, '']);
  const { result, requestCount } = watch('--json');
  await expect.poll(requestCount).toBe(1);
  service.mock.faults.add({ operations: ['getAccountStatus'], effect: { kind: 'status', status: 401 } });
  const { code, stderr } = await result;
  expect([code, JSON.parse(stderr).error.code]).toEqual([4, 'not_authenticated']);
});

test('exits with 0 when the reader closes the pipe', async () => {
  const { child, result } = watch('--json');
  child.stdout?.once('data', () => child.stdout?.destroy());
  expect((await result).code).toBe(0);
});

test.each([
  ['--interval without --watch', ['status', '--interval', '5s']],
  ['--watch with --exit-code', ['status', '--watch', '--exit-code']],
])('%s exits with 2', async (_name, argv) => {
  const { code, stdout } = await service.run([...argv, '--json']);
  expect([code, stdout]).toEqual([2, '']);
});
