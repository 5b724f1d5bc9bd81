import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.reset());

test('without a terminal, prints every panel once', async () => {
  const { code, stdout, stderr } = await service.svc('top');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.match(/^(?:Not ready|Connections|Failing|Rates|Block lists|Log)\b/gm)).toEqual([
    ...['Not ready', 'Connections', 'Failing', 'Rates', 'Block lists', 'Log'],
  ]);
  expect(stdout).toMatch(/^1 +HUBSPOT +northwind\.example\.com +yes /m);
  expect(stdout).toMatch(/^connection 3 PIPEDRIVE +crm_disconnected +Reconnect/m);
  expect(stdout).toMatch(/^10:30:00Z +error +2657 +EMAIL_SENT/m);
  expect(stdout).not.toContain('\u001b');
  expect((await service.svc('top', '--once')).stdout).toBe(stdout);
});

test('--json has the rows of the API, and the requests without a sync', async () => {
  const { id, createdAt } = await service.mock.db.requests.create({
    connectionId: 1,
    sourceId: 1,
    createdAt: new Date('2026-01-15T11:59:00.000Z'),
  });
  const { code, stdout } = await service.svc('top', '--json');
  expect(code).toBe(0);
  const { status, rates, withoutSync, blocklists, syncs, failingSources, gaps } = JSON.parse(stdout);
  expect(status.ready).toBe(false);
  expect(rates.day.syncs.error).toBeGreaterThan(0);
  expect(id).toBeGreaterThan(0);
  expect(withoutSync).toEqual([{ connectionId: 1, requests: 1, oldestAt: createdAt.toISOString() }]);
  expect(blocklists).toHaveLength(9);
  expect(syncs[0].id).toBe(2657);
  expect(failingSources[0].sourceId).toBe(4);
  expect(gaps).toEqual([]);
});

test('what the key may not read is named', async () => {
  const apiKey = service.mock.keys.osapi_demo_no_webhooks ?? '';
  const { code, stdout } = await service.run(['top', '--json'], { apiKey });
  expect([code, JSON.parse(stdout).gaps.map(({ part }: { part: string }) => part)]).toEqual([0, ['failing sources']]);
});
