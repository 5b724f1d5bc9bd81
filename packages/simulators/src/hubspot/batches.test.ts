import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from './simulator.ts';

let simulator: HubspotSimulator;
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    owners: ['a@example.com', 'b@example.com', 'c@example.com'],
    validationRule: (_type, values) => (values['jobtitle'] === 'refused' ? 'refused by a rule' : null),
  });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { Authorization: 'Bearer t', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: answer as Record<string, unknown> };
}

const upsert = (inputs: object[]) => call('POST', '/crm/objects/2026-09/contacts/batch/upsert', { inputs });
const byEmail = (id: string, properties: object = {}) => ({ idProperty: 'email', id, properties });

describe('upserts', () => {
  test('a traced input is named by its trace id in results and errors', async () => {
    await call('POST', '/crm/properties/2026-09/contacts/groups', { name: 'svc', label: 'Svc' });
    await call('POST', '/crm/properties/2026-09/contacts', {
      name: 'svc_profile_url',
      label: 'Url',
      groupName: 'svc',
      type: 'string',
      fieldType: 'text',
      hasUniqueValue: true,
    });
    const input = (id: string, jobtitle: string) => ({
      idProperty: 'svc_profile_url',
      id,
      objectWriteTraceId: `trace-${id}`,
      properties: { lastname: 'x', jobtitle },
    });
    expect(await upsert([input('a', 'CEO'), input('b', 'refused')])).toMatchObject({
      status: 207,
      body: {
        results: [{ objectWriteTraceId: 'trace-a' }],
        numErrors: 1,
        errors: [{ message: 'refused by a rule', context: { objectWriteTraceId: ['trace-b'] } }],
      },
    });
  });

  test('a contact is found by its other addresses, and keeps its own', async () => {
    await upsert([byEmail('kim@example.org', { hs_additional_emails: 'k@example.org;kim@old.example.org' })]);
    const answer = await upsert([byEmail('Kim@Old.example.org', { firstname: 'Kim' })]);
    expect(answer).toMatchObject({ body: { results: [{ new: false, properties: { email: 'kim@example.org' } }] } });
    expect(simulator.contacts()).toHaveLength(1);
  });

  test('400 when two inputs mean the same contact', async () => {
    await upsert([byEmail('kim@example.org', { hs_additional_emails: 'k@example.org' })]);
    expect((await upsert([byEmail('kim@example.org'), byEmail('k@example.org')])).status).toBe(400);
  });
});

describe('associations', () => {
  const associate = (inputs: object[]) =>
    call('POST', '/crm/associations/2026-09/contacts/companies/batch/associate/default', { inputs });

  async function seed(): Promise<{ contacts: string[]; company: string }> {
    await upsert(['a', 'b'].map((name) => byEmail(`${name}@example.org`)));
    await call('POST', '/crm/objects/2026-09/companies', { properties: { domain: 'example.org' } });
    return { contacts: simulator.contacts().map(({ id }) => id), company: simulator.companies()[0]?.id ?? '' };
  }

  test('a batch creates each once, and refuses those of missing records with a 207', async () => {
    const { contacts, company } = await seed();
    const inputs = [...contacts, '1'].map((id) => ({ from: { id }, to: { id: company } }));
    for (const _ of [1, 2]) {
      const { status, body } = await associate(inputs);
      expect(status).toBe(207);
      expect(body).toMatchObject({
        results: contacts.map((id) => ({
          from: { id },
          to: { id: company },
          associationSpec: { associationTypeId: 279 },
        })),
        errors: [{ category: 'OBJECT_NOT_FOUND', context: { fromObjectId: ['1'], toObjectId: [company] } }],
      });
    }
    expect(simulator.companies()[0]?.associations).toEqual({ contacts });
    expect(simulator.contacts()[0]?.properties['associatedcompanyid']).toBe(company);
    expect(
      await call('POST', '/crm/associations/2026-09/companies/contacts/batch/read', { inputs: [{ id: company }] }),
    ).toMatchObject({
      status: 200,
      body: { results: [{ from: { id: company }, to: contacts.map((id) => ({ toObjectId: id })) }] },
    });
  });

  test('a created record has those that it names, and is refused for a missing one', async () => {
    const { contacts } = await seed();
    const create = (id: string | undefined, associationTypeId = 202) =>
      call('POST', '/crm/objects/2026-09/notes', {
        properties: { hs_timestamp: '2026-03-01T00:00:00Z', hs_note_body: 'x' },
        associations: [{ to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }] }],
      });
    expect((await create(contacts[0])).status).toBe(201);
    expect(simulator.engagements()).toMatchObject([{ associations: { contacts: [contacts[0]] } }]);
    expect([(await create('1')).status, (await create(contacts[0], 1)).status]).toEqual([404, 400]);
    expect(simulator.engagements()).toHaveLength(1);
  });

  test('400 for more than 2,000 inputs, or types that cannot be associated', async () => {
    const inputs = Array.from({ length: 2_001 }, () => ({ from: { id: '1' }, to: { id: '2' } }));
    expect((await associate(inputs)).status).toBe(400);
    expect((await associate(inputs.slice(1))).status).toBe(207);
    expect(
      (
        await call('POST', '/crm/associations/2026-09/notes/tasks/batch/associate/default', {
          inputs: inputs.slice(-1),
        })
      ).status,
    ).toBe(400);
  });

  test('a deleted record is gone from its associations', async () => {
    const { contacts, company } = await seed();
    await associate(contacts.map((id) => ({ from: { id }, to: { id: company } })));
    expect((await call('DELETE', `/crm/objects/2026-09/contacts/${contacts[0]}`)).status).toBe(204);
    expect(simulator.companies()[0]?.associations).toEqual({ contacts: contacts.slice(1) });
    expect(await upsert([byEmail('a@example.org')])).toMatchObject({ body: { results: [{ new: true }] } });
  });
});

test('a search takes up to 100 lower-case values, and sorts', async () => {
  for (const domain of ['b.example', 'a.example', 'a.example'])
    await call('POST', '/crm/objects/2026-09/companies', { properties: { domain } });
  const search = (values: string[]) =>
    call('POST', '/crm/objects/2026-09/companies/search', {
      filterGroups: [{ filters: [{ propertyName: 'domain', operator: 'IN', values }] }],
      sorts: [{ propertyName: 'hs_object_id', direction: 'DESCENDING' }],
      properties: ['domain'],
      limit: 100,
    });
  const ids = simulator.companies().map(({ id }) => id);
  expect(await search(['b.example', 'a.example', 'c.example'])).toMatchObject({
    body: { total: 3, results: ids.toReversed().map((id) => ({ id })) },
  });
  expect(await search(['B.example'])).toMatchObject({ body: { total: 0 } });
  expect((await search(Array.from({ length: 101 }, (_, index) => `d${index}.example`))).status).toBe(400);
});

test('owners page by page', async () => {
  const first = await call('GET', '/crm/owners/2026-09?limit=2');
  expect(first.body).toMatchObject({ results: [{ id: '7001' }, { id: '7002' }], paging: { next: { after: '2' } } });
  expect((await call('GET', '/crm/owners/2026-09?limit=2&after=2')).body).toEqual({
    results: [expect.objectContaining({ id: '7003' })],
  });
});

test('limits: the window rolls, and searches have a limit of their own', async () => {
  let nowMs = Date.parse('2026-03-01T00:00:00Z');
  const limited = await startHubspotSimulator({ now: () => new Date(nowMs) });
  limited.setRateLimit({ max: 3, intervalMs: 10_000, searchesPerSecond: 1 });
  const headers = { Authorization: 'Bearer any' };
  const ask = async () => (await fetch(`${limited.url}/crm/owners/2026-09`, { headers })).status;
  const search = () =>
    fetch(`${limited.url}/crm/objects/2026-09/companies/search`, {
      method: 'POST',
      headers,
      body: '{"filterGroups":[]}',
    });
  try {
    const first = await search();
    expect([first.status, first.headers.get('x-hubspot-ratelimit-max')]).toEqual([200, null]);
    expect(await (await search()).json()).toMatchObject({ policyName: 'SECONDLY' });
    nowMs += 9_000;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    nowMs += 1_000;
    expect([await ask(), await ask()]).toEqual([200, 429]);
  } finally {
    await limited.close();
  }
});
