/** Reading past activity of a sequencer: what becomes an event, what is known already, and what is refused. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { type AdminInput, type AdminOperationName, type AdminResult, performAdmin } from '@svc/operations/perform';
import { describeBackfill } from '@svc/operations/declared/backfills';
import { expectRefusal } from '../support/admin-harness.ts';
import { type ForwardingServer, startForwardingServer, WAREHOUSE } from '../support/forwarding-server.ts';
import { settleWithin } from '../support/replies.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TOKEN = 'key-of-lemlist';
const PAYLOADS = new URL('../../../../fixtures/payloads/lemlist/', import.meta.url);
const readPost = async (name: string) => JSON.parse(await readFile(new URL(`${name}.json`, PAYLOADS), 'utf8'));

describe.each(backends)('a backfill on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of a source of lemlist', () => {
    let server: ForwardingServer;
    let source: { id: number; path: string };
    let keyId: number;
    const run = <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>): Promise<AdminResult<Name>> =>
      performAdmin(server.running.ctx, name, input, 'a test');
    beforeAll(async () => {
      server = await startForwardingServer(backend);
      ({ id: keyId } = (
        await run('sequencer-keys/add', { accountId: 1, name: 'main', platform: 'lemlist', token: TOKEN })
      ).key);
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      await server.reset();
      server.sequencer.reset();
      const { source: added } = await run('sources/add', { connectionId: 1, platform: 'lemlist' });
      source = { id: added.id, path: new URL(added.url).pathname.replace('/webhooks/', '') };
    });

    const ago = (ms: number) => new Date(server.clock.now().getTime() - ms).toISOString();
    const activity = (id: string, agoMs: number, more: object = {}) => ({
      ...{ _id: `act_${source.id}_${id}`, type: 'emailsSent', leadEmail: `${id}@example.org`, createdAt: ago(agoMs) },
      ...more,
    });
    const begin = async (changes: Partial<AdminInput<'sources/backfill'>> = {}) =>
      (await run('sources/backfill', { sourceId: source.id, since: '90d', ...changes })).run;
    const shown = async (runId: number) => {
      const [found] = (await run('sources/backfills', { runId })).runs;
      if (found === undefined) throw new Error('The run is gone.');
      return found;
    };
    /** Runs everything that is due, also what waits between two calls. */
    const settle = () => settleWithin(server, HOUR_MS);
    const backfill = async (changes: Partial<AdminInput<'sources/backfill'>> = {}) => {
      const { id } = await begin(changes);
      await settle();
      return shown(id);
    };
    const countRows = async (text: string) => (await server.db.query(text, [source.id])).rowCount;

    test('what happened becomes receipts, events and syncs, once; the marks say where they come from', async () => {
      server.sequencer.activities.add(TOKEN, [
        activity('kim', 40 * DAY_MS),
        activity('kim', 39 * DAY_MS, { _id: `act_${source.id}_r`, type: 'emailsReplied', text: 'Yes' }),
        activity('bo', 2 * DAY_MS),
        activity('group', 2 * DAY_MS, { type: 'contacted' }),
        activity('nobody', 2 * DAY_MS, { leadEmail: undefined }),
        activity('too-old', 91 * DAY_MS),
      ]);
      const { counts, ...ended } = await backfill();
      expect(ended).toMatchObject({ state: 'done', stopReason: null, sequencerKeyId: keyId, dryRun: false });
      expect(counts).toMatchObject({ entries: 5, newEvents: 3, known: 0, unparsed: 1, ignored: 1, forwardings: 0 });
      expect(counts.reasons).toEqual(['EMAILS_SENT without email and linkedinUrl']);
      const { requests } = await run('requests/list', { sourceId: source.id });
      expect(requests.map(({ outcome, backfillRunId, eventTypes }) => [outcome, backfillRunId, eventTypes])).toEqual([
        ['synced', ended.id, ['EMAIL_SENT']],
        ['synced', ended.id, ['EMAIL_REPLY']],
        ['synced', ended.id, ['EMAIL_SENT']],
      ]);
      const { request } = await run('requests/show', { id: requests[0]?.id ?? 0 });
      expect(request).toMatchObject({ backfillRunId: ended.id, body: { leadEmail: 'bo@example.org' } });
      const { timeline } = await run('persons/show', { accountId: 1, person: 'kim@example.org' });
      expect(timeline.map(({ text }) => text)).toContain(`by source ${source.id}, from backfill ${ended.id}: synced`);
      expect(await countRows("select from syncs where source_id = $1 and status = 'success'")).toBe(3);
      // The activities of the CRM have the time at which they happened.
      const times = server.crm
        .engagements()
        .map(({ properties }) => new Date(properties['hs_timestamp'] ?? 0).getTime());
      expect(Math.min(...times)).toBeLessThan(server.clock.now().getTime() - 39 * DAY_MS);

      expect((await backfill()).counts).toMatchObject({ newEvents: 0, known: 3 });
      expect(await countRows('select from requests where source_id = $1')).toBe(3);
    });

    test.each(['posted first', 'listed first'])(
      'overlap with webhooks, %s: one event for every documented post',
      async (order) => {
        const names = [
          'emails-sent',
          'emails-opened',
          'emails-clicked',
          'emails-replied',
          'emails-bounced',
          'interested',
        ];
        const posts = (await Promise.all(names.map(readPost))).map((post, index) => ({
          ...post,
          createdAt: ago((index + 1) * DAY_MS),
        }));
        const listed = posts.map(({ email, ...post }) => ({ ...post, leadEmail: email }));
        server.sequencer.activities.add(TOKEN, listed);
        const receiveAll = async () => {
          for (const post of posts) await server.receive(post, source.path);
          await settle();
        };
        if (order === 'posted first') await receiveAll();
        const { counts } = await backfill();
        expect(counts).toMatchObject(
          order === 'posted first' ? { newEvents: 0, known: names.length } : { newEvents: names.length, known: 0 },
        );
        if (order === 'listed first') await receiveAll();
        expect(await countRows('select from inbound_events where source_id = $1')).toBe(names.length);
        expect(await countRows('select from syncs where source_id = $1')).toBe(names.length);
      },
    );

    test('a dry run counts by month and type, and writes nothing', async () => {
      await server.receive(activity('known', 3 * DAY_MS), source.path);
      await settle();
      server.sequencer.activities.add(TOKEN, [
        activity('known', 3 * DAY_MS + HOUR_MS),
        activity('new', 3 * DAY_MS),
        activity('old', 45 * DAY_MS, { type: 'emailsOpened' }),
      ]);
      const ended = await backfill({ dryRun: true });
      expect(ended).toMatchObject({ state: 'done', counts: { newEvents: 2, known: 1 } });
      const months = Object.values(ended.counts.months).flatMap((types) => Object.entries(types));
      expect(months).toContainEqual(['EMAIL_OPEN', { new: 1, known: 0 }]);
      expect(describeBackfill(ended)).toMatch(/2 events would be new, 1 received before[^]*EMAIL_OPEN +1 +0/);
      expect(await countRows('select from requests where source_id = $1')).toBe(1);
      expect(await countRows('select from inbound_events where source_id = $1')).toBe(1);
    });

    test('nothing is forwarded, relayed or told, unless forwarding is asked for; opt-outs are suppressed', async () => {
      await server.bind(WAREHOUSE, source.id, ['EMAIL_REPLY', 'LEAD_CATEGORY_UPDATED']);
      await server.db.query('insert into reply_relay_bindings values ($1, 1)', [source.id]);
      const { channel } = await run('alerts/add', {
        accountId: 1,
        kind: 'slack',
        url: 'https://hooks.slack.com/services/T/B/x',
        topics: ['interested-reply'],
      });
      const { blocklist } = await run('blocklists/add', {
        ...{
          connectionId: 1,
          listName: `opt-outs ${source.id}`,
          platform: 'lemlist',
          blockType: 'ADDRESS',
          crmListId: null,
        },
        ...{ sequencerKeyId: keyId, suppresses: ['opt-outs'] },
      });
      const isInterested = { type: 'interested' };
      const mails = () =>
        countRows('select from relay_mails where event_id in (select id from inbound_events where source_id = $1)');
      const incidents = () =>
        countRows(`select from alert_incidents where topic = 'interested-reply' and source_id = $1`);
      server.sequencer.activities.add(TOKEN, [
        activity('replied', 3 * DAY_MS, { type: 'emailsReplied', text: 'Yes' }),
        activity('interested', 3 * DAY_MS, isInterested),
        activity('out', 3 * DAY_MS, { type: 'emailsUnsubscribed' }),
      ]);
      expect((await backfill()).counts).toMatchObject({ newEvents: 3, forwardings: 0 });
      expect(server.receiver.posts()).toEqual([]);
      server.sequencer.activities.add(TOKEN, [
        activity('later', 2 * DAY_MS, { type: 'emailsReplied', text: 'Me too' }),
        activity('later', 2 * DAY_MS, { ...isInterested, _id: `act_${source.id}_i` }),
      ]);
      expect((await backfill({ forward: true })).counts).toMatchObject({ newEvents: 2, known: 3, forwardings: 2 });
      expect(server.receiver.posts()).toHaveLength(2);
      expect(await mails()).toBe(0);
      expect(await incidents()).toBe(0);
      expect(server.sequencer.entries({ platform: 'lemlist', token: TOKEN })).toEqual(['out@example.org']);
      // A reply that is posted is mailed.
      await server.receive(activity('now', 0, { type: 'emailsReplied', text: 'Yes' }), source.path);
      await server.receive(activity('now', 0, { ...isInterested, _id: `act_${source.id}_n` }), source.path);
      await server.settle();
      expect(await mails()).toBe(1);
      expect(await incidents()).toBe(1);
      await run('blocklists/remove', { id: blocklist.id, isConfirmed: true });
      await run('alerts/remove', { id: channel.id, isConfirmed: true });
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('a sequencer that fails is tried again and says so meanwhile; one that refuses the key stops the run, and the doctor says what to do', async () => {
      server.sequencer.activities.add(TOKEN, [activity('kim', 3 * DAY_MS)]);
      server.sequencer.failNext(1, 429, { retryAfterSeconds: 30 });
      const { id } = await begin();
      await server.settle();
      expect(await shown(id)).toMatchObject({ state: 'running', waitsFor: 'lemlist asks to wait (429)' });
      await server.waitAndSettle(29_000);
      expect(await shown(id)).toMatchObject({ state: 'running', counts: { entries: 0 } });
      await settle();
      expect(await shown(id)).toMatchObject({ state: 'done', counts: { newEvents: 1 }, waitsFor: null });
      server.sequencer.failNext(1, 401);
      expect(await backfill()).toMatchObject({ state: 'stopped', stopReason: expect.stringContaining('set-token') });
      const checks = async () => (await run('doctor/check', {})).checks.filter(({ name }) => name === 'backfills');
      expect(await checks()).toEqual([
        {
          ...{ name: 'backfills', status: 'WARN', message: expect.stringContaining('refused the API key (401)') },
          fix: expect.stringContaining(`sources backfill ${source.id} again`),
        },
      ]);
      await backfill();
      expect(await checks()).toEqual([]);
    });

    test('a run that is stopped keeps what it has read, and another one continues', async () => {
      server.sequencer.activities.add(TOKEN, [activity('first', 80 * DAY_MS), activity('second', 3 * DAY_MS)]);
      const { id } = await begin();
      await server.settle();
      await expectRefusal('conflict', run('sources/backfill', { sourceId: source.id, since: '1d' }));
      const { run: stopped } = await run('sources/stop-backfill', { id });
      expect(stopped).toMatchObject({ state: 'stopped', stopReason: 'Stopped by an operator.' });
      await settle();
      expect(await countRows("select from jobs where kind = 'backfill-source' and $1 > 0")).toBe(0);
      await expectRefusal('conflict', run('sources/stop-backfill', { id }));
      await expectRefusal('not_found', run('sources/stop-backfill', { id: 999_999 }));
      expect((await backfill()).counts).toMatchObject({ entries: 2 });
      expect(await countRows('select from inbound_events where source_id = $1')).toBe(2);
    });
  });
});

describe('what a backfill refuses', () => {
  let server: ForwardingServer;
  const run = <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>): Promise<AdminResult<Name>> =>
    performAdmin(server.running.ctx, name, input, 'a test');
  beforeAll(async () => {
    server = await startForwardingServer(anyBackend);
  });
  afterAll(() => server.close());
  const add = async (platform: string) => (await run('sources/add', { connectionId: 1, platform })).source.id;

  test.each(['smartlead', 'instantly', 'reply-io', 'heyreach', 'salesloft', 'outreach', 'woodpecker'])(
    '%s: its events would count a second time',
    async (platform) => {
      const message = await expectRefusal(
        'invalid_input',
        run('sources/backfill', { sourceId: await add(platform), since: '7d' }),
      );
      expect(message).toContain(`The past activity of ${platform} is not read: `);
    },
  );

  test('a source without a key, a range that is none, a connection that writes nothing', async () => {
    const sourceId = await add('lemlist');
    expect(await expectRefusal('conflict', run('sources/backfill', { sourceId, since: '7d' }))).toContain(
      'sequencer-keys add',
    );
    await run('sequencer-keys/add', { accountId: 1, name: 'main', platform: 'lemlist', token: TOKEN });
    await expectRefusal('invalid_input', run('sources/backfill', { sourceId, since: '7d', until: '8d' }));
    await run('capabilities/set', { connectionId: 1, sync: false });
    expect(await expectRefusal('conflict', run('sources/backfill', { sourceId, since: '7d' }))).toContain('--sync on');
    await expectRefusal('not_found', run('sources/backfill', { sourceId: 999_999, since: '7d' }));
  });
});
