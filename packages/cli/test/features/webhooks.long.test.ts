import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli, cliEnvironment, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => void service.mock.snapshot('before'));
afterEach(() => service.mock.restore('before'));

const svc = (...argv: string[]) => service.svc('webhooks', ...argv);

const ONE = 'oswhk_demo01';
const secretOf = (id: string) => service.mock.db.webhooks.findFirst({ where: { id } })?.secret;
const SECRET = /oswhsec_[a-z0-9]{20,}/;
const URL = 'https://hooks.example.com/new-one';

describe('list', () => {
  test('prints a table with the state of each webhook', async () => {
    const { code, stdout, stderr } = await svc('list', '--format', 'table');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +STATE +URL +EVENTS +DESCRIPTION +CREATED$/);
    expect(lines).toHaveLength(7);
    expect(stdout).toMatch(/oswhk_demo04 +auto-disabled +https:\/\/gone\.example\.org\/hook +all +Agency of last year/);
    expect(stdout).not.toContain('oswhsec_');
  });

  test('--json and --fields', async () => {
    const whole = await svc('list', '--json');
    expect(JSON.parse(whole.stdout)).toContainEqual({
      id: ONE,
      url: 'https://hooks.example.com/svc-events',
      description: 'Incident channel',
      enabledEvents: [],
      isActive: true,
      autoDisabledAt: null,
      createdAt: '2025-12-20T12:00:00.000Z',
      updatedAt: '2025-12-20T12:00:00.000Z',
    });
    const chosen = await svc('list', '--format', 'ndjson', '--fields', 'id,isActive');
    expect(chosen.stdout.split('\n')[2]).toBe(`{"id":"${ONE}","isActive":true}`);
  });

  test('no webhooks: says how to create one', async () => {
    const apiKey = service.mock.keys.osapi_demo_empty;
    const { code, stdout, stderr } = await service.run(['webhooks', 'list'], { apiKey });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe('No webhooks. `svc webhooks create --url https://...` adds one.\n');
  });
});

describe('get', () => {
  test('prints the webhook without --json', async () => {
    const { code, stdout, stderr } = await svc('get', 'oswhk_demo04');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      'State:\tauto-disabled\nDisabled:\tby the service at 2026-01-01T16:00:00.238Z, after too many dead deliveries in a row\nEvents:\tall\n',
    );
  });

  test('--json', async () => {
    const { stdout } = await svc('get', 'oswhk_demo02', '--json', '--fields', 'enabledEvents');
    expect(JSON.parse(stdout)).toEqual({ enabledEvents: ['sync.failed'] });
  });
});

describe('create', () => {
  test('shows the secret once and says so', async () => {
    const { code, stdout, stderr } = await svc(
      'create',
      '--url',
      URL,
      '--event',
      'sync.failed',
      '--description',
      'Mine',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`URL:\t${URL}\n`));
    expect(stdout).toMatch(/Events:\tsync\.failed\n/);
    expect(stdout).toMatch(/Secret:\toswhsec_/);
    expect(stderr).toBe('Store the secret now: it is not shown again.\n');
    const again = await svc('list', '--json');
    expect(again.stdout).toContain(URL);
    expect(again.stdout).not.toMatch(SECRET);
  });

  test('--json contains the secret, without further notes', async () => {
    const { code, stdout, stderr } = await svc('create', '--url', URL, '--json');
    expect([code, stderr]).toEqual([0, '']);
    const { secret, id, ...webhook } = JSON.parse(stdout);
    expect(secret).toBe(secretOf(id));
    expect(webhook).toMatchObject({ url: URL, enabledEvents: [], description: '', isActive: true });
  });

  test('--secret-file writes the secret to a private file and does not print it', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'svc-secret-')), 'webhook.secret');
    const { code, stdout, stderr } = await svc('create', '--url', URL, '--secret-file', file);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(SECRET);
    expect(stderr).toBe(`The secret is in ${file}: it is not shown again.\n`);
    const id = /oswhk_\w+/.exec(stdout)?.[0] ?? '';
    expect(readFileSync(file, 'utf8')).toBe(`${secretOf(id)}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const other = await svc('create', '--url', URL, '--secret-file', `${file}.json`, '--json');
    expect(JSON.parse(other.stdout)).not.toHaveProperty('secret');
    expect(readFileSync(`${file}.json`, 'utf8')).toMatch(SECRET);
  });

  test.each([
    [
      'an existing file',
      (folder: string) => (writeFileSync(join(folder, 'x'), 'other'), join(folder, 'x')),
      'already exists',
    ],
    [
      'a link to a missing file',
      (folder: string) => (symlinkSync('gone', join(folder, 'link')), join(folder, 'link')),
      'is a link to a file that does not exist',
    ],
    ['a folder', (folder: string) => folder, 'it is a folder'],
    ['a missing folder', (folder: string) => join(folder, 'a', 'b'), 'the folder does not exist'],
  ])('--secret-file: %s is refused before the webhook is created', async (_name, path, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-secret-'));
    const { code, stderr } = await svc('create', '--url', URL, '--secret-file', path(folder));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    service.mock.verify({ operation: 'createWebhook', times: 0 });
  });

  test('--secret-file: leaves no file when the service refuses', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-secret-'));
    const { code, stderr } = await svc('create', '--url', 'https://10.0.0.1/x', '--secret-file', join(folder, 's'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Error: .*\(400\)\n/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an unknown event type exits with 2 and lists the known ones', async () => {
    const { code, stderr } = await svc('create', '--url', URL, '--event', 'test.ping');
    expect(code).toBe(2);
    expect(stderr).toContain('sync.failed or sync.recovered');
  });
});

describe('update', () => {
  test('sends only the given fields', async () => {
    const { code, stdout } = await svc('update', ONE, '--url', URL, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ url: URL, description: 'Incident channel' });
    const [call] = service.mock.verify({ operation: 'updateWebhook', times: 1 });
    expect(call?.body).toEqual({ url: URL });
  });

  test.each([
    [['--event', 'sync.failed', '--event', 'sync.recovered'], { enabledEvents: ['sync.failed', 'sync.recovered'] }],
    [['--all-events'], { enabledEvents: [] }],
    [['--enable'], { isActive: true }],
    [['--disable', '--description', ''], { isActive: false, description: '' }],
    [['--description', '-- urgent --'], { description: '-- urgent --' }],
  ])('%j', async (argv, body) => {
    const { code, stderr } = await svc('update', ...argv, 'oswhk_demo02');
    expect([code, stderr]).toEqual([0, '']);
    const [call] = service.mock.verify({ operation: 'updateWebhook', times: 1 });
    expect(call?.body).toEqual(body);
  });

  test.each([[[]], [['--enable', '--disable']], [['--event', 'sync.failed', '--all-events']]])(
    '%j exits with 2',
    async (argv) => {
      const { code } = await svc('update', ONE, ...argv);
      expect(code).toBe(2);
      service.mock.verify({ operation: 'updateWebhook', times: 0 });
    },
  );
});

test('an address without scheme is refused before any request, with the complete address', async () => {
  for (const argv of [
    ['create', '--url', 'hooks.example.com/in'],
    ['update', ONE, '--url', 'hooks.example.com/in'],
  ]) {
    expect(await svc(...argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Error: --url has no scheme\n  Write https://hooks.example.com/in.\n',
    });
  }
});

describe('delete', () => {
  test('several webhooks are confirmed once and printed in one table', async () => {
    const { code, stdout } = await svc('delete', ONE, 'oswhk_demo02', '--yes');
    expect([code, stdout]).toEqual([0, `ID            RESULT   WHY\n${ONE}  deleted\noswhk_demo02  deleted\n`]);
    const refused = await svc('delete', ONE, 'oswhk_demo02');
    expect(refused.stderr).toContain(`Delete webhooks ${ONE}, oswhk_demo02 and abandon their pending deliveries?`);
  });

  test('with --yes', async () => {
    const { code, stdout, stderr } = await svc('delete', ONE, '--yes');
    expect([code, stdout, stderr]).toEqual([0, '', `Deleted webhook ${ONE}\n`]);
    expect((await svc('get', ONE)).code).toBe(3);
  });

  test('--json', async () => {
    const { code, stdout, stderr } = await svc('delete', ONE, '-y', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ id: ONE, deleted: true });
  });

  test('needs --yes without a terminal', async () => {
    const { code, stderr } = await svc('delete', ONE);
    expect(code).toBe(2);
    expect(stderr).toContain('add --yes');
    service.mock.verify({ operation: 'deleteWebhook', times: 0 });
  });
});

describe('rotate-secret', () => {
  test('shows the new secret', async () => {
    const { code, stdout, stderr } = await svc('rotate-secret', ONE, '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain(secretOf(ONE));
    expect(secretOf(ONE)).not.toBe('oswhsec_demo01');
    expect(stderr).toBe('Store the secret now: it is not shown again.\n');
  });

  test('--secret-file replaces the target of a link', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-secret-'));
    writeFileSync(join(folder, 'real'), 'oswhsec_old\n', { mode: 0o644 });
    symlinkSync('real', join(folder, 'link'));
    const { code } = await svc('rotate-secret', ONE, '--yes', '--json', '--secret-file', join(folder, 'link'));
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe(`${secretOf(ONE)}\n`);
    expect(statSync(join(folder, 'real')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['link', 'real']);
  });

  test('needs --yes without a terminal', async () => {
    expect((await svc('rotate-secret', ONE)).code).toBe(2);
    service.mock.verify({ operation: 'rotateWebhookSecret', times: 0 });
  });
});

describe('test', () => {
  test('queues a ping', async () => {
    const { code, stdout, stderr } = await svc('test', ONE, '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(service.mock.db.events.findFirst({ where: { id: JSON.parse(stdout).eventId } })?.type).toBe('test.ping');
    expect((await svc('test', ONE)).stdout).toMatch(/^Queued event:\tosevt_\w+\n$/);
  });

  test('--wait: exits with 0 when delivered', async () => {
    const { code, stdout, stderr } = await svc('test', ONE, '--wait');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^Test:\tdelivered\nEvent:\tosevt_\w+\nDelivery:\toswhd_\w+ \(SUCCEEDED, 1 attempt\)\nAnswer:\tHTTP 200\n$/,
    );
    const json = await svc('test', ONE, '--wait', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      eventId: expect.stringMatching(/^osevt_/),
      outcome: 'delivered',
      delivery: { status: 'SUCCEEDED', endpointId: ONE, lastHttpStatus: 200 },
    });
  });

  test('--wait: exits with 9 when the delivery is dead', async () => {
    service.mock.faults.add({ operations: ['outbound'], effect: { kind: 'status', status: 404 } });
    const { code, stdout } = await svc('test', ONE, '--wait');
    expect([code, stdout]).toEqual([9, expect.stringContaining('Test:\tnot delivered\n')]);
    const json = await svc('test', ONE, '--wait', '--json');
    expect(json.code).toBe(9);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'not-delivered', delivery: { status: 'DEAD' } });
  });

  test('--wait: exits with 11 when retries are still pending at the timeout', async () => {
    service.mock.faults.add({ operations: ['outbound'], effect: { kind: 'status', status: 503 } });
    const { code, stdout, stderr } = await svc('test', ONE, '--wait', '--timeout', '5s');
    expect(code).toBe(11);
    expect(stdout).toContain('still pending at the timeout; the service keeps trying\n');
    expect(stdout).toContain('(PENDING, 1 attempt)\nAnswer:\tHTTP 503\n');
    expect(stderr).toBe('Attempt 1 failed: HTTP 503. The service will try again.\n');
    const json = await svc('test', ONE, '--wait', '--timeout', '5s', '--json');
    expect([json.code, json.stderr]).toEqual([11, '']);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'timeout', delivery: { status: 'PENDING' } });
  });
});

describe('deliveries', () => {
  test('lists the newest first and says that there are more', async () => {
    const { code, stdout, stderr } = await svc('deliveries', ONE, '--limit', '2', '--format', 'table');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ID +STATUS +CREATED +ATTEMPTS +HTTP +ERROR +REPLAY OF\noswhd_demo0104 +PENDING +2026-01-15 11:54Z +2 +503 +HTTP 503\n/,
    );
    expect(stderr).toBe('Showing the newest 2 deliveries. More: --all or --limit N.\n');
  });

  test('--status, --json and --fields', async () => {
    const { stdout } = await svc('deliveries', ONE, '--status', 'DEAD', '--json', '--fields', 'id,status');
    expect(JSON.parse(stdout)).toEqual([
      { id: 'oswhd_demo0074', status: 'DEAD' },
      { id: 'oswhd_demo0072', status: 'DEAD' },
    ]);
  });

  test('no rows: a note', async () => {
    const { code, stdout, stderr } = await svc('deliveries', 'oswhk_demo07', '--status', 'FAILED');
    expect([code, stdout, stderr]).toEqual([0, '', 'No deliveries in status FAILED.\n']);
  });
});

describe('replay', () => {
  test('several deliveries: one table, exit code of the batch', async () => {
    const { code, stdout, stderr } = await svc('replay', ONE, 'oswhd_demo0074', 'oswhd_missing');
    expect([code, stderr]).toEqual([10, '']);
    expect(stdout.split('\n')[0]).toMatch(/^ID +RESULT +NEW DELIVERY +WHY$/);
    expect(stdout).toMatch(/\noswhd_demo0074 +queued +oswhd_\w+ *\noswhd_missing +refused +\S/);
    const json = await svc('replay', ONE, 'oswhd_demo0074', 'oswhd_missing', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      exitCode: 10,
      deliveries: [
        { id: 'oswhd_demo0074', outcome: 'queued', replay: { replayOfDeliveryId: 'oswhd_demo0074' }, error: null },
        { id: 'oswhd_missing', outcome: 'refused', replay: null, error: { status: 404 } },
      ],
    });
  });

  test('shows the new delivery', async () => {
    const { code, stdout, stderr } = await svc('replay', ONE, 'oswhd_demo0074');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Delivery:\toswhd_01\w+\nWebhook:\toswhk_demo01\nStatus:\tPENDING\n/);
    expect(stdout).toMatch(/\nReplay of:\toswhd_demo0074\n/);
  });

  test('--json', async () => {
    const { stdout } = await svc('replay', ONE, 'oswhd_demo0074', '--json', '--fields', 'replayOfDeliveryId,status');
    expect(JSON.parse(stdout)).toEqual({ replayOfDeliveryId: 'oswhd_demo0074', status: 'PENDING' });
  });
});

describe('failures are the same with and without --json', () => {
  const missing = 'oswhk_missing';
  const connectionKey = 'osapi_demo_connection' as const;
  test.each([
    [['list'], { key: connectionKey, code: 5 }],
    [['get', ONE], { key: connectionKey, code: 5 }],
    [['deliveries', ONE], { key: 'osapi_demo_no_webhooks' as const, code: 5 }],
    [['create', '--url', URL], { key: 'osapi_demo_read' as const, code: 5 }],
    [['update', ONE, '--enable'], { key: 'osapi_demo_read' as const, code: 5 }],
    [['delete', ONE, '--yes'], { key: 'osapi_demo_read' as const, code: 5 }],
    [['rotate-secret', ONE, '--yes'], { key: 'osapi_demo_read' as const, code: 5 }],
    [['test', ONE, '--wait'], { key: 'osapi_demo_read' as const, code: 5 }],
    [['replay', ONE, 'oswhd_demo0074'], { key: 'osapi_demo_read' as const, code: 5 }],
    [['get', missing], { code: 3 }],
    [['update', missing, '--enable'], { code: 3 }],
    [['delete', missing, '--yes'], { code: 3 }],
    [['rotate-secret', missing, '--yes'], { code: 3 }],
    [['test', missing, '--wait'], { code: 3 }],
    [['deliveries', missing], { code: 3 }],
    [['replay', ONE, 'oswhd_missing'], { code: 3 }],
    [['list', '--fields', 'secret'], { code: 2 }],
    [['get'], { code: 2 }],
    [['create'], { code: 2 }],
    [['deliveries', ONE, '--status', 'dead'], { code: 2 }],
    [['test', ONE, '--wait', '--timeout', 'soon'], { code: 2 }],
    [['replay', ONE], { code: 2 }],
  ])(
    '%j %j',
    async (argv, {
      key = 'osapi_demo_write' as const,
      code,
    }: { key?: keyof typeof service.mock.keys; code: number }) => {
      const apiKey = service.mock.keys[key] ?? '';
      const plain = await service.run(['webhooks', ...argv], { apiKey });
      const json = await service.run(['webhooks', ...argv, '--json'], { apiKey });
      expect([plain.code, json.code]).toEqual([code, code]);
      expect([plain.stdout, json.stdout]).toEqual(['', '']);
      expect(plain.stderr).toMatch(/^Error: /);
      expect(JSON.parse(json.stderr).error.message).not.toBe('');
      expect(plain.stderr + json.stderr).not.toMatch(SECRET);
    },
  );

  test('a connection key gets the reason and an alternative', async () => {
    const { stderr } = await service.run(['webhooks', 'list'], { apiKey: service.mock.keys.osapi_demo_connection });
    expect(stderr).toContain('Webhook endpoint management requires an account-scoped API key (403)\n');
    expect(stderr).toContain('The key is for one connection only, but webhooks belong to the account');
    expect(stderr).toContain('`svc events list` works with this key');
  });

  test.each([
    ['create', '--url', URL],
    ['rotate-secret', ONE, '--yes'],
  ])('a secret that could not be printed: says how to create another, %s', async (...argv) => {
    const lost = (reason: string) =>
      new RegExp(
        `^Error: The secret of (oswhk_\\w+) was not printed and is lost\\. Cannot write to standard output: ${reason}\\n.*exists.*\`svc webhooks rotate-secret \\1 --secret-file FILE\``,
      );
    const child = spawnCli(['webhooks', ...argv], { server: service });
    child.stdout?.destroy();
    const gone = await collectResult(child);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(lost('its reader is gone'))]);

    if (!existsSync('/dev/full')) return;
    const env = cliEnvironment({ server: service });
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
    const full = await collectResult(spawn(process.execPath, [BIN, 'webhooks', ...argv], { env, stdio: [...stdio] }));
    expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(lost('there is no space left on the device'))]);
  });

  test('a secret that --jq fails to print is lost too', async () => {
    const { code, stderr } = await svc('rotate-secret', ONE, '--yes', '--jq', '.url | error');
    expect([code, JSON.parse(stderr).error.message]).toEqual([
      1,
      `The secret of ${ONE} was not printed and is lost. --jq: https://hooks.example.com/svc-events`,
    ]);
  });

  test('of a webhook that is only read, nothing is lost without a reader', async () => {
    const child = spawnCli(['webhooks', 'get', ONE], { server: service });
    child.stdout?.destroy();
    expect(await collectResult(child)).toMatchObject({ code: 0, stderr: '' });
  });

  test('a secret that could not be stored: says how to create another', async () => {
    if (!existsSync('/dev/full')) return;
    const { code, stderr } = await svc('create', '--url', URL, '--secret-file', '/dev/full');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: The secret of oswhk_\w+ is lost\. Cannot write to \/dev\/full/);
    expect(stderr).toMatch(/`svc webhooks rotate-secret oswhk_\w+`/);
  });
});
