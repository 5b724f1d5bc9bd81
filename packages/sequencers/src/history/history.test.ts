/** Lists of past activity against simulators of the documented calls, and their entries against the posts of the same events. */
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SequencerSimulator, startSequencerSimulator } from '@svc/simulators';
import { type InboundEvent, normalize } from '../events/index.ts';
import {
  createHistoryClients,
  HISTORY_PLATFORMS,
  type HistoryItem,
  type HistoryTarget,
  whyNoHistory,
} from './index.ts';

const TOKEN = 'secret/key+1';
const FROM = new Date('2026-03-01T00:00:00.000Z');
const UNTIL = new Date('2026-03-31T12:00:00.500Z');
const PAYLOADS = new URL('../../../../fixtures/payloads/lemlist/', import.meta.url);

let simulator: SequencerSimulator;
beforeAll(async () => {
  simulator = await startSequencerSimulator({ tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientOf(fetch: typeof globalThis.fetch = globalThis.fetch) {
  const { url } = simulator;
  const baseUrls = { smartlead: url, instantly: url, emailbison: url, lemlist: url, 'reply-io': url };
  const options = { fetch, timeoutMs: 5_000, now: () => new Date(), baseUrls };
  const client = createHistoryClients(options).get('lemlist');
  if (client === undefined) throw new Error('no client');
  return client;
}
const target: HistoryTarget = { token: TOKEN, campaignId: null, from: FROM, until: UNTIL };

/** Reads everything, as a run does. */
async function readAll(changes: Partial<HistoryTarget> = {}): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  let cursor: object | null = null;
  do {
    const answer = await clientOf().next({ ...target, ...changes }, cursor);
    if (answer.status === 'error') throw new Error(answer.failure.message);
    items.push(...answer.page.items);
    cursor = answer.page.next;
  } while (cursor !== null);
  return items;
}
const idsOf = (items: readonly HistoryItem[]) =>
  items.map((item) => ('body' in item && '_id' in item.body ? item.body._id : null));
const activity = (id: string | number, createdAt: string, more: object = {}) => ({
  ...{ _id: `act_${id}`, type: 'emailsOpened', leadEmail: 'kim@example.org', createdAt, ...more },
});
const failureOf = async (fetch?: typeof globalThis.fetch) => {
  const answer = await clientOf(fetch).next(target, null);
  if (answer.status === 'success') throw new Error('it succeeded');
  return answer.failure;
};

describe('keys of lemlist', () => {
  const eventsOf = (body: unknown): readonly InboundEvent[] => {
    const result = normalize({ platform: 'lemlist', mapping: null }, { headers: {}, body, bodyHash: 'a'.repeat(64) });
    return result.outcome === 'events' ? result.events : [];
  };

  /**
   * The activity of a post as the list has it with `version=v2`: the fields of developer.lemlist.com/api-reference/endpoints/activities,
   * "Get Many Activities" (read on 2026-11-28).
   */
  const asListed = (post: Record<string, unknown>) => ({
    ...{ _id: post['_id'], type: post['type'], createdAt: post['createdAt'], bot: post['bot'] ?? false },
    ...{ leadId: post['leadId'], campaignId: post['campaignId'], campaignName: post['campaignName'] },
    ...{ sequenceId: post['sequenceId'], sequenceStep: post['sequenceStep'], isFirst: post['isFirst'], stopped: false },
    ...{
      leadEmail: post['email'] ?? post['leadEmail'],
      leadFirstName: post['firstName'],
      leadLastName: post['lastName'],
    },
    lead: { _id: post['leadId'], variables: { linkedinUrl: post['linkedinUrl'] } },
    metaData: { teamId: post['teamId'] },
  });

  test('every documented post and its activity in the list are one event, with one recipient and time', async () => {
    const files = (await readdir(PAYLOADS)).filter((file) => !file.startsWith('odd.'));
    const types = new Set<string>();
    for (const file of files) {
      const post = JSON.parse(await readFile(new URL(file, PAYLOADS), 'utf8'));
      const [posted, ...others] = eventsOf(post);
      expect([file, others]).toEqual([file, []]);
      const [listed] = eventsOf(asListed(post));
      const { eventKey, eventType, toEmail, occurredAt } = posted ?? {};
      expect([file, listed]).toMatchObject([file, { eventKey, eventType, toEmail, occurredAt }]);
      types.add(eventType ?? '');
    }
    expect(types.size).toBeGreaterThanOrEqual(10);
  });
});

describe('the list of lemlist', () => {
  test('everything comes once, from the oldest to the newest, however dense', async () => {
    const activities = [
      ...Array.from({ length: 30 }, (_, day) =>
        activity(`day-${day}`, `2026-03-${String(day + 1).padStart(2, '0')}T00:00:00.000Z`),
      ),
      // More in a second than fit in a page.
      ...Array.from({ length: 230 }, (_, index) => activity(`second-${index}`, '2026-03-10T08:00:00.250Z')),
      ...Array.from({ length: 900 }, (_, index) =>
        activity(`minute-${index}`, new Date(Date.parse('2026-03-20T10:00:00.000Z') + index * 133).toISOString()),
      ),
      activity('last', '2026-03-31T12:00:00.499Z'),
    ];
    const outside = [activity('before', '2026-02-28T23:59:59.999Z'), activity('after', '2026-03-31T12:00:00.500Z')];
    simulator.activities.add(TOKEN, [...outside, ...activities].toReversed());
    simulator.activities.add('another key', [activity('other', '2026-03-02T00:00:00.000Z')]);
    const items = await readAll();
    const times = items.map((item) => ('body' in item && 'createdAt' in item.body ? String(item.body.createdAt) : ''));
    expect(times).toEqual(times.toSorted());
    expect(idsOf(items).toSorted()).toEqual(activities.map(({ _id: id }) => id).toSorted());
    // Each page is asked for some times more, to find how dense it is.
    expect(simulator.requests().length).toBeLessThan(150);
  });

  test('a range without whole seconds, and one campaign', async () => {
    simulator.activities.add(TOKEN, [
      activity(1, '2026-03-05T10:00:00.100Z', { campaignId: 'cam_1' }),
      activity(2, '2026-03-05T10:00:00.200Z', { campaignId: 'cam_1' }),
      activity(3, '2026-03-05T10:00:00.300Z', { campaignId: 'cam_1' }),
      activity(4, '2026-03-05T10:00:00.200Z', { campaignId: 'cam_2' }),
    ]);
    const range = { from: new Date('2026-03-05T10:00:00.200Z'), until: new Date('2026-03-05T10:00:00.300Z') };
    expect(idsOf(await readAll(range))).toEqual(['act_2', 'act_4']);
    expect(idsOf(await readAll({ ...range, campaignId: 'cam_1' }))).toEqual(['act_2']);
    expect(simulator.requests().some(({ path }) => path.includes(encodeURIComponent(TOKEN)))).toBe(false);
  });

  test('what has no _id cannot be compared, and is refused', async () => {
    simulator.activities.add(TOKEN, [{ ...activity('', '2026-03-05T10:00:00.100Z'), _id: '' }]);
    expect(await readAll()).toEqual([{ refusal: 'no _id, by which posts are recognized' }]);
  });

  test('an empty body is an empty list', async () => {
    const answer = await clientOf(async () => new Response('')).next(target, null);
    expect(answer).toMatchObject({ status: 'success', page: { items: [] } });
  });

  test.each([
    ['no list', new Response('{"activities":[]}'), 'no list of activities', 'never'],
    [
      'activities of another time',
      Response.json([activity(1, '2025-01-01T00:00:00.000Z')]),
      'activities of another time than asked for',
      'never',
    ],
    ['another key', new Response('', { status: 401 }), 'store a valid one that may read activity', 'never'],
    [
      'a refusal',
      Response.json({ message: `bad ${TOKEN} of kim@example.org` }, { status: 400 }),
      'bad […] of […]',
      'never',
    ],
    [
      'too many calls',
      new Response('', { status: 429, headers: { 'retry-after': '7' } }),
      'asks to wait',
      { afterMs: 7_000 },
    ],
    [
      'an answer that is too long',
      new Response('x'.repeat(17 * 1024 * 1024)),
      'more than 16384 KiB',
      { afterMs: null },
    ],
    ['an outage', new Response('', { status: 503 }), 'is not available (503)', { afterMs: null }],
  ])('%s is an error', async (_, response, message, retry) => {
    const failure = await failureOf(async () => response);
    expect(failure).toEqual({ message: expect.stringContaining(message), retry });
    expect(failure.message).not.toContain(TOKEN);
  });

  test('a broken connection is tried again', async () => {
    simulator.failNext(1, 'reset');
    expect(await failureOf()).toMatchObject({ retry: { afterMs: null } });
  });
});

test('every other platform has its reason', () => {
  const others = ['smartlead', 'instantly', 'emailbison', 'reply-io', 'heyreach', 'salesloft', 'outreach'];
  const reasons = [...others, 'my-dialer'].map(whyNoHistory);
  expect(new Set(reasons).size).toBe(others.length + 1);
  expect(HISTORY_PLATFORMS.filter((platform) => others.includes(platform))).toEqual([]);
});
