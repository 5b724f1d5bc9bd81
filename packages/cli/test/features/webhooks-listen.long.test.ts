import type { ChildProcess } from 'node:child_process';
import { verifyWebhook } from '@svc/sdk/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, type LocalReceiver, type Received, startReceiver } from '../support/local-receiver.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli, type CliResult, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

const SECRET = 'oswhsec_test_2c1d';
const TUNNEL = 'https://tunnel.example.com/hooks';
let service: MockService;
let receiver: LocalReceiver;
let children: ChildProcess[];

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(async () => {
  service.mock.reset();
  receiver = await startReceiver();
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await receiver.close();
});

interface Listening {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
  /** The output so far. */
  readonly printed: { stdout: string; stderr: string };
  rows(): Record<string, unknown>[];
}

function listen(
  argv: readonly string[],
  { apiKey = service.apiKey, forwardTo = receiver.url, env = {} } = {},
): Listening {
  const child = spawnCli(['webhooks', 'listen', '--forward-to', forwardTo, ...argv], {
    server: { url: service.url, apiKey },
    env,
  });
  children.push(child);
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => (printed.stdout += text));
  child.stderr?.on('data', (text) => (printed.stderr += text));
  const rows = () =>
    printed.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { child, result: collectResult(child), printed, rows };
}

const poll = (argv: readonly string[] = [], options: Parameters<typeof listen>[1] = {}) =>
  listen(['--interval', '1s', ...argv], { env: { SVC_WEBHOOK_SECRET: SECRET }, ...options });

const SINCE = ['--since', '2026-01-15T10:00:00Z'];
const requestCount = () => service.mock.journal.find({ operation: 'listEvents' }).length;
const verify = ({ headers, body }: Received, secret = SECRET) => verifyWebhook({ payload: body, headers, secret });

describe('by polling', () => {
  test('forwards past events oldest first, then new ones, each once and signed', async () => {
    const { child, result, rows } = poll(SINCE);
    await expect.poll(() => receiver.received.length).toBe(2);
    const { eventId } = service.mock.trigger('sync.recovered');
    await expect.poll(() => receiver.received.length).toBe(3);
    const before = requestCount();
    await expect.poll(requestCount).toBeGreaterThan(before + 1);
    child.kill('SIGINT');
    expect((await result).code).toBe(130);

    const events = await Promise.all(receiver.received.map((received) => verify(received)));
    expect(events.map(({ id }) => id)).toEqual(['osevt_demo0045', 'osevt_demo0046', eventId]);
    expect(rows().map((row) => row.eventId)).toEqual(events.map(({ id }) => id));
    expect(rows()[0]).toEqual({
      eventId: 'osevt_demo0045',
      type: 'sync.failed',
      createdAt: '2026-01-15T10:30:00.000Z',
      summary: 'Syncs from smartlead source 4 to HUBSPOT are failing',
      deliveryId: 'oswhd_demo0045',
      httpStatus: 200,
      error: null,
      durationMs: expect.any(Number),
      attempts: 1,
    });
  });

  test('forwards the same bytes and headers as a delivery of the service', async () => {
    poll();
    await expect.poll(requestCount).toBeGreaterThan(0);
    const { eventId } = service.mock.trigger('sync.failed');
    await service.mock.settle();
    await expect.poll(() => receiver.received.length).toBe(1);
    const [own] = receiver.received;
    const delivery = service.mock.outbox.all().find(({ body }) => String(body).includes(eventId));
    expect(own?.body).toBe(delivery?.body);
    expect(own?.headers).toMatchObject({
      'content-type': 'application/json',
      'service-event-id': eventId,
      'service-delivery-id': eventId.replace('osevt_', 'oswhd_'),
      'service-signature': expect.stringMatching(/^t=\d+,v1=[\da-f]{64}$/),
    });
  });

  test('creates a secret for this run if none is given, and shows it on stderr', async () => {
    const { printed } = listen([...SINCE, '--interval', '1s']);
    await expect.poll(() => receiver.received.length).toBe(2);
    expect(printed.stderr).toContain(`Events go to ${receiver.url}.\n`);
    const secret = /^Signing secret for this run: (oswhsec_\S+)$/m.exec(printed.stderr)?.[1] ?? '';
    for (const received of receiver.received) await verify(received, secret);
  });

  test('--json prints the start notice as JSON', async () => {
    const { printed, rows } = listen([...SINCE, '--json', '--fields', 'type,httpStatus']);
    await expect.poll(() => rows().length).toBe(2);
    expect(rows()).toEqual([
      { type: 'sync.failed', httpStatus: 200 },
      { type: 'test.ping', httpStatus: 200 },
    ]);
    expect(JSON.parse(printed.stderr).listening).toEqual({
      forwardTo: receiver.url,
      secret: expect.stringMatching(/^oswhsec_/),
      webhookId: null,
    });
  });

  test('does not print a secret from stdin', async () => {
    const { child, printed } = listen([...SINCE, '--secret', '-']);
    child.stdin?.end(`${SECRET}\n`);
    await expect.poll(() => receiver.received.length).toBe(2);
    for (const received of receiver.received) await verify(received);
    expect(printed.stdout + printed.stderr).not.toContain(SECRET);
  });

  test('--type filters, also with a connection key', async () => {
    const apiKey = service.mock.keys.osapi_demo_connection_read;
    const { rows } = poll(['--since', '2026-01-01', '--type', 'sync.recovered'], { apiKey });
    await expect.poll(() => rows().length).toBeGreaterThan(0);
    expect(new Set(rows().map(({ type }) => type))).toEqual(new Set(['sync.recovered']));
  });

  test('reports refusals of the local server and does not retry them', async () => {
    receiver.status = 500;
    const { rows } = poll(SINCE);
    await expect.poll(() => rows().map(({ httpStatus }) => httpStatus)).toEqual([500, 500]);
    await expect.poll(requestCount).toBeGreaterThan(2);
    expect(receiver.received).toHaveLength(2);
  });

  test('waits for the local server to start', async () => {
    const port = await freePort();
    const { rows, printed } = poll(SINCE, { forwardTo: `http://127.0.0.1:${port}/hooks` });
    await expect
      .poll(() => printed.stderr)
      .toContain('nothing listens there (ECONNREFUSED). Event osevt_demo0045 waits');
    const late = await startReceiver(port);
    await expect.poll(() => rows().length).toBe(2);
    await late.close();
    expect(rows()[0]).toMatchObject({ httpStatus: 200, error: null });
    expect(rows()[0]?.attempts).toBeGreaterThan(1);
  });

  test('--skip-forward-errors continues', async () => {
    const port = await freePort();
    const { rows } = poll([...SINCE, '--skip-forward-errors'], { forwardTo: `http://127.0.0.1:${port}/hooks` });
    await expect.poll(() => rows().length).toBe(2);
    expect(rows()[0]).toMatchObject({ httpStatus: null, error: 'nothing listens there (ECONNREFUSED)', attempts: 1 });
  });

  test('reports a failing service and continues when it recovers', async () => {
    const { printed } = poll(['--max-retries', '0']);
    await expect.poll(requestCount).toBeGreaterThan(0);
    service.mock.faults.add({ operations: ['listEvents'], times: 2, effect: { kind: 'status', status: 503 } });
    const { eventId } = service.mock.trigger('sync.failed');
    await expect.poll(() => printed.stderr).toContain('The service answers again.');
    expect(printed.stderr.match(/^Cannot read events: .*\. Retrying in \d+ s$/gm)).toHaveLength(2);
    await expect.poll(() => receiver.received.map(({ headers }) => headers['service-event-id'])).toEqual([eventId]);
  });

  test.each([
    ['an account without webhooks', 'osapi_demo_no_webhooks', 5],
    ['a wrong key', 'osapi_wrong', 4],
  ])('%s', async (_name, apiKey, code) => {
    const { result } = listen(['--json'], { apiKey });
    const { stdout, stderr, ...ended } = await result;
    expect([ended.code, stdout]).toEqual([code, '']);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line))[0]),
    ).toEqual(['listening', 'error']);
  });

  test.each([
    ['an invalid address', ['--forward-to', 'nope']],
    ['an unknown type', ['--forward-to', 'http://localhost:1', '--type', 'connection.lost']],
    ['a secret on the command line', ['--forward-to', 'http://localhost:1', '--secret', SECRET]],
    ['--port without a tunnel', ['--forward-to', 'http://localhost:1', '--port', '4000']],
    ['no --forward-to', []],
  ])('exits with 2: %s', async (_name, argv) => {
    const { code, stdout, stderr } = await service.svc('webhooks', 'listen', ...argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain(SECRET);
    expect((await service.svc('webhooks', 'listen', ...argv, '--json')).code).toBe(2);
  });

  test('an address of this machine without scheme is http', async () => {
    const { child, result } = poll(SINCE, { forwardTo: receiver.url.replace('http://', '') });
    await expect.poll(() => receiver.received.length).toBe(2);
    child.kill('SIGINT');
    expect((await result).stderr).toContain(receiver.url);
  });

  test('an address of another machine without scheme: the message names the complete one', async () => {
    const { code, stderr } = await service.svc('webhooks', 'listen', '--forward-to', 'hooks.example.com/in');
    expect([code, stderr]).toEqual([2, 'Error: --forward-to has no scheme\n  Write https://hooks.example.com/in.\n']);
  });
});

describe('through a tunnel', () => {
  let port: number;
  beforeEach(async () => {
    port = await freePort();
    // The CLI checks the age of signatures.
    service.mock.clock.freeze(new Date());
    service.mock.configure({ receivers: { 'tunnel.example.com': `http://127.0.0.1:${port}` } });
  });

  const open = (...argv: string[]) => listen(['--tunnel-url', TUNNEL, '--port', String(port), ...argv]);
  const registered = () => service.mock.db.webhooks.all().filter(({ url, deletedAt }) => url === TUNNEL && !deletedAt);
  const isOpen = () => expect.poll(() => registered().length).toBe(1);

  test('forwards a delivery unchanged and answers with the status of the local server', async () => {
    const { child, result, rows, printed } = open();
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    const { eventId } = service.mock.trigger('sync.failed');
    await service.mock.settle();
    const [received] = receiver.received;
    const secret = /^Signing secret for this run: (\S+)$/m.exec(printed.stderr)?.[1] ?? '';
    if (received === undefined) throw new Error('nothing was received');
    expect((await verify(received, secret)).id).toBe(eventId);
    await expect.poll(() => rows().map((row) => [row.eventId, row.httpStatus])).toEqual([[eventId, 200]]);
    const ours = registered().map(({ id }) => id);
    const deliveries = service.mock.db.webhookDeliveries.all().filter(({ webhookId }) => ours.includes(webhookId));
    expect(deliveries.map(({ status }) => status)).toEqual(['SUCCEEDED']);

    child.kill('SIGINT');
    expect((await result).code).toBe(130);
    expect(registered()).toEqual([]);
  });

  test('signs again with a given secret', async () => {
    const { printed } = listen(['--tunnel-url', TUNNEL, '--port', String(port)], {
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    expect(printed.stderr).not.toContain('Signing secret');
    service.mock.trigger('sync.failed');
    await service.mock.settle();
    for (const received of receiver.received) await verify(received);
    expect(receiver.received).toHaveLength(1);
  });

  test('refuses unsigned requests', async () => {
    const { rows, printed } = open();
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    expect([answer.status, (await fetch(`http://127.0.0.1:${port}/`)).status]).toEqual([400, 405]);
    await expect.poll(() => rows().length).toBe(1);
    expect(rows()[0]).toMatchObject({ eventId: null, httpStatus: null, error: expect.stringMatching(/^refused: /) });
    expect(receiver.received).toEqual([]);
  });

  test('SIGTERM removes the webhook', async () => {
    const { child, result, printed } = open();
    await isOpen();
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    child.kill('SIGTERM');
    expect([(await result).code, registered()]).toEqual([143, []]);
  });

  test('a crash removes the webhook', async () => {
    const crash = "process.on('SIGUSR2', () => { throw new Error('out of order'); })";
    const { child, result, printed } = listen(['--tunnel-url', TUNNEL, '--port', String(port)], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` },
    });
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    child.kill('SIGUSR2');
    const { code, stderr } = await result;
    expect([code, registered()]).toEqual([1, []]);
    expect(stderr).toContain('Error: out of order');
  });

  test('a signal during the registration removes the webhook', async () => {
    service.mock.faults.add({ operations: ['createWebhook'], effect: { kind: 'latency', latencyMs: 1000 } });
    const { child, result } = open();
    await expect.poll(() => service.mock.journal.find({ operation: 'createWebhook' }).length).toBe(1);
    child.kill('SIGINT');
    expect([(await result).code, registered()]).toEqual([130, []]);
    service.mock.verify({ operation: 'deleteWebhook', times: 1 });
  });

  test('a closed stdout removes the webhook', async () => {
    const { child, result, printed } = open();
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    child.stdout?.destroy();
    for (const type of ['sync.failed', 'sync.recovered']) service.mock.trigger(type);
    await service.mock.settle();
    expect([(await result).code, registered()]).toEqual([0, []]);
  });

  test('says how to delete a webhook that could not be removed', async () => {
    const { child, result, printed } = open();
    await expect.poll(() => printed.stderr).toContain('is removed at the end');
    const [webhook] = registered();
    service.mock.faults.add({ operations: ['deleteWebhook'], effect: { kind: 'status', status: 503 } });
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toContain(`Webhook ${webhook?.id} could not be removed`);
    expect(stderr).toContain(`svc webhooks delete ${webhook?.id} --yes`);
  });

  test('a port in use: nothing is registered', async () => {
    const taken = await startReceiver(port);
    const { code, stderr } = await open('--json').result;
    await taken.close();
    expect([code, JSON.parse(stderr).error.code]).toEqual([2, 'port']);
    service.mock.verify({ operation: 'createWebhook', times: 0 });
  });

  test.each([
    ['a key of one connection', 'osapi_demo_connection', 5],
    ['a read-only key', 'osapi_demo_read', 5],
  ])('%s exits with 5', async (_name, apiKey, code) => {
    const { result } = listen(['--tunnel-url', TUNNEL, '--port', String(port)], { apiKey });
    expect((await result).code).toBe(code);
  });
});
