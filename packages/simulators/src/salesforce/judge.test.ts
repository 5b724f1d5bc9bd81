import { Connection } from '@jsforce/jsforce-node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from './simulator.ts';

/**
 * Uses jsforce as an independent check: it builds its own requests and reads answers in its own way, so simulator and
 * connector cannot agree on a wrong shape.
 */
let simulator: SalesforceSimulator;
let connection: Connection;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ tokens: ['good-token'], users: [{ email: 'rep@example.com' }] });
});
beforeEach(() => {
  simulator.reset();
  connection = connect('good-token');
});
afterAll(() => simulator.close());

// Its default version is 50.0.
const connect = (accessToken: string) =>
  new Connection({ instanceUrl: simulator.url, accessToken, version: '66.0', maxRequest: 5 });

describe('jsforce against the simulator', () => {
  test('create, retrieve, update and destroy one record', async () => {
    const made = await connection.sobject('Contact').create({ LastName: 'Berg', Email: 'kim@example.org' });
    expect(made).toEqual({ id: expect.stringMatching(/^003\w{15}$/), success: true, errors: [] });
    const id = made.id ?? '';
    await connection.sobject('Contact').update({ Id: id, FirstName: 'Kim' });
    const read = await connection.sobject('Contact').retrieve(id);
    expect(read).toMatchObject({
      attributes: { type: 'Contact', url: `/services/data/v66.0/sobjects/Contact/${id}` },
      Id: id,
      FirstName: 'Kim',
    });
    await connection.sobject('Contact').destroy(id);
    await expect(connection.sobject('Contact').retrieve(id)).rejects.toMatchObject({ errorCode: 'ENTITY_IS_DELETED' });
  });

  test('upsert by email and by an own field: created, then updated, then ambiguous', async () => {
    const contact = { LastName: 'Berg', Email: 'kim@example.org' };
    const first = await connection.sobject('Contact').upsert(contact, 'Email');
    const second = await connection.sobject('Contact').upsert({ ...contact, Title: 'CTO' }, 'Email');
    expect([first.created, second.created, second.id === first.id]).toEqual([true, false, true]);
    simulator.seed('Contact', contact);
    await expect(connection.sobject('Contact').upsert(contact, 'Email')).rejects.toMatchObject({
      name: 'MULTIPLE_CHOICES',
    });
    const task = { Svc_Event_Key__c: '12:k1', Subject: 'Reply', WhoId: first.id ?? '' };
    await connection.sobject('Task').upsert(task, 'Svc_Event_Key__c');
    await connection.sobject('Task').upsert(task, 'Svc_Event_Key__c');
    expect(simulator.state().tasks).toMatchObject([{ writes: 2 }]);
  });

  test('a field of the Tooling API is there for all and hidden until a permission set shows it', async () => {
    simulator.configure({ hasEventKeyField: false });
    const Metadata = { label: 'Key', type: 'Text', length: 80, unique: true, externalId: true };
    const field = { FullName: 'Activity.Svc_Event_Key__c', Metadata };
    const made = await connection.tooling.sobject('CustomField').create(field);
    expect(made).toMatchObject({ success: true, id: expect.stringMatching(/^00N/) });
    await expect(connection.tooling.sobject('CustomField').create(field)).rejects.toMatchObject({
      errorCode: 'DUPLICATE_DEVELOPER_NAME',
    });
    const soql = "SELECT TableEnumOrId FROM CustomField WHERE DeveloperName IN ('Svc_Event_Key')";
    expect((await connection.tooling.query(soql)).records).toMatchObject([{ TableEnumOrId: 'Activity' }]);
    const hasField = async () => {
      const { fields } = await connection.sobject('Task').describe();
      return fields.some(({ name }) => name === 'Svc_Event_Key__c');
    };
    expect(await hasField()).toBe(false);
    const set = await connection.sobject('PermissionSet').create({ Name: 'Sync', Label: 'Sync' });
    await connection.sobject('FieldPermissions').create({
      ParentId: set.id ?? '',
      SobjectType: 'Task',
      Field: 'Task.Svc_Event_Key__c',
      PermissionsRead: true,
      PermissionsEdit: true,
    });
    const AssigneeId = simulator.records('User')[0]?.id ?? '';
    await connection.sobject('PermissionSetAssignment').create({ PermissionSetId: set.id ?? '', AssigneeId });
    expect(await hasField()).toBe(true);
  });

  test('an opportunity of a contact makes the contact role, which names its opportunity', async () => {
    const ContactId = simulator.seed('Contact', { LastName: 'Berg' });
    const deal = { Name: 'Deal', StageName: 'Prospecting', CloseDate: '2026-03-01', ContactId };
    const made = await connection.sobject('Opportunity').create(deal);
    const soql = `SELECT OpportunityId, Opportunity.IsClosed FROM OpportunityContactRole WHERE ContactId = '${ContactId}'`;
    expect((await connection.query(soql)).records).toMatchObject([
      { OpportunityId: made.id, Opportunity: { IsClosed: false } },
    ]);
  });

  test('collections: each record has a result of its own', async () => {
    const records = [
      { LastName: 'Berg', Email: 'kim@example.org' },
      { LastName: 'Bad', Email: 'not an address' },
      { FirstName: 'Nobody' },
    ];
    const results = await connection.sobject('Contact').create(records, { allOrNone: false });
    expect(results).toMatchObject([
      { success: true },
      { success: false, errors: [{ fields: ['Email'] }] },
      { success: false, errors: [{ fields: ['LastName'] }] },
    ]);
    expect(JSON.stringify(results)).toContain('INVALID_EMAIL_ADDRESS');
    const ids = results.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const updates = ids.map((Id) => ({ Id, Title: 'CTO' }));
    expect(await connection.sobject('Contact').update(updates)).toMatchObject([{ success: true }]);
    const upserts = [
      { LastName: 'Berg', Email: 'kim@example.org' },
      { LastName: 'Quist', Email: 'ada@example.org' },
    ];
    const upserted = await connection.sobject('Contact').upsert(upserts, 'Email');
    expect(upserted.map(({ created }) => created)).toEqual([false, true]);
    expect(await connection.sobject('Contact').retrieve(ids)).toMatchObject([{ Title: 'CTO' }]);
    expect(await connection.sobject('Contact').destroy(ids)).toMatchObject([{ success: true }]);
  });

  test('query, and queryMore over pages', async () => {
    simulator.setPageSize(2);
    for (const name of ['a', 'b', "o'c", 'd', 'e']) simulator.seed('Contact', { LastName: name });
    const first = await connection.query('SELECT Id, LastName FROM Contact ORDER BY LastName DESC');
    expect(first).toMatchObject({ totalSize: 5, done: false, records: [{ LastName: "o'c" }, { LastName: 'e' }] });
    const second = await connection.queryMore(first.nextRecordsUrl ?? '');
    expect(second).toMatchObject({ done: false, records: [{ LastName: 'd' }, { LastName: 'b' }] });
    const all = await connection.query("SELECT LastName FROM Contact WHERE LastName != 'd'", { autoFetch: true });
    expect(all.records).toHaveLength(4);
    const found = await connection.sobject('Contact').find({ LastName: "o'c" }, ['LastName']);
    expect(found).toMatchObject([{ LastName: "o'c" }]);
    simulator.endCursors();
    await expect(connection.queryMore(second.nextRecordsUrl ?? '')).rejects.toMatchObject({
      errorCode: 'INVALID_QUERY_LOCATOR',
    });
  });

  test('describe one object and all, and the usage of the day', async () => {
    simulator.configure({ hiddenFields: ['Contact.HasOptedOutOfEmail'] });
    const { fields, keyPrefix } = await connection.sobject('Contact').describe();
    expect(keyPrefix).toBe('003');
    expect(fields.find(({ name }) => name === 'LastName')).toMatchObject({ length: 80, nillable: false });
    expect(fields.map(({ name }) => name)).not.toContain('HasOptedOutOfEmail');
    const { sobjects } = await connection.describeGlobal();
    expect(sobjects.find(({ name }) => name === 'Task')).toMatchObject({ createable: true, queryable: true });
    expect(connection.limitInfo).toEqual({ apiUsage: { used: 2, limit: 100_000 } });
    expect(await connection.limits()).toMatchObject({ DailyApiRequests: { Max: 100_000, Remaining: 99_997 } });
  });

  test('identity of the token', async () => {
    expect(await connection.request(`${simulator.url}/services/oauth2/userinfo`)).toMatchObject({
      organization_id: simulator.organizationId,
      email: 'integration@example.com',
    });
  });

  test('refusals: a wrong field, a duplicate, a wrong token, no calls left', async () => {
    await expect(connection.sobject('Contact').create({ Nope: '1' })).rejects.toMatchObject({
      errorCode: 'INVALID_FIELD',
    });
    await expect(connection.query('SELECT Id FROM Contact WHERE')).rejects.toMatchObject({
      errorCode: 'MALFORMED_QUERY',
    });
    simulator.configure({
      duplicateRules: [{ name: 'Same', objectType: 'Contact', matches: ['Lead'], fields: ['Email'], action: 'alert' }],
    });
    const leadId = simulator.seed('Lead', { LastName: 'Berg', Company: 'Fjord', Email: 'kim@example.org' });
    const contact = { LastName: 'Berg', Email: 'kim@example.org' };
    await expect(connection.sobject('Contact').create(contact)).rejects.toMatchObject({
      errorCode: 'DUPLICATES_DETECTED',
      data: { duplicateResult: { matchResults: [{ matchRecords: [{ record: { Id: leadId } }] }] } },
    });
    const headers = { 'Sforce-Duplicate-Rule-Header': 'allowSave=true' };
    expect(await connection.sobject('Contact').create(contact, { headers })).toMatchObject({ success: true });
    await expect(connect('other').query('SELECT Id FROM Contact')).rejects.toMatchObject({
      errorCode: 'INVALID_SESSION_ID',
    });
    simulator.setRateLimit({ daily: 10, used: 10 });
    await expect(connection.query('SELECT Id FROM Contact')).rejects.toMatchObject({
      errorCode: 'REQUEST_LIMIT_EXCEEDED',
    });
  });
});
