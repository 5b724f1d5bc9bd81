import { blocklistListSchema, blocklistSchema } from '@svc/contract/schemas';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

const svc = (...argv: string[]): Promise<CliResult> => service.svc('blocklists', ...argv);
const readOnly = (...argv: string[]) =>
  service.run(['blocklists', ...argv], { apiKey: service.mock.keys.osapi_demo_read });

/** Starts the clock; jobs then finish within a second of real time. */
function startClock(): void {
  service.mock.configure({ blocklistFetchMs: 300, blocklistPushMs: 300 });
  service.mock.clock.resume();
}

const textOrNull = expect.toSatisfy((value: unknown) => value === null || typeof value === 'string');
const errorSummary = expect.toSatisfy((value: unknown) => {
  if (value === null) return true;
  expect(value).toEqual({
    code: expect.any(String),
    status: expect.any(Number),
    message: expect.any(String),
    requestId: textOrNull,
    retryable: expect.any(Boolean),
  });
  return true;
});

/** Checks the summary against what `--help` documents. Returns the outcome of each list. */
function readSummary({ code, stdout }: CliResult): Record<number, string> {
  const summary = JSON.parse(stdout);
  const ended = ['queued', 'synced', 'failed', 'paused', 'timeout', 'in-progress', 'refused'];
  const outcomes = [...ended, 'left-paused', 'no-crm-source', 'not-enabled'];
  const dryRun = expect.any(Boolean);
  expect(summary).toEqual({ exitCode: code, dryRun, counts: expect.anything(), lists: expect.any(Array) });
  const { counts, lists } = summary;
  const count = (wanted: string) => lists.filter(({ outcome }: { outcome: string }) => outcome === wanted).length;
  expect(counts).toEqual(Object.fromEntries(outcomes.map((outcome) => [outcome, count(outcome)])));
  for (const { blocklist, ...list } of lists) {
    expect(list).toEqual({ id: expect.any(Number), outcome: expect.toBeOneOf(outcomes), error: errorSummary });
    if (blocklist !== null) expect(blocklistSchema.parse(blocklist).id).toBe(list.id);
  }
  return Object.fromEntries(lists.map(({ id, outcome }: { id: number; outcome: string }) => [id, outcome]));
}

describe('list', () => {
  test('prints a table without --json', async () => {
    const { code, stdout, stderr } = await svc('list', '--format', 'table');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ID +LIST +STATUS +SYNCED +PENDING/);
    expect(stdout).toMatch(/^1 +Customers +SYNCED +1,840 +0 /m);
    expect(stdout).toMatch(/^7 +Churned +paused +200 +95 /m);
  });

  test('--json', async () => {
    const { code, stdout, stderr } = await svc('list', '--json', '--connection', '2');
    expect([code, stderr]).toEqual([0, '']);
    expect(blocklistListSchema.parse({ blocklists: JSON.parse(stdout) }).blocklists.map(({ id }) => id)).toEqual([9]);
  });

  test('a connection that the key cannot access has no lists', async () => {
    expect(await svc('list', '--connection', '999')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No block lists are accessible with this key.\n',
    });
  });

  test('an unknown field exits with 2 and lists the known ones', async () => {
    const { code, stdout, stderr } = await svc('list', '--fields', 'name', '--json');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr).error.hint).toContain('listName');
  });
});

describe('pause', () => {
  function readPause({ code, stdout }: CliResult): [id: number, outcome: string, message: string | undefined][] {
    const summary = JSON.parse(stdout);
    expect(summary).toEqual({ exitCode: code, dryRun: expect.any(Boolean), lists: expect.any(Array) });
    for (const list of summary.lists) {
      const outcome = expect.toBeOneOf(['paused', 'refused']);
      expect(list).toEqual({ id: expect.any(Number), outcome, status: textOrNull, error: errorSummary });
    }
    type Entry = { id: number; outcome: string; error: { message: string } | null };
    return summary.lists.map(({ id, outcome, error }: Entry) => [id, outcome, error?.message]);
  }

  test('prints a table without --json', async () => {
    const { code, stdout, stderr } = await svc('pause', '1');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('ID  LIST       PAUSE   WHY\n1   Customers  paused\n');
    expect(service.mock.db.blocklists.findFirst({ where: { id: 1 } })?.isEnabled).toBe(false);
  });

  test('pausing a paused list succeeds', async () => {
    for (const _again of [1, 2]) {
      const result = await svc('pause', '2', '--json');
      expect([result.code, result.stderr, readPause(result)]).toEqual([0, '', [[2, 'paused', undefined]]]);
      expect(JSON.parse(result.stdout).lists[0].status).toBe('SYNCING_NEW_CONTACTS');
    }
  });

  test('--all', async () => {
    const result = await svc('pause', '--all', '--json');
    expect([result.code, readPause(result).length]).toEqual([0, 9]);
  });

  test('exits with 10 when some are refused, and pauses the others', async () => {
    const result = await svc('pause', '99', '4', '--json');
    expect([result.code, readPause(result)]).toEqual([
      10,
      [
        [99, 'refused', 'Blocklist 99 not found'],
        [4, 'paused', undefined],
      ],
    ]);
  });

  test.each([
    ['an unknown list', ['pause', '99'], 3, 'Blocklist 99 not found'],
    ['no list given', ['pause'], 2, 'No block list is given'],
    ['ids and --all', ['pause', '1', '--all'], 2, 'Give either ids or --all, not both'],
  ])('%s', async (_name, argv, code, message) => {
    const plain = await svc(...argv);
    expect([plain.code, plain.stdout]).toEqual([code, '']);
    expect(plain.stderr).toContain(message);
    const json = await svc(...argv, '--json');
    expect([json.code, json.stdout, JSON.parse(json.stderr).error.message]).toEqual([code, '', message]);
  });

  test('exits with 5 for a read-only key', async () => {
    const { code, stderr } = await readOnly('pause', '1');
    expect(code).toBe(5);
    expect(stderr).toContain('The key lacks the scope write');
  });
});

describe('resync', () => {
  test('queued: prints a table without --json', async () => {
    const { code, stdout, stderr } = await svc('resync', '1', '4');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 +Customers +queued/m);
    expect(stdout).toMatch(/^4 +Competitors +queued/m);
  });

  test('queued, --json', async () => {
    const result = await svc('resync', '1', '4', '--json');
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(readSummary(result)).toEqual({ 1: 'queued', 4: 'queued' });
  });

  test('a repeated id is resynced once', async () => {
    expect(readSummary(await svc('resync', '1', '1', '--json'))).toEqual({ 1: 'queued' });
  });

  test('--fields', async () => {
    const { stdout } = await svc('resync', '1', '--json', '--fields', 'exitCode,lists.outcome');
    expect(JSON.parse(stdout)).toEqual({ exitCode: 0, lists: [{ outcome: 'queued' }] });
  });

  test('a resync in progress exits with 6, or is skipped with --skip-in-progress', async () => {
    await svc('resync', '1');
    const plain = await svc('resync', '1');
    expect([plain.code, plain.stdout]).toEqual([6, '']);
    expect(plain.stderr).toContain('Error: Blocklist resync already in progress (409)\n  Add --wait');
    const json = await svc('resync', '1', '--json');
    expect([json.code, json.stdout, JSON.parse(json.stderr).error.code]).toEqual([6, '', 'conflict']);
    const skipped = await svc('resync', '1', '--skip-in-progress', '--json');
    expect([skipped.code, readSummary(skipped)]).toEqual([0, { 1: 'in-progress' }]);
  });

  test('exits with 10 when some are refused', async () => {
    const result = await svc('resync', '1', '6', '--json');
    expect([result.code, readSummary(result)]).toEqual([10, { 1: 'queued', 6: 'refused' }]);
    expect((await svc('resync', '4', '6')).code).toBe(10);
  });

  test('--all skips what no request can resync, and leaves paused lists paused', async () => {
    const result = await svc('resync', '--all', '--skip-in-progress', '--json');
    expect([result.code, readSummary(result)]).toMatchObject([
      0,
      { 1: 'queued', 3: 'in-progress', 6: 'no-crm-source', 7: 'left-paused', 9: 'not-enabled' },
    ]);
    expect(service.mock.db.blocklists.findFirst({ where: { id: 7 } })?.isEnabled).toBe(false);
    service.mock.reset();
    const { code, stdout } = await svc('resync', '--all', '--skip-in-progress');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^6 +Imported by hand +skipped .*no CRM source to fetch from/m);
    expect(stdout).toMatch(/^7 +Churned +skipped .*paused; give its id to enable it/m);
    expect(stdout).toMatch(/^9 .*skipped .*block lists are not enabled for its connection/m);
  });

  test('--all without --skip-in-progress exits with 10 while one is in progress', async () => {
    const result = await svc('resync', '--all', '--json');
    expect([result.code, readSummary(result)]).toMatchObject([10, { 1: 'queued', 3: 'in-progress' }]);
  });

  test('--all without any lists exits with 0', async () => {
    const apiKey = service.mock.keys.osapi_demo_empty;
    expect(await service.run(['blocklists', 'resync', '--all'], { apiKey })).toMatchObject({
      code: 0,
      stderr: 'No block lists are accessible with this key.\n',
    });
    const json = await service.run(['blocklists', 'resync', '--all', '--json'], { apiKey });
    expect([json.code, readSummary(json)]).toEqual([0, {}]);
  });

  test.each([
    ['an unknown list', ['99'], 3, 'not_found'],
    ['one without a CRM source', ['6'], 6, 'conflict'],
    ['one whose connection has no block lists', ['9'], 5, 'forbidden'],
    ['no list given', [], 2, 'usage'],
    ['an invalid id', ['one'], 2, 'usage'],
    ['--timeout without --wait', ['1', '--timeout', '5m'], 2, 'usage'],
    ['--interval without --wait', ['1', '--interval', '5s'], 2, 'usage'],
    ['an invalid time', ['1', '--wait', '--timeout', 'long'], 2, 'usage'],
  ])('%s', async (_name, argv, code, word) => {
    const plain = await svc('resync', ...argv);
    expect([plain.code, plain.stdout]).toEqual([code, '']);
    expect(plain.stderr).toMatch(/^Error: /);
    const json = await svc('resync', ...argv, '--json');
    expect([json.code, json.stdout, JSON.parse(json.stderr).error.code]).toEqual([code, '', word]);
  });

  test('read-only keys exit with 5, wrong keys with 4', async () => {
    expect((await readOnly('resync', '1')).code).toBe(5);
    const argv = ['blocklists', 'resync', '1', '--json'];
    expect((await service.run(argv, { apiKey: 'osapi_wrong' })).code).toBe(4);
  });
});

describe('--dry-run', () => {
  const expectNoWrite = () => {
    for (const operation of ['resyncBlocklist', 'pauseBlocklist'] as const)
      service.mock.verify({ operation, times: 0 });
  };

  test('resync --all shows what would be queued and skipped, and why', async () => {
    const { code, stdout, stderr } = await svc('resync', '--all', '--skip-in-progress', '--dry-run');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 +Customers +would be queued/m);
    expect(stdout).toMatch(/^1 +Customers +would be queued +smartlead/m);
    expect(stdout).toMatch(/^6 .*would be queued +not fetched so far; it may have no CRM source/m);
    expect(stdout).toMatch(/^3 .*in-progress +already resyncing/m);
    expect(stdout).toMatch(/^7 +Churned +skipped +paused; give its id to enable it/m);
    expect(stdout).toMatch(/^9 .*skipped +block lists are not enabled for its connection/m);
    const json = await svc('resync', '--all', '--skip-in-progress', '--dry-run', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 0, dryRun: true });
    expect(readSummary(json)).toMatchObject({ 1: 'queued', 3: 'in-progress', 7: 'left-paused', 9: 'not-enabled' });
    expectNoWrite();
  });

  test.each([
    ['a paused list would be enabled', 'pause', ['1'], 0],
    ['a running resync would be waited for', 'resync', ['1', '--wait'], 0],
    ['a running resync', 'resync', ['1'], 6],
    ['an unknown list', null, ['99'], 3],
    ['one whose connection has no block lists', null, ['9'], 5],
    ['several', null, ['1', '99'], 10],
  ])('resync predicts the exit code and the error: %s', async (_name, before, argv, code) => {
    if (before !== null) await svc(before, '1');
    service.mock.journal.clear();
    const dry = await svc('resync', ...argv, '--dry-run');
    expectNoWrite();
    startClock();
    const real = await svc('resync', ...argv);
    expect([dry.code, real.code]).toEqual([code, code]);
    if (code !== 0 && code !== 10) expect(real.stderr.replace(/ \(\d+\)$/m, '')).toContain(dry.stderr.split('\n')[0]);
  });

  test('pause', async () => {
    const { code, stdout, stderr } = await svc('pause', '1', '7', '--dry-run');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 +Customers +would be paused *$/m);
    expect(stdout).toMatch(/^7 +Churned +would be paused +already paused$/m);
    const json = await svc('pause', '1', '99', '--dry-run', '--json');
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      10,
      { dryRun: true, lists: [{ outcome: 'paused' }, { outcome: 'refused', error: { code: 'not_found' } }] },
    ]);
    expectNoWrite();
  });

  test.each([
    ['blocklists', 'resync', '--all', '--skip-in-progress'],
    ['blocklists', 'pause', '--all'],
    ['syncs', 'retry', '--all', '--since', '24h'],
    ['webhooks', 'recover', 'oswhk_demo01', '--since', '7d'],
  ])('%s %s says that a read-only key would fail', async (...argv) => {
    const apiKey = service.mock.keys.osapi_demo_read;
    const { code, stderr } = await service.run([...argv, '--dry-run'], { apiKey });
    expect([code, stderr]).toEqual([0, expect.stringContaining('this fails: the key lacks the scope write')]);
    const json = await service.run([...argv, '--dry-run', '--json'], { apiKey });
    expect(JSON.parse(json.stderr)).toEqual({ note: expect.stringContaining('scope write') });
  });
});

describe('resync --wait', () => {
  const wait = (...argv: string[]) => svc('resync', ...argv, '--wait', '--interval', '1s');

  test('prints each change on stderr and the table on stdout', async () => {
    startClock();
    const { code, stdout, stderr } = await wait('1');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 +Customers +synced +1,840 +0 /m)]);
    expect(stderr).toMatch(/^1 Customers: fetching\n(1 Customers: syncing.*\n)*1 Customers: synced\n$/);
  });

  test('--json prints only the summary', async () => {
    startClock();
    const result = await wait('1', '4', '--json');
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(readSummary(result)).toEqual({ 1: 'synced', 4: 'synced' });
  });

  test('waits for a resync that is already in progress', async () => {
    await svc('resync', '1');
    startClock();
    service.mock.journal.clear();
    expect((await wait('1', '--json')).code).toBe(0);
    service.mock.verify({ operation: 'resyncBlocklist', times: 1 });
  });

  test('--all exits with 0 although lists were skipped', async () => {
    // Resyncs in progress in the demo world end after an hour.
    await service.mock.clock.advance('2h');
    startClock();
    const result = await wait('--all', '--json');
    expect([result.code, result.stderr, readSummary(result)]).toMatchObject([
      0,
      '',
      { 1: 'synced', 6: 'no-crm-source', 7: 'left-paused', 9: 'not-enabled' },
    ]);
  });

  test('exits with 9 when a resync fails', async () => {
    startClock();
    service.mock.configure({ crmFailures: [{ status: 'error', error: { httpStatus: 403, message: 'no scope' } }] });
    const { code, stdout } = await wait('1');
    expect(code).toBe(9);
    expect(stdout).toMatch(/^1 +Customers +failed .*no scope/m);
    const result = await wait('1', '4', '--json');
    expect([result.code, readSummary(result)]).toEqual([9, { 1: 'failed', 4: 'failed' }]);
  });

  test('exits with 11 and a summary after the timeout', async () => {
    const { code, stdout } = await wait('1', '--timeout', '5s');
    expect(code).toBe(11);
    expect(stdout).toMatch(/^1 +Customers +timeout .*still running, continues/m);
    const result = await wait('1', '--timeout', '5', '--json');
    expect([result.code, readSummary(result)]).toEqual([11, { 1: 'timeout' }]);
  });

  test('exits with 130 on SIGINT and says how to continue waiting', async () => {
    const argv = ['blocklists', 'resync', '1', '--wait'];
    const child = spawnCli(argv, { server: { url: service.url, apiKey: service.apiKey } });
    const result = collectResult(child);
    await expect.poll(() => service.mock.journal.find({ operation: 'resyncBlocklist' }).length).toBe(1);
    await expect.poll(() => service.mock.journal.find({ operation: 'listBlocklists' }).length).toBe(2);
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toContain(
      'Error: Interrupted\n  Queued resyncs continue. Run the same command again to wait for them',
    );
  });

  test('an open stdin does not keep it running', async () => {
    startClock();
    const child = spawnCli(['blocklists', 'resync', '1', '--wait', '--interval', '1s'], {
      server: { url: service.url, apiKey: service.apiKey },
    });
    // stdin stays open, which happens under some supervisors.
    expect((await collectResult(child)).code).toBe(0);
  });
});
