import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import { createWriter, type EventChanges, of, START, TOKEN, type Writer } from '../../test/support/pipedrive.ts';
import { noMatchingContact } from '../port/no-matching-contact.ts';

/** What the connector makes of the plan of an event: whether it creates the person, what it writes, and who owns it. */

const OWNER = 501;
const REP = 502;
const SAM = 503;
const DAY_MS = 24 * 3_600_000;

let simulator: PipedriveSimulator;
let writer: Writer;
let nowMs = START.getTime();
const now = () => new Date(nowMs);
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  // The token is that of the first user.
  const users = ['owner@example.com', 'rep@example.com', 'sam@example.com'];
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, users, now });
});
afterAll(() => simulator.close());
beforeEach(() => {
  nowMs = START.getTime();
  simulator.reset();
  writer = createWriter(simulator, { now });
});

async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  const before = calls().length;
  await run();
  return calls().slice(before);
}
async function send(method: string, path: string, body?: unknown): Promise<void> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${simulator.url}${path}`, { method, headers: { 'x-api-token': TOKEN }, ...init });
  expect(response.ok).toBe(true);
}
const counts = () => {
  const { persons, activities, notes, organizations } = simulator.state();
  return [persons.length, activities.length, notes.length, organizations.length];
};
const URL_OF_KIM = 'https://www.linkedin.com/in/kim';
const NEVER = { create: 'never' };
const ALL = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };
const found = { status: 'success', contactId: '1' };

describe('a plan that does not create contacts', () => {
  test('an unknown person costs the one search, and nothing is written', async () => {
    const events = ['kim', 'lou'].map((name) => of(name, { eventType: 'EMAIL_REPLY', source: ALL, policy: NEVER }));
    const made = await callsOf(async () =>
      expect(await writer.write(...events)).toEqual([noMatchingContact(), noMatchingContact()]),
    );
    expect(made).toEqual(['GET /api/v2/persons/search', 'GET /api/v2/persons/search']);
    expect(counts()).toEqual([0, 0, 0, 0]);
  });

  test('the answer is not remembered: a person that appears later is found', async () => {
    expect(await writer.write(of('kim', { policy: NEVER }))).toEqual([noMatchingContact()]);
    expect(writer.records.all.size).toBe(0);
    const emails = [{ value: 'kim@fjord.example.org', primary: true, label: 'work' }];
    await send('POST', '/api/v2/persons', { name: 'Kim', emails });
    expect(await writer.write(of('kim', { policy: NEVER, isRepeated: true }))).toMatchObject([found]);
    expect(counts()).toEqual([1, 1, 0, 0]);
  });

  test('a known person is filled and gets the activity', async () => {
    await writer.write(of('kim'));
    const event = of('kim', { key: 'k2', policy: NEVER, contact: { phone: '+47 55' } });
    expect(await writer.write(event)).toMatchObject([found]);
    expect(simulator.state().persons).toMatchObject([{ phones: [{ value: '+47 55' }] }]);
    expect(counts()).toEqual([1, 2, 0, 0]);
  });

  test('the first event of a batch that may creates the person, the events before it have none', async () => {
    const kim = (key: string, changes: EventChanges = {}) => of('kim', { key, policy: NEVER, ...changes });
    expect(
      await writer.write(
        kim('k1', { contact: { firstName: 'Early', lastName: null } }),
        of('lou', { policy: NEVER }),
        kim('k2', { policy: {} }),
        kim('k3', { contact: { phone: '+47 55' }, eventType: 'EMAIL_OPEN' }),
      ),
    ).toMatchObject([noMatchingContact(), noMatchingContact(), found, { status: 'success' }]);
    expect(simulator.state().persons).toMatchObject([{ name: 'Kim Berg', phones: [{ value: '+47 55' }] }]);
    expect(counts()).toEqual([1, 1, 1, 0]);
  });

  test('an unknown profile is looked for and not created', async () => {
    const event = { toEmail: URL_OF_KIM, contact: { email: null }, policy: NEVER };
    expect(await writer.write(event)).toEqual([noMatchingContact()]);
    expect(counts()).toEqual([0, 0, 0, 0]);
  });

  test('an unknown address belongs to the person of the profile URL; it is added when the plan fills', async () => {
    const social = { toEmail: URL_OF_KIM, contact: { email: null } };
    const both = { contact: { profileUrl: URL_OF_KIM } };
    await writer.write({ ...social, key: 'k1' });
    const timeline = { ...NEVER, events: [{ write: ['timeline'] }] };
    expect(await writer.write(of('kim', { ...both, key: 'k2', policy: timeline }))).toMatchObject([
      { status: 'success' },
    ]);
    expect(simulator.state().persons).toMatchObject([{ emails: [] }]);
    expect(await writer.write(of('kim', { key: 'k3', policy: NEVER }))).toEqual([noMatchingContact()]);
    expect(await writer.write(of('kim', { ...both, key: 'k4', policy: NEVER }))).toMatchObject([{ status: 'success' }]);
    expect(await writer.write(of('kim', { key: 'k5', policy: NEVER }))).toMatchObject([{ status: 'success' }]);
    expect(simulator.state().persons).toMatchObject([{ emails: [{ value: 'kim@fjord.example.org' }] }]);
  });

  test('a creation whose answer was lost is found, and made by the event that may', async () => {
    simulator.failNext(1, 'lost-answer', { match: /POST .*persons/ });
    expect(await writer.write(of('kim'))).toMatchObject([{ status: 'error' }]);
    simulator.freezeSearch(true);
    expect(await writer.write(of('kim', { key: 'k2', policy: NEVER }))).toMatchObject([found]);
    simulator.freezeSearch(false);
    simulator.failNext(1, 'reset', { match: /POST .*persons/ });
    expect(await writer.write(of('lou'))).toMatchObject([{ status: 'error' }]);
    expect(await writer.write(of('lou', { key: 'k3', policy: NEVER }))).toEqual([noMatchingContact()]);
    expect(await writer.write(of('lou', { isRepeated: true }))).toMatchObject([{ status: 'success' }]);
    expect(simulator.state().persons).toHaveLength(2);
  });

  test.each([['timeline'], ['task']])(
    'a person who was deleted is not made again; the plan writes the %s',
    async (part) => {
      await writer.write(of('kim'));
      await send('DELETE', '/api/v2/persons/1');
      const policy = { ...NEVER, events: [{ write: [part] }] };
      const event = of('kim', { key: 'k2', eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true }, policy });
      expect(await writer.write(event)).toEqual([noMatchingContact()]);
      expect(await writer.write(event)).toEqual([noMatchingContact()]);
      expect(simulator.state().persons.filter(({ is_deleted }) => !is_deleted)).toEqual([]);
    },
  );
});

describe('what a plan writes', () => {
  const FIELDS = [
    'GET /api/v2/persons/1',
    'GET /api/v2/organizationFields',
    'POST /api/v2/organizationFields',
    'GET /api/v2/organizations/search',
    'GET /api/v2/organizations/search',
    'POST /api/v2/organizations',
    'PATCH /api/v2/persons/1',
  ];
  const CASES = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
    timeline: (bits & 1) > 0,
    fields: (bits & 2) > 0,
    task: (bits & 4) > 0,
  }));

  test.each(CASES)('for a known person: %o', async (writes) => {
    await writer.write(of('kim'));
    const { timeline, fields, task } = writes;
    const event = of('kim', {
      ...{ key: 'k2', eventType: 'EMAIL_REPLY', source: { ...ALL, assignContactOwner: false } },
      policy: { events: [{ write: Object.entries(writes).flatMap(([name, isOn]) => (isOn ? [name] : [])) }] },
      contact: { phone: '+47 55' },
    });
    const made = await callsOf(async () =>
      expect(await writer.write(event)).toEqual([{ ...found, engagementId: timeline ? expect.any(String) : null }]),
    );
    const activities = Number(timeline) + Number(task);
    expect(made).toEqual([
      ...(fields ? FIELDS : []),
      ...Array.from({ length: activities }, () => 'POST /api/v2/activities'),
    ]);
    expect(counts()).toEqual([1, 1 + activities, 0, fields ? 1 : 0]);
    expect(simulator.state().persons[0]?.phones).toHaveLength(fields ? 1 : 0);
  });

  test('a person who is created gets the details although the plan fills nothing, but no organization', async () => {
    const policy = { events: [{ write: ['timeline'] }] };
    const contact = { phone: '+47 55' };
    await writer.write(of('kim', { source: ALL, policy, contact }));
    const more = of('kim', { key: 'k2', source: ALL, policy, contact: { profileUrl: URL_OF_KIM } });
    expect(await callsOf(() => writer.write(more))).toEqual(['POST /api/v2/activities']);
    expect(simulator.state().persons).toMatchObject([
      { name: 'Kim Berg', phones: [{ value: '+47 55' }], owner_id: REP, custom_fields: {} },
    ]);
    expect(counts()).toEqual([1, 2, 0, 0]);
  });

  test('a to-do alone that is refused is a warning', async () => {
    await writer.write(of('kim'));
    simulator.failNext(2, 400, { match: /POST .*activities/ });
    const policy = { events: [{ write: ['task'] }] };
    const event = of('kim', { key: 'k2', eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true }, policy });
    expect(await writer.write(event)).toMatchObject([{ status: 'warning', contactId: '1', engagementId: null }]);
  });
});

describe('owners', () => {
  test.each([
    ['an address', 'SAM@example.com', SAM],
    ['an id', String(SAM), SAM],
    ['an unknown user: the mailbox is next', 'stranger@example.com', REP],
  ])('are named by %s', async (_name, user, expected) => {
    await writer.write(of('kim', { policy: { owner: { map: [{ mailbox: '*', user }] } } }));
    expect(simulator.state().persons).toMatchObject([{ owner_id: expected }]);
    expect(simulator.state().activities).toMatchObject([{ owner_id: expected }]);
  });

  test.each([
    ['if-empty', [REP, REP]],
    ['always', [REP, SAM]],
    ['never', [OWNER, OWNER]],
  ])('of persons, %s', async (contact, expected) => {
    const owned = (key: string, fromEmail: string) => of('kim', { key, fromEmail, policy: { owner: { contact } } });
    const owners = () => simulator.state().persons.map(({ owner_id }) => owner_id);
    await writer.write(owned('k1', 'rep@example.com'));
    const first = owners();
    await writer.write(owned('k2', 'sam@example.com'));
    expect([...first, ...owners()]).toEqual(expected);
  });

  test('an owner that is right already costs no call; one that somebody changed is set again', async () => {
    const owned = (key: string) => of('kim', { key, policy: { owner: { contact: 'always' } } });
    await writer.write(owned('k1'));
    expect(await callsOf(() => writer.write(owned('k2')))).toEqual(['POST /api/v2/activities']);
    await send('PATCH', '/api/v2/persons/1', { owner_id: SAM });
    nowMs += 8 * DAY_MS;
    await writer.write(owned('k3'));
    expect(simulator.state().persons).toMatchObject([{ owner_id: REP }]);
  });

  test('a replaced owner that Pipedrive refuses is a warning, and is not tried again', async () => {
    const owned = (key: string) =>
      of('kim', { key, fromEmail: 'sam@example.com', policy: { owner: { contact: 'always', activities: false } } });
    await writer.write(of('kim'));
    simulator.failNext(1, 400, { match: /PATCH .*persons/ });
    expect(await writer.write(owned('k2'))).toMatchObject([{ status: 'warning' }]);
    expect(await callsOf(() => writer.write(owned('k3')))).toEqual(['POST /api/v2/activities']);
  });

  test.each([
    [true, REP],
    [false, OWNER],
  ])('of activities and to-dos when the plan says so: %s', async (activities, expected) => {
    const policy = { owner: { activities, contact: 'never' } };
    await writer.write(of('kim', { eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true }, policy }));
    await writer.write(of('kim', { key: 'k2', eventType: 'EMAIL_OPEN', policy }));
    const { activities: made, notes } = simulator.state();
    expect(made.map(({ owner_id }) => owner_id)).toEqual([expected, expected]);
    // A note has an author, no owner.
    expect(notes.map(({ user_id }) => user_id)).toEqual([OWNER]);
  });

  test('of organizations only when they are created', async () => {
    const owned = (name: string, fromEmail: string, companyDomain: string) =>
      of(name, {
        ...{ fromEmail, source: { createOrUpdateCompany: true }, contact: { companyDomain } },
        policy: { owner: { companies: true, contact: 'never', activities: false } },
      });
    await writer.write(owned('kim', 'rep@example.com', 'fjord.example.org'));
    const other = createWriter(simulator, { now });
    await other.write(
      owned('lou', 'sam@example.com', 'fjord.example.org'),
      owned('ada', 'sam@example.com', 'strand.example.org'),
    );
    expect(simulator.state().organizations.map(({ owner_id }) => owner_id)).toEqual([REP, SAM]);
  });

  test('that Pipedrive refuses on an activity or organization are left out, with a warning', async () => {
    const policy = { owner: { companies: true, contact: 'never' } };
    simulator.failNext(1, 400, { match: /POST .*organizations$/ });
    const source = { createOrUpdateCompany: true };
    expect(await writer.write(of('kim', { source, policy }))).toMatchObject([{ status: 'warning' }]);
    // The first refusal may be about the type of the activity, which is looked up again.
    nowMs += 3_600_000;
    simulator.failNext(1, 400, { match: /POST .*activities/ });
    expect(await writer.write(of('kim', { key: 'k2', source, policy }))).toMatchObject([{ status: 'warning' }]);
    expect(simulator.state().organizations).toMatchObject([{ owner_id: OWNER }]);
    expect(simulator.state().activities.map(({ owner_id }) => owner_id)).toEqual([REP, OWNER]);
  });
});

describe('an event that is repeated', () => {
  test('stays with its person when another address has taken its place', async () => {
    const profile = { profileUrl: URL_OF_KIM };
    await writer.write({ key: 'k1', toEmail: URL_OF_KIM, contact: { email: null } });
    const timeline = { events: [{ write: ['timeline'] }] };
    const event = of('kim', { key: 'k2', contact: profile, policy: timeline });
    await writer.write(event);
    await writer.write(of('lou', { contact: profile }));
    expect(simulator.state().persons).toMatchObject([{ emails: [{ value: 'lou@fjord.example.org' }] }]);
    expect(await callsOf(() => writer.write({ ...event, isRepeated: true }))).toEqual([]);
    expect(counts()).toEqual([1, 3, 0, 0]);
  });

  test('whose answer was lost is looked for where it was written', async () => {
    const profile = { profileUrl: URL_OF_KIM };
    await writer.write({ key: 'k1', toEmail: URL_OF_KIM, contact: { email: null } });
    const event = of('kim', { key: 'k2', contact: profile, policy: { events: [{ write: ['timeline'] }] } });
    simulator.failNext(1, 'lost-answer', { match: /POST .*activities/ });
    expect(await writer.write(event)).toMatchObject([{ status: 'error' }]);
    await writer.write(of('lou', { contact: profile }));
    expect(await writer.write({ ...event, isRepeated: true })).toMatchObject([{ status: 'success' }]);
    expect(counts()).toEqual([1, 3, 0, 0]);
  });

  test('does not set its owner again when a later event has set another one', async () => {
    const owned = (key: string, fromEmail: string) =>
      of('kim', { key, fromEmail, policy: { owner: { contact: 'always' } } });
    await writer.write(owned('k1', 'rep@example.com'));
    await writer.write(owned('k2', 'sam@example.com'));
    expect(await callsOf(() => writer.write({ ...owned('k1', 'rep@example.com'), isRepeated: true }))).toEqual([]);
    expect(simulator.state().persons).toMatchObject([{ owner_id: SAM }]);
  });

  test('writes the to-do that is missing', async () => {
    const event = of('kim', { eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true } });
    simulator.failNext(1, 503, { match: /POST .*activities/, skip: 1 });
    expect(await writer.write(event)).toMatchObject([{ status: 'error' }]);
    expect(await writer.write({ ...event, isRepeated: true })).toMatchObject([{ status: 'success' }]);
    expect(counts()).toEqual([1, 2, 0, 0]);
  });
});
