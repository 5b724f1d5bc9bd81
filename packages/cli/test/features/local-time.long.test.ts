/** `--local-time`: times in the time zone of the machine, which `TZ` sets. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';

const LIST = ['syncs', 'list', '--from', '2026-01-15T09:00:00Z', '--to', '2026-01-15T11:00:00Z', '--limit', '1'];
let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
});
afterAll(() => service.close());

const run = (zone: string, ...argv: string[]) => service.run(argv, { env: { TZ: zone } });

test.each([
  ['Europe/Berlin', '2026-01-15 11:30+01:00', '2026-01-15T11:30:00.000+01:00'],
  ['America/New_York', '2026-01-15 05:30-05:00', '2026-01-15T05:30:00.000-05:00'],
  ['Asia/Kathmandu', '2026-01-15 16:15+05:45', '2026-01-15T16:15:00.000+05:45'],
  ['UTC', '2026-01-15 10:30+00:00', '2026-01-15T10:30:00.000+00:00'],
])('%s', async (zone, minute, whole) => {
  const table = await run(zone, ...LIST, '--format', 'table', '--local-time');
  expect(table.stdout).toContain(`  ${minute}  `);
  const rows = await run(zone, ...LIST, '--local-time');
  expect(rows.stdout).toContain(`\t${whole}\t`);
  expect((await run(zone, 'syncs', 'get', '2657', '--local-time')).stdout).toContain(`\nTime:\t${whole}\n`);
  const chosen = await run(zone, ...LIST, '--fields', 'createdAt', '--local-time');
  expect(chosen.stdout).toBe(`${whole}\n`);
});

test('follows daylight saving time, and moves days', async () => {
  const created = await service.svc('connections', 'list', '--fields', 'createdAt');
  const local = await run('Pacific/Auckland', 'connections', 'list', '--fields', 'createdAt', '--local-time');
  expect(created.stdout).toMatch(/T12:00:00\.000Z$/m);
  for (const line of local.stdout.trimEnd().split('\n')) expect(line).toMatch(/T(00|01):00:00\.000\+1[23]:00$/);
  const instants = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => Date.parse(line));
  expect(instants(local.stdout)).toEqual(instants(created.stdout));
});

test('the range is local, too', async () => {
  const { stderr } = await run('Europe/Berlin', ...LIST, '--local-time');
  expect(stderr).toContain('(2026-01-15 10:00+01:00 to 2026-01-15 12:00+01:00)');
});

test('UTC by default, whatever the time zone', async () => {
  expect((await run('Asia/Tokyo', ...LIST, '--format', 'table')).stdout).toContain('  2026-01-15 10:30Z  ');
  expect((await run('Asia/Tokyo', ...LIST)).stdout).toContain('\t2026-01-15T10:30:00.000Z\t');
});

test.each([['--json'], ['--format', 'ndjson'], ['--format', 'csv']])('not in %s %s', async (...format) => {
  const { stdout } = await run('Asia/Tokyo', ...LIST, ...format, '--local-time');
  expect(stdout).toBe((await service.svc(...LIST, ...format)).stdout);
  expect(stdout).toContain('2026-01-15T10:30:00.000Z');
});

test('can be the default, which --no-local-time overrides', async () => {
  const env = { TZ: 'Asia/Tokyo', SVC_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'svc-local-time-')) };
  const svc = (...argv: string[]) => service.run(argv, { env });
  expect((await svc('config', 'set', 'local-time', 'true')).stderr).toBe('local-time is true\n');
  expect((await svc(...LIST)).stdout).toContain('\t2026-01-15T19:30:00.000+09:00\t');
  expect((await svc(...LIST, '--no-local-time')).stdout).toContain('\t2026-01-15T10:30:00.000Z\t');
  const { code, stderr } = await svc('config', 'set', 'local-time', 'maybe');
  expect(code).toBe(2);
  expect(stderr).toContain('local-time must be true or false, not "maybe"');
});
