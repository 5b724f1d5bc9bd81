import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PLATFORMS } from '@svc/contract/vocabulary';
import { type SequencerSimulator, startSequencerSimulator } from '@svc/simulators';
import { createBlocklistConnectors, findBlocklistProblem, hasInstances } from './index.ts';
import type { BlocklistBatch, BlocklistConnector } from './types.ts';

const NOW = new Date('2026-03-31T12:00:00Z');
const TOKEN = 'secret/key+1';

let simulator: SequencerSimulator;
beforeAll(async () => {
  simulator = await startSequencerSimulator({ tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function connectorOf(platform: string, fetch: typeof globalThis.fetch = globalThis.fetch, timeoutMs = 5_000) {
  const { url } = simulator;
  const baseUrls = { smartlead: url, instantly: url, emailbison: url, lemlist: url, 'reply-io': url };
  const options = { fetch, guardedFetch: fetch, timeoutMs, now: () => NOW, baseUrls };
  const connector = createBlocklistConnectors(options).get(platform);
  if (!connector) throw new Error(`no connector for ${platform}`);
  return connector;
}
const VALUES = ['a@example.org', 'example.com'];
const add = (connector: BlocklistConnector, batch: Partial<BlocklistBatch> = {}) =>
  connector.addEntries({
    ...{ token: TOKEN, clientId: null, instanceUrl: null, blockType: 'ADDRESS', values: VALUES },
    ...batch,
  });
const allAdded = (values: readonly string[] = VALUES) => ({ added: values, refused: [], failure: null });
const failed = (failure: object) => ({ added: [], refused: [], failure });
const answering =
  (status: number, body: string, headers: Record<string, string> = {}): typeof globalThis.fetch =>
  async () =>
    new Response(body, { status, headers });

const NAMES = {
  smartlead: 'Smartlead',
  instantly: 'Instantly',
  emailbison: 'EmailBison',
  lemlist: 'lemlist',
  'reply-io': 'Reply.io',
} as const;
/** The entries of the first call. */
const firstOf = (platform: keyof typeof NAMES) =>
  platform === 'emailbison' || platform === 'lemlist' ? VALUES.slice(0, 1) : VALUES;

describe.each(Object.keys(NAMES) as (keyof typeof NAMES)[])('%s', (platform) => {
  test('sends the entries with the token', async () => {
    expect(await add(connectorOf(platform))).toEqual(allAdded());
    expect(simulator.entries({ platform, token: TOKEN })).toEqual(['a@example.org', 'example.com']);
  });

  test('adding the same entries again is a success', async () => {
    await add(connectorOf(platform));
    expect(await add(connectorOf(platform))).toEqual(allAdded());
  });

  test.each<[number, string | null, 'never' | { afterMs: number | null }]>([
    [429, '120', { afterMs: 120_000 }],
    [429, 'Tue, 31 Mar 2026 12:05:00 GMT', { afterMs: 300_000 }],
    [429, null, { afterMs: null }],
    [503, '5', { afterMs: 5_000 }],
    [500, null, { afterMs: null }],
    [408, null, { afterMs: null }],
    [400, null, 'never'],
    [401, null, 'never'],
    [403, null, 'never'],
    [302, null, 'never'],
  ])('status %i with Retry-After %s: retry %j', async (status, retryAfter, retry) => {
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter };
    const outcome = await add(connectorOf(platform, answering(status, '{}', headers)));
    expect(outcome).toMatchObject(failed({ retry, message: expect.stringContaining(String(status)) }));
  });

  test.each([
    [400, true],
    [409, true],
    [413, true],
    [422, true],
    [401, false],
    [402, false],
    [403, false],
    [404, false],
    [302, false],
    [503, false],
  ])('status %i is caused by the entries: %s', async (status, isOfEntries) => {
    const outcome = await add(connectorOf(platform, answering(status, '{}')));
    expect(outcome.failure?.suspects).toEqual(isOfEntries ? firstOf(platform) : undefined);
  });

  test('a missing answer may be retried, and its message does not show the URL', async () => {
    simulator.failNext(1, 'reset');
    const broken = await add(connectorOf(platform));
    simulator.failNext(1, 'hang');
    const slow = await add(connectorOf(platform, fetch, 50));
    const name = NAMES[platform];
    expect([broken, slow]).toMatchObject([
      failed({ retry: { afterMs: null }, message: expect.stringMatching(`^${name} could not be reached`) }),
      failed({ retry: { afterMs: null }, message: `${name} did not answer in time` }),
    ]);
    for (const outcome of [broken, slow]) expect(JSON.stringify(outcome)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  test('recognizes a refusal sent with status 200', async () => {
    const outcome = await add(connectorOf(platform, answering(200, '{"ok": false, "message": "plan is over"}')));
    const suspects = firstOf(platform);
    expect(outcome).toMatchObject(
      failed({ retry: 'never', suspects, message: expect.stringContaining('plan is over') }),
    );
  });

  test('an endless answer is not read to its end, adds nothing and may be retried', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(65_536));
    let chunks = 0;
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(chunk);
      },
    });
    const outcome = await add(
      connectorOf(platform, async () => new Response(endless)),
      { values: ['example.com'] },
    );
    const message = `${NAMES[platform]} gave an answer of more than 1024 KiB`;
    expect(outcome).toEqual(failed({ retry: { afterMs: null }, message }));
    expect(chunks).toBeLessThan(20);
  });

  test('a refusal that is too long keeps its status', async () => {
    const outcome = await add(connectorOf(platform, answering(401, 'x'.repeat(2_000_000))));
    expect(outcome).toMatchObject(failed({ retry: 'never', message: expect.stringContaining('(401)') }));
  });
});

test('removes the token and addresses from messages of the sequencer', async () => {
  const body = JSON.stringify({
    message: `${TOKEN} ${encodeURIComponent(TOKEN)} <a@example.org>\nexample.com is bad ${'x'.repeat(500)}`,
  });
  const outcome = await add(connectorOf('smartlead', answering(422, body)));
  const message = outcome.failure?.message ?? '';
  expect(message).toMatch(/^Smartlead refused the entries \(422\): \[…\] \[…\] \[…\] example\.com is bad x+$/);
  expect(message.length).toBeLessThan(300);
});

test("sends Smartlead's client as a number when it is one, and omits it for the whole account", async () => {
  const bodies: unknown[] = [];
  const connector = connectorOf('smartlead', async (_, init) => {
    bodies.push(await new Request('http://127.0.0.1', init).json());
    return new Response('{}');
  });
  for (const clientId of ['42', 'client-42', null]) await add(connector, { clientId });
  const domain_block_list = ['a@example.org', 'example.com'];
  expect(bodies).toEqual([
    { domain_block_list, client_id: 42 },
    { domain_block_list, client_id: 'client-42' },
    { domain_block_list },
  ]);
});

test.each(['instantly', 'emailbison', 'reply-io'])(
  '%s: returns an error outcome for a token that is no valid header value',
  async (platform) => {
    expect(await add(connectorOf(platform), { token: 'a\nb' })).toMatchObject(failed({ retry: { afterMs: null } }));
  },
);

describe.each([['lemlist'], ['emailbison']] as const)('%s takes entries one by one', (platform) => {
  const values = ['a.example', 'b.example', 'c.example', 'd.example'];

  test('those added before a failure count, and those after it are still to be added', async () => {
    let calls = 0;
    const fetchTwice: typeof globalThis.fetch = async (input, init) =>
      (calls += 1) === 3 ? new Response('', { status: 429, headers: { 'retry-after': '2' } }) : fetch(input, init);
    expect(await add(connectorOf(platform, fetchTwice), { values })).toEqual({
      added: ['a.example', 'b.example'],
      refused: [],
      failure: { message: expect.stringContaining('asks to wait (429)'), retry: { afterMs: 2_000 } },
    });
    expect(calls).toBe(3);
    expect(simulator.entries({ platform, token: TOKEN })).toEqual(['a.example', 'b.example']);
  });

  test('names the entry that was refused', async () => {
    simulator.refuseEntries(['b.example']);
    expect(await add(connectorOf(platform), { values })).toMatchObject({
      added: ['a.example'],
      failure: { retry: 'never', suspects: ['b.example'] },
    });
  });

  test('a batch of slow calls ends after the timeout of one; the rest is no failure', async () => {
    let nowMs = NOW.getTime();
    const slow: typeof globalThis.fetch = async (input, init) => {
      nowMs += 3_000;
      return fetch(input, init);
    };
    const { url } = simulator;
    const baseUrls = { smartlead: url, instantly: url, emailbison: url, lemlist: url, 'reply-io': url };
    const options = { fetch: slow, guardedFetch: slow, timeoutMs: 5_000, now: () => new Date(nowMs), baseUrls };
    const connector = createBlocklistConnectors(options).get(platform);
    expect(connector && (await add(connector, { values }))).toEqual(allAdded(['a.example', 'b.example']));
  });
});

test('lemlist: an entry is one part of the path, whatever it holds', async () => {
  const values = ['a/../b@example.org', 'ü+x@example.org', 'x?y=1@example.org'];
  expect(await add(connectorOf('lemlist'), { values })).toEqual(allAdded(values));
  expect(simulator.entries({ platform: 'lemlist', token: TOKEN })).toEqual(values.toSorted());
});

test('lemlist: batches and pauses keep the limit of 20 calls in 2 seconds', async () => {
  let nowMs = 0;
  simulator.limitCalls(() => nowMs);
  const { batchMax, pauseMs = 0, ...connector } = connectorOf('lemlist');
  for (let round = 0; round < 4; round += 1) {
    const values = Array.from({ length: batchMax }, (_, index) => `${round}-${index}.example`);
    expect(await add({ batchMax, ...connector }, { values })).toEqual(allAdded(values));
    nowMs += pauseMs;
  }
});

describe('emailbison', () => {
  const INSTANCE = 'https://send.northwind.example.com';
  const connectorWith = (emailbison: string | undefined) => {
    const calls: string[] = [];
    const recording =
      (name: string): typeof globalThis.fetch =>
      async (input) => {
        calls.push(`${name} ${new Request(input).url}`);
        return new Response('{}');
      };
    const { url } = simulator;
    const baseUrls = { smartlead: url, instantly: url, emailbison, lemlist: url, 'reply-io': url };
    const fetches = { fetch: recording('plain'), guardedFetch: recording('guarded') };
    const connector = createBlocklistConnectors({ ...fetches, timeoutMs: 1_000, now: () => NOW, baseUrls }).get(
      'emailbison',
    );
    if (!connector) throw new Error('no connector');
    return { connector, calls };
  };

  test('calls the instance that the list names through the guard', async () => {
    const { connector, calls } = connectorWith('https://own.example.com');
    await add(connector, { instanceUrl: INSTANCE, blockType: 'DOMAIN', values: ['a.example'] });
    await add(connector, { blockType: 'ADDRESS', values: ['kim@a.example'] });
    expect(calls).toEqual([
      `guarded ${INSTANCE}/api/blacklisted-domains`,
      'plain https://own.example.com/api/blacklisted-emails',
    ]);
  });

  test('without any instance nothing is called', async () => {
    const { connector, calls } = connectorWith(undefined);
    expect(await add(connector)).toEqual(
      failed({ message: expect.stringContaining('names no instance'), retry: 'never' }),
    );
    expect(calls).toEqual([]);
  });
});

describe('instantly', () => {
  const values = ['a@example.org', 'b@example.org', 'c@example.org'];

  test('the invalid entries are refused by name, those that were there before are added', async () => {
    await add(connectorOf('instantly'), { values: ['b@example.org'] });
    simulator.refuseEntries(['c@example.org']);
    const first = await add(connectorOf('instantly'), { values });
    expect(first).toEqual({
      added: ['a@example.org'],
      refused: [],
      failure: {
        message: 'Instantly refused 1 of 3 entries',
        retry: 'never',
        suspects: ['b@example.org', 'c@example.org'],
      },
    });
    expect(await add(connectorOf('instantly'), { values: ['b@example.org'] })).toEqual(allAdded(['b@example.org']));
    expect(await add(connectorOf('instantly'), { values: ['c@example.org'] })).toEqual({
      added: [],
      refused: ['c@example.org'],
      failure: null,
    });
  });

  test('when all that is missing is invalid, one call is enough', async () => {
    simulator.refuseEntries(['b@example.org']);
    expect(await add(connectorOf('instantly'), { values })).toEqual({
      added: ['a@example.org', 'c@example.org'],
      refused: ['b@example.org'],
      failure: null,
    });
  });

  test('the answer to a whole batch of long entries is read to its end', async () => {
    const { batchMax, addEntries } = connectorOf('instantly', async (_, init) => {
      const { bl_values } = JSON.parse(await new Request('http://127.0.0.1', init).text());
      const items = bl_values.slice(1).map((bl_value: string) => ({
        ...{ id: '019d9c5f-967c-79ad-b96c-0d35f76f14cb', timestamp_created: '2026-04-17T16:56:43.388Z' },
        ...{ organization_id: '019d9c5f-967c-79ad-b96c-0d36da1d0acc', bl_value, is_domain: false },
      }));
      return Response.json({ items, valid_count: items.length, invalid_count: 1 });
    });
    const long = Array.from({ length: batchMax }, (_, index) => `${index}@example.org`.padStart(254, 'x'));
    expect(await add({ ...connectorOf('instantly'), addEntries }, { values: long })).toEqual({
      added: long.slice(1),
      refused: long.slice(0, 1),
      failure: null,
    });
  });

  test.each(['[]', '{}', 'gone', '{"items": [], "valid_count": 3, "invalid_count": 0}'])(
    'an answer that counts no invalid entry added all of them: %s',
    async (body) => {
      expect(await add(connectorOf('instantly', answering(200, body)), { values })).toEqual(allAdded(values));
    },
  );
});

describe('reply-io', () => {
  const values = ['a@example.org', 'b@example.org', 'c@example.org', 'd@example.org'];

  test('a result per entry: added, there before, invalid, not added', async () => {
    await add(connectorOf('reply-io'), { values: ['b@example.org'] });
    simulator.refuseEntries(['c@example.org']);
    simulator.leaveOutEntries(['d@example.org']);
    expect(await add(connectorOf('reply-io'), { values })).toEqual({
      added: ['a@example.org', 'b@example.org'],
      refused: ['c@example.org'],
      failure: { message: 'Reply.io did not add 1 of 4 entries', retry: { afterMs: null } },
    });
  });

  test.each([
    ['ADDRESS', '/v3/contact-blacklist-rules/emails/bulk'],
    ['DOMAIN', '/v3/contact-blacklist-rules/domains/bulk'],
  ] as const)('sends entries of type %s to %s', async (blockType, path) => {
    await add(connectorOf('reply-io'), { blockType });
    expect(simulator.requests()).toEqual([{ path, values: VALUES }]);
  });

  test.each(['[]', '{"items": []}', 'gone', '[{"id": 1, "error": null}]'])(
    'an answer without a result per entry adds nothing and may be retried: %s',
    async (body) => {
      expect(await add(connectorOf('reply-io', answering(200, body)))).toMatchObject(
        failed({ retry: { afterMs: null } }),
      );
    },
  );

  test('an error that is not documented leaves its entry to be added', async () => {
    const body = '[{"id": 1, "error": null}, {"id": null, "error": 99}]';
    expect(await add(connectorOf('reply-io', answering(200, body)))).toMatchObject({
      added: ['a@example.org'],
      refused: [],
      failure: { message: 'Reply.io did not add 1 of 2 entries' },
    });
  });
});

describe('which block lists can be filled', () => {
  test('every connector, and no other platform', () => {
    const named = PLATFORMS.filter((platform) => findBlocklistProblem(platform) === null);
    expect(named.toSorted()).toEqual(Object.keys(NAMES).toSorted());
    for (const platform of named) expect(connectorOf(platform)).toBeDefined();
  });

  test.each(['heyreach', 'salesloft', 'my-own', '__proto__'])(
    '%s cannot; the message names those that can',
    (platform) => {
      expect(findBlocklistProblem(platform)).toBe(
        `the block list of ${platform} cannot be filled, because no call for it is documented; those of smartlead, instantly, emailbison, lemlist, reply-io can`,
      );
    },
  );

  test('EmailBison has instances', () => {
    expect(PLATFORMS.filter(hasInstances)).toEqual(['emailbison']);
  });
});
