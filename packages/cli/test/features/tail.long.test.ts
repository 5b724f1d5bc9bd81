import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

/** The time of the service's clock. It is the present, because a tail starts at the present of the CLI's clock. */
const START = new Date();
const SINCE = ['--since', new Date(START.getTime() - 60_000).toISOString()];

let service: MockService;
let running: Tail | null = null;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({ runsJobs: false, now: START }, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => void service.mock.snapshot('before'));
afterEach(() => {
  running?.child.kill('SIGKILL');
  running = null;
  service.mock.restore('before');
});

interface Tail {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly lines: () => string[];
  readonly ended: Promise<number | null>;
}

/** Starts a tail that polls every second. */
function tail(...argv: string[]): Tail {
  const child = spawnCli([...argv, '--interval', '1s', '--max-retries', '0'], { server: service });
  child.stdin?.destroy();
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = () => stdout.split('\n').slice(0, -1);
  running = { child, stdout: () => stdout, stderr: () => stderr, lines, ended };
  return running;
}

const idsOf = ({ lines }: Tail) => lines().map((line) => JSON.parse(line).id);
const requestCount = (operation: 'listSyncs' | 'listRequests' | 'listEvents') =>
  service.mock.journal.find({ operation }).length;
let minute = 0;

async function writeSync(status: 'success' | 'error' = 'success') {
  minute += 1;
  const createdAt = new Date(START.getTime() + minute * 60_000);
  return (await service.mock.db.syncs.create({ status, createdAt, connectionId: 1, sourceId: 1 })).id;
}

describe('syncs tail', () => {
  test('prints new rows once, oldest first, as NDJSON until Ctrl-C', async () => {
    const watched = tail('syncs', 'tail', ...SINCE);
    await expect.poll(() => requestCount('listSyncs')).toBeGreaterThan(0);
    const first = [await writeSync(), await writeSync('error')];
    await expect.poll(() => idsOf(watched)).toEqual(first);
    const third = await writeSync();
    await expect.poll(() => idsOf(watched)).toEqual([...first, third]);
    const before = requestCount('listSyncs');
    await expect.poll(() => requestCount('listSyncs')).toBeGreaterThan(before + 1);
    expect(idsOf(watched)).toEqual([...first, third]);
    watched.child.kill('SIGINT');
    expect(await watched.ended).toBe(130);
    expect(watched.stderr()).toBe('');
  });

  test('begins at the present without --since', async () => {
    const watched = tail('syncs', 'tail', '--json', '--fields', 'id,status', '--status', 'error', '--connection', '1');
    await expect.poll(() => requestCount('listSyncs')).toBeGreaterThan(0);
    await writeSync('success');
    const id = await writeSync('error');
    await expect.poll(watched.lines).toEqual([`{"id":${id},"status":"error"}`]);
    watched.child.kill('SIGINT');
    expect(await watched.ended).toBe(130);
    expect(JSON.parse(watched.stderr()).error.code).toBe('interrupted');
  });

  test('reports a failing service and its recovery, and continues', async () => {
    const watched = tail('syncs', 'tail', '--json');
    await expect.poll(() => requestCount('listSyncs')).toBeGreaterThan(0);
    service.mock.faults.add({ operations: ['listSyncs'], times: 2, effect: { kind: 'reset' } });
    await expect.poll(watched.stderr).toContain('The service answers again.');
    const notes = watched
      .stderr()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).note);
    expect(notes).toEqual([
      expect.stringMatching(/^Cannot read syncs: .*\. Retrying in 1 s$/),
      expect.stringMatching(/^Cannot read syncs: .*\. Retrying in 2 s$/),
      'The service answers again.',
    ]);
    const id = await writeSync();
    await expect.poll(() => idsOf(watched)).toEqual([id]);
  });

  test('ends with 4 when the key is rejected', async () => {
    const watched = tail('syncs', 'tail');
    await expect.poll(() => requestCount('listSyncs')).toBeGreaterThan(0);
    service.mock.faults.add({ operations: ['listSyncs'], effect: { kind: 'status', status: 401 } });
    expect(await watched.ended).toBe(4);
  });

  test('exits with 0 when the reader closes the pipe', async () => {
    const watched = tail('syncs', 'tail');
    await expect.poll(() => requestCount('listSyncs')).toBeGreaterThan(0);
    watched.child.stdout?.destroy();
    await writeSync();
    expect(await watched.ended).toBe(0);
    expect(watched.stderr()).toBe('');
  });

  test.each([
    ['2 for an invalid time', ['--since', 'soon'], 2],
    ['2 for a too short interval', ['--interval', '0s'], 2],
    ['2 for an unknown field', ['--fields', 'nope'], 2],
    ['3 for an unknown source', ['--source', '99'], 3],
  ])('%s', async (_name, argv, code) => {
    const plain = await service.svc('syncs', 'tail', ...argv);
    const json = await service.svc('syncs', 'tail', ...argv, '--json');
    expect([plain.code, plain.stdout, json.code, json.stdout]).toEqual([code, '', code, '']);
    expect(JSON.parse(json.stderr)).toHaveProperty('error.message');
  });

  test('8 when the service never answers', async () => {
    const env = { SVC_BASE_URL: 'http://127.0.0.1:1' };
    const { code, stdout } = await service.run(['syncs', 'tail', '--max-retries', '0'], { env });
    expect([code, stdout]).toEqual([8, '']);
  });
});

test('requests tail', async () => {
  const watched = tail('requests', 'tail', '--source', '1');
  await expect.poll(() => requestCount('listRequests')).toBeGreaterThan(0);
  await service.mock.clock.advance('1m');
  for (const code of ['demo-smartlead', 'demo-instantly']) {
    const body = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: 'kim@example.org' });
    await fetch(`${service.url}/webhooks/${code}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
  }
  await expect.poll(watched.lines).toEqual([expect.stringContaining('"path":"demo-smartlead"')]);
});

test('events tail', async () => {
  const watched = tail('events', 'tail', '--type', 'sync.failed', ...SINCE);
  await expect.poll(() => requestCount('listEvents')).toBeGreaterThan(0);
  await service.mock.clock.advance('1m');
  service.mock.trigger('sync.recovered');
  const { eventId } = service.mock.trigger('sync.failed');
  await expect.poll(() => idsOf(watched)).toEqual([eventId]);
});

describe.skipIf(!hasTmux())('in a terminal', () => {
  let terminal: Terminal;
  afterEach(() => terminal.close());

  test('prints a line per row until Ctrl-C', async () => {
    terminal = await openTerminal({ columns: 80, server: { url: service.url, apiKey: service.apiKey } });
    terminal.svc('syncs', 'tail', '--interval', '1s', ...SINCE);
    await terminal.shows('Waiting for new syncs, polling every 1 s. Press Ctrl-C to stop.');
    const id = await writeSync('error');
    await terminal.shows(new RegExp(`^[-\\d]{10} [:\\d]{8}Z {2}error {4}${id} `, 'm'));
    expect(terminal.colors()).toContain('\u001b[31merror');
    terminal.press('C-c');
    expect(await terminal.exitCode()).toBe(130);
  });
});
