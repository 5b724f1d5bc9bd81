/** The range of lists, counts and exports: its default, `--all`, `svc config set range`, and how it is said. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@svc/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  // The command line asks for ranges that end now.
  service = await startMockService({ now: new Date() }, runInProcess);
});
afterAll(() => service.close());

const countOf = (stdout: string) => stdout.trimEnd().split('\n').length - 1;

describe.each(['syncs', 'requests', 'deliveries'] as const)('%s', (topic) => {
  test('list says that it covers the last seven days, and how to get more', async () => {
    const { stderr } = await service.svc(topic, 'list', '--limit', '100000');
    expect(stderr).toMatch(
      new RegExp(`^Showing [\\d,]+ ${topic} \\(last 7 days\\)\\. A longer range: --since 30d, or --all\\.\n$`),
    );
    const { stderr: cut } = await service.svc(topic, 'list', '--limit', '2');
    expect(cut).toBe(`Showing the newest 2 ${topic} (last 7 days). More: --limit N, or --all for all time.\n`);
  });

  test('list --all shows everything, as export --all does', async () => {
    const list = await service.svc(topic, 'list', '--all', '--format', 'csv');
    const exported = await service.svc(topic, 'export', '--all');
    expect(list.stdout).toBe(exported.stdout);
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const all = await client[topic].list({ from: '2020-01-01' }).toArray();
    expect(countOf(list.stdout)).toBe(all.length);
    const count = all.length.toLocaleString('en-US');
    expect(list.stderr).toBe(`Showing ${count} ${topic} (all time).\n`);
    expect(exported.stderr).toBe(`Exported ${count} ${topic} (all time)\n`);
  });

  test('list --all with a range shows all of that range', async () => {
    const list = await service.svc(topic, 'list', '--all', '--since', '7d', '--json');
    const exported = await service.svc(topic, 'export', '--since', '7d', '--json');
    expect(JSON.parse(list.stdout)).toEqual(JSON.parse(exported.stdout));
    expect(list.stderr).toBe('');
    expect(JSON.parse(list.stdout).length).toBeGreaterThan(100);
  });
});

test('events list covers all time, unless a range is given or configured', async () => {
  expect((await service.svc('events', 'list')).stderr).toMatch(/^Showing (the newest )?\d+ events \(all time\)\./);
  expect((await service.svc('events', 'list', '--since', '30d')).stderr).toContain('events (last 30 days).');
});

test('an empty list names the range and how to get a longer one', async () => {
  const empty = async (...argv: string[]) => (await service.svc('syncs', 'list', ...argv)).stderr;
  const filter = ['--connection', '999'];
  expect(await empty(...filter)).toBe('No matching syncs in the last 7 days. A longer range: --since 30d, or --all.\n');
  expect(await empty(...filter, '--since', '1d')).toBe('No matching syncs in the last day.\n');
  expect(await empty(...filter, '--all')).toBe('No matching syncs.\n');
  expect(await empty('--until', '2020-01-31')).toBe(
    'No syncs from 2020-01-24 23:59Z to 2020-01-31. An earlier start: --from TIME, or --all.\n',
  );
  expect(await empty('--from', '2020-01', '--to', '2020-01')).toBe('No syncs from 2020-01-01 to 2020-01-31.\n');
  expect(await empty(...filter, '--format', 'csv')).toContain('No matching syncs in the last 7 days.');
  expect(await empty(...filter, '--json')).toBe('');
});

test('--month is a whole month of a list, a count and an export', async () => {
  const lastMonth = () => new Date(new Date().setUTCDate(0)).toISOString().slice(0, 7);
  for (const argv of [
    ['syncs', 'list', '--all', '--json'],
    ['metrics', '--json'],
    ['syncs', 'export', '--json'],
  ]) {
    let last;
    let ofMonth;
    let ofRange;
    // Again when a month has ended in between.
    do {
      last = lastMonth();
      ofMonth = await service.svc(...argv, '--month', 'last-month');
      ofRange = await service.svc(...argv, '--from', last, '--to', last);
    } while (last !== lastMonth());
    expect(ofMonth.code).toBe(0);
    expect(ofMonth.stdout).toBe(ofRange.stdout);
  }
  expect((await service.svc('syncs', 'list', '--month', '2020-02')).stderr).toBe(
    'No syncs from 2020-02-01 to 2020-02-29.\n',
  );
  const both = await service.svc('syncs', 'list', '--month', '2020-02', '--since', '7d');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Use either --since or --month, not both')]);
});

describe('metrics', () => {
  test('shows the range', async () => {
    expect((await service.svc('metrics')).stdout).toMatch(/^Range:\t20\S+Z to 20\S+Z$/m);
    expect((await service.svc('metrics', '--by', 'day')).stderr).toBe(
      'Showing 8 days (last 7 days). A longer range: --since 30d, or --all.\n',
    );
  });

  test('--all counts what list --all shows', async () => {
    const list = await service.svc('syncs', 'list', '--all', '--json');
    const counts = JSON.parse((await service.svc('metrics', 'syncs', '--all', '--json')).stdout);
    expect(counts.success + counts.warning + counts.error).toBe(JSON.parse(list.stdout).length);
  });
});

describe('a configured range', () => {
  const env = { SVC_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'svc-ranges-')) };
  const svc = (...argv: string[]) => service.run(argv, { env });

  test('applies to lists, counts and exports; flags win', async () => {
    expect((await svc('config', 'set', 'range', '30d')).stderr).toBe('range is 30d\n');
    expect((await svc('syncs', 'list', '--limit', '1')).stderr).toContain('(last 30 days)');
    expect((await svc('events', 'list')).stderr).toContain('(last 30 days)');
    const { from, to } = JSON.parse((await svc('metrics', '--json')).stdout);
    expect(Date.parse(to) - Date.parse(from)).toBe(30 * 24 * 3_600_000);
    const exported = await svc('syncs', 'export');
    expect(exported.stderr).toMatch(/^Exported [\d,]+ syncs \(last 30 days\)$/m);
    expect(exported.stdout).toBe((await svc('syncs', 'list', '--since', '30d', '--all', '--format', 'csv')).stdout);
    expect((await svc('syncs', 'list', '--since', '2d', '--limit', '1')).stderr).toContain('(last 2 days)');
    expect((await svc('syncs', 'list', '--all', '--limit', '1')).code).toBe(2);
    const { stderr: ofRange } = await svc('syncs', 'list', '--since', '2d', '--limit', 'all');
    expect(ofRange).toMatch(/^Showing [\d,]+ syncs \(last 2 days\)/);
    const { code, stderr: wrong } = await svc('syncs', 'list', '--limit', '0');
    expect({ code, wrong }).toMatchObject({
      code: 2,
      wrong: expect.stringContaining('--limit must be a whole number of at least 1, or all, not "0"'),
    });
    expect((await svc('syncs', 'list', '--all')).stderr).toContain('(all time)');
  });

  test('of 30 days or more is not followed by the advice to ask for 30 days', async () => {
    await svc('config', 'set', 'range', '90d');
    const none = 'No matching syncs in the last 90 days. A longer range: --all.\n';
    expect((await svc('syncs', 'list', '--connection', '999')).stderr).toBe(none);
    expect((await svc('requests', 'get', '1')).stderr).toContain('Search a longer range: --all.\n');
    expect((await svc('requests', 'get', '1', '--since', '2d')).stderr).toContain('--since 30d, or --all.\n');
    await svc('config', 'set', 'range', '30d');
  });

  test('does not apply to a retry of many syncs', async () => {
    const { code, stderr } = await svc('syncs', 'retry', '--all', '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('No time range is given');
  });

  test('of a profile wins over svc config, and an empty one restores it', async () => {
    const login = await service.run(['login', '--profile', 'demo', '--base-url', service.url], {
      env: { ...env, SVC_API_KEY: '', SVC_BASE_URL: '' },
      stdin: `${service.apiKey}\n`,
    });
    expect(login.code).toBe(0);
    expect((await svc('profiles', 'set', 'demo', '--range', '2w')).stderr).toContain('default range 2w');
    const list = () => svc('syncs', 'list', '--limit', '1', '--profile', 'demo');
    expect((await list()).stderr).toContain('(last 2 weeks)');
    expect((await svc('profiles', 'list')).stdout).toContain('2w');
    await service.run(['login', '--profile', 'demo'], { env, stdin: `${service.apiKey}\n` });
    expect((await list()).stderr).toContain('(last 2 weeks)');
    await svc('profiles', 'set', 'demo', '--range', '');
    expect((await list()).stderr).toContain('(last 30 days)');
  });

  test('must be a time or all', async () => {
    for (const argv of [
      ['config', 'set', 'range', 'long'],
      ['profiles', 'set', 'demo', '--range', 'long'],
    ]) {
      const { code, stderr } = await svc(...argv);
      expect(code).toBe(2);
      expect(stderr).toContain('range must be the start of a range or all, not long');
    }
  });
});

test('an interrupted export --all is not resumed with another range', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ranges-'));
  const output = join(folder, 'rows.csv');
  const fault = service.mock.faults.add({
    operations: ['listSyncs'],
    nth: 3,
    times: 1,
    effect: { kind: 'status', status: 400 },
  });
  expect((await service.svc('syncs', 'export', '--all', '--output', output)).code).toBe(2);
  service.mock.faults.remove(fault.id);
  const other = await service.svc('syncs', 'export', '--since', '7d', '--output', output, '--resume');
  expect(other.stderr).toContain('--since 7d does not match');
  const same = await service.svc('syncs', 'export', '--all', '--output', output, '--resume');
  expect(same.code).toBe(0);
  expect(readFileSync(output, 'utf8')).toBe((await service.svc('syncs', 'export', '--all')).stdout);
});
