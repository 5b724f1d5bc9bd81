/** Channels of alerts: what operators configure, what arrives at simulated chats, and what a failing channel delays. */
import { verifySignature } from '@svc/domain/webhooks/webhook-signature';
import { type AdminInput, type AdminOperationName, performAdmin } from '@svc/operations/perform';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { answerAsChat } from '@svc/simulators';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { parseScrape } from '../support/scrape.ts';

const SLACK = 'https://hooks.slack.com/services/T0/B0/secret-of-slack';
const URLS = {
  slack: SLACK,
  teams: 'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=secret-of-teams',
  discord: 'https://discord.com/api/webhooks/1/secret-of-discord',
  webhook: 'https://hooks.example.com/secret-of-json',
} as const;

describe('alert channels', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.receiver.reset();
    server.mail.reset();
    server.receiver.answerAlways(answerAsChat);
    await server.db.query('delete from jobs');
    await server.db.query('delete from alert_channels');
  });

  const run = <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>) =>
    performAdmin(server.running.ctx, name, input, 'a test');
  const settle = () => server.running.runner.runDue();
  const refusal = async (call: Promise<unknown>): Promise<string> => {
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AdminError);
    return error instanceof Error ? error.message : '';
  };
  const channels = async () => (await run('alerts/list', {})).channels;
  const addSlack = async (more: object = {}) =>
    (await run('alerts/add', { accountId: 1, kind: 'slack', url: SLACK, ...more })).channel;

  test.each(['slack', 'teams', 'discord'] as const)(
    'a test message arrives at %s, and the URL is shown nowhere',
    async (kind) => {
      const { channel, signingSecret } = await run('alerts/add', { accountId: 1, kind, url: URLS[kind] });
      expect(signingSecret).toBeNull();
      expect(channel).toMatchObject({ kind, place: new URL(URLS[kind]).host, isUsable: true, lastSentAt: null });
      expect(channel.topics).toHaveLength(8);
      await run('alerts/test', { id: channel.id });
      await settle();
      const posts = server.receiver.posts();
      expect(posts).toHaveLength(1);
      expect(`https://${posts[0]?.host}${posts[0]?.path}`).toBe(URLS[kind]);
      expect(await channels()).toMatchObject([{ lastSentAt: expect.any(String), failedAt: null, waitingCount: 0 }]);
      const { rows } = await server.db.query<{ text: string }>(
        `select input::text as text from audit_log union all select row_to_json(c)::text from alert_channels c
        union all select row_to_json(m)::text from alert_messages m`,
      );
      expect(JSON.stringify([rows, channel])).not.toContain('secret-of');
    },
  );

  test('signed JSON has the signature of webhook deliveries, with a secret that is shown once', async () => {
    const added = await run('alerts/add', { isInstallation: true, kind: 'webhook', url: URLS.webhook });
    const secret = added.signingSecret ?? '';
    expect(secret).toMatch(/^oswhsec_/);
    await run('alerts/test', { id: added.channel.id });
    await settle();
    const [post] = server.receiver.posts();
    const header = Object.entries(post?.headers ?? {}).find(([name]) => name.endsWith('-signature'))?.[1];
    const verdict = await verifySignature({
      ...{ payload: post?.body ?? '', header, secrets: [secret], toleranceSeconds: 300 },
      nowSeconds: server.clock.now().getTime() / 1_000,
    });
    expect(verdict).toMatchObject({ valid: true });
    expect(JSON.parse(post?.body ?? '')).toMatchObject({ type: 'alert.test', data: {} });
    const moved = await run('alerts/set-url', { id: added.channel.id, url: 'https://other.example.com/x' });
    expect(moved).toMatchObject({ signingSecret: null, channel: { place: 'other.example.com' } });
  });

  test('mail goes through the mail server', async () => {
    const { channel } = await run('alerts/add', { accountId: 1, kind: 'mail', to: 'ops@example.com' });
    await run('alerts/update', { id: channel.id, to: 'team@example.com', topics: ['source-silent'] });
    await run('alerts/test', { id: channel.id });
    await settle();
    expect(server.mail.mails()).toMatchObject([{ recipients: ['team@example.com'], subject: 'Test alert' }]);
    expect(await channels()).toMatchObject([{ place: 'team@example.com', topics: ['source-silent'] }]);
  });

  test('a busy channel is tried again when it says, by the schedule of webhooks otherwise', async () => {
    const { id } = await addSlack();
    server.receiver.answerNext({ status: 429, headers: { 'retry-after': '900' } }, 500);
    await run('alerts/test', { id });
    await settle();
    server.clock.advance(899_000);
    await settle();
    expect(server.receiver.posts()).toHaveLength(1);
    server.clock.advance(1_000);
    await settle();
    expect(server.receiver.posts()).toHaveLength(2);
    server.clock.advance(2 * 60_000);
    await settle();
    expect(server.receiver.posts()).toHaveLength(3);
    expect(await channels()).toMatchObject([{ failedAt: null, lastSentAt: expect.any(String) }]);
  });

  test('a deleted webhook is not tried again, and the list says why until a message arrives', async () => {
    const { id } = await addSlack();
    server.receiver.answerNext({ status: 404, body: 'no_service' });
    await run('alerts/test', { id });
    await settle();
    server.clock.advance(3 * 3_600_000);
    await settle();
    expect(server.receiver.posts()).toHaveLength(1);
    expect(await channels()).toMatchObject([{ failedAt: expect.any(String), lastError: 'HTTP 404: no_service' }]);
    const doctorLine = async () => (await run('doctor/check', {})).checks.find(({ name }) => name === 'alert channel');
    expect(await doctorLine()).toMatchObject({
      ...{ status: 'WARN', message: expect.stringContaining('no_service') },
      fix: `Mend it (svc-server alerts set-url ${id}), then svc-server alerts test ${id}.`,
    });
    await run('alerts/test', { id });
    await settle();
    expect(await channels()).toMatchObject([{ failedAt: null, lastError: null }]);
    expect(await doctorLine()).toBeUndefined();
  });

  test('attempts are counted by kind of channel and result', async () => {
    const results = async () => {
      const scrape = parseScrape(await (await fetch(`${server.url}/metrics`)).text());
      return ['retry', 'failed', 'sent'].map(
        (result) => scrape.get(`svc_alert_messages_total{channel="slack",result="${result}"}`) ?? 0,
      );
    };
    const { id } = await addSlack();
    const before = await results();
    server.receiver.answerNext(500, 404);
    await run('alerts/test', { id });
    await settle();
    server.clock.advance(10 * 60_000);
    await settle();
    await run('alerts/test', { id });
    await settle();
    expect((await results()).map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1]);
  });

  test('a dead channel is given up after eight attempts, and delays no other channel', async () => {
    const dead = await addSlack({ url: 'https://dead.example.com/hook' });
    const alive = await addSlack();
    server.receiver.answerAlways((post) => (post.host === 'dead.example.com' ? 503 : answerAsChat(post)));
    await run('alerts/test', { id: dead.id });
    await run('alerts/test', { id: alive.id });
    await settle();
    expect(
      server.receiver
        .posts()
        .map(({ host }) => host)
        .toSorted(),
    ).toEqual(['dead.example.com', 'hooks.slack.com']);
    for (let hour = 0; hour < 10; hour += 1) {
      server.clock.advance(3_600_000);
      await settle();
    }
    expect(server.receiver.posts().filter(({ host }) => host === 'dead.example.com')).toHaveLength(8);
    expect((await channels()).find(({ id }) => id === dead.id)).toMatchObject({
      ...{ lastError: 'HTTP 503: received', waitingCount: 0 },
    });
    expect((await server.db.query('select from jobs')).rowCount).toBe(0);
  });

  test('refuses what cannot work', async () => {
    const { id } = await addSlack();
    const add = (input: object) => run('alerts/add', { accountId: 1, kind: 'slack', url: SLACK, ...input });
    expect(await refusal(add({ isInstallation: true }))).toContain('--installation');
    expect(await refusal(add({ accountId: 999 }))).toContain('account 999');
    expect(await refusal(add({ url: 'https://127.0.0.1/x' }))).toContain('private');
    expect(await refusal(add({ url: undefined }))).toContain('needs a URL');
    expect(await refusal(add({ to: 'ops@example.com' }))).toContain('--to');
    expect(await refusal(add({ kind: 'mail' }))).toContain('--to');
    expect(await refusal(add({ topics: ['sync.failed'] as never }))).toContain('crm-disconnected');
    expect(await refusal(add({ kind: 'teams', url: 'https://x.webhook.office.com/1' }))).toContain('workflow');
    expect(await refusal(run('alerts/update', { id, to: 'ops@example.com' }))).toContain('only for mail');
    expect(await refusal(run('alerts/test', { id: 999_999 }))).toContain('alerts list');
  });

  test('a channel is removed with its messages; an account with its channels', async () => {
    const { id } = await addSlack();
    await run('alerts/test', { id });
    expect(await run('alerts/remove', { id, isConfirmed: true })).toMatchObject({ deleted: { messages: 1 } });
    expect((await server.db.query('select from jobs')).rowCount).toBe(0);
    const { account } = await run('accounts/create', { email: 'gone@example.com' });
    await addSlack({ accountId: account.id });
    const removed = await run('accounts/remove', { id: account.id, isConfirmed: true });
    expect(removed).toMatchObject({ deleted: { 'alert channels': 1 } });
  });

  test('a channel whose URL is lost says so, and works again with a new one', async () => {
    const { id } = await addSlack();
    await server.db.query(`update alert_channels set target = null where id = $1`, [id]);
    await run('alerts/test', { id });
    await settle();
    expect(await channels()).toMatchObject([{ isUsable: false, lastError: expect.stringContaining('alerts set-url') }]);
    await run('alerts/set-url', { id, url: SLACK });
    await run('alerts/test', { id });
    await settle();
    expect(await channels()).toMatchObject([{ isUsable: true, lastError: null }]);
  });
});
