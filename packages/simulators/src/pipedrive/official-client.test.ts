import * as v1 from 'pipedrive/v1';
import * as v2 from 'pipedrive/v2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from './simulator.ts';

/**
 * Uses the official client as an independent check: it builds its own requests, so simulator and connector cannot agree
 * on a wrong path, parameter or name of a field.
 */
let simulator: PipedriveSimulator;
let configuration: { v1: v1.Configuration; v2: v2.Configuration };
beforeAll(async () => {
  simulator = await startPipedriveSimulator({ tokens: ['personal'], users: ['rep@example.com', 'lou@example.com'] });
  configuration = {
    v1: new v1.Configuration({ apiKey: 'personal', basePath: `${simulator.url}/api/v1` }),
    v2: new v2.Configuration({
      accessToken: simulator.oauth.issueGrant().accessToken,
      basePath: `${simulator.url}/api/v2`,
    }),
  };
});
afterAll(() => simulator.close());

describe('the official client against the simulator', () => {
  test('persons: create, search, read, update, list, merge, delete', async () => {
    const persons = new v2.PersonsApi(configuration.v2);
    const made = await persons.addPerson({
      AddPersonRequest: {
        name: 'Kim Berg',
        emails: [{ value: 'kim@example.org', primary: true, label: 'work' }],
        owner_id: 502,
      },
    });
    expect(made).toMatchObject({ success: true, data: { first_name: 'Kim', last_name: 'Berg', owner_id: 502 } });
    const id = made.data?.id ?? 0;
    const found = await persons.searchPersons({
      term: 'KIM@example.org',
      fields: 'email',
      exact_match: true,
      limit: 10,
    });
    expect(found.data?.items).toMatchObject([{ item: { id, emails: ['kim@example.org'] } }]);

    const phones = [{ value: '+47 1', primary: true, label: 'work' }];
    await persons.updatePerson({ id, UpdatePersonRequest: { phones } });
    const read = await persons.getPerson({ id });
    expect(read.data).toMatchObject({ id, phones, emails: [{ value: 'kim@example.org', primary: true }] });

    const other = await persons.addPerson({ AddPersonRequest: { name: 'Kim B' } });
    const otherId = other.data?.id ?? 0;
    const listed = await persons.getPersons({ ids: `${id},${otherId},99999`, limit: 1, sort_by: 'id' });
    expect(listed.data?.map((person) => person.id)).toEqual([id]);
    const cursor = listed.additional_data?.next_cursor ?? '';
    const rest = await persons.getPersons({ ids: `${id},${otherId}`, limit: 1, sort_by: 'id', cursor });
    expect(rest.data?.map((person) => person.id)).toEqual([otherId]);

    await new v1.PersonsApi(configuration.v1).mergePersons({
      id: otherId,
      MergePersonsRequest: { merge_with_id: id },
    });
    expect((await persons.getPerson({ id: otherId })).data?.is_deleted).toBe(true);
    await persons.deletePerson({ id });
    // The client rejects with the body: this one is a 410.
    await expect(persons.deletePerson({ id })).rejects.toMatchObject({ success: true, data: { id } });
  });

  test('an own field of persons, written and found by its value', async () => {
    const fields = new v2.PersonFieldsApi(configuration.v2);
    const made = await fields.addPersonField({
      AddPersonFieldRequest: { field_name: 'Profile', field_type: 'varchar' },
    });
    const code = made.data?.field_code ?? '';
    expect(code).toMatch(/^[0-9a-f]{40}$/);
    const all = await fields.getPersonFields({ limit: 500 });
    expect(all.data?.filter((field) => field.is_custom_field).map((field) => field.field_name)).toEqual(['Profile']);
    const persons = new v2.PersonsApi(configuration.v2);
    const custom_fields = { [code]: 'https://example.org/in/ada' };
    const person = await persons.addPerson({ AddPersonRequest: { name: 'Ada', custom_fields } });
    expect(person.data?.custom_fields).toEqual(custom_fields);
    const found = await persons.searchPersons({
      term: 'https://example.org/in/ada',
      fields: 'custom_fields',
      exact_match: true,
    });
    expect(found.data?.items?.map(({ item }) => item?.id)).toEqual([person.data?.id]);
  });

  test('deals: create in a stage, list by person, win, delete; pipelines and stages', async () => {
    const pipelines = await new v2.PipelinesApi(configuration.v2).getPipelines();
    expect(pipelines.data?.map(({ id, name }) => [id, name])).toEqual([
      [1, 'Sales'],
      [2, 'Partners'],
    ]);
    const stages = await new v2.StagesApi(configuration.v2).getStages({ pipeline_id: 2 });
    const stage_id = stages.data?.[0]?.id ?? 0;
    const person = await new v2.PersonsApi(configuration.v2).addPerson({
      AddPersonRequest: { name: 'Kim', label_ids: [902] },
    });
    expect(person.data?.label_ids).toEqual([902]);
    const person_id = person.data?.id ?? 0;
    const deals = new v2.DealsApi(configuration.v2);
    const made = await deals.addDeal({ AddDealRequest: { title: 'Fleet', person_id, pipeline_id: 2, stage_id } });
    expect(made.data).toMatchObject({ title: 'Fleet', person_id, pipeline_id: 2, stage_id, status: 'open' });
    const id = made.data?.id ?? 0;
    const open = () => deals.getDeals({ person_id, pipeline_id: 2, status: 'open', limit: 2 });
    expect((await open()).data?.map((deal) => deal.id)).toEqual([id]);
    await deals.updateDeal({ id, UpdateDealRequest: { status: 'won' } });
    expect((await open()).data).toEqual([]);
    await deals.deleteDeal({ id });
    await expect(deals.getDeal({ id })).rejects.toMatchObject({ success: false });
  });

  test('organizations: create, search by name, read, link a person', async () => {
    const organizations = new v2.OrganizationsApi(configuration.v2);
    const made = await organizations.addOrganization({
      AddOrganizationRequest: { name: 'Fjord', website: 'fjord.example' },
    });
    const id = made.data?.id ?? 0;
    const found = await organizations.searchOrganization({ term: 'fjord', fields: 'name', exact_match: true });
    expect(found.data?.items?.map(({ item }) => item?.id)).toEqual([id]);
    expect((await organizations.getOrganization({ id })).data?.website).toBe('fjord.example');
    const person = await new v2.PersonsApi(configuration.v2).addPerson({
      AddPersonRequest: { name: 'Kim', org_id: id },
    });
    expect(person.data?.org_id).toBe(id);
  });

  test('activities: create with a participant, list by person, update', async () => {
    const person = await new v2.PersonsApi(configuration.v2).addPerson({ AddPersonRequest: { name: 'Kim' } });
    const person_id = person.data?.id ?? 0;
    const activities = new v2.ActivitiesApi(configuration.v2);
    const made = await activities.addActivity({
      AddActivityRequest: {
        subject: 'Route planning',
        type: 'email',
        done: true,
        due_date: '2026-03-01',
        due_time: '10:00',
        participants: [{ person_id, primary: true }],
        note: '<p class="x">Hello</p><!-- hidden -->',
      },
    });
    expect(made.data).toMatchObject({ type: 'email', done: true, person_id, note: '<p>Hello</p>' });
    const listed = await activities.getActivities({ person_id, updated_since: '2026-01-01T00:00:00Z', limit: 500 });
    expect(listed.data?.map(({ id }) => id)).toEqual([made.data?.id]);
    // The client's own name of the body.
    await activities.updateActivity({ id: made.data?.id ?? 0, AddActivityRequest: { subject: 'Again' } });
    expect(simulator.state().activities).toMatchObject([{ subject: 'Again', done: true }]);
  });

  test('notes: create, list, update, delete', async () => {
    const person = await new v2.PersonsApi(configuration.v2).addPerson({ AddPersonRequest: { name: 'Lou' } });
    const person_id = person.data?.id ?? 0;
    const notes = new v1.NotesApi(configuration.v1);
    const made = await notes.addNote({
      AddNoteRequest: {
        content: '<p>Opened</p>',
        person_id,
        add_time: '2026-03-01 10:00:00',
        pinned_to_person_flag: 0,
      },
    });
    expect(made.data).toMatchObject({ content: '<p>Opened</p>', person_id, active_flag: true });
    const id = made.data?.id ?? 0;
    await notes.updateNote({ id, NoteRequest: { content: 'Changed' } });
    const listed = await notes.getNotes({ person_id, updated_since: '2026-01-01T00:00:00Z', limit: 100 });
    expect(listed.data?.map(({ content }) => content)).toEqual(['Changed']);
    await notes.deleteNote({ id });
    expect((await notes.getNote({ id })).data?.active_flag).toBe(false);
  });

  test('users, activity types, filters', async () => {
    const users = new v1.UsersApi(configuration.v1);
    expect((await users.getCurrentUser()).data).toMatchObject({
      id: 501,
      company_id: 7_000_001,
      company_domain: 'acme',
    });
    expect((await users.getUsers()).data?.map(({ email }) => email)).toEqual(['rep@example.com', 'lou@example.com']);
    const found = await users.findUsersByName({ term: 'lou@example.com', search_by_email: 1 });
    expect(found.data?.map(({ id }) => id)).toEqual([502]);
    const types = await new v1.ActivityTypesApi(configuration.v1).getActivityTypes();
    expect(types.data?.map(({ key_string }) => key_string)).toContain('email');

    const id = Number(
      simulator.createFilter({ name: 'Customers', type: 'people', members: ['a@x.example', 'b@x.example'] }),
    );
    expect((await new v1.FiltersApi(configuration.v1).getFilter({ id })).data).toMatchObject({ id, type: 'people' });
    const persons = await new v2.PersonsApi(configuration.v2).getPersons({ filter_id: id, limit: 500, sort_by: 'id' });
    expect(persons.data?.map(({ emails }) => emails?.[0]?.value)).toEqual(['a@x.example', 'b@x.example']);
  });

  test('refusals: a personal token as Bearer, a value of another type', async () => {
    const bearer = new v2.Configuration({ accessToken: 'personal', basePath: `${simulator.url}/api/v2` });
    await expect(new v2.PersonsApi(bearer).getPersons()).rejects.toMatchObject({
      success: false,
      error: 'unauthorized access',
      errorCode: 401,
    });
    const owner_id = '501' as unknown as number;
    await expect(
      new v2.PersonsApi(configuration.v2).addPerson({ AddPersonRequest: { name: 'Kim', owner_id } }),
    ).rejects.toMatchObject({ success: false, error: expect.stringContaining('owner_id') });
  });
});
