import type { BlockType } from '@svc/contract/vocabulary';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { accessTo } from '../../test/support/batch.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import { createWriter, TOKEN } from '../../test/support/pipedrive.ts';
import type { CrmFailed, CrmListPage } from '../port/types.ts';

let simulator: PipedriveSimulator;
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, company: { id: 42 } });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `M${index}@Example.org`);

interface Reading {
  blockType?: BlockType;
  cursor?: string | null;
  token?: string;
  fetch?: typeof globalThis.fetch;
}

async function read(listId: string, reading: Reading = {}) {
  const { blockType = 'ADDRESS', cursor = null, token = TOKEN, fetch = globalThis.fetch } = reading;
  const { connector } = createWriter(simulator, { fetch });
  const pages: (CrmListPage | CrmFailed)[] = [];
  for await (const page of connector.readList({ access: accessTo(token), listId, blockType, cursor })) pages.push(page);
  return pages;
}
const valuesOf = (pages: readonly (CrmListPage | CrmFailed)[]) =>
  pages.flatMap((page) => (page.status === 'page' ? page.values : [page.error.message]));

describe('readList', () => {
  test('reads page by page, and continues from the cursor of any page', async () => {
    const listId = simulator.createFilter({ name: 'Customers', type: 'people', members: addresses(1_200) });
    const pages = await read(listId);
    const expected = addresses(1_200).map((address) => address.toLowerCase());
    expect(valuesOf(pages)).toEqual(expected);
    expect(pages.map((page) => page.status === 'page' && page.values.length)).toEqual([500, 500, 200]);
    expect(simulator.requests()).toHaveLength(4);
    const [first] = pages;
    const cursor = first?.status === 'page' ? first.cursor : null;
    expect(valuesOf(await read(listId, { cursor }))).toEqual(expected.slice(500));
  });

  /** Answers the pages of the members; other calls go to the simulator. */
  const answering =
    (nextCursor: (cursor: string | null) => string | null): typeof fetch =>
    async (input, init) => {
      const { pathname, searchParams } = new URL(new Request(input).url);
      if (!pathname.endsWith('/persons')) return fetch(input, init);
      const next = nextCursor(searchParams.get('cursor'));
      const data = [{ emails: [{ value: `m${next}@example.org` }] }];
      return Response.json({ success: true, data, additional_data: { next_cursor: next } });
    };

  test('reads a filter of more than 2,000 pages to its end', async () => {
    const listId = simulator.createFilter({ name: 'Everybody', type: 'people', members: [] });
    const fetch = answering((cursor) => (cursor === '2100' ? null : String(Number(cursor) + 1)));
    expect(valuesOf(await read(listId, { fetch }))).toHaveLength(2_101);
  });

  test.each([
    ['the same page again and again', () => 'a'],
    ['two pages in turn', (cursor: string | null) => (cursor === 'a' ? 'b' : 'a')],
  ])('%s is a failure', async (_name, nextCursor) => {
    const listId = simulator.createFilter({ name: 'Round', type: 'people', members: [] });
    expect((await read(listId, { fetch: answering(nextCursor) })).at(-1)).toMatchObject({
      status: 'error',
      error: { message: "Pipedrive's answer to the members of the filter has an unexpected form" },
    });
  });

  test('returns one empty page for a filter without members', async () => {
    const listId = simulator.createFilter({ name: 'Nobody', type: 'people', members: [] });
    expect(await read(listId)).toEqual([{ status: 'page', values: [], cursor: null }]);
  });

  test('returns each domain once, and no free mail hosts, of people and of organizations', async () => {
    const people = ['a@acme.example', 'b@acme.example', 'c@gmail.com', 'd@Crate.example'];
    const peopleId = simulator.createFilter({ name: 'People', type: 'people', members: people });
    expect(valuesOf(await read(peopleId, { blockType: 'DOMAIN' }))).toEqual(['acme.example', 'crate.example']);
    const firms = simulator.createFilter({ name: 'Firms', type: 'org', members: ['fjord.example', 'crate.example'] });
    expect(valuesOf(await read(firms, { blockType: 'DOMAIN' }))).toEqual(['fjord.example', 'crate.example']);
  });

  test('a filter that cannot fill the list says why', async () => {
    const firms = simulator.createFilter({ name: 'Firms', type: 'org', members: ['fjord.example'] });
    const deals = simulator.createFilter({ name: 'Deals', type: 'deals', members: [] });
    expect(await read(firms)).toMatchObject([
      { status: 'error', retry: 'never', error: { message: expect.stringContaining('use a filter of people') } },
    ]);
    expect(await read(deals)).toMatchObject([{ error: { message: expect.stringContaining('neither people nor') } }]);
    expect(await read('persons/1')).toMatchObject([{ error: { code: 'list_not_usable' } }]);
    expect(await read('77')).toMatchObject([{ error: { code: 'refused', httpStatus: 404 } }]);
  });

  test('yields a failure as the last item: temporary, with a wait, or a refused token', async () => {
    const listId = simulator.createFilter({ name: 'A', type: 'people', members: addresses(1) });
    simulator.failNext(1, 503);
    simulator.failNext(1, 'daily');
    const outcomes = [await read(listId), await read(listId), await read(listId, { token: 'another-token' })];
    expect(outcomes.flat()).toMatchObject([
      { status: 'error', retry: { afterMs: null }, disconnected: false },
      { status: 'error', retry: { afterMs: 3_600_000 }, cooldownUntilMs: expect.any(Number) },
      { status: 'error', retry: 'never', disconnected: true, error: { httpStatus: 401 } },
    ]);
    expect(JSON.stringify(outcomes)).not.toContain('another-token');
  });
});

describe('checkAccess', () => {
  const check = (token: string) => createWriter(simulator).connector.checkAccess(accessTo(token));

  test('names the company, and knows no permissions', async () => {
    expect(await check(TOKEN)).toEqual({ status: 'accepted', organizationId: '42', missing: null });
  });

  test('a refused token, and an answer without a company', async () => {
    expect(await check('another-token')).toMatchObject({ status: 'error', disconnected: true });
    simulator.failNext(1, 'html');
    expect(await check(TOKEN)).toMatchObject({ status: 'error', isUnavailable: true });
  });
});
