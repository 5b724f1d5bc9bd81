import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli, collectResult, spawnCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.journal.clear());

const RANGE = ['--from', '2025-12', '--to', '2026-01'];

describe('--jq', () => {
  test('prints strings unquoted, everything else as JSON, one line per result', async () => {
    const { code, stdout, stderr } = await service.svc(
      'whoami',
      '--jq',
      '.apiKey.name, .apiKey.scopes, .account.id, null',
    );
    const [name, scopes, id, last] = stdout.split('\n');
    expect([code, stderr]).toEqual([0, '']);
    expect([scopes, last]).toEqual(['["read","write"]', 'null']);
    expect(name).toMatch(/^[^"]+$/);
    expect(id).toMatch(/^\d+$/);
    expect((await service.svc('whoami', '--jq=" a\\nb ", "", empty')).stdout).toBe(' a\nb \n\n');
  });

  test('works on lists, chosen fields, NDJSON and exports', async () => {
    expect((await service.svc('connections', 'list', '--jq', 'map(.crm) | sort | first')).stdout).toMatch(/^[A-Z]+\n$/);
    const fields = await service.svc('connections', 'list', '--fields', 'crm', '--jq', '.[0] | keys');
    expect(fields.stdout).toBe('["crm"]\n');
    const list = await service.svc('syncs', 'list', ...RANGE, '--limit', '2', '--format', 'ndjson', '--jq', '.id');
    expect(list.stdout).toMatch(/^\d+\n\d+\n$/);
    const all = await service.svc('syncs', 'list', ...RANGE, '--all', '--jq', 'length');
    const exported = await service.svc('syncs', 'export', ...RANGE, '--jq', 'length');
    expect([exported.code, exported.stdout]).toEqual([0, all.stdout]);
  });

  test('keeps the exit code', async () => {
    const status = await service.svc('status', '--exit-code', '--jq', '.ready');
    expect([status.code, status.stdout]).toEqual([9, 'false\n']);
    const missing = await service.svc('syncs', 'get', '999999999', '--jq', '.id');
    expect([missing.code, missing.stdout, JSON.parse(missing.stderr).error.code]).toEqual([3, '', 'not_found']);
  });

  test.each([
    ['.apiKey |', /^--jq: syntax error, unexpected end of file/],
    ['.[', /^--jq: syntax error/],
    ['nope', /^--jq: nope\/0 is not defined at <top-level>, line 1:\nnope$/],
  ])('%j exits with 2 before any request', async (expression, message) => {
    const { code, stdout, stderr } = await service.svc('whoami', '--jq', expression);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'usage', message: expect.stringMatching(message) });
    expect(service.mock.journal.all()).toEqual([]);
  });

  test('an expression that does not fit the data exits with 2 and prints nothing', async () => {
    const { code, stdout, stderr } = await service.svc('whoami', '--jq', '.account.id, .apiKey.name.first');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr).error.message).toBe('--jq: Cannot index string with string "first"');
    expect((await service.svc('whoami', '--jq', 'error("no")')).code).toBe(2);
  });

  test('other formats than JSON are refused', async () => {
    for (const format of ['csv', 'table']) {
      const { code, stderr } = await service.svc('connections', 'list', '--format', format, '--jq', '.');
      expect([code, JSON.parse(stderr).error.message]).toEqual([2, `Use either --jq or --format ${format}, not both`]);
    }
  });

  test('takes linear time', async () => {
    const rows = Array.from({ length: 20_000 }, (_unused, id) => ({ id, text: 'ä'.repeat(50) }));
    service.mock.faults.add({ operations: ['getMe'], effect: { kind: 'status', status: 200, body: { data: rows } } });
    const startedAt = performance.now();
    const { code, stdout } = await service.svc('api', '/me', '--jq', '.data[].text');
    service.mock.faults.clear();
    expect([code, stdout]).toEqual([0, `${'ä'.repeat(50)}\n`.repeat(20_000)]);
    // Without the patch of jq-wasm, 300 kB take 20 seconds and this document hours.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('exits with 0 when the reader closes the pipe', async () => {
    const child = spawnCli(['syncs', 'list', ...RANGE, '--all', '--jq', '.[]'], {
      server: { url: service.url, apiKey: service.apiKey },
    });
    child.stdout?.destroy();
    expect((await collectResult(child)).code).toBe(0);
  });
});
