/** What lists and records print into pipes: lines for `cut`, `awk` and `while read`, as `gh` does. */
import { readFileSync } from 'node:fs';
import type { Sync } from '@svc/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

const RANGE = ['--from', '2026-01-12', '--to', '2026-01-14', '--all'];
const LONG = 'e'.repeat(300);
let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
  await service.mock.db.syncs.create({
    ...{ createdAt: new Date('2026-01-13T09:08:07.006Z'), status: 'error', sourceId: 1, connectionId: 1 },
    ...{ eventType: 'EMAIL_SENT', toEmail: 'a\tb@example.org', error: { message: `two\nlines\r\nand a tab\t${LONG}` } },
  });
});
afterAll(() => service.close());

const jsonOf = async (...argv: string[]) => JSON.parse((await service.svc(...argv, '--json')).stdout);
const cellsOf = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));

test('a list is one line per row: every column, whole values, no header', async () => {
  const { stdout, stderr } = await service.svc('syncs', 'list', ...RANGE);
  const rows: Sync[] = await jsonOf('syncs', 'list', ...RANGE);
  const text = (value: string | number | null) => String(value ?? '').replaceAll(/\r?\n|\t/g, ' ');
  expect(cellsOf(stdout)).toEqual(
    rows.map(({ id, status, createdAt, eventType, toEmail, platform, connectionId, sourceId, payloadId, error }) => [
      ...[id, status, createdAt, eventType, toEmail, platform, connectionId, sourceId, payloadId].map(text),
      text(typeof error?.message === 'string' ? error.message : null),
    ]),
  );
  expect(stdout).toContain(`\ta b@example.org\t`);
  expect(stdout).toContain(`\ttwo lines and a tab ${LONG}\n`);
  expect(stdout).toContain('\t2026-01-13T09:08:07.006Z\t');
  expect(stderr).toBe(`Showing ${rows.length} syncs (2026-01-12 to 2026-01-14).\n`);
});

test('the columns do not depend on filters', async () => {
  const all = cellsOf((await service.svc('syncs', 'list', ...RANGE)).stdout);
  const failed = cellsOf((await service.svc('syncs', 'list', ...RANGE, '--status', 'error')).stdout);
  expect(failed.length).toBeGreaterThan(5);
  expect(failed).toEqual(all.filter(([, status]) => status === 'error'));
});

test('--fields chooses the columns', async () => {
  const { stdout } = await service.svc('syncs', 'list', ...RANGE, '--fields', 'createdAt,error');
  const rows: { createdAt: string; error: unknown }[] = await jsonOf('syncs', 'list', ...RANGE);
  expect(cellsOf(stdout)).toEqual(
    rows.map(({ createdAt, error }) => [createdAt, error === null ? '' : JSON.stringify(error)]),
  );
});

test('--format table keeps the table, also as a configured default', async () => {
  const table = await service.svc('syncs', 'list', ...RANGE, '--format', 'table');
  expect(table.stdout).toMatch(/^ID +STATUS +TIME +EVENT +RECIPIENT +PLATFORM +CONNECTION +SOURCE +REQUEST +ERROR\n/);
  expect(table.stdout).toMatch(/^\d+ +error +2026-01-13 09:08Z +EMAIL_SENT /m);
});

test.each(['syncs', 'requests', 'deliveries', 'events'])('%s list has the columns of the README', async (topic) => {
  const { stdout } = await service.svc(topic, 'list', ...RANGE, '--format', 'table');
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const documented = new RegExp(`^\\| \`${topic} list\` \\| (.+) \\|$`, 'm').exec(readme)?.[1];
  expect(stdout.split('\n')[0]?.trim().split(/ +/)).toEqual(documented?.split(', '));
});

test('colours are never forced into the rows', async () => {
  const { stdout } = await service.run(['syncs', 'list', ...RANGE], { env: { FORCE_COLOR: '1' } });
  expect(stdout).toBe((await service.svc('syncs', 'list', ...RANGE)).stdout);
});

test.each([
  'connections',
  'sources',
  'destinations',
  'relays',
  'blocklists',
  'webhooks',
  'events',
  'profiles',
  'config',
])('%s: no header, ids first, times as the API sends them', async (topic) => {
  const { stdout } = await service.svc(topic, 'list');
  const rows = cellsOf(stdout);
  if (topic !== 'profiles') expect(rows.length).toBeGreaterThan(0);
  expect(new Set(rows.map(({ length }) => length)).size).toBeLessThanOrEqual(1);
  expect(stdout).not.toMatch(/^(ID|NAME)\b/m);
  expect(stdout).not.toMatch(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}Z|\t\d{4}-\d{2}-\d{2}(\t|$)|\t\d+,\d{3}/m);
});

test('a record is one line per value: label, colon, tab, whole value', async () => {
  const [{ id, createdAt }] = await jsonOf('syncs', 'list', ...RANGE, '--status', 'success');
  const { stdout } = await service.svc('syncs', 'get', String(id));
  expect(stdout).toMatch(new RegExp(`^Sync:\t${String(id)}\nStatus:\tsuccess\nTime:\t${String(createdAt)}\nEvent:\t`));
  expect(stdout).toMatch(/^Error:\t$/m);
  const chosen = await service.svc('syncs', 'get', String(id), '--fields', 'id,createdAt');
  expect(chosen.stdout).toBe(`id:\t${String(id)}\ncreatedAt:\t${String(createdAt)}\n`);
});

test('metrics: plain numbers under names that occur once', async () => {
  const range = ['--from', '2025-12-16', '--to', '2026-01-14'];
  const { requests, syncs } = await jsonOf('metrics', ...range);
  const lines = cellsOf((await service.svc('metrics', ...range)).stdout);
  expect(lines).toContainEqual(['Requests:', String(requests.count)]);
  expect(lines).toContainEqual(['Syncs error:', String(syncs.error)]);
  expect(requests.count).toBeGreaterThan(999);
  expect(new Set(lines.map(([name]) => name)).size).toBe(lines.length);
  const days: { day: string; success: number; warning: number; error: number }[] = await jsonOf(
    ...['metrics', 'syncs', ...range, '--by', 'day'],
  );
  expect(cellsOf((await service.svc('metrics', 'syncs', ...range, '--by', 'day')).stdout)).toEqual(
    days.map(({ day, success, warning, error }) => [day, success, warning, error].map(String)),
  );
});

test('one value of the configuration stays one value', async () => {
  expect((await service.svc('config', 'get', 'timeout')).stdout).toBe('30\n');
});
