import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExportFlags } from '../../src/features/export/flags.ts';
import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import { resolveLogRange } from '../../src/command/log-range.ts';
import { runExport } from '../../src/features/export/run-export.ts';
import { type MockService, NOW, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

const RANGE = ['--from', '2025-10', '--to', NOW];

let service: MockService;
let folder: string;
beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-export-mock-'));
});

const rowsOf = (text: string): Record<string, unknown>[] =>
  text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));

describe.each([
  ['syncs', '--source', 'sourceId'],
  ['requests', '--source', 'sourceId'],
  ['deliveries', '--destination', 'destinationId'],
] as const)('%s export', (what, flag, field) => {
  const exported = async (...flags: string[]) => {
    const { code, stdout, stderr } = await service.svc(what, 'export', ...RANGE, '--format', 'ndjson', ...flags);
    expect([code, stderr]).toEqual([0, expect.stringMatching(new RegExp(`^Exported [\\d,]+ ${what}\\n$`))]);
    return rowsOf(stdout);
  };

  test('equals the whole list, and filters rows', async () => {
    const list = await service.svc(what, 'list', ...RANGE, '--all', '--format', 'ndjson');
    const all = await exported();
    expect(all.length).toBeGreaterThan(20);
    expect(all).toEqual(rowsOf(list.stdout));
    const id = all.find((row) => row[field] !== null)?.[field];
    const some = await exported(flag, String(id));
    expect(some.length).toBeGreaterThan(0);
    expect(some).toEqual(all.filter((row) => row[field] === id));
  });

  test('into a file prints a summary, with --json as JSON', async () => {
    const run = (...flags: string[]) =>
      service.run([what, 'export', ...RANGE, '-o', 'rows.csv', ...flags], { cwd: folder, stdin: '' });
    const plain = await run();
    expect([plain.code, plain.stdout, plain.stderr]).toEqual([
      0,
      '',
      expect.stringMatching(new RegExp(`^Exported [\\d,]+ ${what} to rows.csv\\n$`)),
    ]);
    const json = await run('--json');
    expect([json.code, json.stderr]).toEqual([0, '']);
    const lines = readFileSync(join(folder, 'rows.csv'), 'utf8').trimEnd().split('\n');
    expect(JSON.parse(json.stdout)).toEqual({
      rows: lines.length - 1,
      file: 'rows.csv',
      from: '2025-10-01T00:00:00.000Z',
      to: NOW,
    });
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test.each([
    ['404 for a filter with an unknown id', [flag, '999999'], 3, 'not_found'],
    ['an unknown field', ['--fields', 'nope'], 2, 'usage'],
    ['a filter that is not a number', [flag, 'x'], 2, 'usage'],
  ])('%s', async (_name, flags, code, errorCode) => {
    const plain = await service.svc(what, 'export', ...RANGE, ...flags);
    const json = await service.svc(what, 'export', ...RANGE, ...flags, '--json');
    expect([plain.code, json.code, plain.stdout, json.stdout]).toEqual([code, code, '', '']);
    expect(plain.stderr).toMatch(/^Error: /);
    expect(JSON.parse(json.stderr).error.code).toBe(errorCode);
  });

  test('exits with 4 for a wrong key and without a key', async () => {
    const wrong = await service.run([what, 'export', ...RANGE, '-o', join(folder, 'x.csv')], { apiKey: 'osapi_wrong' });
    const none = await service.run([what, 'export', ...RANGE], { env: { SVC_API_KEY: '' } });
    expect([wrong.code, none.code]).toEqual([4, 4]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('--status filters syncs and deliveries', async () => {
  for (const [what, status] of [
    ['syncs', 'warning'],
    ['deliveries', 'error'],
  ] as const) {
    const argv = [what, 'export', ...RANGE, '--status', status, '--fields', 'status', '--format', 'ndjson'];
    const { stdout } = await service.svc(...argv);
    expect(rowsOf(stdout).length).toBeGreaterThan(0);
    expect(new Set(rowsOf(stdout).map((row) => row.status))).toEqual(new Set([status]));
  }
});

describe("with the contract's limits", () => {
  test('100 pages cause no 429', async () => {
    const limited = await startMockService({ scenario: ['large'], rateLimit: 'spec' }, runInProcess);
    try {
      // The scenario has 100,000 syncs in the last thirty days.
      const from = '2025-12-31T12:00:00.000Z';
      const argv = ['syncs', 'export', '--from', from, '--to', NOW, '-o', 'rows.ndjson', '--json'];
      const { code, stdout } = await limited.run(argv, { cwd: folder });
      expect(code).toBe(0);
      const calls = limited.mock.journal.all();
      const pages = calls.filter(({ operationId }) => operationId === 'listSyncs');
      expect(JSON.parse(stdout).rows).toBeGreaterThan(48_000);
      expect(pages.length).toBeGreaterThanOrEqual(97);
      // One more call reads the account of the key.
      expect(calls.length).toBe(pages.length + 1);
      expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    } finally {
      await limited.close();
    }
  });

  test('more pages than a rate window: the first 429 sets the pace, none follows, and waits are minimal', async () => {
    const mock = createMock({ now: NOW, scenario: ['large'], rateLimit: 'spec' });
    const waits: number[] = [];
    const client = createClient({
      baseUrl: 'http://svc.test',
      apiKey: mock.keys.osapi_demo_read,
      fetch: mock.fetch,
      now: () => mock.clock.now.getTime(),
      sleep: async (ms) => {
        waits.push(ms);
        await mock.clock.advance(ms);
      },
    });
    const output = join(folder, 'rows.ndjson');
    const flags: ExportFlags = {
      ...{ from: '2025-12-01', to: NOW, output, json: false, resume: false, restart: false },
      ...{ timeout: 30, 'max-retries': 3 },
    };
    try {
      await runExport({
        rowsName: 'syncs',
        command: 'svc syncs export',
        allFields: SYNC_RESOURCE_FIELDS,
        parse: async () => flags,
        range: (given) => resolveLogRange(given, Date.parse(NOW), null),
        connect: () => ({ client, baseUrl: 'http://svc.test' }),
        list: ({ syncs }, _flags, log) => syncs.list(log),
        count: async () => 0,
      });
      const calls = mock.journal.all();
      const requests = calls.filter(({ status }) => status === 200).length;
      expect(requests).toBeGreaterThan(200);
      expect(calls.length).toBe(requests + 1);
      expect(calls.filter(({ status }) => status === 429)).toHaveLength(1);
      const waited = waits.reduce((sum, each) => sum + each, 0);
      expect(waited).toBeLessThanOrEqual((Math.ceil(requests / 120) - 1) * 60_000 * 1.05);
      const rows = rowsOf(readFileSync(output, 'utf8'));
      expect(rows.length).toBeGreaterThan(100_000);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    } finally {
      await mock.close();
    }
  }, 600_000);
});
