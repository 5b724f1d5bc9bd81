import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.journal.clear());

const WEEK = ['--from', '2026-01-09', '--to', '2026-01-15'];
const operations = () => service.mock.journal.all().map(({ operationId }) => operationId);
const jsonOf = async (...argv: string[]) => {
  const { code, stdout, stderr } = await service.svc('metrics', ...argv, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

type SyncCounts = { success: number; warning: number; error: number };
const add = (days: readonly SyncCounts[]) =>
  days.reduce(
    (sum, { success, warning, error }) => ({
      success: sum.success + success,
      warning: sum.warning + warning,
      error: sum.error + error,
    }),
    { success: 0, warning: 0, error: 0 },
  );

describe('every metrics operation', () => {
  test.each([
    ['account', [], 'getAccountMetrics', ['from', 'to', 'requests', 'syncs', 'destinationDeliveries']],
    ['syncs', ['syncs', '--source', '5', '--connection', '2'], 'getSyncMetrics', ['success', 'warning', 'error']],
    ['requests', ['requests', '--source', '5'], 'getRequestMetrics', ['count']],
    ['one destination', ['--destination', '1'], 'getDestinationDeliveryMetrics', ['success', 'error', 'http2xx']],
    ['all destinations', ['deliveries', '--connection', '1'], 'getAccountMetrics', ['success', 'error', 'http2xx']],
  ] as const)('%s', async (_name, argv, operation, fields) => {
    expect(Object.keys(await jsonOf(...argv, ...WEEK))).toEqual(fields);
    expect(operations()).toEqual([operation]);
  });
});

test('prints a table without --json', async () => {
  const counts = await jsonOf(...WEEK);
  const { code, stdout } = await service.svc('metrics', ...WEEK);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Range:\t2026-01-09T00:00:00\.000Z to 2026-01-15T23:59:59\.999Z\n/);
  expect(stdout).toContain(`Requests:\t${counts.requests.count}\n`);
  expect(stdout).toContain(`Syncs error:\t${counts.syncs.error}\n`);
  const fields = ['--fields', 'requests.count,syncs.error'];
  expect((await service.svc('metrics', ...WEEK, ...fields)).stdout).toBe(
    `requests.count:\t${counts.requests.count}\nsyncs.error:\t${counts.syncs.error}\n`,
  );
});

test('ranges above 31 days are split without gaps or overlap', async () => {
  const all = await jsonOf('--from', '2025-09-01', '--to', '2026-01-15');
  expect(operations()).toHaveLength(5);
  expect([all.from, all.to]).toEqual(['2025-09-01T00:00:00.000Z', '2026-01-15T23:59:59.999Z']);
  const rows = await service.svc('syncs', 'list', '--from', '2025-09-01', '--to', '2026-01-15', '--all', '--json');
  const { success, warning, error } = all.syncs;
  expect(success + warning + error).toBe(JSON.parse(rows.stdout).length);
});

describe('--by day', () => {
  test('one row and one request for each day, with the same total', async () => {
    const days = await jsonOf('syncs', ...WEEK, '--by', 'day');
    expect(days.map(({ day }: { day: string }) => day)).toEqual(
      [9, 10, 11, 12, 13, 14, 15].map((day) => `2026-01-${String(day).padStart(2, '0')}`),
    );
    expect(Object.keys(days[0])).toEqual(['day', 'success', 'warning', 'error']);
    expect(operations()).toEqual(Array.from({ length: 7 }, () => 'getSyncMetrics'));
    expect(add(days)).toEqual(await jsonOf('syncs', ...WEEK));
  });

  test.skipIf(!hasTmux()).each([
    ['block characters', {}, /^2026-01-09 .*\d {2}█+/m, '█ success ▓ warning ░ error'],
    ['ASCII, if the terminal is dumb', { TERM: 'dumb' }, /^2026-01-09 .*\d {2}#+/m, '# success + warning ! error'],
  ])('draws bars of %s', async (_name, env, bar, legend) => {
    const terminal = await openTerminal({ columns: 80, server: service, env });
    try {
      terminal.svc('metrics', 'syncs', ...WEEK, '--by', 'day');
      await terminal.shows('Showing 7 days (2026-01-09 to 2026-01-15).');
      expect(terminal.screen()).toContain(`DAY         SUCCESS  WARNING  ERROR  ${legend}`);
      expect(terminal.screen()).toMatch(bar);
      expect(terminal.screen()).toMatch(/^Total {6,}\d+ +\d+ +\d+$/m);
    } finally {
      terminal.close();
    }
  });

  test('--fields, and the metrics of an account by day', async () => {
    const { stdout } = await service.svc('metrics', ...WEEK, '--by', 'day', '--fields', 'day,requests.count');
    expect(stdout).toMatch(/^2026-01-09\t\d+\n/);
    const [first] = await jsonOf(...WEEK, '--by', 'day');
    const { requests, syncs, destinationDeliveries: posted } = first;
    const counts = [requests.count, syncs.success + syncs.warning + syncs.error, posted.success + posted.error];
    expect((await service.svc('metrics', ...WEEK, '--by', 'day')).stdout).toContain(
      `2026-01-09\t${counts.join('\t')}\n2026-01-10\t`,
    );
  });

  test('says how many requests a long range takes', async () => {
    const range = ['--from', '2025-08-01', '--to', '2026-01-15'];
    const { code, stderr } = await service.svc('metrics', 'requests', ...range, '--by', 'day');
    expect([code, stderr]).toEqual([
      0,
      '168 days need 168 requests: about 1 min with the rate limit.\nShowing 168 days (2025-08-01 to 2026-01-15).\n',
    ]);
    expect(operations()).toHaveLength(168);
    expect(await jsonOf('requests', ...range, '--by', 'day')).toHaveLength(168);
  });
});

describe('exit codes are the same with and without --json', () => {
  test.each([
    [
      'a filter that the API does not have',
      ['requests', '--connection', '1'],
      2,
      'The API does not count requests by connection',
    ],
    ['--destination for syncs', ['syncs', '--destination', '1'], 2, 'The API does not count syncs by destination'],
    [
      'destination and connection',
      ['--destination', '1', '--connection', '1'],
      2,
      /Use either --\w+ or --\w+, not both/,
    ],
    ['an unknown subject', ['webhooks'], 2, /WHAT must be account/],
    ['an unknown --by', ['--by', 'week'], 2, /--by must be/],
    ['an unknown source', ['--source', '99'], 3, 'Source 99 not found'],
    ['an unknown destination', ['--destination', '99', '--by', 'day'], 3, 'Destination 99 not found'],
  ])('%s', async (_name, argv, code, message) => {
    const plain = await service.svc('metrics', ...argv);
    const json = await service.svc('metrics', ...argv, '--json');
    expect([plain.code, plain.stdout, json.code, json.stdout]).toEqual([code, '', code, '']);
    expect(JSON.parse(json.stderr).error.message).toMatch(message);
  });
});

describe.skipIf(!hasTmux())('in a terminal', () => {
  let terminal: Terminal;
  afterEach(() => terminal.close());

  test.each([80, 200])('bars fit into %i columns', async (columns) => {
    terminal = await openTerminal({ columns, server: { url: service.url, apiKey: service.apiKey } });
    terminal.svc('metrics', ...WEEK, '--by', 'day');
    expect(await terminal.exitCode()).toBe(0);
    const lines = terminal.screen().split('\n');
    expect(lines.filter((line) => /^2026-01-\d\d .*█/.test(line))).toHaveLength(7);
  });
});
