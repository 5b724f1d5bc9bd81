import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SequencerSimulator, startSequencerSimulator } from '@svc/simulators';
import { createBlocklistConnectors } from './index.ts';
import type { BlocklistBatch, BlocklistConnector } from './types.ts';

const TOKEN = 'secret/key+1';
const PLATFORMS = ['smartlead', 'instantly', 'emailbison', 'lemlist', 'reply-io'] as const;

let simulator: SequencerSimulator;
beforeAll(async () => {
  simulator = await startSequencerSimulator({ tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function connectorOf(platform: string, fetch: typeof globalThis.fetch = globalThis.fetch): BlocklistConnector {
  const { url } = simulator;
  const baseUrls = { smartlead: url, instantly: url, emailbison: url, lemlist: url, 'reply-io': url };
  const now = () => new Date('2026-03-31T12:00:00Z');
  const connector = createBlocklistConnectors({ fetch, guardedFetch: fetch, timeoutMs: 5_000, now, baseUrls }).get(
    platform,
  );
  if (!connector) throw new Error(`no connector for ${platform}`);
  return connector;
}
const ALL = { token: TOKEN, clientId: null, instanceUrl: null, blockType: 'ADDRESS' } as const;
type Batch = Pick<BlocklistBatch, 'values'> & Partial<BlocklistBatch>;
const add = (connector: BlocklistConnector, batch: Batch) => connector.addEntries({ ...ALL, ...batch });
const remove = (connector: BlocklistConnector, batch: Batch) => connector.removeEntries({ ...ALL, ...batch });

describe.each(PLATFORMS)('%s', (platform) => {
  test('removes these entries and no others, also when they are not there', async () => {
    const connector = connectorOf(platform);
    const others = ['b@example.org', 'xa@example.org'];
    await add(connector, { values: ['a@example.org', ...others] });
    const address = { values: ['a@example.org'] };
    for (const _again of [1, 2]) {
      expect(await remove(connector, address)).toEqual({ removed: address.values, refused: [], failure: null });
      expect(simulator.entries({ platform, token: TOKEN })).toEqual(others);
    }
    await add(connector, { values: ['example.com', 'sub.example.com'], blockType: 'DOMAIN' });
    expect(await remove(connector, { values: ['example.com'], blockType: 'DOMAIN' })).toMatchObject({
      removed: ['example.com'],
    });
    expect(simulator.entries({ platform, token: TOKEN })).toEqual([...others, 'sub.example.com'].sort());
  });

  test('an entry that the sequencer keeps is refused, and the others are removed', async () => {
    const connector = connectorOf(platform);
    const values = ['a@example.org', 'kept@example.org', 'z@example.org'];
    await add(connector, { values });
    simulator.refuseEntries(['kept@example.org']);
    expect(await remove(connector, { values })).toEqual({
      removed: ['a@example.org', 'z@example.org'],
      refused: ['kept@example.org'],
      failure: null,
    });
  });

  test('a removal that fails says what was removed before, and may be repeated', async () => {
    const connector = connectorOf(platform);
    await add(connector, { values: ['a@example.org'] });
    for (const [fault, retry] of [
      [503, { afterMs: null }],
      [401, 'never'],
      ['lost-answer', { afterMs: null }],
    ] as const) {
      simulator.failNext(1, fault);
      const outcome = await remove(connector, { values: ['a@example.org'] });
      expect(outcome).toMatchObject({ removed: [], refused: [], failure: { retry } });
      expect(outcome.failure?.suspects).toBeUndefined();
      expect(outcome.failure?.message).not.toContain(TOKEN);
    }
    expect(await remove(connector, { values: ['a@example.org'] })).toMatchObject({ failure: null });
    expect(simulator.entries({ platform, token: TOKEN })).toEqual([]);
  });

  test.each(['{}', '[{}]', '{"items":[{"bl_value":"a@example.org"}]}', '{"data":{}}', 'null', ''])(
    'an answer %s to a removal makes no call without an id',
    async (body) => {
      const urls: string[] = [];
      const fetch: typeof globalThis.fetch = async (input, init) => {
        urls.push(`${init?.method} ${new Request(input).url}`);
        return new Response(body, { status: 200 });
      };
      await remove(connectorOf(platform, fetch), { values: ['a@example.org'] });
      for (const url of urls) expect(url).not.toMatch(/^DELETE .*(?:entries|emails|domains|variables|list)\/?$/);
    },
  );
});

test("an entry of Smartlead's account or of another client stays when that of a client is removed", async () => {
  const connector = connectorOf('smartlead');
  const values = ['a@example.org'];
  for (const clientId of [null, '7', '8']) await add(connector, { values, clientId });
  await remove(connector, { values, clientId: '7' });
  const left = (clientId: string | null) => simulator.entries({ platform: 'smartlead', token: TOKEN, clientId });
  expect([left(null), left('7'), left('8')]).toEqual([values, [], values]);
  await remove(connector, { values });
  expect([left(null), left('8')]).toEqual([[], values]);
});

describe.each([
  ['instantly', 100, 50],
  ['smartlead', 1_000, 7],
] as const)('%s finds an entry by pages', (platform, page, pagesMax) => {
  const domain = { values: ['example.com'], blockType: 'DOMAIN' } as const;
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@example.com`);
  /** At most 500 entries are added by a call. */
  const addAll = async (connector: BlocklistConnector, values: readonly string[]) => {
    for (let from = 0; from < values.length; from += 500)
      await add(connector, { values: values.slice(from, from + 500) });
  };

  test('that are searched to their end', async () => {
    const connector = connectorOf(platform);
    const others = addresses(page + 1);
    await addAll(connector, [...others, 'example.com']);
    for (const _again of [1, 2]) {
      expect(await remove(connector, domain)).toEqual({ removed: domain.values, refused: [], failure: null });
      expect(simulator.entries({ platform, token: TOKEN })).toEqual(others.toSorted());
    }
  });

  test('of which there are too many: it is not removed', async () => {
    let calls = 0;
    const fetch: typeof globalThis.fetch = async () => {
      calls += 1;
      const rows = Array.from({ length: page }, (_, index) => ({ id: `${calls}-${index}` }));
      return Response.json(platform === 'smartlead' ? rows : { items: rows, next_starting_after: `after-${calls}` });
    };
    expect(await remove(connectorOf(platform, fetch), domain)).toEqual({
      ...{ removed: [], refused: [] },
      failure: { message: expect.stringContaining(`more than ${pagesMax} pages`), retry: 'never' },
    });
    expect(calls).toBe(pagesMax);
  });
});
