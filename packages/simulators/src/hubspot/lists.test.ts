import { Client } from '@hubspot/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from './simulator.ts';

let simulator: HubspotSimulator;
beforeAll(async () => {
  simulator = await startHubspotSimulator({ tokens: ['good-token'] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `m${index}@example.org`);

async function get(path: string) {
  const response = await fetch(simulator.url + path, { headers: { Authorization: 'Bearer good-token' } });
  const body: unknown = await response.json();
  return { status: response.status, body: body as Record<string, unknown> };
}

describe('lists', () => {
  test('the official client reads a list, its members page by page, and their records', async () => {
    const client = new Client({ accessToken: 'good-token', basePath: simulator.url, numberOfApiCallRetries: 0 });
    const listId = simulator.createList({ name: 'Customers', objectType: 'contacts', members: addresses(5) });
    const { list } = await client.crm.lists.listsApi.getById(listId);
    expect(list).toMatchObject({ listId, name: 'Customers', objectTypeId: '0-1', processingType: 'MANUAL' });
    expect(list.createdAt).toBeInstanceOf(Date);

    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await client.crm.lists.membershipsApi.getPage(listId, after, undefined, 2);
      expect(page.results.length).toBeLessThanOrEqual(2);
      expect(page.results.every((member) => member.membershipTimestamp instanceof Date)).toBe(true);
      ids.push(...page.results.map((member) => member.recordId));
      after = page.paging?.next?.after;
    } while (after !== undefined);
    const inputs = ids.map((id) => ({ id }));
    const read = await client.crm.contacts.batchApi.read({ inputs, properties: ['email'], propertiesWithHistory: [] });
    expect(read.results.map((contact) => contact.properties['email'])).toEqual(addresses(5));
  });

  test('adds and removes members; one address is one contact, and a contact may have none', async () => {
    const listId = simulator.createList({
      name: 'A',
      objectType: 'contacts',
      members: ['a@example.org', 'No Address'],
    });
    const other = simulator.createList({ name: 'B', objectType: 'contacts', members: ['a@example.org'] });
    simulator.addListMembers(other, ['b@example.org', 'b@example.org']);
    simulator.removeListMembers(other, ['a@example.org']);
    const idsOf = async (id: string) => {
      const { body } = await get(`/crm/lists/2026-09/${id}/memberships`);
      return (body['results'] as { recordId: string }[]).map((member) => member.recordId);
    };
    expect(await idsOf(listId)).toHaveLength(2);
    expect(await idsOf(other)).toHaveLength(1);
    expect((await idsOf(listId)).includes((await idsOf(other))[0] ?? '')).toBe(false);
  });

  test('the state shows lists by size, and only records that a call has written', async () => {
    simulator.createList({ listId: '9001', name: 'Partners', objectType: 'companies', members: ['acme.example.org'] });
    const { lists, companies, counts } = simulator.state();
    expect(lists).toEqual([{ listId: '9001', name: 'Partners', objectTypeId: '0-2', size: 1 }]);
    expect([companies, counts.companies]).toEqual([[], 0]);
  });

  test('refuses an unknown list, a limit above 250, an unknown offset, and a missing token', async () => {
    const listId = simulator.createList({ name: 'A', objectType: 'contacts', members: addresses(1) });
    expect((await get('/crm/lists/2026-09/77')).body).toMatchObject({ category: 'OBJECT_NOT_FOUND' });
    const statuses = ['/77/memberships', `/${listId}/memberships?limit=251`, `/${listId}/memberships?after=x`].map(
      async (path) => (await get(`/crm/lists/2026-09${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 400, 400]);
    simulator.deleteList(listId);
    expect((await get(`/crm/lists/2026-09/${listId}`)).status).toBe(404);
    expect((await fetch(`${simulator.url}/crm/lists/2026-09/${listId}`)).status).toBe(401);
  });
});
