import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, startMockService } from './mock-service.ts';
import { buildCli } from './run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
});
afterAll(() => service.close());

test('a long list is cut off, and says so', async () => {
  const { code, stdout, stderr } = await service.svc(
    'syncs',
    'list',
    '--from',
    '2025-01',
    '--limit',
    '3',
    '--format',
    'ndjson',
  );
  expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 3]);
  expect(stderr).toBe('Only the newest 3 are shown, more exist: --all, or --limit N.\n');
});
