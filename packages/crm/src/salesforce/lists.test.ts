import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import type { CrmFailed, CrmListPage, CrmListRead } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';
import { withSelection } from './list-query.ts';

const TOKEN = '00D000000000001!not-a-real-token';
let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ tokens: [TOKEN] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

async function read(
  listId: string,
  { token = TOKEN, ...changes }: Partial<CrmListRead> & { token?: string } = {},
): Promise<(CrmListPage | CrmFailed)[]> {
  const connector = createSalesforceConnector({ fetch, timeoutMs: 60_000 });
  const access = accessTo(token, { apiUrl: simulator.url });
  const pages: (CrmListPage | CrmFailed)[] = [];
  for await (const page of connector.readList({ access, listId, blockType: 'ADDRESS', cursor: null, ...changes }))
    pages.push(page);
  return pages;
}
const valuesOf = (pages: readonly (CrmListPage | CrmFailed)[]) =>
  pages.flatMap((page) => (page.status === 'page' ? page.values : []));
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `m${index}@acme${index}.example`);

describe('a campaign', () => {
  test('is read page by page, and continues at a cursor', async () => {
    const members = addresses(4_500);
    const listId = simulator.createCampaign(members);
    simulator.createCampaign(['other@example.org']);
    const pages = await read(listId);
    expect(pages.map((page) => page.status === 'page' && page.values.length)).toEqual([2_000, 2_000, 500]);
    expect(pages.at(-1)).toMatchObject({ cursor: null });
    expect(valuesOf(pages)).toEqual(members);
    const [first] = pages;
    const cursor = first?.status === 'page' ? first.cursor : null;
    simulator.endCursors();
    expect(valuesOf(await read(listId, { cursor }))).toEqual(members.slice(2_000));
    expect(simulator.requests().length).toBe(4 + 3);
  });

  test('of domains: each once, and no free mail hosts', async () => {
    const listId = simulator.createCampaign(['a@acme.example', 'b@ACME.example', 'c@gmail.com', 'not an address']);
    expect(valuesOf(await read(listId, { blockType: 'DOMAIN' }))).toEqual(['acme.example']);
  });

  test('without members is one empty page', async () => {
    expect(await read(simulator.createCampaign([]))).toEqual([{ status: 'page', values: [], cursor: null }]);
  });
});

describe('a list view', () => {
  test.each(['Contact', 'Lead'] as const)('of %ss is read by its own condition', async (objectType) => {
    for (const [index, Email] of addresses(2_100).entries())
      simulator.seed(objectType, { LastName: index % 3 === 0 ? "O'Neil" : 'x', Company: 'c', Email });
    const where = String.raw`(LastName = 'O\'Neil' OR FirstName = ' ORDER BY ') AND Email != null`;
    const listId = simulator.createListView({ objectType, name: 'Mine', where });
    const values = valuesOf(await read(listId));
    expect(values).toHaveLength(700);
    expect(values.slice(0, 2)).toEqual(['m0@acme0.example', 'm3@acme3.example']);
  });

  test('of accounts gives the domains of their websites, and no addresses', async () => {
    simulator.seed('Account', { Name: 'A', Website: 'https://www.Acme.example/de' });
    simulator.seed('Account', { Name: 'B' });
    const listId = simulator.createListView({ objectType: 'Account', name: 'All' });
    expect(valuesOf(await read(listId, { blockType: 'DOMAIN' }))).toEqual(['acme.example']);
    expect(await read(listId)).toMatchObject([{ status: 'error', error: { code: 'list_not_usable' } }]);
  });
});

describe('failures are the last item', () => {
  test.each(['701000000000001AAA', '00B000000000001AAA', '00O000000000001AAA', "701' OR Id != '"])('%s', async (id) => {
    expect(await read(id)).toMatchObject([{ status: 'error', retry: 'never', error: { code: 'list_not_usable' } }]);
  });

  test('a refused token, no calls left, no answer', async () => {
    const listId = simulator.createCampaign(addresses(1));
    simulator.failNext(1, 'total-requests');
    simulator.failNext(1, 'html');
    const outcomes = [await read(listId), await read(listId), await read(listId, { token: 'another' })];
    expect(outcomes.flat()).toMatchObject([
      { status: 'error', error: { code: 'daily_limit_reached' }, cooldownUntilMs: expect.any(Number) },
      { status: 'error', isUnavailable: true },
      { status: 'error', retry: 'never', disconnected: true },
    ]);
  });
});

test.each([
  ['SELECT Name FROM Contact', 'SELECT Id, Email FROM Contact ORDER BY Id LIMIT 5'],
  [
    "SELECT Name, toLabel(Status) FROM Lead USING SCOPE mine WHERE (A = 'x WHERE' OR B = 1) AND C = 2 ORDER BY Name ASC NULLS FIRST, Id",
    "SELECT Id, Email FROM Lead USING SCOPE mine WHERE ((A = 'x WHERE' OR B = 1) AND C = 2) ORDER BY Id LIMIT 5",
  ],
  [
    String.raw`select Name, (SELECT Id FROM Tasks WHERE x = 1) from Contact where Name = '\' LIMIT 1' limit 9`,
    String.raw`SELECT Id, Email from Contact WHERE (Name = '\' LIMIT 1') ORDER BY Id LIMIT 5`,
  ],
  ['DELETE FROM Contact', null],
  ['SELECT Name', null],
])('the query of a list view: %s', (query, expected) => {
  expect(withSelection(query, 'Email', null, 5)).toBe(expected);
});
