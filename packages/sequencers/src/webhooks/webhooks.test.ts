/** Webhooks of every platform against simulators of the documented calls. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SequencerSimulator, startSequencerSimulator } from '@svc/simulators';
import {
  compareWebhooks,
  connectWebhooks,
  createWebhookClients,
  disconnectWebhooks,
  WEBHOOK_PLATFORMS,
} from './index.ts';

const TOKEN = 'secret/key+1';
const URL_OF_SOURCE = 'https://svc.example.com/webhooks/0123456789abcdef';
const CAMPAIGN = '77';

let simulator: SequencerSimulator;
beforeAll(async () => {
  simulator = await startSequencerSimulator({ tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientOf(platform: string, fetch: typeof globalThis.fetch = globalThis.fetch) {
  const { url } = simulator;
  const blocklists = { smartlead: url, instantly: url, emailbison: url, lemlist: url, 'reply-io': url };
  const baseUrls = { ...blocklists, heyreach: url, salesloft: url };
  const options = { fetch, guardedFetch: fetch, timeoutMs: 5_000, now: () => new Date(), baseUrls };
  const client = createWebhookClients(options).get(platform);
  if (client === undefined) throw new Error(`no client for ${platform}`);
  return client;
}
const target = (campaignId: string | null = null) => ({ token: TOKEN, instanceUrl: null, campaignId });
const wanted = { url: URL_OF_SOURCE, name: 'svc', secret: null };
const connect = (platform: string, knownIds: readonly string[] = [], campaignId: string | null = null) =>
  connectWebhooks(clientOf(platform), target(campaignId), wanted, knownIds);
const driftsOf = async (platform: string, knownIds: readonly string[]) => {
  const client = clientOf(platform);
  const found = await client.list(target(), knownIds);
  if (found.status === 'error') throw new Error(found.failure.message);
  return compareWebhooks(found.value, client, { url: URL_OF_SOURCE, knownIds }).drifts;
};
const hooks = () => simulator.webhooks.list();

describe.each(WEBHOOK_PLATFORMS)('webhooks of %s', (platform) => {
  test('connect makes what is missing; repeated, it changes nothing; disconnect removes it', async () => {
    const first = await connect(platform);
    expect(first).toMatchObject({ failure: null });
    expect(first.changes).not.toEqual([]);
    expect(first.ids).toEqual(hooks().map(({ id }) => id));
    expect(hooks().every(({ url, isEnabled }) => url === URL_OF_SOURCE && isEnabled)).toBe(true);
    const { events, hasOneEventEach } = clientOf(platform);
    expect(hooks()).toHaveLength(hasOneEventEach ? (events?.length ?? 0) : 1);
    const before = [...hooks()];
    expect(await connect(platform, first.ids)).toEqual({ ids: first.ids, changes: [], failure: null });
    expect(hooks()).toEqual(before);
    expect(await driftsOf(platform, first.ids)).toEqual([]);
    const expected = { url: URL_OF_SOURCE, knownIds: first.ids };
    expect(await disconnectWebhooks(clientOf(platform), target(), expected)).toEqual({
      removed: before.length,
      failure: null,
    });
    expect(hooks()).toEqual([]);
  });

  test('a lost answer makes no second webhook', async () => {
    const listing = platform === 'smartlead' ? 0 : 1;
    let calls = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      calls += 1;
      if (calls === listing + 1) throw new TypeError('fetch failed');
      return response;
    };
    const lost = await connectWebhooks(clientOf(platform, losing), target(), wanted, []);
    expect(lost.failure).toMatchObject({ isTemporary: true });
    expect(hooks()).toHaveLength(1);
    const again = await connect(platform, lost.ids);
    expect(again.failure).toBeNull();
    const { events, hasOneEventEach } = clientOf(platform);
    expect(hooks()).toHaveLength(hasOneEventEach ? (events?.length ?? 0) : 1);
  });

  test('a webhook that was removed there is noticed and made again', async () => {
    const { ids } = await connect(platform);
    for (const id of ids) simulator.webhooks.remove(id);
    expect(await driftsOf(platform, ids)).toEqual(['there is no webhook with the URL of the source']);
    expect((await connect(platform, ids)).failure).toBeNull();
    expect(
      await driftsOf(
        platform,
        hooks().map(({ id }) => id),
      ),
    ).toEqual([]);
  });

  test('a webhook with another URL is noticed; an old URL of the source is replaced, another one stays', async () => {
    const { ids } = await connect(platform);
    const [first = ''] = ids;
    for (const id of ids) simulator.webhooks.change(id, { url: 'https://elsewhere.example.com/' });
    expect(await driftsOf(platform, ids)).toEqual(['the webhook there has another URL than the source']);
    simulator.webhooks.change(first, { url: 'https://old.example.com/webhooks/0123456789abcdef' });
    const again = await connect(platform, ids);
    expect(again.failure).toBeNull();
    expect(hooks().some(({ id }) => id === first)).toBe(false);
    const elsewhere = hooks().filter(({ url }) => url.startsWith('https://elsewhere'));
    expect(elsewhere).toHaveLength(ids.length - 1);
  });

  test('a refused key, an answer that is no list, and a server that is down change nothing', async () => {
    const wrong = { ...target(), token: 'other' };
    const refused = await connectWebhooks(clientOf(platform), wrong, wanted, ['1']);
    expect(refused.failure).toEqual({
      message: expect.stringContaining('refused the API key (401)'),
      isTemporary: false,
    });
    const answering = (status: number, body: string) =>
      connectWebhooks(
        clientOf(platform, async () => new Response(body, { status })),
        target(),
        wanted,
        ['1'],
      );
    expect((await answering(503, '')).failure).toMatchObject({ isTemporary: true });
    expect((await answering(429, '')).failure).toMatchObject({ isTemporary: true });
    expect((await answering(200, 'x'.repeat(2_000_000))).failure).toMatchObject({ isTemporary: true });
    const strange = await answering(200, '<html>');
    expect(strange.failure?.message).toContain('does not understand');
    expect(JSON.stringify([refused, strange])).not.toContain(TOKEN);
    expect(hooks()).toEqual([]);
  });
});

describe('events that a webhook does not post', () => {
  test.each(['smartlead', 'emailbison'])('%s: the missing ones are named and added', async (platform) => {
    const { ids } = await connect(platform, [], platform === 'smartlead' ? CAMPAIGN : null);
    const [id = ''] = ids;
    const [kept = ''] = clientOf(platform).events ?? [];
    simulator.webhooks.change(id, { events: [kept, 'own_event'] });
    const client = clientOf(platform);
    const campaignId = platform === 'smartlead' ? CAMPAIGN : null;
    const found = await client.list(target(campaignId), ids);
    if (found.status === 'error') throw new Error(found.failure.message);
    const { drifts } = compareWebhooks(found.value, client, { url: URL_OF_SOURCE, knownIds: ids });
    expect(drifts).toEqual([`its webhook does not post ${(client.events ?? []).slice(1).join(', ')}`]);
    expect((await connect(platform, ids, campaignId)).failure).toBeNull();
    expect(hooks()).toHaveLength(1);
    expect(hooks()[0]?.events).toEqual(expect.arrayContaining([...(client.events ?? [])]));
    // EmailBison updates, and keeps what a person added; Smartlead's update needs categories, so it is replaced.
    expect(hooks()[0]?.events?.includes('own_event')).toBe(platform === 'emailbison');
  });

  test.each(['instantly', 'lemlist'])('%s: a webhook of one event is replaced by one of all', async (platform) => {
    const { ids } = await connect(platform);
    for (const id of ids) simulator.webhooks.change(id, { events: ['email_sent'] });
    expect(await driftsOf(platform, ids)).toEqual(['its webhook does not post all events']);
    expect((await connect(platform, ids)).failure).toBeNull();
    expect(hooks().map(({ events }) => events)).toEqual([null]);
  });

  test('reply-io: only the missing subscription is made', async () => {
    const { ids } = await connect('reply-io');
    const replied = hooks().find(({ events }) => events?.[0] === 'email_replied');
    simulator.webhooks.remove(replied?.id ?? '');
    expect(await driftsOf('reply-io', ids)).toEqual(['its webhook does not post email_replied']);
    expect((await connect('reply-io', ids)).changes).toEqual(['made a webhook for email_replied']);
  });
});

test.each(['instantly', 'reply-io', 'heyreach', 'salesloft'])(
  '%s: a webhook that is switched off is noticed and switched on',
  async (platform) => {
    const { ids } = await connect(platform);
    const [id = ''] = ids;
    simulator.webhooks.change(id, { isEnabled: false });
    expect(await driftsOf(platform, ids)).toEqual(['its webhook is switched off']);
    expect((await connect(platform, ids)).changes).toEqual([`switched webhook ${id} on`]);
    expect(await driftsOf(platform, ids)).toEqual([]);
  },
);

describe('what a webhook is made with', () => {
  test.each(['smartlead', 'instantly', 'lemlist', 'heyreach'])(
    '%s: one campaign, beside the webhook of another one',
    async (platform) => {
      const before = await connect(platform, [], platform === 'lemlist' ? null : '66');
      if (platform === 'lemlist') {
        simulator.webhooks.change(before.ids[0] ?? '', { campaignId: '66' });
        expect((await connect(platform, [], CAMPAIGN)).failure?.message).toContain('for another campaign');
        return;
      }
      expect((await connect(platform, [], CAMPAIGN)).failure).toBeNull();
      expect([...new Set(hooks().map(({ campaignId }) => campaignId))]).toEqual(['66', CAMPAIGN]);
    },
  );

  test('Instantly gets the secret as a header, lemlist as the secret of its bodies, Smartlead none', async () => {
    const header = { check: 'header', name: 'x-webhook-secret', value: 's3cret' } as const;
    const body = { check: 'body', name: 'secret', value: 's3cret' } as const;
    await connectWebhooks(clientOf('instantly'), target(), { ...wanted, secret: header }, []);
    await connectWebhooks(clientOf('lemlist'), target(), { ...wanted, secret: body }, []);
    await connectWebhooks(clientOf('smartlead'), target(), { ...wanted, secret: header }, []);
    expect(hooks().map(({ headers, secret }) => ({ headers, secret }))).toEqual([
      { headers: { 'x-webhook-secret': 's3cret' }, secret: null },
      { headers: {}, secret: 's3cret' },
      { headers: {}, secret: null },
    ]);
  });

  test('Salesloft signs with the secret of the source, and with the code of its URL when there is none', async () => {
    const secret = { check: 'hmac-sha1', name: 'x-salesloft-signature', value: 's3cret' } as const;
    await connectWebhooks(clientOf('salesloft'), target(), { ...wanted, secret }, []);
    expect(new Set(hooks().map((hook) => hook.secret))).toEqual(new Set(['s3cret']));
    simulator.reset();
    await connect('salesloft');
    expect(new Set(hooks().map((hook) => hook.secret))).toEqual(new Set(['0123456789abcdef']));
  });

  test('Instantly lists more webhooks than a page has', async () => {
    const client = clientOf('instantly');
    for (let n = 0; n < 101; n += 1) {
      await client.create(target(), { ...wanted, url: `https://other.example.com/${n}` }, null);
    }
    await connect('instantly');
    expect((await connect('instantly')).changes).toEqual([]);
    expect(hooks()).toHaveLength(102);
  });

  test('EmailBison without an instance says what to do', async () => {
    const { url } = simulator;
    const others = { smartlead: url, instantly: url, lemlist: url, 'reply-io': url, heyreach: url, salesloft: url };
    const baseUrls = { ...others, emailbison: undefined };
    const options = { fetch, guardedFetch: fetch, timeoutMs: 5_000, now: () => new Date(), baseUrls };
    const client = createWebhookClients(options).get('emailbison');
    if (client === undefined) throw new Error('no client');
    const { failure } = await connectWebhooks(client, target(), wanted, []);
    expect(failure?.message).toContain('sequencer-keys update --instance-url');
    const own = await connectWebhooks(client, { ...target(), instanceUrl: url }, wanted, []);
    expect(own.failure).toBeNull();
  });
});
