import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import { createWriter, of, START, TOKEN, type Writer } from '../../test/support/pipedrive.ts';

let simulator: PipedriveSimulator;
let writer: Writer;
let nowMs = START.getTime();
const now = () => new Date(nowMs);
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  const users = ['owner@example.com', 'rep@example.com'];
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, users, now, hasCampaigns: true });
});
afterAll(() => simulator.close());
beforeEach(() => {
  nowMs = START.getTime();
  simulator.reset();
  writer = createWriter(simulator, { now });
});

const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path.split('?')[0]}`);
async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  const before = simulator.requests().length;
  await run();
  return calls().slice(before);
}
async function send(method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { 'x-api-token': TOKEN },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
}
const personOf = (email: string) =>
  simulator.state().persons.find(({ emails }) => emails.some(({ value }) => value === email));

test('every mark of a written part has the prefix of marks that are forgotten after 30 days', async () => {
  await writer.write({ eventType: 'EMAIL_OPEN' });
  await writer.write({ key: 'k2', eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true } });
  const marks = [...writer.records.all.keys()].filter((identity) => identity.includes('svc:'));
  expect(marks).toHaveLength(3);
  expect(marks.filter((identity) => !identity.startsWith('activity:'))).toEqual([]);
});

describe('one event', () => {
  test('creates a person and an activity that names the event', async () => {
    const [outcome] = await writer.write({});
    const { persons, activities } = simulator.state();
    expect(outcome).toEqual({
      status: 'success',
      contactId: String(persons[0]?.id),
      engagementId: String(activities[0]?.id),
    });
    expect(persons).toMatchObject([
      { name: 'Kim Berg', emails: [{ value: 'kim@fjord.example.org', primary: true, label: 'work' }], owner_id: 501 },
    ]);
    expect(activities).toMatchObject([
      {
        subject: 'Route planning',
        type: 'email',
        done: true,
        due_date: '2026-03-01',
        due_time: '10:00',
        participants: [{ person_id: persons[0]?.id, primary: true }],
        note: expect.stringMatching(/Campaign: Spring &lt;2026&gt;.*Hello Kim.*<p>Ref svc:[0-9a-f]{20}<\/p>$/),
      },
    ]);
  });

  test.each([
    ['EMAIL_REPLY', 'activity', 'email'],
    ['CALL_COMPLETED', 'activity', 'call'],
    ['EMAIL_OPEN', 'note', null],
    ['EMAIL_LINK_CLICK', 'note', null],
    ['EMAIL_BOUNCE', 'note', null],
    ['LEAD_UNSUBSCRIBED', 'note', null],
    ['LEAD_CATEGORY_UPDATED', 'note', null],
    ['MESSAGE_SENT', 'note', null],
    ['INMAIL_REPLY', 'note', null],
    ['CONNECTION_REQUEST_SENT', 'note', null],
    ['SOMETHING_NEW', 'note', null],
  ])('%s becomes a %s', async (eventType, kind, type) => {
    expect(await writer.write({ eventType })).toMatchObject([{ status: 'success' }]);
    const { activities, notes } = simulator.state();
    expect([activities.map((activity) => activity.type), notes.length]).toEqual(
      kind === 'note' ? [[], 1] : [[type], 0],
    );
  });

  test('a note is dated when the event happened', async () => {
    await writer.write({ eventType: 'EMAIL_OPEN' });
    await writer.write({ eventType: 'EMAIL_OPEN', occurredAt: null, key: 'k2' });
    expect(simulator.state().notes.map(({ add_time }) => add_time)).toEqual([
      '2026-03-01 10:00:00',
      '2026-03-01 12:00:00',
    ]);
  });

  test('a type that an admin removed is replaced by the first active one', async () => {
    await writer.write({});
    simulator.setActivityTypes(['note', 'call']);
    nowMs += 3_600_000;
    expect(await writer.write({ key: 'k2' })).toMatchObject([{ status: 'success' }]);
    expect(simulator.state().activities.map(({ type }) => type)).toEqual(['email', 'note']);
  });
});

describe('calls and tokens', () => {
  const tokensOf = async (run: () => Promise<unknown>) => {
    const before = simulator.state().counts.tokens;
    await run();
    return simulator.state().counts.tokens - before;
  };

  test('an activity of a known contact is one call and 5 tokens, a note one call and 10', async () => {
    await writer.write({});
    const tokens = await tokensOf(async () =>
      expect(await callsOf(() => writer.write({ key: 'k2' }))).toEqual(['POST /api/v2/activities']),
    );
    expect(tokens).toBe(5);
    const noteTokens = await tokensOf(async () =>
      expect(await callsOf(() => writer.write({ key: 'k3', eventType: 'EMAIL_OPEN' }))).toEqual(['POST /api/v1/notes']),
    );
    expect(noteTokens).toBe(10);
  });

  test('an unknown contact is three calls and 30 tokens', async () => {
    await writer.write({});
    const tokens = await tokensOf(async () =>
      expect(await callsOf(() => writer.write(of('lou')))).toEqual([
        'GET /api/v2/persons/search',
        'POST /api/v2/persons',
        'POST /api/v2/activities',
      ]),
    );
    expect(tokens).toBe(30);
  });

  test('100 events of known contacts are at most 120 calls, with another process too', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
    await writer.write(...names.map((name) => of(name)));
    const other = createWriter(simulator, { now, records: writer.records });
    nowMs += 8 * 24 * 3_600_000;
    const made = await callsOf(async () => {
      for (const round of ['a', 'b']) {
        const outcomes = await other.write(...names.map((name) => of(name, { key: `${name}${round}` })));
        expect(outcomes.every(({ status }) => status === 'success')).toBe(true);
      }
    });
    // After a week: one call reads all persons, one the activity types.
    expect(made.length).toBeLessThanOrEqual(102);
    expect(made.filter((call) => call === 'GET /api/v2/persons')).toHaveLength(1);
  });

  test('costs and limits are reported around each call', async () => {
    simulator.setRateLimit({ burst: 80, dailyTokens: 150_000 });
    const taken: unknown[] = [];
    const reported: unknown[] = [];
    const quota = {
      take: async (call: unknown) => {
        taken.push(call);
        return null;
      },
      report: async (call: unknown, report: unknown) => void reported.push(report),
    };
    await createWriter(simulator, { now, access: { quota } }).write({});
    expect(taken).toEqual([
      { operation: 'persons_search', cost: 20, bucket: 'search' },
      { operation: 'persons_write', cost: 5 },
      { operation: 'activities_read', cost: 20 },
      { operation: 'activities_write', cost: 5 },
    ]);
    expect(reported[0]).toEqual({
      httpStatus: 200,
      window: { remaining: 79, resetMs: 2_000, limit: 80 },
      daily: { remaining: 149_980, limit: 150_000 },
    });
  });

  test('an OAuth token is sent as Bearer to the host of the account, a personal one is not', async () => {
    const { accessToken } = simulator.oauth.issueGrant();
    const access = { accessToken, tokenType: 'oauth' as const, apiUrl: simulator.url };
    const granted = createWriter(simulator, { now, baseUrl: 'http://127.0.0.1:1', access });
    expect(await granted.write({})).toMatchObject([{ status: 'success' }]);
    expect(simulator.requests().every(({ authorization }) => authorization === `Bearer ${accessToken}`)).toBe(true);
    const before = simulator.requests().length;
    await writer.write({ key: 'k2' });
    for (const { authorization, path, body } of simulator.requests().slice(before)) {
      expect(authorization).toBeNull();
      expect(path + JSON.stringify(body)).not.toContain(TOKEN);
    }
  });
});

describe('existing data wins', () => {
  test('a person that exists is found without case, and only its blanks are filled', async () => {
    const emails = [
      { value: 'old@fjord.example.org', primary: true, label: 'home' },
      { value: 'Kim@Fjord.example.org', primary: false, label: 'work' },
    ];
    await send('POST', '/api/v2/persons', { name: 'Kimberly', emails });
    await writer.write({ contact: { phone: '+47 55' } });
    expect(simulator.state().persons).toMatchObject([
      { name: 'Kimberly', emails, phones: [{ value: '+47 55' }], writes: 2 },
    ]);
    await writer.write({ contact: { phone: '+47 66' }, key: 'k2' });
    expect(simulator.state().persons).toMatchObject([{ phones: [{ value: '+47 55' }], writes: 2 }]);
  });

  test('new details cost a read, details that are known to be filled do not', async () => {
    await writer.write({});
    expect(await callsOf(() => writer.write({ key: 'k2', contact: { phone: '+47 55' } }))).toEqual([
      'GET /api/v2/persons/1',
      'PATCH /api/v2/persons/1',
      'POST /api/v2/activities',
    ]);
    expect(await callsOf(() => writer.write({ key: 'k3', contact: { phone: '+47 66' } }))).toHaveLength(1);
    expect(await callsOf(() => writer.write({ key: 'k4' }))).toHaveLength(1);
  });

  test('of several persons with the address, the oldest is used', async () => {
    const emails = [{ value: 'kim@fjord.example.org', primary: true, label: 'work' }];
    for (const name of ['First', 'Second']) await send('POST', '/api/v2/persons', { name, emails });
    await writer.write({});
    expect(simulator.state().activities).toMatchObject([{ participants: [{ person_id: 1 }] }]);
  });

  test('the address is not a name once the name is known', async () => {
    await writer.write({ contact: { firstName: null, lastName: null } });
    expect(simulator.state().persons).toMatchObject([{ name: 'kim@fjord.example.org' }]);
    await writer.write({ key: 'k2' });
    expect(simulator.state().persons).toMatchObject([{ name: 'Kim Berg' }]);
  });

  test('a detail that Pipedrive refuses is left out, with a warning', async () => {
    await writer.write({});
    simulator.failNext(1, 400, { match: /PATCH/ });
    const phone = '+47 55';
    expect(await writer.write({ key: 'k2', contact: { phone } })).toMatchObject([
      { status: 'warning', error: { code: 'refused', httpStatus: 400 } },
    ]);
    expect(await callsOf(() => writer.write({ key: 'k3', contact: { phone } }))).toHaveLength(1);
  });

  test('a new person is made without the details that Pipedrive refuses', async () => {
    simulator.failNext(1, 403, { match: /POST .*persons$/ });
    expect(await writer.write({ contact: { phone: '+47 55' } })).toMatchObject([{ status: 'warning' }]);
    expect(simulator.state()).toMatchObject({ persons: [{ phones: [] }], activities: [{}] });
  });
});

describe('social-only events', () => {
  const profileUrl = 'https://www.linkedin.com/in/ada-quist';
  const social = {
    toEmail: profileUrl,
    eventType: 'MESSAGE_REPLY',
    contact: { email: null, profileUrl, firstName: null, lastName: null },
  };

  test('use the person of the profile URL, created once, in a field created once', async () => {
    await writer.write(social);
    await writer.write({ ...social, key: 'k2' });
    const { persons, personFields, notes } = simulator.state();
    const [field, ...others] = personFields;
    expect(others).toEqual([]);
    expect(field).toMatchObject({ field_name: 'Sequencer profile URL', field_type: 'varchar' });
    expect(persons).toMatchObject([
      { name: 'ada-quist', emails: [], custom_fields: { [field?.field_code ?? '']: profileUrl } },
    ]);
    expect(notes).toHaveLength(2);
  });

  test('find the person by its value when nothing is remembered', async () => {
    await writer.write(social);
    await createWriter(simulator, { now }).write({ ...social, key: 'k2' });
    expect(simulator.state()).toMatchObject({ persons: [{ id: expect.any(Number) }], personFields: [{}] });
    expect(simulator.state().persons).toHaveLength(1);
  });

  test('an email event with the same profile URL adds the address to the person without one', async () => {
    await writer.write(social);
    const email = 'ada@example.org';
    await writer.write({ key: 'k2', toEmail: email, contact: { profileUrl, firstName: 'Ada', lastName: 'Quist' } });
    await writer.write({ ...social, key: 'k3' });
    expect(simulator.state().persons).toMatchObject([{ name: 'Ada Quist', emails: [{ value: email }] }]);
  });

  test('a profile URL does not join persons with different addresses', async () => {
    await writer.write(of('kim', { contact: { profileUrl } }));
    await writer.write(of('lou', { contact: { profileUrl } }));
    expect(simulator.state().persons.map(({ emails }) => emails.map(({ value }) => value))).toEqual([
      ['kim@fjord.example.org'],
      ['lou@fjord.example.org'],
    ]);
  });

  test('without the permission to make fields the person is written, with a warning', async () => {
    simulator.failNext(10, 403, { match: /Fields/ });
    expect(await writer.write(of('kim', { contact: { profileUrl } }))).toMatchObject([
      { status: 'warning', error: { code: 'forbidden' } },
    ]);
    expect(await callsOf(() => writer.write(of('kim', { key: 'k2', contact: { profileUrl } })))).toHaveLength(1);
  });

  test('a deleted field is made again', async () => {
    await writer.write(social);
    const records = writer.records;
    simulator.reset();
    await records.delete([`url:${profileUrl}`]);
    const outcomes = [await writer.write({ ...social, key: 'k2' }), await writer.write({ ...social, key: 'k3' })];
    expect(outcomes.flat().at(-1)).toMatchObject({ status: 'success' });
    expect(simulator.state().persons).toHaveLength(1);
  });
});

describe('organizations', () => {
  const source = { createOrUpdateCompany: true };

  test('one per domain, linked with each person, and with the activities', async () => {
    await writer.write(of('kim', { source }), of('lou', { source }), of('per', { source }));
    const { organizations, persons, activities, organizationFields } = simulator.state();
    expect(organizations).toMatchObject([
      { name: 'Fjord', custom_fields: { [organizationFields[0]?.field_code ?? '']: 'fjord.example.org' } },
    ]);
    const id = organizations[0]?.id;
    expect(persons.map(({ org_id }) => org_id)).toEqual([id, id, id]);
    expect(activities.map(({ org_id }) => org_id)).toEqual([id, id, id]);
  });

  test('an organization of that name is used when its website has the domain', async () => {
    for (const website of ['https://fjord.example.com', 'https://www.fjord.example.org/about']) {
      await send('POST', '/api/v2/organizations', { name: 'Fjord', website });
    }
    await writer.write({ source });
    expect(simulator.state().persons).toMatchObject([{ org_id: 2 }]);
    expect(simulator.state().organizations).toHaveLength(2);
  });

  test('a person keeps its organization', async () => {
    await send('POST', '/api/v2/organizations', { name: 'Other' });
    const emails = [{ value: 'kim@fjord.example.org', primary: true, label: 'work' }];
    await send('POST', '/api/v2/persons', { name: 'Kim', emails, org_id: 1 });
    expect(await callsOf(() => writer.write({ source }))).not.toContain('POST /api/v2/organizations');
    expect(simulator.state().persons).toMatchObject([{ org_id: 1 }]);
  });

  test('none for free mail', async () => {
    await writer.write({ toEmail: 'kim@gmail.com', source });
    expect(simulator.state().organizations).toEqual([]);
  });

  test('a refused organization is a warning, and the event is written', async () => {
    simulator.failNext(1, 403, { match: /organizations/ });
    expect(await writer.write({ source })).toMatchObject([{ status: 'warning', error: { code: 'forbidden' } }]);
    expect(simulator.state().activities).toHaveLength(1);
  });

  test('a deleted organization does not keep events of its persons from being written', async () => {
    await writer.write({ source });
    const id = simulator.state().organizations[0]?.id;
    await fetch(`${simulator.url}/api/v2/organizations/${id}`, { method: 'DELETE', headers: { 'x-api-token': TOKEN } });
    expect(await writer.write({ source, key: 'k2' })).toMatchObject([{ status: 'success' }]);
    expect(simulator.state().activities).toHaveLength(2);
  });
});

describe('owners and to-dos', () => {
  const source = { assignContactOwner: true, createOrUpdateTask: true };

  test('the owner of the mailbox owns a new person, and the to-do of a reply', async () => {
    await writer.write({ eventType: 'EMAIL_REPLY', source });
    const { persons, activities } = simulator.state();
    expect(persons).toMatchObject([{ owner_id: 502 }]);
    expect(activities).toMatchObject([
      { type: 'email', subject: 'Reply: Route planning' },
      { type: 'task', subject: 'Reply from Kim Berg', done: false, due_date: '2026-03-01', owner_id: 502 },
    ]);
  });

  test('an existing person gets the owner only instead of the user of the token', async () => {
    const person = (name: string, owner_id: number) =>
      send('POST', '/api/v2/persons', {
        name,
        owner_id,
        emails: [{ value: `${name}@fjord.example.org`, primary: true, label: 'work' }],
      });
    await person('kim', 501);
    await person('lou', 502);
    await writer.write(of('kim', { source }), of('lou', { source, fromEmail: 'owner@example.com' }));
    expect([personOf('kim@fjord.example.org')?.owner_id, personOf('lou@fjord.example.org')?.owner_id]).toEqual([
      502, 502,
    ]);
  });

  test('unknown mailboxes own nothing, and users are looked up once in a while', async () => {
    await writer.write(
      of('kim', { source, fromEmail: 'stranger@example.com' }),
      of('lou', { source }),
      of('per', { source }),
    );
    await createWriter(simulator, { now, records: writer.records }).write(of('eva', { source }));
    expect(calls().filter((call) => call.startsWith('GET /api/v1/users'))).toEqual(['GET /api/v1/users']);
    expect(personOf('kim@fjord.example.org')?.owner_id).toBe(501);
  });

  test('a retry neither doubles a to-do nor opens one that was done', async () => {
    await writer.write({ eventType: 'EMAIL_REPLY', source });
    const todo = simulator.state().activities.find(({ type }) => type === 'task');
    await send('PATCH', `/api/v2/activities/${todo?.id}`, { done: true });
    await writer.write({ eventType: 'EMAIL_REPLY', source, isRepeated: true });
    expect(simulator.state().activities.map(({ type, done }) => [type, done])).toEqual([
      ['email', true],
      ['task', true],
    ]);
  });

  test('an opt-out is marked only when the source says so', async () => {
    await writer.write({ eventType: 'LEAD_UNSUBSCRIBED' });
    expect(simulator.state().persons).toMatchObject([{ marketing_status: 'no_consent' }]);
    const marked = { eventType: 'LEAD_UNSUBSCRIBED', source: { writeStateFields: true } };
    expect(await writer.write({ ...marked, key: 'k2' })).toMatchObject([{ status: 'success' }]);
    expect(simulator.state().persons).toMatchObject([{ marketing_status: 'unsubscribed' }]);
    expect(await callsOf(() => writer.write({ ...marked, key: 'k3' }))).toEqual(['POST /api/v1/notes']);
  });

  test('without the add-on the mark is a warning', async () => {
    simulator.failNext(1, 403, { match: /PATCH/ });
    const outcomes = await writer.write({ eventType: 'LEAD_UNSUBSCRIBED', source: { writeStateFields: true } });
    expect(outcomes).toMatchObject([{ status: 'warning', error: { httpStatus: 403 } }]);
    expect(simulator.state().notes).toHaveLength(1);
  });
});

describe('persons that are gone', () => {
  const remove = (id: number) =>
    fetch(`${simulator.url}/api/v2/persons/${id}`, { method: 'DELETE', headers: { 'x-api-token': TOKEN } });

  test.each(['deleted', 'purged'])('a %s person is forgotten, and searched and made again', async (how) => {
    await writer.write({});
    await remove(1);
    if (how === 'purged') simulator.purgePerson(1);
    expect(await writer.write({ key: 'k2' }, { key: 'k3', eventType: 'EMAIL_OPEN' })).toMatchObject([
      { status: 'success' },
      { status: 'success' },
    ]);
    const { persons, activities, notes } = simulator.state();
    expect(persons).toHaveLength(1);
    expect([activities.at(-1)?.participants[0]?.person_id, notes[0]?.person_id]).toEqual([
      persons[0]?.id,
      persons[0]?.id,
    ]);
  });

  test('after a merge the surviving person is used', async () => {
    await writer.write({});
    await send('POST', '/api/v2/persons', { name: 'Kim (old)' });
    const survivor = simulator.state().persons.find(({ name }) => name === 'Kim (old)');
    await send('PUT', '/api/v1/persons/1/merge', { merge_with_id: survivor?.id });
    expect(await writer.write({ key: 'k2' })).toMatchObject([{ status: 'success', contactId: String(survivor?.id) }]);
    expect(simulator.state().persons).toHaveLength(1);
  });
});
