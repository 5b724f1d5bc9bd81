import type { BlockType } from '@svc/contract/vocabulary';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import { createHubspotConnector } from './connector.ts';
import type { CrmFailed, CrmListPage } from '../port/types.ts';

const TOKEN = 'pat-secret-token';
let simulator: HubspotSimulator;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({ onExchange, tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `M${index}@Example.org`);

interface Reading {
  blockType?: BlockType;
  cursor?: string | null;
  fetch?: typeof globalThis.fetch;
  accessToken?: string;
}

async function read(listId: string, reading: Reading = {}): Promise<(CrmListPage | CrmFailed)[]> {
  const { blockType = 'ADDRESS', cursor = null, fetch = globalThis.fetch, accessToken = TOKEN } = reading;
  const connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000 });
  const pages: (CrmListPage | CrmFailed)[] = [];
  for await (const page of connector.readList({ access: accessTo(accessToken), listId, blockType, cursor }))
    pages.push(page);
  return pages;
}
const valuesOf = (pages: readonly (CrmListPage | CrmFailed)[]) =>
  pages.flatMap((page) => (page.status === 'page' ? page.values : [page.error.message]));

/** Answers the named paths; other calls go to the simulator. */
const answering =
  (answers: Record<string, (url: URL) => unknown>): typeof globalThis.fetch =>
  async (input, init) => {
    const url = new URL(new Request(input).url);
    const answer = Object.entries(answers).find(([path]) => url.pathname.endsWith(path))?.[1];
    return answer ? Response.json(answer(url)) : fetch(input, init);
  };

describe('readList', () => {
  test('reads page by page, and continues from the cursor of any page', async () => {
    const listId = simulator.createList({ name: 'Customers', objectType: 'contacts', members: addresses(450) });
    const pages = await read(listId);
    const expected = addresses(450).map((address) => address.toLowerCase());
    expect(valuesOf(pages)).toEqual(expected);
    expect(pages.map((page) => page.status === 'page' && page.values.length)).toEqual([200, 200, 50]);
    const [first] = pages;
    const cursor = first?.status === 'page' ? first.cursor : null;
    expect(valuesOf(await read(listId, { cursor }))).toEqual(expected.slice(200));
  });

  test('returns one empty page for an empty list', async () => {
    const listId = simulator.createList({ name: 'Nobody', objectType: 'contacts', members: [] });
    expect(await read(listId)).toEqual([{ status: 'page', values: [], cursor: null }]);
  });

  test('skips a member whose record was deleted meanwhile', async () => {
    const listId = simulator.createList({ name: 'Two', objectType: 'contacts', members: addresses(2) });
    const results = [{ recordId: '1' }, { recordId: '40001' }];
    const fetch = answering({ '/memberships': () => ({ results }) });
    expect(valuesOf(await read(listId, { fetch })).every((value) => value.startsWith('m'))).toBe(true);
  });

  test('returns each domain once per page, and no free mail hosts', async () => {
    const members = ['a@acme.example', 'b@acme.example', 'c@gmail.com', 'd@Crate.example'];
    const listId = simulator.createList({ name: 'People', objectType: 'contacts', members });
    expect(valuesOf(await read(listId, { blockType: 'DOMAIN' }))).toEqual(['acme.example', 'crate.example']);
  });

  test.each<[string, Record<string, (url: URL) => unknown>, string]>([
    [
      'no members',
      { '/memberships': () => ({ status: 'fine' }) },
      "HubSpot's answer to the members of the list has an unexpected form",
    ],
    ['an answer without a list', { '/77': () => ({}) }, "HubSpot's answer to the list has an unexpected form"],
    [
      'a list of deals',
      { '/77': () => ({ list: { objectTypeId: '0-3' } }) },
      'HubSpot has the list, but its members are neither contacts nor companies',
    ],
  ])('%s ends the reading', async (_, answers, message) => {
    simulator.createList({ listId: '77', name: 'Odd', objectType: 'contacts', members: addresses(2) });
    expect((await read('77', { fetch: answering(answers) })).at(-1)).toMatchObject({
      status: 'error',
      error: { message },
    });
  });

  test.each<[string, object, string]>([
    ['without results', {}, "HubSpot's answer to the contacts of the list has an unexpected form"],
    [
      'that lacks members for another reason than that they are gone',
      {
        results: [{ id: '1', properties: { email: 'm0@example.org' } }],
        errors: [
          { category: 'OBJECT_NOT_FOUND', message: 'it may be deleted' },
          { category: 'RATE_LIMITS', message: 'try again' },
        ],
      },
      'try again',
    ],
  ])('an answer %s is read again later', async (_, answer, message) => {
    const listId = simulator.createList({ name: 'Three', objectType: 'contacts', members: addresses(3) });
    expect(await read(listId, { fetch: answering({ '/batch/read': () => answer }) })).toMatchObject([
      { status: 'error', error: { message: expect.stringContaining(message) }, retry: { afterMs: null } },
    ]);
  });

  test('yields a failure as the last item: temporary, with a wait, or a refused token', async () => {
    const listId = simulator.createList({ name: 'A', objectType: 'contacts', members: addresses(1) });
    simulator.failNext(1, 503);
    simulator.failNext(1, 'daily');
    const outcomes = [await read(listId), await read(listId), await read(listId, { accessToken: 'another-token' })];
    expect(outcomes.flat()).toMatchObject([
      { status: 'error', retry: { afterMs: null }, disconnected: false },
      { status: 'error', retry: { afterMs: 3_600_000 }, cooldownUntilMs: expect.any(Number) },
      { status: 'error', retry: 'never', disconnected: true, error: { httpStatus: 401 } },
    ]);
    expect(JSON.stringify(outcomes)).not.toMatch(/another-token|pat-secret/);
  });
});
