import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({ runsJobs: false }, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => void service.mock.snapshot('before'));
afterEach(() => service.mock.restore('before'));

type Status = 'success' | 'error';

/** Creates a sync within the last hour, newer than all of the demo world. */
async function writeSync(minute: number, status: Status, { connectionId = 1, sourceId = 1, toEmail = '' } = {}) {
  const { id } = await service.mock.db.syncs.create({
    status,
    connectionId,
    sourceId,
    toEmail: toEmail || `kim${minute}@example.org`,
    createdAt: new Date(Date.UTC(2026, 0, 15, 11, minute)),
  });
  return id;
}

const LAST_HOUR = ['--from', '2026-01-15T11:00:00Z', '--to', '2026-01-15T12:00:00Z'];
const retryAll = (...argv: string[]) => service.svc('syncs', 'retry', '--all', ...LAST_HOUR, ...argv);
const retried = () =>
  service.mock.journal.find({ operation: 'retrySync' }).map(({ path }) => Number(path.split('/')[4]));

describe('syncs retry ID', () => {
  test('queues a retry', async () => {
    const id = await writeSync(1, 'error');
    expect(await service.svc('syncs', 'retry', String(id))).toMatchObject({
      code: 0,
      stdout: `Sync:\t${id}\nRetry:\tqueued\n`,
      stderr: '',
    });
    const { stdout } = await service.svc('syncs', 'retry', String(id), '--json');
    expect(JSON.parse(stdout)).toEqual({ queued: true, syncId: id });
    expect(retried()).toEqual([id, id]);
  });

  test.each([
    [
      '409 for a sync that did not fail',
      'osapi_demo_write',
      'success',
      6,
      'Sync is not eligible for retry',
      'Only syncs with the status error',
    ],
    ['403 without write scope', 'osapi_demo_read', 'error', 5, 'API key requires the "write" scope', 'The key lacks'],
  ] as const)('%s', async (_name, key, status, code, message, hint) => {
    const id = String(await writeSync(1, status));
    const apiKey = service.mock.keys[key] ?? '';
    const plain = await service.run(['syncs', 'retry', id], { apiKey });
    const json = await service.run(['syncs', 'retry', id, '--json'], { apiKey });
    expect([plain.code, plain.stdout, json.code, json.stdout]).toEqual([code, '', code, '']);
    expect(plain.stderr).toContain(message);
    expect(plain.stderr).toContain(`\n  ${hint}`);
    expect(JSON.parse(json.stderr).error.message).toBe(message);
  });

  test('404 for an unknown sync', async () => {
    expect(await service.svc('syncs', 'retry', '999999')).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('syncs retry ID ID ...', () => {
  test('queues each once and prints one table', async () => {
    const [first, second] = [await writeSync(1, 'error'), await writeSync(2, 'error')];
    const { code, stdout, stderr } = await service.svc('syncs', 'retry', `${first}`, `${second}`, `${first}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`ID    RESULT  WHY\n${first}  queued\n${second}  queued\n`);
    expect(retried()).toEqual([first, second]);
  });

  test('exits with 10 if some are refused, with their code if all are', async () => {
    const [failed, fine] = [await writeSync(1, 'error'), await writeSync(2, 'success')];
    const some = await service.svc('syncs', 'retry', `${failed}`, '999999', `${fine}`);
    expect(some).toMatchObject({ code: 10, stderr: '' });
    expect(some.stdout).toContain('\n999999  refused  Sync 999999 not found\n');
    expect(some.stdout).toContain(`\n${fine}    refused  Sync is not eligible for retry\n`);
    const json = await service.svc('syncs', 'retry', `${failed}`, '999999', '--json');
    expect([json.code, json.stderr]).toEqual([10, '']);
    expect(JSON.parse(json.stdout)).toEqual({
      exitCode: 10,
      syncs: [
        { id: failed, outcome: 'queued', sync: null, error: null },
        { id: 999999, outcome: 'refused', sync: null, error: expect.objectContaining({ status: 404 }) },
      ],
    });
    expect(await service.svc('syncs', 'retry', '999998', '999999')).toMatchObject({ code: 3 });
  });
});

describe('syncs retry --wait', () => {
  let running: MockService;
  beforeAll(async () => {
    running = await startMockService({ now: new Date() }, runInProcess);
  });
  afterAll(() => running.close());

  /** Creates a failed sync whose event can be written again. */
  async function fail(toEmail: string, sourceId = 1): Promise<number> {
    const createdAt = new Date(Date.now() - 3_600_000);
    const row = { status: 'error', connectionId: 1, sourceId, toEmail, isEventKnown: true, createdAt } as const;
    return (await running.mock.db.syncs.create(row)).id;
  }

  test('waits for the new sync of each and prints one table', async () => {
    const ids = [await fail('kim@example.org'), await fail('Lee@example.org')];
    const { code, stdout, stderr } = await running.svc('syncs', 'retry', ...ids.map(String), '--wait');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[0]).toMatch(/^ID +RETRY +NEW SYNC +EVENT +RECIPIENT +WHY$/);
    for (const [index, id] of ids.entries()) {
      expect(stdout.split('\n')[index + 1]).toMatch(new RegExp(`^${id} +success +\\d+ +\\w+ +\\S+@example\\.org$`));
    }
  });

  test('exits with 9 if the event fails again, with 10 if only some do', async () => {
    running.mock.configure({ crmFailures: [{ sourceId: 2, status: 'error', error: { code: 'NOPE' } }] });
    const [bad, good] = [await fail('bad@example.org', 2), await fail('kim@example.org')];
    const one = await running.svc('syncs', 'retry', `${bad}`, '--wait', '--json');
    expect([one.code, one.stderr]).toEqual([9, '']);
    expect(JSON.parse(one.stdout)).toMatchObject({
      exitCode: 9,
      syncs: [{ id: bad, outcome: 'error', sync: { status: 'error', error: { code: 'NOPE' } }, error: null }],
    });
    const both = await running.svc('syncs', 'retry', `${bad}`, `${good}`, '--wait');
    expect(both.code).toBe(10);
    expect(both.stdout).toMatch(/ error .*NOPE/);
    const error = { code: 'NOPE', message: 'The field is not valid' };
    running.mock.configure({ crmFailures: [{ sourceId: 2, status: 'error', error }] });
    const why = await running.svc('syncs', 'retry', `${bad}`, '--wait');
    expect(why.stdout).toMatch(/ The field is not valid$/m);
    expect(why.stdout).not.toContain('NOPE');
  });

  test('exits with 11 at the timeout', async () => {
    running.mock.configure({ runsJobs: false });
    const id = await fail('kim@example.org');
    const result = await running.svc('syncs', 'retry', `${id}`, '--wait', '--timeout', '5s');
    expect(result).toMatchObject({ code: 11, stderr: '' });
    expect(result.stdout).toMatch(new RegExp(`\n${id} +still queued +EMAIL_`));
  });

  test('exits with 11 if the service does not answer in time; nothing is retried', async () => {
    const id = await fail('kim@example.org');
    running.mock.faults.add({ operations: ['listSyncs'], times: 1, effect: { kind: 'hang' } });
    running.mock.journal.clear();
    const result = await running.svc('syncs', 'retry', `${id}`, '--wait', '--timeout', '1s');
    expect(result).toMatchObject({ code: 11, stdout: '' });
    expect(result.stderr).toContain('The timeout was reached before a retry was queued');
    expect(running.mock.journal.find({ operation: 'retrySync' })).toEqual([]);
  });

  test('a single sync that is refused fails with the refusal', async () => {
    expect(await running.svc('syncs', 'retry', '999999', '--wait')).toMatchObject({ code: 3, stdout: '' });
  });

  test('--interval needs --wait, and a dry run has nothing to wait for', async () => {
    expect((await running.svc('syncs', 'retry', '1', '--interval', '5s')).code).toBe(2);
    expect((await running.svc('syncs', 'retry', '--all', '--since', '1h', '--wait', '--dry-run')).code).toBe(2);
  });

  describe('--all', () => {
    const all = (...argv: string[]) =>
      running.svc('syncs', 'retry', '--all', '--since', '2h', '--source', '2', '--wait', '--yes', ...argv);
    beforeEach(async () => {
      running.mock.reset();
      running.mock.clock.resume();
      const error = { code: 'NOPE', message: 'The field is not valid' };
      running.mock.configure({ runsJobs: true, crmFailures: [{ sourceId: 2, status: 'error', error }] });
    });

    test('shows what became of each retry, and exits with 9 if all failed again', async () => {
      const ids = [await fail('a@example.org', 2), await fail('b@example.org', 2)];
      const { code, stdout, stderr } = await all();
      expect([code, stderr]).toEqual([9, '']);
      expect(stdout).toMatch(/^Queued:\t2\nSkipped:\t0\nRefused:\t0\nWritten:\t0\nFailed again:\t2\n/m);
      for (const id of ids) expect(stdout).toContain(`\nFailed again:\t${id}: The field is not valid\n`);
      expect(stdout).toMatch(/\nStill queued:\t0\n$/);
    });

    test('exits with 0 when all were written; --json has the new syncs', async () => {
      running.mock.configure({ crmFailures: [] });
      const id = await fail('a@example.org', 2);
      const { code, stdout, stderr } = await all('--json');
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({
        found: 1,
        queued: [id],
        syncs: [{ id, outcome: 'success', sync: { status: 'success', toEmail: 'a@example.org' } }],
      });
    });

    test('exits with 11 when the time is over, and with 0 when there is nothing to retry', async () => {
      running.mock.configure({ runsJobs: false });
      expect(await all('--timeout', '1s')).toMatchObject({ code: 0, stdout: expect.stringContaining('Queued:\t0\n') });
      await fail('a@example.org', 2);
      const { code, stdout } = await all('--timeout', '1s');
      expect([code, stdout]).toEqual([
        11,
        expect.stringContaining('Written:\t0\nFailed again:\t0\nStill queued:\t1\n'),
      ]);
    });
  });
});

describe('syncs retry --all', () => {
  test('retries failed syncs and lists the skipped ones', async () => {
    const older = await writeSync(1, 'error');
    const pipedrive = await writeSync(2, 'error', { connectionId: 3, sourceId: 7 });
    await writeSync(3, 'success');
    const newer = await writeSync(4, 'error');
    const { code, stdout, stderr } = await retryAll('--yes');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Range:\t2026-01-15T11:00:00.000Z to 2026-01-15T12:00:00.000Z
Failed:\t3
Queued:\t2
Skipped:\t1 (1 CRM without retry)
Refused:\t0
`);
    expect(retried()).toEqual([newer, older]);
    const { stdout: text } = await retryAll('--yes', '--json');
    expect(JSON.parse(text)).toEqual({
      from: '2026-01-15T11:00:00.000Z',
      to: '2026-01-15T12:00:00.000Z',
      dryRun: false,
      found: 3,
      queued: [newer, older],
      skipped: [{ id: pipedrive, reason: 'crm' }],
      refused: [],
    });
  });

  test('filters by --source and --connection', async () => {
    const first = await writeSync(1, 'error');
    const second = await writeSync(2, 'error', { connectionId: 2, sourceId: 5 });
    await retryAll('--source', '1', '--yes');
    expect(retried()).toEqual([first]);
    await retryAll('--connection', '2', '--yes');
    expect(retried()).toEqual([first, second]);
  });

  test('--dry-run changes nothing and needs no confirmation', async () => {
    await writeSync(1, 'error');
    const { code, stdout, stderr } = await retryAll('--dry-run');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Would be queued:\t1\n');
    expect(retried()).toEqual([]);
  });

  test('--include-recovered lists only failed syncs', async () => {
    await writeSync(1, 'error');
    await retryAll('--include-recovered', '--dry-run');
    expect(service.mock.journal.find({ operation: 'listSyncs' })).toMatchObject([{ query: { status: 'error' } }]);
  });

  test('exits with 10 when some retries are refused', async () => {
    const first = await writeSync(1, 'error');
    const second = await writeSync(2, 'error');
    service.mock.faults.add({
      operations: ['retrySync'],
      times: 1,
      effect: { kind: 'status', status: 409, body: { statusCode: 409, message: 'In between', error: 'Conflict' } },
    });
    const { code, stdout } = await retryAll('--yes');
    expect(code).toBe(10);
    expect(stdout).toContain(`Queued:\t1\nSkipped:\t0\nRefused:\t1\nRefused:\t${second}: In between (409)\n`);
    expect(retried()).toEqual([second, first]);
    service.mock.faults.add({ operations: ['retrySync'], effect: { kind: 'status', status: 409 } });
    expect((await retryAll('--yes', '--json')).code).toBe(6);
  });

  test('a failure in the middle reports the progress', async () => {
    await writeSync(1, 'error');
    await writeSync(2, 'error');
    service.mock.faults.add({ operations: ['retrySync'], nth: 2, times: 1, effect: { kind: 'status', status: 503 } });
    const { code, stdout, stderr } = await retryAll('--yes', '--json');
    expect([code, stdout]).toEqual([8, '']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'server_error',
      hint: expect.stringContaining('So far: 1 queued, 0 skipped, 0 refused.'),
    });
  });

  test('needs --yes without a terminal, also with a closed stdin', async () => {
    const child = spawnCli(['syncs', 'retry', '--all', ...LAST_HOUR], { server: service });
    child.stdin?.destroy();
    const { code, stdout, stderr } = await collectResult(child);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Needs confirmation: add --yes when not in a terminal');
    expect(service.mock.journal.all()).toEqual([]);
  });

  test.each([
    ['neither an id nor --all', [], 'Either ids of syncs or --all is needed'],
    ['both', ['7', '--all'], 'Either ids of syncs or --all is needed'],
    ['a range for an id', ['7', '--since', '1h'], '--since can be used only together with --all'],
    ['a dry run of an id', ['7', '--dry-run'], '--dry-run can be used only together with --all'],
    ['no range', ['--all', '--yes'], 'No time range is given'],
  ])('exits with 2: %s', async (_name, argv, message) => {
    const { code, stdout, stderr } = await service.svc('syncs', 'retry', ...argv, '--json');
    expect([code, stdout, JSON.parse(stderr).error.message]).toEqual([2, '', message]);
    expect(service.mock.journal.all()).toEqual([]);
  });
});

describe('deliveries replay', () => {
  const failed = () =>
    service.mock.db.deliveries.findFirst({ where: { destinationId: 1, status: 'error' } })?.id.toString() ?? '';

  test('queues a replay', async () => {
    const { payloadId } = service.mock.db.deliveries.findFirst({ where: { id: Number(failed()) } }) ?? {};
    const { code, stdout, stderr } = await service.svc('deliveries', 'replay', failed(), '--destination', '1');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Delivery:\t${failed()}\nReplay:\tqueued\nDestination:\t1\nRequest:\t${payloadId}\n`);
    const json = await service.svc('deliveries', 'replay', failed(), '--destination', '1', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ queued: true, destinationId: 1, payloadId });
    service.mock.verify({ operation: 'replayDelivery', times: 2 });
  });

  test.each([
    ['403 without write scope', 'osapi_demo_read', ['1', '--destination', '1'], 5],
    ['404 for an unknown delivery', 'osapi_demo_write', ['999999', '--destination', '1'], 3],
    ['2 without a destination', 'osapi_demo_write', ['1'], 2],
    ['2 without an id', 'osapi_demo_write', ['--destination', '1'], 2],
  ])('%s', async (_name, key, argv, code) => {
    const apiKey = service.mock.keys[key] ?? '';
    const plain = await service.run(['deliveries', 'replay', ...argv], { apiKey });
    const json = await service.run(['deliveries', 'replay', ...argv, '--json'], { apiKey });
    expect([plain.code, plain.stdout, json.code, json.stdout]).toEqual([code, '', code, '']);
    expect(JSON.parse(json.stderr)).toHaveProperty('error.message');
  });
});

test('deliveries replay ID ID ...: one table, exit code of the batch', async () => {
  const [one, two] = service.mock.db.deliveries.findMany({ where: { destinationId: 1, status: 'error' } });
  const argv = ['deliveries', 'replay', `${one?.id}`, '999999', `${two?.id}`, '--destination', '1'];
  const { code, stdout, stderr } = await service.svc(...argv);
  expect([code, stderr]).toEqual([10, '']);
  expect(stdout.split('\n')[0]).toMatch(/^ID +RESULT +REQUEST +WHY$/);
  expect(stdout).toMatch(
    new RegExp(`\n${one?.id} +queued +${one?.payloadId}\n999999 +refused +Delivery 999999 not found`),
  );
  const json = await service.svc(...argv, '--json', '--fields', 'deliveries.id,deliveries.outcome');
  expect(JSON.parse(json.stdout)).toEqual({
    deliveries: [
      { id: one?.id, outcome: 'queued' },
      { id: 999999, outcome: 'refused' },
      { id: two?.id, outcome: 'queued' },
    ],
  });
});

describe.skipIf(!hasTmux())('in a terminal', () => {
  let terminal: Terminal;
  afterEach(() => terminal.close());

  test('shows the count and asks for confirmation', async () => {
    await writeSync(1, 'error');
    terminal = await openTerminal({ columns: 80, server: { url: service.url, apiKey: service.apiKey } });
    for (const answer of ['n', 'y']) {
      terminal.svc('syncs', 'retry', '--all', ...LAST_HOUR);
      await terminal.shows('Retry up to 1 failed sync from 2026-01-15 11:00Z to 2026-01-15 12:00Z? [y/N]');
      expect(retried()).toEqual([]);
      terminal.type(answer);
      expect(await terminal.exitCode()).toBe(answer === 'y' ? 0 : 130);
    }
    expect(retried()).toHaveLength(1);
  });

  test('Ctrl-C reports the progress', async () => {
    for (const minute of [1, 2, 3]) await writeSync(minute, 'error');
    service.mock.faults.add({ operations: ['retrySync'], nth: 2, effect: { kind: 'hang' } });
    terminal = await openTerminal({ columns: 120, server: { url: service.url, apiKey: service.apiKey } });
    terminal.svc('syncs', 'retry', '--all', ...LAST_HOUR, '--yes');
    await terminal.shows('1 failed syncs found, 1 queued');
    terminal.press('C-c');
    await terminal.shows('So far: 1 queued, 0 skipped, 0 refused.');
    expect(await terminal.exitCode()).toBe(130);
  });
});
