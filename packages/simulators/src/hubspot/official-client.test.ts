import { Client } from '@hubspot/api-client';
import { FilterOperatorEnum } from '@hubspot/api-client/lib/codegen/crm/companies/models/Filter.js';
import {
  PropertyCreateFieldTypeEnum,
  PropertyCreateTypeEnum,
} from '@hubspot/api-client/lib/codegen/crm/properties/models/PropertyCreate.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from './simulator.ts';

/**
 * Uses the official client as an independent check: it builds its own requests and parses answers with its own models,
 * so simulator and connector cannot agree on a wrong shape.
 */
let simulator: HubspotSimulator;
let client: Client;
beforeAll(async () => {
  simulator = await startHubspotSimulator({ tokens: ['good-token'], owners: ['rep@example.com'] });
  client = new Client({ accessToken: 'good-token', basePath: simulator.url, numberOfApiCallRetries: 0 });
});
afterAll(() => simulator.close());

describe('the official client against the simulator', () => {
  test('contacts: upsert, read, get, update, search', async () => {
    const input = { id: 'kim@example.org', idProperty: 'email', properties: { firstname: 'Kim' } };
    const made = await client.crm.contacts.batchApi.upsert({ inputs: [input] });
    const [record] = made.results;
    expect(made.status).toBe('COMPLETE');
    expect(record?._new).toBe(true);
    expect(record?.createdAt).toBeInstanceOf(Date);
    expect(record?.properties['email']).toBe('kim@example.org');
    const again = await client.crm.contacts.batchApi.upsert({ inputs: [input] });
    expect(again.results[0]?._new).toBe(false);

    const read = await client.crm.contacts.batchApi.read({
      idProperty: 'email',
      inputs: [{ id: 'kim@example.org' }, { id: 'no@example.org' }],
      properties: ['firstname'],
      propertiesWithHistory: [],
    });
    expect(read.results[0]?.properties['firstname']).toBe('Kim');
    expect('errors' in read ? read.errors?.[0]?.category : undefined).toBe('OBJECT_NOT_FOUND');

    const one = await client.crm.contacts.basicApi.getById(
      'kim@example.org',
      ['firstname'],
      undefined,
      undefined,
      false,
      'email',
    );
    expect(one.id).toBe(record?.id);
    await client.crm.contacts.basicApi.update(one.id, { properties: { lastname: 'Berg' } });
    expect(simulator.contacts()[0]?.properties['lastname']).toBe('Berg');
  });

  test('companies: create and search', async () => {
    await client.crm.companies.basicApi.create({
      properties: { domain: 'example.org', name: 'Example' },
      associations: [],
    });
    const found = await client.crm.companies.searchApi.doSearch({
      filterGroups: [{ filters: [{ propertyName: 'domain', operator: FilterOperatorEnum.Eq, value: 'example.org' }] }],
      properties: ['name'],
      limit: 1,
    });
    expect(found.total).toBe(1);
    expect(found.results[0]?.properties['name']).toBe('Example');
  });

  test('a unique property, an engagement upserted by it, its association', async () => {
    await client.crm.properties.groupsApi.create('emails', { name: 'svc_sync', label: 'Sync' });
    const definition = {
      name: 'svc_event_key',
      label: 'Key',
      groupName: 'svc_sync',
      type: PropertyCreateTypeEnum.String,
      fieldType: PropertyCreateFieldTypeEnum.Text,
      hasUniqueValue: true,
    };
    const property = await client.crm.properties.coreApi.create('emails', definition);
    expect(property.hasUniqueValue).toBe(true);
    await expect(client.crm.properties.coreApi.create('emails', definition)).rejects.toMatchObject({ code: 409 });

    const properties = { hs_timestamp: '2026-03-01T10:00:00Z', hs_email_direction: 'EMAIL', hs_email_status: 'SENT' };
    const inputs = [{ id: 'k1', idProperty: 'svc_event_key', properties }];
    const first = await client.crm.objects.emails.batchApi.upsert({ inputs });
    const second = await client.crm.objects.emails.batchApi.upsert({ inputs });
    expect([first.results[0]?._new, second.results[0]?._new]).toEqual([true, false]);

    const [contact] = simulator.contacts();
    const emailId = first.results[0]?.id ?? '';
    const linked = await client.crm.associations.v4.basicApi.createDefault(
      'emails',
      emailId,
      'contacts',
      contact?.id ?? '',
    );
    expect(linked.results[0]?.associationSpec.associationTypeId).toBe(198);
    const listed = await client.crm.associations.v4.basicApi.getPage('contacts', contact?.id ?? '', 'emails');
    expect(listed.results.map((item) => String(item.toObjectId))).toEqual([emailId]);
  });

  test('batches: associations, a search by several values, a refused input', async () => {
    const contacts = await client.crm.contacts.batchApi.upsert({
      inputs: ['m', 'n'].map((name) => ({
        id: `${name}@batch.example.org`,
        idProperty: 'email',
        objectWriteTraceId: name,
        properties: {},
      })),
    });
    expect(contacts.results.map(({ objectWriteTraceId }) => objectWriteTraceId)).toEqual(['m', 'n']);
    const company = await client.crm.companies.basicApi.create({
      properties: { domain: 'batch.example.org' },
      associations: [],
    });
    const found = await client.crm.companies.searchApi.doSearch({
      filterGroups: [
        {
          filters: [
            {
              propertyName: 'domain',
              operator: FilterOperatorEnum.In,
              values: ['batch.example.org', 'other.example.org'],
            },
          ],
        },
      ],
      sorts: ['createdate'],
      properties: ['domain'],
      limit: 100,
    });
    expect(found.results.map(({ id }) => id)).toEqual([company.id]);

    const inputs = contacts.results.map(({ id }) => ({ _from: { id }, to: { id: company.id } }));
    const linked = await client.crm.associations.v4.batchApi.createDefault('contacts', 'companies', { inputs });
    expect(linked.results.map(({ _from, to }) => ({ _from, to }))).toEqual(inputs);
    const read = await client.crm.associations.v4.batchApi.getPage('companies', 'contacts', {
      inputs: [{ id: company.id }],
    });
    expect(read.results[0]?.to.map(({ toObjectId }) => String(toObjectId))).toEqual(
      contacts.results.map(({ id }) => id),
    );

    const refused = await client.crm.objects.emails.batchApi.upsert({
      inputs: [{ id: 'k9', idProperty: 'svc_event_key', objectWriteTraceId: 't9', properties: {} }],
    });
    expect('errors' in refused ? refused.errors?.[0]?.context : undefined).toMatchObject({
      objectWriteTraceId: ['t9'],
    });
  });

  test('deals: pipelines, several properties at once, records made, changed and archived in batches', async () => {
    const pipelines = await client.crm.pipelines.pipelinesApi.getAll('deals');
    const [pipeline] = pipelines.results;
    expect(pipeline?.stages.map(({ metadata }) => metadata?.['isClosed'])).toContain('true');
    await client.crm.properties.groupsApi.create('deals', { name: 'svc_sync', label: 'Sync' });
    const key = {
      groupName: 'svc_sync',
      type: PropertyCreateTypeEnum.String,
      fieldType: PropertyCreateFieldTypeEnum.Text,
    };
    const names = ['svc_a', 'svc_b'];
    const properties = await client.crm.properties.batchApi.create('deals', {
      inputs: names.map((name) => ({ ...key, name, label: name })),
    });
    expect(properties.results.map(({ name }) => name)).toEqual(names);
    const values = { dealname: 'One', pipeline: pipeline?.id ?? '', dealstage: pipeline?.stages[0]?.id ?? '' };
    const made = await client.crm.deals.batchApi.create({ inputs: [{ properties: values, associations: [] }] });
    const id = made.results[0]?.id ?? '';
    expect(simulator.records('deals')[0]?.properties).toMatchObject({ ...values, hs_is_closed: 'false' });
    const dealstage = pipeline?.stages.find(({ metadata }) => metadata?.['isClosed'] === 'true')?.id ?? '';
    await client.crm.deals.batchApi.update({ inputs: [{ id, properties: { dealstage } }] });
    expect(simulator.records('deals')[0]?.properties).toMatchObject({ hs_is_closed: 'true' });
    await client.crm.deals.batchApi.archive({ inputs: [{ id }] });
    expect(simulator.records('deals')).toEqual([]);
  });

  test('lists: made, filled, and deleted', async () => {
    const [contact] = simulator.contacts();
    const { list } = await client.crm.lists.listsApi.create({
      ...{ name: 'Interested', objectTypeId: '0-1', processingType: 'MANUAL' },
    });
    const added = await client.crm.lists.membershipsApi.add(list.listId, [contact?.id ?? '', '1']);
    expect(added).toMatchObject({ recordsIdsAdded: [contact?.id], recordIdsMissing: ['1'] });
    await client.crm.lists.listsApi.remove(list.listId);
    expect(simulator.state().lists).toEqual([]);
  });

  test('owners', async () => {
    const page = await client.crm.owners.ownersApi.getPage('rep@example.com');
    expect(page.results[0]?.email).toBe('rep@example.com');
  });

  test('refusals: a validation error, a wrong token', async () => {
    const bad = { inputs: [{ id: 'x@example.org', idProperty: 'email', properties: { nope: '1' } }] };
    await expect(client.crm.contacts.batchApi.upsert(bad)).rejects.toMatchObject({
      code: 400,
      body: { category: 'VALIDATION_ERROR', correlationId: expect.any(String) },
    });
    const stranger = new Client({ accessToken: 'other', basePath: simulator.url, numberOfApiCallRetries: 0 });
    await expect(stranger.crm.owners.ownersApi.getPage()).rejects.toMatchObject({ code: 401 });
  });
});
