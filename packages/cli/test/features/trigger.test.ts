import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ContractServer, startContractServer } from '../support/contract-server.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

let service: MockService;
beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => void service.mock.snapshot('before'));
afterEach(() => service.mock.restore('before'));

const trigger = (...argv: string[]) => service.svc('trigger', ...argv);
const eventOf = (stdout: string) => service.mock.db.events.findFirst({ where: { id: JSON.parse(stdout).eventId } });

describe('against the mock', () => {
  test.each(['sync.failed', 'sync.recovered', 'test.ping'])('%s is emitted', async (type) => {
    const json = await trigger(type, '--json');
    expect([json.code, json.stderr]).toEqual([0, '']);
    expect(JSON.parse(json.stdout)).toEqual({ type, eventId: expect.stringMatching(/^osevt_/), webhookId: null });
    expect(eventOf(json.stdout)?.type).toBe(type);
    const plain = await trigger(type);
    expect(plain.stdout).toMatch(new RegExp(`^Event:\tosevt_\\w+\nType:\t${type}\nSent to:\tall webhooks`));
  });

  test('takes source, summary and data', async () => {
    const argv = [
      'sync.failed',
      '--source',
      '11',
      '--summary',
      'Tried out',
      '--data',
      '{"reason":"because"}',
      '--json',
    ];
    const source = service.mock.db.sources.all()[0];
    const given = argv.map((word) => (word === '11' ? String(source?.id) : word));
    const { code, stdout } = await trigger(...given);
    expect(code).toBe(0);
    expect(eventOf(stdout)).toMatchObject({ sourceId: source?.id, summary: 'Tried out' });
    expect(eventOf(stdout)?.data).toMatchObject({ reason: 'because' });
  });

  test('is delivered', async () => {
    await trigger('sync.failed', '--json');
    await expect.poll(() => service.mock.outbox.find({ kind: 'webhook' }).length).toBeGreaterThan(0);
  });

  test('test.ping to one webhook', async () => {
    const { code, stdout } = await trigger('test.ping', '--webhook', 'oswhk_demo02', '--json');
    expect([code, JSON.parse(stdout).webhookId]).toEqual([0, 'oswhk_demo02']);
    service.mock.verify({ operation: 'testWebhook', times: 1 });
  });

  test('an unknown source exits with 2', async () => {
    const { code, stderr } = await trigger('sync.failed', '--source', '999999');
    expect(code).toBe(2);
    expect(stderr).toBe('Error: The world has no such source and connection.\n');
  });

  test('a key that no world of the mock has exits with 4 and names the worlds', async () => {
    const wrong = await service.run(['trigger', 'sync.failed'], { apiKey: 'osapi_demo_write_deleted' });
    expect([wrong.code, wrong.stdout]).toEqual([4, '']);
    expect(wrong.stderr).toContain(
      'The key in Authorization is one of world "deleted", which does not exist (any more). Worlds: default',
    );
  });
});

describe('against a service', () => {
  let real: ContractServer;
  beforeAll(async () => {
    real = await startContractServer();
  });
  afterAll(() => real.close());
  beforeEach(() => {
    real.reactions.clear();
    real.requests.length = 0;
  });
  const answer =
    (body: unknown, status = 200) =>
    () => ({ status, body });
  const webhook = (id: string) => ({ id, url: 'https://x.example' });
  const svc = (...argv: string[]) => runInProcess(['trigger', ...argv], { server: real });

  test.each(['sync.failed', 'sync.recovered'])('%s exits with 2, with and without --json', async (type) => {
    const plain = await svc(type);
    expect([plain.code, plain.stdout]).toEqual([2, '']);
    expect(plain.stderr).toBe(
      `Error: A real service emits ${type} only when it happens\n  \`svc mock start\` runs a mock that can emit any event.\n`,
    );
    const json = await svc(type, '--json');
    expect([json.code, JSON.parse(json.stderr).error.code]).toEqual([2, 'usage']);
  });

  test('test.ping goes to the only webhook', async () => {
    real.reactions.set('/api/v1/webhooks', answer({ webhooks: [webhook('oswhk_1')] }));
    real.reactions.set('/api/v1/webhooks/oswhk_1/test', answer({ eventId: 'osevt_1' }, 202));
    const { code, stdout, stderr } = await svc('test.ping', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ type: 'test.ping', eventId: 'osevt_1', webhookId: 'oswhk_1' });
  });

  test('test.ping needs --webhook if there are several', async () => {
    real.reactions.set('/api/v1/webhooks', answer({ webhooks: [webhook('oswhk_1'), webhook('oswhk_2')] }));
    const { code, stderr } = await svc('test.ping');
    expect([code, stderr]).toEqual([
      2,
      'Error: There are several webhooks\n  Add --webhook ID. Webhooks: oswhk_1, oswhk_2\n',
    ]);
  });

  test('test.ping does not accept --summary', async () => {
    expect((await svc('test.ping', '--webhook', 'oswhk_1', '--summary', 'x')).code).toBe(2);
  });

  test('the key is not sent to the control endpoints', async () => {
    real.keys.clear();
    await svc('sync.failed');
    expect(real.requests).toEqual(['GET /__svc/health']);
    expect([...real.keys]).toEqual([]);
  });
});

test.each([
  ['no key', ['sync.failed'], { SVC_API_KEY: '' }, 4],
  ['nothing listens at the address', ['sync.failed'], { SVC_BASE_URL: 'http://127.0.0.1:9' }, 8],
  ['another type', ['sync.paused'], {}, 2],
  ['no type', [], {}, 2],
  ['data that are not an object', ['sync.failed', '--data', '[1]'], {}, 2],
  ['--webhook for an event that goes to all', ['sync.failed', '--webhook', 'oswhk_demo01'], {}, 2],
])('%s, with and without --json', async (_name, argv, env, code) => {
  const plain = await service.run(['trigger', ...argv], { env });
  const json = await service.run(['trigger', ...argv, '--json'], { env });
  expect([plain.code, json.code, plain.stdout, json.stdout]).toEqual([code, code, '', '']);
  expect(plain.stderr).toMatch(/^Error: /);
  expect(JSON.parse(json.stderr)).toHaveProperty('error.message');
});
