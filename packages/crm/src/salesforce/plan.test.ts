import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import type { InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { about, toWrite, type WriteChanges } from '../../test/support/salesforce.ts';
import { noMatchingContact } from '../port/no-matching-contact.ts';
import type { CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';

/** What the plan of an event leaves out, and who owns what is written. */

const KIM = 'kim@fjord.example.org';
const PROFILE = 'https://www.linkedin.com/in/kim-berg';
const NOW = new Date('2026-03-01T12:00:00.000Z');
let simulator: SalesforceSimulator;
let records = memoryRecords();
/** Only what the org has is kept between tests, and that is the same in all of them. */
const connector = createSalesforceConnector({ fetch, timeoutMs: 2_000, now: () => NOW });
beforeAll(async () => {
  const users = [
    { email: 'Rep@example.com' },
    { email: 'lead@example.com' },
    { email: 'gone@example.com', isActive: false },
  ];
  simulator = await startSalesforceSimulator({ users, now: () => NOW });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  records = memoryRecords();
  looked = 0;
});

const writeAll = (events: readonly CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({
    access: accessTo('t', { apiUrl: simulator.url }),
    organizationId: simulator.organizationId,
    records,
    events,
  });
async function write(changes: Partial<InboundEvent> = {}, rest: WriteChanges = {}): Promise<CrmOutcome | undefined> {
  const [outcome] = await writeAll([toWrite(changes, rest)]);
  return outcome;
}
/** The calls since the last look, without those that read what the org offers. */
let looked = 0;
function calls(): string[] {
  const all = simulator.requests().slice(looked);
  looked += all.length;
  return all
    .map(({ method, path }) => `${method} ${path.replace('/services/data/v66.0', '')}`)
    .filter((call) => !/\/describe$|TaskStatus/.test(call))
    .map((call) => call.replace(/\?.*/, ''));
}
const valuesOf = (type: 'Contact' | 'Lead' | 'Task' | 'Account') => simulator.records(type).map(({ values }) => values);
const userOf = (email: string) =>
  simulator.records('User').find(({ values }) => values['Email'] === email)?.id ?? 'no such user';
function written(): readonly unknown[] {
  const { contacts, leads, accounts, tasks } = simulator.state();
  return [...contacts, ...leads, ...accounts, ...tasks];
}

describe('a plan that creates nobody', () => {
  const policy = { create: 'never' };
  const source = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };

  test.each([
    ['an address', {}],
    ['a profile URL', { toEmail: PROFILE, contact: { ...inboundEvent().contact, email: null, profileUrl: PROFILE } }],
  ])('nothing is written for somebody unknown by %s, for one call', async (_, changes) => {
    expect(await write({ eventType: 'EMAIL_REPLY', ...changes }, { policy, source })).toEqual(noMatchingContact());
    expect(written()).toEqual([]);
    expect(calls()).toEqual(['POST /composite']);
  });

  test.each([
    ['contact', 'an address', { Email: KIM }],
    ['lead', 'an address', { Email: KIM }],
    ['contact', 'a profile URL', { Svc_Profile_Url__c: PROFILE }],
    ['lead', 'a profile URL', { Svc_Profile_Url__c: PROFILE }],
  ])('a %s that has %s is written', async (type, _, values) => {
    const id = simulator.seed(type === 'lead' ? 'Lead' : 'Contact', { LastName: 'Berg', Company: 'Fjord', ...values });
    const contact = { ...inboundEvent().contact, profileUrl: PROFILE };
    expect(await write({ contact }, { policy })).toMatchObject({ status: 'success', contactId: id });
    expect(valuesOf('Task')).toMatchObject([{ WhoId: id }]);
  });

  test('somebody who appears later is found at the next event', async () => {
    await write({}, { policy });
    const id = simulator.seed('Contact', { LastName: 'Berg', Email: KIM });
    expect(await write({}, { policy, isRepeated: true })).toMatchObject({ status: 'success', contactId: id });
  });

  test('somebody who was deleted since is not created again', async () => {
    const id = simulator.seed('Contact', { LastName: 'Berg', Email: KIM });
    await write({}, { policy });
    simulator.delete(id);
    expect(await write({}, { policy, idempotencyKey: '12:k2' })).toEqual(noMatchingContact());
    expect(simulator.records('Contact')).toEqual([]);
  });

  test('of the events of one person the first that may create does so; those before it have no contact', async () => {
    const never = (key: string, jobTitle: string) =>
      toWrite({ contact: { ...inboundEvent().contact, jobTitle } }, { policy, source, idempotencyKey: key });
    const outcomes = await writeAll([
      never('12:k1', 'Cook'),
      never('12:k2', 'Mate'),
      toWrite({}, { source: { salesforceObjectType: 'Lead' }, idempotencyKey: '12:k3' }),
      never('12:k4', 'Captain'),
    ]);
    expect(outcomes.slice(0, 2)).toEqual([noMatchingContact(), noMatchingContact()]);
    expect(outcomes.slice(2).map(({ status }) => status)).toEqual(['success', 'success']);
    expect(simulator.records('Contact')).toEqual([]);
    expect(valuesOf('Lead')).toMatchObject([{ Email: KIM, Title: 'Captain' }]);
    expect(valuesOf('Task')).toHaveLength(2);
    // The person is there now.
    expect(await writeAll([never('12:k1', 'Cook'), never('12:k2', 'Mate')])).toMatchObject([
      { status: 'success' },
      { status: 'success' },
    ]);
  });

  test('an event that creates nobody does not wait with a later one that fails', async () => {
    simulator.failRecords(1, { objectType: 'Contact', errorCode: 'UNABLE_TO_LOCK_ROW' });
    expect(await writeAll([toWrite({}, { policy }), toWrite({}, { idempotencyKey: '12:k2' })])).toMatchObject([
      noMatchingContact(),
      { status: 'error' },
    ]);
  });

  test('an event whose answer was lost is not taken for one without a contact', async () => {
    await write({ ...about('lou') });
    simulator.failNext(1, 503);
    expect(await write({}, { policy, idempotencyKey: '12:k2' })).toMatchObject({ status: 'error' });
  });
});

describe('what is written', () => {
  const TARGETS = ['timeline', 'fields', 'task'] as const;
  const MIXES = Array.from({ length: 8 }, (_, bits) => TARGETS.filter((_target, index) => (bits & (1 << index)) !== 0));
  const source = { createOrUpdateTask: true, createOrUpdateCompany: true };
  const reply = { eventType: 'EMAIL_REPLY', occurredAt: NOW };
  const plan = (targets: readonly string[]) => ({ source, policy: { events: [{ write: [...targets] }] } });
  const statusesOf = (targets: readonly string[]) => [
    ...(targets.includes('timeline') ? ['Completed'] : []),
    ...(targets.includes('task') ? ['Not Started'] : []),
  ];

  test.each(MIXES.map((targets) => [targets.join('+') || 'nothing', targets] as const))(
    'of a known contact: %s',
    async (_, targets) => {
      const has = (target: string) => targets.some((one) => one === target);
      const account = simulator.seed('Account', { Name: 'Fjord', Website: 'fjord.example.org' });
      const id = simulator.seed('Contact', { LastName: 'Berg', Email: KIM, Phone: '+47 1' });
      const outcome = await write(reply, plan(targets));
      const entry = simulator.records('Task').find(({ values }) => values['Status'] === 'Completed')?.id ?? null;
      expect(outcome).toEqual({ status: 'success', contactId: id, engagementId: entry });
      expect(valuesOf('Task').map(({ Status }) => Status)).toEqual(statusesOf(targets));
      const [contact] = simulator.records('Contact');
      expect(contact?.writes).toBe(has('fields') ? 1 : 0);
      expect(contact?.values['FirstName'] ?? null).toBe(has('fields') ? 'Kim' : null);
      expect(contact?.values['AccountId'] ?? null).toBe(has('fields') ? account : null);
      const hasTask = has('timeline') || has('task');
      expect(calls()).toEqual([
        'POST /composite',
        ...(has('fields') ? ['GET /query', 'PATCH /composite/sobjects'] : []),
        ...(hasTask ? ['POST /composite/sobjects'] : []),
      ]);

      // Repeated, it changes nothing.
      expect(await write(reply, { ...plan(targets), isRepeated: true })).toEqual(outcome);
      expect(valuesOf('Task').map(({ Status }) => Status)).toEqual(statusesOf(targets));
      expect(simulator.records('Contact')[0]?.writes).toBe(has('fields') ? 1 : 0);
      expect(calls()).toEqual(hasTask ? ['GET /query'] : []);
    },
  );

  test.each(MIXES.map((targets) => [targets.join('+') || 'nothing', targets] as const))(
    'of somebody unknown: %s',
    async (_, targets) => {
      const has = (target: string) => targets.some((one) => one === target);
      const outcome = await write(reply, plan(targets));
      if (targets.length === 0) {
        expect(outcome).toEqual(noMatchingContact());
        expect(written()).toEqual([]);
        return;
      }
      const [contact] = simulator.records('Contact');
      const entry = simulator.records('Task').find(({ values }) => values['Status'] === 'Completed')?.id ?? null;
      expect(outcome).toEqual({ status: 'success', contactId: contact?.id, engagementId: entry });
      // Without the fields, too, a new contact has its details.
      expect(contact?.values).toMatchObject({ FirstName: 'Kim', LastName: 'Berg', Email: KIM });
      expect(valuesOf('Account')).toHaveLength(has('fields') ? 1 : 0);
      expect(valuesOf('Task').map(({ Status }) => Status)).toEqual(statusesOf(targets));
    },
  );

  test('a refused to-do that is all there is to write is a warning', async () => {
    simulator.configure({ validations: [{ objectType: 'Task', message: 'No tasks', refuses: () => true }] });
    expect(await write(reply, plan(['task']))).toMatchObject({
      status: 'warning',
      contactId: simulator.records('Contact')[0]?.id,
      engagementId: null,
      error: { category: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' },
    });
  });

  test('an event without fields does not read a remembered contact again for its blanks', async () => {
    await write();
    calls();
    const contact = { ...inboundEvent().contact, jobTitle: 'Captain' };
    await write({ contact }, { policy: plan(['timeline']).policy, idempotencyKey: '12:k2' });
    expect(calls()).toEqual(['POST /composite/sobjects']);
    await write({ contact }, { policy: plan(['fields']).policy, idempotencyKey: '12:k3' });
    expect(calls()).toEqual(['POST /composite', 'PATCH /composite/sobjects']);
    expect(valuesOf('Contact')).toMatchObject([{ Title: 'Captain' }]);
  });

  test('an event without fields fills nothing, and a later one of the same batch does', async () => {
    simulator.seed('Contact', { LastName: 'Berg', Email: KIM });
    const titled = (jobTitle: string) => ({ contact: { ...inboundEvent().contact, jobTitle } });
    await writeAll([
      toWrite(titled('Cook'), plan(['timeline'])),
      toWrite(titled('Captain'), { ...plan(['timeline', 'fields']), idempotencyKey: '12:k2' }),
    ]);
    expect(valuesOf('Contact')).toMatchObject([{ FirstName: 'Kim', Title: 'Captain' }]);
    expect(valuesOf('Task')).toHaveLength(2);
  });

  test('of events without fields only the one that creates the contact gives it details', async () => {
    const titled = (changes: Partial<InboundEvent['contact']>) => ({
      contact: { ...inboundEvent().contact, ...changes },
    });
    await writeAll([
      toWrite(titled({ jobTitle: 'Cook' }), plan(['timeline'])),
      toWrite(titled({ phone: '+47 1' }), { ...plan(['timeline']), idempotencyKey: '12:k2' }),
    ]);
    expect(valuesOf('Contact')).toMatchObject([{ Title: 'Cook' }]);
    expect(valuesOf('Contact')[0]).not.toHaveProperty('Phone');
  });
});

describe('the owner', () => {
  const owner = (rule: object) => ({
    policy: { owner: { map: [{ mailbox: '*', user: 'lead@example.com' }], ...rule } },
  });
  const seedKim = (type: 'Contact' | 'Lead' = 'Contact') =>
    simulator.seed(type, { LastName: 'Berg', FirstName: 'Kim', Email: KIM, Company: 'Fjord' });
  const integration = () => userOf('integration@example.com');

  describe.each(['Contact', 'Lead'] as const)('of a %s', (salesforceObjectType) => {
    const source = { salesforceObjectType };

    test.each(['if-empty', 'always', 'never'])('%s, when it is new', async (contact) => {
      await write({}, { source, ...owner({ contact }) });
      const expected = contact === 'never' ? integration() : userOf('lead@example.com');
      expect(valuesOf(salesforceObjectType)).toMatchObject([{ OwnerId: expected }]);
    });

    test.each(['if-empty', 'always', 'never'])('%s, when it exists', async (contact) => {
      seedKim(salesforceObjectType);
      await write({}, { source, ...owner({ contact }) });
      const expected = contact === 'always' ? userOf('lead@example.com') : integration();
      expect(valuesOf(salesforceObjectType)).toMatchObject([{ OwnerId: expected }]);
    });
  });

  test('is written only when it differs, and a remembered contact is read again only then', async () => {
    const id = seedKim();
    simulator.edit(id, { OwnerId: userOf('lead@example.com'), Phone: '1', Title: 'x', Svc_Profile_Url__c: PROFILE });
    await write({}, owner({ contact: 'always' }));
    expect(simulator.records('Contact')).toMatchObject([{ writes: 0 }]);
    calls();
    await write({}, { ...owner({ contact: 'always' }), idempotencyKey: '12:k2' });
    expect(calls()).toEqual(['POST /composite/sobjects']);
    const other = { map: [{ mailbox: '*', user: 'rep@example.com' }], contact: 'always' };
    await write({}, { ...owner(other), idempotencyKey: '12:k3' });
    expect(valuesOf('Contact')).toMatchObject([{ OwnerId: userOf('Rep@example.com') }]);
    expect(simulator.records('Contact')).toMatchObject([{ writes: 1 }]);
    expect(calls()).toEqual(['POST /composite', 'PATCH /composite/sobjects', 'POST /composite/sobjects']);
    await write({}, { ...owner(other), idempotencyKey: '12:k4' });
    expect(calls()).toEqual(['POST /composite/sobjects']);
  });

  test('of events of one person in a batch the last one decides, as when they are written one by one', async () => {
    seedKim();
    const by = (user: string, key: string) =>
      toWrite({}, { ...owner({ map: [{ mailbox: '*', user }], contact: 'always' }), idempotencyKey: key });
    await writeAll([by('lead@example.com', '12:k1'), by('rep@example.com', '12:k2')]);
    expect(valuesOf('Contact')).toMatchObject([{ OwnerId: userOf('Rep@example.com') }]);
  });

  test('of an existing contact stays without the fields', async () => {
    seedKim();
    const { policy } = owner({ contact: 'always' });
    await write({}, { policy: { ...policy, events: [{ write: ['timeline'] }] } });
    expect(valuesOf('Contact')).toMatchObject([{ OwnerId: integration() }]);
  });

  test.each([true, false])('of tasks: %s', async (activities) => {
    seedKim();
    const source = { createOrUpdateTask: true };
    await write({ eventType: 'EMAIL_REPLY' }, { source, ...owner({ contact: 'never', activities }) });
    const expected = activities ? userOf('lead@example.com') : integration();
    expect(valuesOf('Task').map(({ OwnerId }) => OwnerId)).toEqual([expected, expected]);
  });

  test('a to-do without an owner of its own gets the new owner of the contact', async () => {
    seedKim();
    const source = { createOrUpdateTask: true };
    await write({ eventType: 'EMAIL_REPLY' }, { source, ...owner({ contact: 'always', activities: false }) });
    expect(valuesOf('Task').map(({ OwnerId }) => OwnerId)).toEqual([integration(), userOf('lead@example.com')]);
  });

  test.each([true, false])('of new accounts: %s', async (companies) => {
    const old = simulator.seed('Account', { Name: 'Crate', Website: 'crate.example' });
    const source = { createOrUpdateCompany: true };
    const lou = about('lou');
    await writeAll([
      toWrite({}, { source, ...owner({ companies }) }),
      toWrite(
        { ...lou, contact: { ...lou.contact, companyDomain: 'crate.example' } },
        { source, ...owner({ companies }), idempotencyKey: '12:k2' },
      ),
    ]);
    expect(simulator.records('Account')).toMatchObject([
      { id: old, values: { OwnerId: integration() } },
      { values: { OwnerId: companies ? userOf('lead@example.com') : integration() } },
    ]);
  });

  describe('named by id', () => {
    test.each([15, 18])('of %i characters, for no call more', async (length) => {
      const user = userOf('lead@example.com').slice(0, length);
      await write({}, owner({ map: [{ mailbox: '*', user }] }));
      expect(valuesOf('Contact')).toMatchObject([{ OwnerId: userOf('lead@example.com') }]);
      expect(valuesOf('Task')).toMatchObject([{ OwnerId: userOf('lead@example.com') }]);
      expect(calls()).toHaveLength(3);
    });

    test.each([
      ['an inactive user', () => userOf('gone@example.com')],
      ['nobody', () => '005000000000001'],
      ['a user in other case', () => userOf('lead@example.com').toLowerCase()],
      ['no user', () => '0035Y00000AbCdE'],
      ['no id', () => "005' OR Name != '"],
    ])('%s counts as absent: the mailbox and the fallback follow', async (_, toUser) => {
      const map = [{ mailbox: '*', user: toUser() }];
      expect(await write({}, owner({ map }))).toMatchObject({ status: 'success' });
      const rest = { ...owner({ map, fallback: userOf('lead@example.com') }), idempotencyKey: '12:k2' };
      expect(await write({ ...about('lou'), fromEmail: 'nobody@example.com' }, rest)).toMatchObject({
        status: 'success',
      });
      expect(valuesOf('Contact')).toMatchObject([
        { OwnerId: userOf('Rep@example.com') },
        { OwnerId: userOf('lead@example.com') },
      ]);
    });
  });

  test.each(['INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY', 'TRANSFER_REQUIRES_READ'])(
    'that the user of the connection must not give (%s) is a warning, and the rest is written',
    async (errorCode) => {
      const id = simulator.seed('Contact', { LastName: 'Berg', Email: KIM });
      simulator.failRecords(1, { objectType: 'Contact', errorCode });
      expect(await write({}, owner({ contact: 'always' }))).toMatchObject({
        status: 'warning',
        contactId: id,
        engagementId: expect.any(String),
        error: { category: errorCode },
      });
      expect(valuesOf('Contact')).toMatchObject([{ FirstName: 'Kim', OwnerId: integration() }]);
    },
  );

  test('an account whose owner has left since is created without one', async () => {
    const source = { createOrUpdateCompany: true };
    await write(about('lou'), owner({}));
    simulator.edit(userOf('lead@example.com'), { IsActive: false });
    const rest = { source, ...owner({ companies: true }), idempotencyKey: '12:k2' };
    expect(await write({}, rest)).toMatchObject({ status: 'success' });
    expect(valuesOf('Account')).toMatchObject([{ OwnerId: integration() }]);
  });
});
