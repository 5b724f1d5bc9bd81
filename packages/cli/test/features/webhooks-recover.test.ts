import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { collectResult, buildCli, spawnCli } from '../support/run-cli.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({ runsJobs: false }, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => void service.mock.snapshot('before'));
afterEach(() => service.mock.restore('before'));

const WEBHOOK = 'oswhk_demo07';
const SINCE = ['--since', '2026-01-15'];
const recover = (...argv: string[]) =>
  service.svc('webhooks', 'recover', WEBHOOK, ...SINCE, '--per-minute', '6000', ...argv);

type Status = 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'DEAD';
let count = 0;

/** Creates a delivery of a new event, or a replay of another delivery. */
async function deliver(status: Status, minute: number, replayOf: { id: string; eventId: string } | null = null) {
  const createdAt = new Date(Date.UTC(2026, 0, 15, 9, minute));
  const eventId = replayOf?.eventId ?? (await service.mock.db.events.create({ type: 'sync.failed', createdAt })).id;
  count += 1;
  return service.mock.db.webhookDeliveries.create({
    id: `oswhd_test${String(count).padStart(4, '0')}`,
    webhookId: WEBHOOK,
    eventId,
    status,
    replayOfDeliveryId: replayOf?.id ?? null,
    createdAt,
    updatedAt: createdAt,
    attemptCount: 1,
    lastAttemptAt: createdAt,
    lastHttpStatus: status === 'SUCCEEDED' ? 200 : 503,
    lastError: status === 'SUCCEEDED' ? null : 'HTTP 503',
    nextAttemptAt: status === 'PENDING' ? createdAt : null,
  });
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const replays = () =>
  service.mock.journal.find({ operation: 'replayWebhookDelivery' }).map(({ path }) => path.split('/')[6]);

test('replays failed and dead deliveries, oldest first', async () => {
  const dead = await deliver('DEAD', 1);
  await deliver('SUCCEEDED', 2);
  const failed = await deliver('FAILED', 3);
  await deliver('PENDING', 4);
  const { code, stdout, stderr } = await recover('--yes');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    'Not delivered  2 since 2026-01-15T00:00:00.000Z\nQueued         2\nSkipped        0\nRefused        0\n',
  );
  expect(replays()).toEqual([dead.id, failed.id]);
});

test('the latest delivery of an event decides', async () => {
  const recovered = await deliver('DEAD', 1);
  const firstReplay = await deliver('DEAD', 2, recovered);
  await deliver('SUCCEEDED', 3, firstReplay);
  const pending = await deliver('DEAD', 4);
  await deliver('PENDING', 5, pending);
  const superseded = await deliver('FAILED', 6);
  const again = await deliver('DEAD', 7, superseded);
  const undone = await deliver('SUCCEEDED', 8);
  const failedReplay = await deliver('DEAD', 9, undone);
  const { code, stdout } = await recover('--yes', '--json');
  expect(code).toBe(0);
  const { queued, skipped, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({
    webhookId: WEBHOOK,
    since: '2026-01-15T00:00:00.000Z',
    dryRun: false,
    found: 6,
    refused: [],
  });
  expect(idsOf(queued)).toEqual([again.id, failedReplay.id]);
  expect(queued[0].replayId).toMatch(/^oswhd_/);
  expect(skipped).toEqual([
    { id: superseded.id, reason: 'superseded' },
    { id: pending.id, reason: 'pending' },
    { id: firstReplay.id, reason: 'recovered' },
    { id: recovered.id, reason: 'recovered' },
  ]);

  const second = await recover('--yes', '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({ queued: [], found: 6 });
});

test('considers replays of deliveries from before --since', async () => {
  const old = await deliver('DEAD', 1);
  const replay = await deliver('DEAD', 3, old);
  const argv = ['webhooks', 'recover', WEBHOOK, '--since', '2026-01-15T09:02:00Z', '--yes', '--json'];
  const { stdout } = await service.svc(...argv);
  expect(JSON.parse(stdout)).toMatchObject({ found: 1, queued: [{ id: replay.id }] });
});

test('--dry-run shows the deliveries and replays nothing', async () => {
  const dead = await deliver('DEAD', 1);
  const plain = await recover('--dry-run');
  expect([plain.code, plain.stderr]).toEqual([0, '']);
  expect(plain.stdout).toContain('Would be queued  1\n');
  expect(plain.stdout).toMatch(
    new RegExp(`\nID +STATUS +CREATED +ATTEMPTS +HTTP +ERROR +REPLAY OF\n${dead.id} +DEAD `),
  );
  const json = await recover('--dry-run', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true, queued: [{ id: dead.id, replayId: null }] });
  expect(replays()).toEqual([]);
});

test('nothing to replay exits with 0 without confirmation', async () => {
  const { code, stdout } = await recover();
  expect([code, stdout]).toEqual([0, expect.stringContaining('Not delivered  0 since')]);
});

test('needs --yes without a terminal', async () => {
  await deliver('DEAD', 1);
  const { code, stdout, stderr } = await recover();
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    'Needs confirmation: add --yes when not in a terminal\n  To confirm: Replay one delivery to https://hooks.example.com/new?',
  );
  expect(replays()).toEqual([]);
});

describe('refusals', () => {
  const refuse = (times: number) =>
    service.mock.faults.add({
      operations: ['replayWebhookDelivery'],
      times,
      effect: { kind: 'status', status: 404 },
    });

  test('some refused: exits with 10, with and without --json', async () => {
    const first = await deliver('DEAD', 1);
    await deliver('DEAD', 2);
    refuse(1);
    const json = await recover('--yes', '--json');
    expect([json.code, json.stderr]).toEqual([10, '']);
    const summary = JSON.parse(json.stdout);
    expect(summary.queued).toHaveLength(1);
    expect(summary.refused).toEqual([{ id: first.id, status: 404, message: expect.any(String) }]);

    refuse(1);
    await deliver('DEAD', 3);
    const plain = await recover('--yes');
    expect([plain.code, plain.stdout]).toEqual([
      10,
      expect.stringMatching(/Refused +1\n +oswhd_test\d+: .+ \(404\)\n/),
    ]);
  });

  test('all refused: exits with the code of the refusal', async () => {
    await deliver('DEAD', 1);
    refuse(1);
    expect((await recover('--yes')).code).toBe(3);
  });

  test('stops at a refusal that would repeat', async () => {
    await deliver('DEAD', 1);
    await deliver('DEAD', 2);
    service.mock.faults.add({ operations: ['replayWebhookDelivery'], effect: { kind: 'status', status: 403 } });
    const { code, stdout } = await recover('--yes', '--json');
    expect([code, stdout, replays().length]).toEqual([5, '', 1]);
  });

  test('a failure in the middle reports the progress', async () => {
    await deliver('DEAD', 1);
    await deliver('DEAD', 2);
    service.mock.faults.add({ operations: ['replayWebhookDelivery'], nth: 2, effect: { kind: 'status', status: 403 } });
    const { code, stderr } = await recover('--yes', '--json');
    expect([code, JSON.parse(stderr).error]).toEqual([
      5,
      expect.objectContaining({
        status: 403,
        hint: expect.stringContaining(
          'So far: 1 of 2 replayed. Run the same command again to continue. Replayed deliveries are skipped.',
        ),
      }),
    ]);
  });
});

test('warns about an inactive webhook', async () => {
  const argv = ['webhooks', 'recover', 'oswhk_demo04', '--since', '2026-01-01', '--dry-run'];
  const { code, stdout, stderr } = await service.svc(...argv);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Not delivered +[1-9]\d* since 2026-01-01/)]);
  expect(stderr).toBe(
    'The webhook is not active and gets no new events. `svc webhooks update oswhk_demo04 --enable` enables it.\n',
  );
  expect((await service.svc(...argv, '--json')).stderr).toBe('');
});

test('Ctrl-C says that the same command continues', async () => {
  for (let minute = 1; minute < 4; minute += 1) await deliver('DEAD', minute);
  const { url, apiKey } = service;
  const argv = ['webhooks', 'recover', WEBHOOK, ...SINCE, '--yes', '--per-minute', '1'];
  const child = spawnCli(argv, { server: { url, apiKey } });
  const result = collectResult(child);
  await expect.poll(() => replays().length).toBe(1);
  child.kill('SIGINT');
  const { code, stderr } = await result;
  expect([code, stderr]).toEqual([
    130,
    'Error: Interrupted\n  Run the same command again to continue. Replayed deliveries are skipped.\n',
  ]);
});

test.each([
  [['webhooks', 'recover', WEBHOOK], 2],
  [['webhooks', 'recover', WEBHOOK, '--since', 'soon'], 2],
  [['webhooks', 'recover', WEBHOOK, '--since', '2999-01'], 2],
  [['webhooks', 'recover', '--since', '7d'], 2],
  [['webhooks', 'recover', 'oswhk_missing', '--since', '7d'], 3],
])('%j fails, with and without --json', async (argv, code) => {
  const plain = await service.svc(...argv);
  const json = await service.svc(...argv, '--json');
  expect([plain.code, json.code, plain.stdout, json.stdout]).toEqual([code, code, '', '']);
  expect(plain.stderr).toMatch(/^Error: /);
  expect(JSON.parse(json.stderr)).toHaveProperty('error.message');
});
