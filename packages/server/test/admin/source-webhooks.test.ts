/** Registering webhooks at sequencers, and the daily look at them, on a server with simulators. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { type AdminInput, type AdminOperationName, type AdminResult, performAdmin } from '@svc/operations/perform';
import { expectRefusal } from '../support/admin-harness.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { settleWithin } from '../support/replies.ts';

const DAY_MS = 24 * 60 * 60_000;
const PLATFORMS = [
  ...(['smartlead', 'instantly', 'emailbison', 'lemlist', 'reply-io', 'heyreach', 'salesloft'] as const),
];

describe('webhooks of sources', () => {
  let server: TestServer;
  const run = <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>): Promise<AdminResult<Name>> =>
    performAdmin(server.running.ctx, name, input, 'a test');
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.sequencer.reset();
    await server.db.query('truncate source_wirings, jobs');
    await server.db.query('update blocklists set sequencer_key_id = null');
    await server.db.query('delete from sequencer_keys');
  });

  const hooks = () => server.sequencer.webhooks.list();
  const makeSource = async (
    platform: (typeof PLATFORMS)[number],
    token = `key of ${platform}`.replaceAll(' ', '-'),
  ) => {
    const { source } = await run('sources/add', { connectionId: 1, platform });
    const { key } = await run('sequencer-keys/add', {
      accountId: 1,
      name: `${platform} ${source.id}`,
      platform,
      token,
    });
    return { id: source.id, url: source.url, keyId: key.id };
  };
  const connect = (id: number, more: Partial<AdminInput<'sources/connect'>> = {}) =>
    run('sources/connect', { id, isConfirmed: true, ...more });
  const show = async (id: number) => (await run('sources/show', { id })).source.wiring;
  const check = async () =>
    (await run('doctor/check', {})).checks.filter(({ name }) => name === 'webhooks at sequencers');
  const nextDay = () => settleWithin(server, DAY_MS);

  test.each(PLATFORMS)('%s: connect, repeat, look daily, disconnect', async (platform) => {
    const { id, url, keyId } = await makeSource(platform);
    const { wiring, changes, notices } = await connect(id);
    expect(changes.length).toBeGreaterThan(0);
    expect(notices.join()).toContain('only be reached from this machine');
    expect(wiring).toMatchObject({ sourceId: id, sequencerKeyId: keyId, campaignId: null, url, error: null });
    expect(new Set(hooks().map((hook) => hook.url))).toEqual(new Set([url]));
    expect(wiring.webhookIds).toEqual(hooks().map((hook) => hook.id));
    expect((await connect(id)).changes).toEqual([]);
    const before = [...hooks()];
    await nextDay();
    expect(await show(id)).toMatchObject({ error: null });
    expect(new Date((await show(id))?.checkedAt ?? 0).getTime()).toBeGreaterThan(new Date(wiring.checkedAt).getTime());
    expect(await check()).toEqual([
      { name: expect.any(String), status: 'PASS', message: expect.any(String), fix: null },
    ]);
    expect(hooks()).toEqual(before);
    expect(await run('sources/disconnect', { id })).toEqual({ id, removed: before.length });
    expect(hooks()).toEqual([]);
    expect(await show(id)).toBeNull();
    await expectRefusal('conflict', run('sources/disconnect', { id }));
    await nextDay();
    expect((await server.db.query('select from jobs')).rowCount).toBe(0);
  });

  test('four drifts have four messages, in show, list and doctor; connect mends each', async () => {
    const { id } = await makeSource('reply-io');
    await connect(id);
    const [first] = hooks();
    const firstId = first?.id ?? '';
    const drifts: [() => void, string][] = [
      [() => server.sequencer.webhooks.change(firstId, { isEnabled: false }), 'its webhook is switched off'],
      [() => server.sequencer.webhooks.remove(firstId), 'its webhook does not post email_sent'],
      [
        () => hooks().forEach((hook) => server.sequencer.webhooks.change(hook.id, { url: 'https://x.example.com/' })),
        'the webhook there has another URL than the source',
      ],
      [
        () => hooks().forEach((hook) => server.sequencer.webhooks.remove(hook.id)),
        'there is no webhook with the URL of the source',
      ],
    ];
    for (const [drift, message] of drifts) {
      drift();
      await nextDay();
      expect(await show(id)).toMatchObject({ error: message });
      const listed = (await run('sources/list', { search: String(id) })).sources.find((source) => source.id === id);
      expect(listed?.wiring?.error).toBe(message);
      expect(await check()).toEqual([
        {
          ...{ name: 'webhooks at sequencers', status: 'WARN' },
          ...{ message: `source ${id} (reply-io): ${message}`, fix: `svc-server sources connect ${id} mends it.` },
        },
      ]);
      expect((await connect(id)).changes.length).toBeGreaterThan(0);
      expect(await show(id)).toMatchObject({ error: null });
      expect((await check()).map(({ status }) => status)).toEqual(['PASS']);
    }
  });

  test('a sequencer that does not answer is asked again an hour later, and nothing is reported of it', async () => {
    const { id } = await makeSource('instantly');
    const { wiring } = await connect(id);
    server.sequencer.failNext(1, 503);
    await nextDay();
    expect(await show(id)).toEqual(wiring);
    expect((await check())[0]?.status).toBe('PASS');
    server.sequencer.failNext(1, 'reset');
    expect((await check())[0]?.message).toContain('not checked: Instantly could not be reached');
    server.sequencer.webhooks.change(wiring.webhookIds[0] ?? '', { isEnabled: false });
    await settleWithin(server, DAY_MS);
    expect(await show(id)).toMatchObject({ error: 'its webhook is switched off' });
  });

  test('a lost answer makes no second webhook, and a refused key changes nothing', async () => {
    const { id, keyId } = await makeSource('smartlead');
    server.sequencer.failNext(1, 'lost-answer');
    expect(await expectRefusal('conflict', connect(id))).toContain('The same command continues.');
    expect((await connect(id)).wiring.webhookIds).toEqual(hooks().map((hook) => hook.id));
    expect(hooks()).toHaveLength(1);
    server.sequencer.failNext(1, 401);
    const refused = await expectRefusal('conflict', connect(id));
    expect(refused).toContain('refused the API key (401)');
    expect(refused).not.toContain('key-of-smartlead');
    await server.db.query('update sequencer_keys set token = null where id = $1', [keyId]);
    await expectRefusal('conflict', connect(id));
    await nextDay();
    expect((await show(id))?.error).toContain(`sequencer-keys set-token ${keyId}`);
  });

  test.each(PLATFORMS)('%s: a command that dies before it stores the ids makes no second webhook', async (platform) => {
    const { id } = await makeSource(platform);
    const { ctx } = server.running;
    const dies = { transaction: { value: () => Promise.reject(new Error('killed')) } };
    const dying = { ...ctx, db: Object.create(ctx.db, dies) as typeof ctx.db };
    await expect(performAdmin(dying, 'sources/connect', { id, isConfirmed: true }, 'a test')).rejects.toThrow('killed');
    const made = hooks().map((hook) => hook.id);
    expect(made.length).toBeGreaterThan(0);
    expect(await show(id)).toBeNull();
    expect((await connect(id)).wiring.webhookIds).toEqual(made);
    expect(hooks().map((hook) => hook.id)).toEqual(made);
  });

  test("a block list's own API key is named, with the command that makes it a stored key", async () => {
    await server.db.query('update blocklists set sequencer_token = null');
    const { source } = await run('sources/add', { connectionId: 1, platform: 'lemlist' });
    const list = { connectionId: 1, listName: 'Do not contact', platform: 'lemlist', blockType: 'ADDRESS' } as const;
    const { blocklist } = await run('blocklists/add', { ...list, sequencerToken: 'own-key' });
    const refused = await expectRefusal('conflict', connect(source.id));
    const command = `sequencer-keys add --account 1 --platform lemlist --name main --from-blocklist ${blocklist.id}`;
    expect(refused).toContain(`block list ${blocklist.id} "Do not contact" has one of its own`);
    expect(refused).toContain(command);
    expect(refused).not.toContain('own-key');
    const add = { accountId: 1, platform: 'lemlist', name: 'main', blocklistId: blocklist.id };
    const { key } = await run('sequencer-keys/add', add);
    expect((await connect(source.id)).wiring.sequencerKeyId).toBe(key.id);
    expect(hooks().map(({ token }) => token)).toEqual(['own-key']);
    expect(await expectRefusal('conflict', run('sequencer-keys/add', { ...add, name: 'again' }))).toContain(
      `uses sequencer key ${key.id} already`,
    );
    await expectRefusal('conflict', run('sequencer-keys/add', { ...add, name: 'other', platform: 'smartlead' }));
    await expectRefusal('invalid_input', run('sequencer-keys/add', { ...add, name: 'both', token: 'x' }));
  });

  test('Smartlead: a webhook of the whole account needs --yes, one of a campaign does not', async () => {
    const { id } = await makeSource('smartlead');
    expect(await expectRefusal('not_confirmed', connect(id, { isConfirmed: false }))).toContain('--campaign');
    expect(hooks()).toEqual([]);
    const { wiring } = await connect(id, { isConfirmed: false, campaignId: '77' });
    expect(hooks().map(({ campaignId }) => campaignId)).toEqual(['77']);
    expect((await connect(id, { isConfirmed: false })).wiring).toMatchObject({
      campaignId: '77',
      webhookIds: wiring.webhookIds,
    });
  });

  test('the secret of a source goes where the platform takes it, and otherwise a notice says what to enter by hand', async () => {
    for (const [platform, header] of [
      ['instantly', 'X-Webhook-Secret'],
      ['lemlist', undefined],
      ['emailbison', 'X-Webhook-Secret'],
    ] as const) {
      const { id } = await makeSource(platform);
      await run('sources/set-secret', { id, secret: 's3cret-of-posts', ...(header === undefined ? {} : { header }) });
      const { notices } = await connect(id);
      expect(notices.join().includes('enter it at the sequencer')).toBe(platform === 'emailbison');
    }
    expect(hooks().map(({ headers, secret }) => headers['x-webhook-secret'] ?? secret)).toEqual([
      's3cret-of-posts',
      's3cret-of-posts',
      null,
    ]);
  });

  test('which key: the only one of the platform, or the named one of the account', async () => {
    const { id, keyId } = await makeSource('lemlist');
    const { keyId: second } = await makeSource('lemlist', 'other-team');
    expect(await expectRefusal('invalid_input', connect(id))).toContain(`${keyId} (`);
    expect((await connect(id, { sequencerKeyId: second })).wiring.sequencerKeyId).toBe(second);
    expect((await connect(id)).wiring.sequencerKeyId).toBe(second);
    expect(hooks().map(({ token }) => token)).toEqual(['other-team']);
    expect(await run('sequencer-keys/remove', { id: second, isConfirmed: true })).toMatchObject({
      deleted: { 'checks of webhooks': 1 },
    });
    const { source } = await run('sources/add', { connectionId: 1, platform: 'instantly' });
    expect(await expectRefusal('conflict', connect(source.id))).toContain('sequencer-keys add --account 1');
    const { source: unknown } = await run('sources/add', { connectionId: 1, platform: 'woodpecker' });
    expect(await expectRefusal('invalid_input', connect(unknown.id))).toContain('by hand');
    const { source: outreach } = await run('sources/add', { connectionId: 1, platform: 'outreach' });
    expect(await expectRefusal('invalid_input', connect(outreach.id))).toContain(
      'access tokens of an OAuth application',
    );
    const { id: bison } = await makeSource('emailbison');
    await expectRefusal('invalid_input', connect(bison, { campaignId: '7' }));
  });

  test('a new public address: doctor and the daily look say nothing, connect replaces the webhook', async () => {
    const { id, url } = await makeSource('lemlist');
    await connect(id);
    const { ctx } = server.running;
    const moved = { ...ctx, urls: { ...ctx.urls, sync: 'https://new.example.com' } };
    expect((await performAdmin(moved, 'doctor/check', {}, 'a test')).checks).toContainEqual(
      expect.objectContaining({ name: 'webhooks at sequencers', status: 'PASS' }),
    );
    const newUrl = `https://new.example.com${new URL(url).pathname}`;
    const { wiring } = await performAdmin(moved, 'sources/connect', { id }, 'a test');
    expect(wiring).toMatchObject({ url: newUrl, webhookIds: hooks().map((hook) => hook.id) });
    expect(hooks().map((hook) => hook.url)).toEqual([newUrl]);
    expect((await check())[0]?.status).toBe('PASS');
  });

  test('a command that does not know the public address registers nothing', async () => {
    const { id } = await makeSource('lemlist');
    const unknown = { ...server.running.ctx, areUrlsAssumed: true };
    const refused = performAdmin(unknown, 'sources/connect', { id }, 'a test');
    expect(await expectRefusal('conflict', refused)).toContain('SVC_PUBLIC_URL');
    expect(hooks()).toEqual([]);
  });

  test('a removed source takes its wiring and its job with it', async () => {
    const { id } = await makeSource('lemlist');
    await connect(id);
    await run('sources/remove', { id, isConfirmed: true });
    expect((await server.db.query('select from source_wirings')).rowCount).toBe(0);
    expect((await server.db.query('select from jobs')).rowCount).toBe(0);
  });
});
