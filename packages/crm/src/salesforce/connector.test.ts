import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import type { InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { about, toWrite, type WriteChanges } from '../../test/support/salesforce.ts';
import type { CrmConnector, CrmOutcome, CrmQuotaReport, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector, type SalesforceConnectorOptions } from './connector.ts';

const TOKEN = '00D000000000001!not-a-real-token';
const NOW = new Date('2026-03-01T12:00:00.000Z');
let simulator: SalesforceSimulator;
let connector: CrmConnector;
let records = memoryRecords();
let now = NOW;
beforeAll(async () => {
  const users = [{ email: 'Rep@example.com' }, { email: 'gone@example.com', isActive: false }];
  simulator = await startSalesforceSimulator({ tokens: [TOKEN], users, now: () => now });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  records = memoryRecords();
  now = NOW;
  connector = connect();
});

function connect(options: Partial<SalesforceConnectorOptions> = {}): CrmConnector {
  return createSalesforceConnector({ fetch, timeoutMs: 60_000, now: () => now, ...options });
}

const access = () => accessTo(TOKEN, { apiUrl: simulator.url });
const writeAll = (events: readonly CrmWrite[], to = connector): Promise<readonly CrmOutcome[]> =>
  to.writeEvents({ access: access(), organizationId: simulator.organizationId, records, events });
async function write(changes: Partial<InboundEvent> = {}, rest: WriteChanges = {}): Promise<CrmOutcome | undefined> {
  const [outcome] = await writeAll([toWrite(changes, rest)]);
  return outcome;
}
/** Calls since the last look, without those that read what the org offers. */
let looked = 0;
beforeEach(() => {
  looked = 0;
});
function calls(): string[] {
  const all = simulator.requests().slice(looked);
  looked = simulator.requests().length;
  return all
    .map(({ method, path }) => `${method} ${path.replace('/services/data/v66.0', '').replace(/\?.*/, '')}`)
    .filter((call) => !call.endsWith('/describe'));
}
const hundred = (
  change: (index: number) => Partial<InboundEvent> = (index) => about(`p${index}`),
  rest: WriteChanges = {},
) => Array.from({ length: 100 }, (_, index) => toWrite(change(index), { idempotencyKey: `12:h${index}`, ...rest }));
const valuesOf = (type: 'Contact' | 'Lead' | 'Task' | 'Account') => simulator.records(type).map(({ values }) => values);

describe('one event', () => {
  test('creates a contact and a completed task', async () => {
    const outcome = await write();
    const [contact] = simulator.records('Contact');
    const [task] = simulator.records('Task');
    expect(outcome).toEqual({ status: 'success', contactId: contact?.id, engagementId: task?.id });
    expect(contact?.values).toMatchObject({ Email: 'kim@fjord.example.org', FirstName: 'Kim', LastName: 'Berg' });
    expect(task?.values).toMatchObject({
      WhoId: contact?.id,
      Svc_Event_Key__c: '12:k1',
      Subject: 'Email sent: Route planning',
      Description:
        'Time: 2026-03-01T10:00:00.000Z\nCampaign: Spring <2026>\nStep: 1\nFrom: rep@example.com\n\nHello Kim',
      ActivityDate: '2026-03-01',
      Status: 'Completed',
      TaskSubtype: 'Email',
      IsClosed: true,
    });
    expect(valuesOf('Account')).toEqual([]);
  });

  test.each([
    ['EMAIL_REPLY', 'Email'],
    ['EMAIL_OPEN', 'Task'],
    ['EMAIL_BOUNCE', 'Task'],
    ['MESSAGE_SENT', 'LinkedIn'],
    ['INMAIL_REPLY', 'LinkedIn'],
    ['CONNECTION_REQUEST_ACCEPTED', 'LinkedIn'],
    ['CALL_COMPLETED', 'Call'],
    ['SOMETHING_NEW', 'Task'],
  ])('%s creates a task of subtype %s', async (eventType, TaskSubtype) => {
    expect(await write({ eventType })).toMatchObject({ status: 'success' });
    expect(valuesOf('Task')).toMatchObject([{ TaskSubtype }]);
  });

  test('an event without a time uses the time of receipt', async () => {
    await write({ occurredAt: null });
    expect(valuesOf('Task')[0]?.['Description']).toContain('Time: 2026-03-01T11:00:00.000Z');
  });

  test('the status is the API name of a closed status, not its label in the language of the org', async () => {
    const closed = simulator.records('TaskStatus').filter(({ values }) => values['IsClosed'] === true);
    expect(closed.map(({ values }) => values['MasterLabel'])).toEqual(['Erledigt']);
    await write();
    expect(valuesOf('Task')).toMatchObject([{ Status: 'Completed', IsClosed: true }]);
  });

  test('uses a closed status of the org when no status is called Completed', async () => {
    for (const { id, values } of simulator.records('TaskStatus')) {
      if (values['IsClosed'] === true) simulator.edit(id, { ApiName: 'Done', MasterLabel: 'Fertig' });
    }
    await write();
    expect(valuesOf('Task')).toMatchObject([{ Status: 'Done', IsClosed: true }]);
  });

  test('shortens texts to the lengths of the fields', async () => {
    const contact = {
      ...inboundEvent().contact,
      firstName: 'ä'.repeat(50),
      phone: '1'.repeat(41),
      jobTitle: 'x'.repeat(200),
    };
    expect(await write({ contact, subject: 's'.repeat(400), bodyText: '😀'.repeat(20_000) })).toMatchObject({
      status: 'success',
    });
    const [person] = valuesOf('Contact');
    const [task] = valuesOf('Task');
    expect(String(person?.['FirstName'])).toHaveLength(40);
    expect(String(person?.['Title'])).toHaveLength(128);
    expect(person).not.toHaveProperty('Phone');
    expect(String(task?.['Subject'])).toHaveLength(255);
    expect(String(task?.['Description']).length).toBeLessThanOrEqual(32_000);
    expect(String(task?.['Description']).isWellFormed()).toBe(true);
  });
});

describe('calls', () => {
  test('100 events of unknown people cost 3 calls', async () => {
    await write();
    calls();
    expect((await writeAll(hundred())).every(({ status }) => status === 'success')).toBe(true);
    expect(calls()).toEqual(['POST /composite', 'POST /composite/sobjects', 'POST /composite/sobjects']);
  });

  test('100 events of unknown people cost 3 calls when contacts and leads alternate', async () => {
    await write(about('first'));
    calls();
    const events = hundred().map((event, index) => ({
      ...event,
      plan: { ...event.plan, salesforceObjectType: index % 2 === 0 ? ('Contact' as const) : ('Lead' as const) },
    }));
    const outcomes = await writeAll(events);
    expect(outcomes.every(({ status }) => status === 'success')).toBe(true);
    expect(calls()).toHaveLength(3);
    const emailOf = new Map(
      [...simulator.records('Contact'), ...simulator.records('Lead')].map(({ id, values }) => [id, values['Email']]),
    );
    expect(outcomes.map((outcome) => outcome.status === 'success' && emailOf.get(outcome.contactId))).toEqual(
      events.map(({ event }) => event.toEmail),
    );
  });

  test('100 events of people who were read within a day cost 1 call', async () => {
    await writeAll(hundred());
    calls();
    const later = hundred().map((event, index) => ({ ...event, idempotencyKey: `12:later${index}` }));
    expect((await writeAll(later)).every(({ status }) => status === 'success')).toBe(true);
    expect(calls()).toEqual(['POST /composite/sobjects']);
    now = new Date(NOW.getTime() + 25 * 60 * 60 * 1000);
    await writeAll(later.map((event) => ({ ...event, idempotencyKey: `${event.idempotencyKey}x` })));
    expect(calls()).toContain('POST /composite');
  });

  test('100 events with all options cost at most 8 calls', async () => {
    const source = {
      createOrUpdateCompany: true,
      createOrUpdateTask: true,
      assignContactOwner: true,
      writeStateFields: true,
    };
    const events = hundred(
      (index) => {
        const person = about(`p${index}`);
        const companyDomain = `c${index}.example.com`;
        return { ...person, contact: { ...person.contact, companyDomain }, eventType: 'EMAIL_REPLY' };
      },
      { source, isRepeated: true },
    );
    simulator.seed('Contact', { LastName: 'Old', Email: 'p1@fjord.example.org' });
    await write();
    calls();
    expect((await writeAll(events)).every(({ status }) => status === 'success')).toBe(true);
    expect(calls().length).toBeLessThanOrEqual(8);
    expect(simulator.state().counts).toMatchObject({ contacts: 101, accounts: 100, tasks: 201 });
  });

  test('reads what the org offers once', async () => {
    await write();
    await write(about('lou'), { idempotencyKey: '12:k2' });
    expect(simulator.requests().filter(({ path }) => path.endsWith('/Task/describe'))).toHaveLength(1);
  });

  test('asks for permission before each call, and reports what is left of the day', async () => {
    simulator.setRateLimit({ daily: 1_000, used: 40 });
    const taken: string[] = [];
    const reports: CrmQuotaReport[] = [];
    const quota = {
      take: async ({ operation }: { operation: string }) => {
        taken.push(operation);
        return null;
      },
      report: async (_call: unknown, answer: CrmQuotaReport) => {
        reports.push(answer);
      },
    };
    const batch = { organizationId: simulator.organizationId, records, events: [toWrite()] };
    await connector.writeEvents({ ...batch, access: { ...access(), quota } });
    expect(taken.slice(-3)).toEqual(['records_read', 'people_create', 'tasks_create']);
    expect(reports).toHaveLength(taken.length);
    expect(reports.at(-1)).toEqual({ httpStatus: 200, daily: { remaining: 1_000 - 40 - taken.length, limit: 1_000 } });
  });
});

describe('contact or lead', () => {
  const asLead = { source: { salesforceObjectType: 'Lead' } };

  test('the source says what is created', async () => {
    await write({}, asLead);
    expect(valuesOf('Lead')).toMatchObject([{ Email: 'kim@fjord.example.org', Company: 'Fjord' }]);
    expect(valuesOf('Contact')).toEqual([]);
  });

  test.each(['Contact', 'Lead'])(
    'a contact is preferred to a lead, and both to a new %s',
    async (salesforceObjectType) => {
      const leadId = simulator.seed('Lead', { LastName: 'L', Company: 'C', Email: 'kim@fjord.example.org' });
      const onlyLead = await write({}, { source: { salesforceObjectType } });
      expect(onlyLead).toMatchObject({ status: 'success', contactId: leadId });
      const contactId = simulator.seed('Contact', { LastName: 'B', Email: 'KIM@fjord.example.org' });
      records = memoryRecords();
      expect(await write({}, { source: { salesforceObjectType }, idempotencyKey: '12:k2' })).toMatchObject({
        contactId,
      });
      expect(simulator.records('Contact').length + simulator.records('Lead').length).toBe(2);
    },
  );

  test('of several contacts with one address the oldest is used', async () => {
    const first = simulator.seed('Contact', { LastName: 'A', Email: 'kim@fjord.example.org' });
    simulator.seed('Contact', { LastName: 'B', Email: 'kim@fjord.example.org' });
    expect(await write()).toMatchObject({ contactId: first });
  });

  test('a person without a name gets the local part, a lead without a company says so', async () => {
    const contact = { ...inboundEvent().contact, firstName: null, lastName: null, companyName: null };
    await write({ contact }, asLead);
    expect(valuesOf('Lead')).toMatchObject([{ LastName: 'kim', Company: '[not provided]' }]);
  });

  test('a converted lead leads to its contact', async () => {
    const leadId = simulator.seed('Lead', { LastName: 'L', Company: 'C', Email: 'kim@fjord.example.org' });
    const { contactId } = simulator.convertLead(leadId);
    simulator.edit(contactId, { Email: 'kim.new@fjord.example.org' });
    expect(await write({}, asLead)).toMatchObject({ status: 'success', contactId });
    expect(valuesOf('Contact')).toMatchObject([{ Email: 'kim.new@fjord.example.org', FirstName: 'Kim' }]);
  });

  test('a remembered lead that was converted since is left for its contact', async () => {
    const first = await write({}, asLead);
    const { contactId } = simulator.convertLead(first?.status === 'success' ? first.contactId : '');
    expect(await write({}, { ...asLead, idempotencyKey: '12:k2' })).toMatchObject({ status: 'success', contactId });
    expect(valuesOf('Task').map(({ WhoId }) => WhoId)).toEqual([contactId, contactId]);
  });

  test('a remembered contact that was deleted since is created again', async () => {
    const first = await write();
    simulator.delete(first?.status === 'success' ? first.contactId : '');
    expect(await write({}, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
    expect(simulator.records('Contact')).toHaveLength(1);
  });

  test('a type that the user does not see is refused with the reason', async () => {
    simulator.configure({ hiddenObjects: ['Lead'] });
    expect(await write({}, asLead)).toMatchObject({ status: 'error', retry: 'never', error: { code: 'forbidden' } });
    expect(await write({}, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
  });
});

describe('what the CRM holds stays', () => {
  test('fills blanks and keeps the others', async () => {
    const id = simulator.seed('Contact', { LastName: 'Bergsen', Email: 'kim@fjord.example.org', Title: 'CTO' });
    await write({ contact: { ...inboundEvent().contact, jobTitle: 'Intern', phone: '+47 1' } });
    expect(simulator.records('Contact')).toMatchObject([
      { id, writes: 1, values: { FirstName: 'Kim', LastName: 'Bergsen', Title: 'CTO', Phone: '+47 1' } },
    ]);
    await write({ contact: { ...inboundEvent().contact, firstName: 'Kimberly' } }, { idempotencyKey: '12:k2' });
    expect(simulator.records('Contact')).toMatchObject([{ writes: 1, values: { FirstName: 'Kim' } }]);
  });

  test('two events of one contact in a batch are merged in order', async () => {
    const first = { ...inboundEvent().contact, jobTitle: 'CTO', phone: null };
    const second = { ...inboundEvent().contact, firstName: 'Other', jobTitle: 'CEO', phone: '+47 2' };
    const outcomes = await writeAll([
      toWrite({ contact: first }),
      toWrite({ contact: second }, { idempotencyKey: '12:k2' }),
    ]);
    expect(new Set(outcomes.map((outcome) => outcome.status === 'success' && outcome.contactId)).size).toBe(1);
    expect(simulator.records('Contact')).toMatchObject([
      { writes: 1, values: { FirstName: 'Kim', Title: 'CTO', Phone: '+47 2' } },
    ]);
    expect(simulator.records('Task')).toHaveLength(2);
  });

  test('a refused field is left out with a warning', async () => {
    simulator.configure({
      validations: [{ objectType: 'Contact', message: 'Titles are ours', refuses: ({ Title }) => Title != null }],
    });
    const contact = { ...inboundEvent().contact, jobTitle: 'CTO' };
    const outcome = await write({ contact });
    expect(outcome).toMatchObject({
      status: 'warning',
      error: {
        code: 'refused',
        httpStatus: 400,
        category: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
        message: 'Salesforce answered 400 to the contact: FIELD_CUSTOM_VALIDATION_EXCEPTION: Titles are ours',
      },
    });
    expect(valuesOf('Contact')).toMatchObject([{ Email: 'kim@fjord.example.org', LastName: 'Berg' }]);
    expect(simulator.records('Task')).toHaveLength(1);
  });

  test('a refused update keeps the contact and writes the task, with a warning', async () => {
    simulator.seed('Contact', { LastName: 'Berg', Email: 'kim@fjord.example.org' });
    simulator.configure({ validations: [{ objectType: 'Contact', message: 'Frozen', refuses: () => true }] });
    expect(await write()).toMatchObject({ status: 'warning', error: { code: 'refused' } });
    expect(simulator.records('Task')).toHaveLength(1);
  });

  test('a field that field security hides is not written', async () => {
    simulator.configure({ hiddenFields: ['Contact.Title'] });
    expect(await write({ contact: { ...inboundEvent().contact, jobTitle: 'CTO' } })).toMatchObject({
      status: 'success',
    });
    expect(valuesOf('Contact')[0]).not.toHaveProperty('Title');
  });

  test('a field that was hidden after it was seen is noticed', async () => {
    await write();
    simulator.configure({ hiddenFields: ['Contact.Title', 'Task.TaskSubtype'] });
    const person = about('lou');
    const contact = { ...person.contact, jobTitle: 'CTO' };
    expect(await write({ ...person, contact }, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
  });
});

describe('duplicate rules', () => {
  const rule = { name: 'Same person', objectType: 'Contact', fields: ['LastName'], action: 'alert' } as const;

  test.each(['Contact', 'Lead'] as const)('a %s that the rule names is used', async (type) => {
    simulator.configure({ duplicateRules: [{ ...rule, matches: [type] }] });
    const id = simulator.seed(type, { LastName: 'Berg', Company: 'Fjord' });
    expect(await write()).toMatchObject({ status: 'success', contactId: id });
    expect(simulator.records(type)).toMatchObject([{ values: { FirstName: 'Kim', Email: 'kim@fjord.example.org' } }]);
  });

  test('a match of another type is no reason: the contact is created when the rule only warns', async () => {
    simulator.configure({ duplicateRules: [{ ...rule, matches: ['Account'], fields: ['LastName'] }] });
    simulator.seed('Account', { Name: 'Fjord', LastName: 'Berg' });
    expect(await write()).toMatchObject({ status: 'success' });
    expect(simulator.records('Contact')).toHaveLength(1);
  });

  test('a rule that blocks is final, and other events of the batch are written', async () => {
    simulator.configure({ duplicateRules: [{ ...rule, matches: ['Account'], action: 'block' }] });
    simulator.seed('Account', { Name: 'Fjord', LastName: 'Berg' });
    const lou = about('lou');
    const outcomes = await writeAll([
      toWrite(),
      toWrite({ ...lou, contact: { ...lou.contact, lastName: 'Moe' } }, { idempotencyKey: '12:k2' }),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'error', retry: 'never', error: { category: 'DUPLICATES_DETECTED' } },
      { status: 'success' },
    ]);
  });

  test('100 new contacts that a rule names cost at most 10 calls', async () => {
    simulator.configure({ duplicateRules: [{ ...rule, fields: ['FirstName'], matches: ['Contact'] }] });
    for (let index = 0; index < 100; index += 1) simulator.seed('Contact', { LastName: 'X', FirstName: `p${index}` });
    await write(about('other'));
    calls();
    expect((await writeAll(hundred())).every(({ status }) => status === 'success')).toBe(true);
    expect(calls().length).toBeLessThanOrEqual(10);
  });
});

describe('only a profile URL is known', () => {
  const profileUrl = 'https://www.linkedin.com/in/ada-quist';
  const social = {
    toEmail: profileUrl,
    eventType: 'MESSAGE_REPLY',
    contact: { ...inboundEvent().contact, email: null, profileUrl, firstName: null, lastName: null },
  };

  test('one contact is created for it, found by its own field', async () => {
    const first = await write(social);
    records = memoryRecords();
    expect(await write(social, { idempotencyKey: '12:k2' })).toMatchObject({
      status: 'success',
      contactId: first?.status === 'success' ? first.contactId : '',
    });
    expect(valuesOf('Contact')).toMatchObject([{ Svc_Profile_Url__c: profileUrl, LastName: 'ada-quist' }]);
  });

  test('an address that comes later is filled in', async () => {
    await write(social);
    const contact = { ...inboundEvent().contact, profileUrl };
    expect(await write({ contact }, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
    expect(valuesOf('Contact')).toMatchObject([{ Svc_Profile_Url__c: profileUrl, Email: 'kim@fjord.example.org' }]);
  });

  test('both in one batch, in either order, are one contact', async () => {
    const withAddress = toWrite({ contact: { ...inboundEvent().contact, profileUrl } }, { idempotencyKey: '12:k2' });
    await writeAll([toWrite(social), withAddress]);
    expect(simulator.records('Contact')).toHaveLength(1);
    simulator.reset();
    records = memoryRecords();
    await writeAll([withAddress, toWrite(social)], connect());
    expect(simulator.records('Contact')).toHaveLength(1);
    expect(simulator.records('Task')).toHaveLength(2);
  });

  test('an address known first in a batch does not become the contact of a URL that comes later', async () => {
    await write(social);
    const contact = { ...inboundEvent().contact, profileUrl };
    await writeAll([toWrite({}, { idempotencyKey: '12:k2' }), toWrite({ contact }, { idempotencyKey: '12:k3' })]);
    expect(valuesOf('Contact')).toMatchObject([{ Svc_Profile_Url__c: profileUrl }, { Email: 'kim@fjord.example.org' }]);
    expect(valuesOf('Task')).toHaveLength(3);
  });

  test('a second address with the same URL is another contact without it', async () => {
    await write({ contact: { ...inboundEvent().contact, profileUrl } });
    const lou = about('lou');
    await write({ ...lou, contact: { ...lou.contact, profileUrl } }, { idempotencyKey: '12:k2' });
    expect(valuesOf('Contact').map((values) => values['Svc_Profile_Url__c'])).toEqual([profileUrl, undefined]);
  });

  const of = (email: string | null, url: string | null, jobTitle: string | null, key: string) => {
    const contact = { ...inboundEvent().contact, email, profileUrl: url, jobTitle };
    return toWrite({ toEmail: email ?? url ?? '', contact }, { idempotencyKey: key });
  };

  test('an event waits with an earlier one of its contact that is repeated, also when only the contact shows it', async () => {
    const known = of('ada@fjord.example.org', profileUrl, null, '12:k1');
    await writeAll([known]);
    simulator.failRecords(1, { objectType: 'Contact', errorCode: 'UNABLE_TO_LOCK_ROW' });
    const batch = [
      known,
      of('bo@fjord.example.org', null, null, '12:k2'),
      of('bo@fjord.example.org', profileUrl, null, '12:k3'),
      of(null, profileUrl, 'Captain', '12:k4'),
      of('ada@fjord.example.org', null, 'Cook', '12:k5'),
    ];
    const outcomes = await writeAll(batch);
    expect(outcomes.map(({ status }) => status)).toEqual(['success', 'error', 'error', 'error', 'error']);
    await writeAll(batch.slice(1));
    expect(valuesOf('Contact')).toMatchObject([
      { Email: 'ada@fjord.example.org', Title: 'Captain' },
      { Email: 'bo@fjord.example.org' },
    ]);
    expect(valuesOf('Task')).toHaveLength(5);
  });

  test.each(['in one batch', 'in a batch after the contact was known'])(
    'of two events that turn out to be of one contact the first fills it, %s',
    async (name) => {
      const known = of('ada@fjord.example.org', profileUrl, null, '12:k1');
      const batch = [
        of('bo@fjord.example.org', profileUrl, 'Pilot', '12:k2'),
        of(null, profileUrl, 'Captain', '12:k3'),
        of('ada@fjord.example.org', 'https://www.linkedin.com/in/ada-2', 'Cook', '12:k4'),
      ];
      if (name === 'in one batch') await writeAll([known, ...batch]);
      else {
        await writeAll([known]);
        records = memoryRecords();
        await writeAll(batch);
      }
      expect(valuesOf('Contact')).toMatchObject([
        { Email: 'ada@fjord.example.org', Title: 'Captain' },
        { Email: 'bo@fjord.example.org', Title: 'Pilot' },
      ]);
      expect(valuesOf('Task')).toHaveLength(4);
    },
  );

  test('without the field on the type that is created, the event is refused instead of creating somebody anew each time', async () => {
    simulator.configure({ hiddenFields: ['Lead.Svc_Profile_Url__c'] });
    expect(await write(social, { source: { salesforceObjectType: 'Lead' } })).toMatchObject({
      status: 'error',
      error: { code: 'profile_url_field_missing', message: expect.stringContaining('Lead.Svc_Profile_Url__c') },
    });
    expect(simulator.records('Lead')).toEqual([]);
  });

  test('without the field the event is refused with the reason', async () => {
    simulator.configure({ hasProfileUrlField: false });
    expect(await write(social)).toMatchObject({
      status: 'error',
      retry: 'never',
      error: { code: 'profile_url_field_missing', message: expect.stringContaining('Svc_Profile_Url__c') },
    });
    expect(await write({}, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
  });
});

describe('company', () => {
  const source = { createOrUpdateCompany: true };

  test('an account is created once per domain and set on each contact', async () => {
    await writeAll([toWrite({}, { source }), toWrite(about('lou'), { source, idempotencyKey: '12:k2' })]);
    const [account, ...others] = simulator.records('Account');
    expect(others).toEqual([]);
    expect(account?.values).toMatchObject({ Name: 'Fjord', Website: 'fjord.example.org' });
    expect(valuesOf('Contact').map(({ AccountId }) => AccountId)).toEqual([account?.id, account?.id]);
  });

  test('an account is found by the host of its website, not by a part of it', async () => {
    simulator.seed('Account', { Name: 'Not Fjord', Website: 'https://notfjord.example.org.evil.example' });
    const id = simulator.seed('Account', { Name: 'Fjord AS', Website: 'http://www.Fjord.example.org/home' });
    await write({}, { source });
    expect(valuesOf('Contact')).toMatchObject([{ AccountId: id }]);
    expect(simulator.records('Account')).toHaveLength(2);
  });

  test('a contact with an account keeps it, and a lead has none', async () => {
    const id = simulator.seed('Account', { Name: 'Own', Website: 'own.example' });
    simulator.seed('Contact', { LastName: 'Berg', Email: 'kim@fjord.example.org', AccountId: id });
    await write({}, { source });
    await write(about('lou'), { source: { ...source, salesforceObjectType: 'Lead' }, idempotencyKey: '12:k2' });
    expect(simulator.records('Account')).toHaveLength(1);
    expect(valuesOf('Contact')).toMatchObject([{ AccountId: id }]);
  });

  test.each(['known', 'new'])(
    'an account that was deleted since it was remembered is created again (%s contact)',
    async (who) => {
      await write({}, { source });
      if (who === 'known') await write(about('lou'), { idempotencyKey: '12:k2' });
      simulator.delete(simulator.records('Account')[0]?.id ?? '');
      expect(await write(about('lou'), { source, idempotencyKey: '12:k3' })).toMatchObject({ status: 'success' });
      const [account] = simulator.records('Account');
      expect(valuesOf('Contact')[1]).toMatchObject({ AccountId: account?.id });
      expect(simulator.records('Contact')).toHaveLength(2);
    },
  );

  test('an account that is refused is looked for anew at the next event', async () => {
    await write({}, { source });
    await records.write(
      [...(await records.read(['domain:fjord.example.org'])).values()].map((record) => ({
        ...record,
        recordId: '001000000000001AAA',
      })),
    );
    expect(await write(about('lou'), { source, idempotencyKey: '12:k2' })).toMatchObject({
      status: 'warning',
      error: { category: 'INVALID_CROSS_REFERENCE_KEY' },
    });
    expect(await write(about('lou'), { source, idempotencyKey: '12:k3' })).toMatchObject({ status: 'success' });
    expect(valuesOf('Contact')[1]).toMatchObject({ AccountId: simulator.records('Account')[0]?.id });
  });

  test('a search with endless pages is a warning, and the event is written', async () => {
    let pages = 0;
    connector = connect({
      fetch: async (url, init) => {
        const path = decodeURIComponent(url instanceof Request ? url.url : url.toString());
        if (!/FROM Account|\/query\/endless/.test(path)) return fetch(url, init);
        pages += 1;
        const nextRecordsUrl = `/services/data/v66.0/query/endless-${pages}`;
        return Response.json({ totalSize: 9, done: false, nextRecordsUrl, records: [] });
      },
    });
    expect(await write({}, { source })).toMatchObject({ status: 'warning', error: { code: 'answer_too_large' } });
    expect(pages).toBe(25);
  });

  test('is not created for an address of a free mail host', async () => {
    await write(
      { toEmail: 'kim@gmail.com', contact: { ...inboundEvent().contact, email: 'kim@gmail.com' } },
      { source },
    );
    expect(simulator.records('Account')).toEqual([]);
  });

  test('a refused account is a warning, and the event is written', async () => {
    simulator.failRecords(1, { objectType: 'Account', errorCode: 'INSUFFICIENT_ACCESS_OR_READONLY' });
    expect(await write({}, { source })).toMatchObject({ status: 'warning', engagementId: expect.any(String) });
    expect(valuesOf('Contact')[0]).not.toHaveProperty('AccountId');
  });
});

describe('owner and to-do', () => {
  const source = { createOrUpdateTask: true, assignContactOwner: true };

  test('a reply creates one open task for the user of the mailbox', async () => {
    expect(await write({ eventType: 'EMAIL_REPLY' }, { source })).toMatchObject({ status: 'success' });
    const rep = simulator.records('User').find(({ values }) => values['Email'] === 'Rep@example.com')?.id;
    expect(valuesOf('Contact')).toMatchObject([{ OwnerId: rep }]);
    expect(valuesOf('Task')).toMatchObject([
      { Status: 'Completed', OwnerId: rep, Svc_Event_Key__c: '12:k1' },
      { Status: 'Not Started', OwnerId: rep, Svc_Event_Key__c: '12:k1:todo', Subject: 'Reply from Kim Berg' },
    ]);
  });

  test('a repeated reply does not reopen a completed to-do', async () => {
    await write({ eventType: 'EMAIL_REPLY' }, { source });
    const todo = simulator.records('Task').at(-1)?.id ?? '';
    simulator.edit(todo, { Status: 'Completed' });
    await write({ eventType: 'EMAIL_REPLY' }, { source, isRepeated: true });
    expect(valuesOf('Task').map(({ Status }) => Status)).toEqual(['Completed', 'Completed']);
  });

  test('an existing owner stays, and a user who has left owns nothing', async () => {
    const ownerId = simulator.records('User')[0]?.id ?? '';
    simulator.seed('Contact', { LastName: 'Berg', Email: 'kim@fjord.example.org', OwnerId: ownerId });
    await write({}, { source });
    await write({ ...about('lou'), fromEmail: 'gone@example.com' }, { source, idempotencyKey: '12:k2' });
    expect(valuesOf('Contact').map(({ OwnerId }) => OwnerId)).toEqual([ownerId, ownerId]);
  });

  test('a user who leaves after they were found costs nothing but the owner', async () => {
    await write({}, { source });
    const rep = simulator.records('User').find(({ values }) => values['Email'] === 'Rep@example.com')?.id ?? '';
    simulator.edit(rep, { IsActive: false });
    expect(await write(about('lou'), { source, idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
    simulator.edit(rep, { IsActive: true });
  });

  test('a refused to-do is a warning', async () => {
    simulator.configure({
      validations: [{ objectType: 'Task', message: 'No open tasks', refuses: ({ Status }) => Status === undefined }],
    });
    expect(await write({ eventType: 'EMAIL_REPLY' }, { source })).toMatchObject({
      status: 'warning',
      error: { category: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' },
    });
    expect(simulator.records('Task')).toHaveLength(1);
  });
});

describe('state fields', () => {
  const source = { writeStateFields: true };

  test('are written only when the source asks for it', async () => {
    await write({ eventType: 'LEAD_UNSUBSCRIBED' });
    expect(valuesOf('Contact')).toMatchObject([{ HasOptedOutOfEmail: false }]);
    await write({ eventType: 'LEAD_UNSUBSCRIBED' }, { source, idempotencyKey: '12:k2' });
    expect(valuesOf('Contact')).toMatchObject([{ HasOptedOutOfEmail: true }]);
  });

  test('a bounce sets its date and reason once, on leads too', async () => {
    const lead = { source: { ...source, salesforceObjectType: 'Lead' } };
    await write({ eventType: 'EMAIL_BOUNCE', bodyText: 'Mailbox\nfull' }, lead);
    const later = { eventType: 'EMAIL_BOUNCE', occurredAt: new Date('2026-03-02T10:00:00.000Z') };
    await write(later, { ...lead, idempotencyKey: '12:k2' });
    expect(valuesOf('Lead')).toMatchObject([
      { EmailBouncedDate: '2026-03-01T10:00:00.000Z', EmailBouncedReason: 'Mailbox full' },
    ]);
  });

  test('a field that is hidden is a warning', async () => {
    simulator.configure({ hiddenFields: ['Contact.HasOptedOutOfEmail'] });
    expect(await write({ eventType: 'LEAD_UNSUBSCRIBED' }, { source })).toMatchObject({
      status: 'warning',
      engagementId: expect.any(String),
      error: { code: 'field_hidden', message: expect.stringContaining('Contact.HasOptedOutOfEmail') },
    });
  });
});

describe('an event is written once', () => {
  const ORGS = [
    ['its own unique field', {}],
    ['CallObject', { hasEventKeyField: false }],
    ['a reference in the subject', { hasEventKeyField: false, hasCallObject: false }],
  ] as const;

  test.each(ORGS)('with %s, a repeated event changes nothing', async (_, org) => {
    simulator.configure(org);
    const reply = { eventType: 'EMAIL_REPLY' };
    const source = { createOrUpdateTask: true };
    const first = await write(reply, { source });
    expect(await write(reply, { source, isRepeated: true })).toEqual(first);
    records = memoryRecords();
    const [again] = await writeAll([toWrite(reply, { source, isRepeated: true })], connect());
    expect(again).toEqual(first);
    expect(simulator.records('Task')).toHaveLength(2);
    expect(simulator.records('Task').map(({ writes }) => writes)).toEqual([1, 1]);
  });

  test.each(ORGS)('with %s, an event that stands twice in a batch is written once', async (_, org) => {
    simulator.configure(org);
    const outcomes = await writeAll([toWrite(), toWrite({}, { isRepeated: true })]);
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(simulator.records('Task')).toHaveLength(1);
  });

  test('with its own field, even an event that is not known to be repeated', async () => {
    const first = await write();
    expect(await write()).toEqual(first);
    expect(await write({}, { idempotencyKey: '12:K1' })).not.toEqual(first);
    expect(simulator.records('Task')).toHaveLength(2);
  });

  test('the reference in the subject is visible, and found when a user has changed the rest', async () => {
    simulator.configure({ hasEventKeyField: false, hasCallObject: false });
    const first = await write({ subject: 's'.repeat(300) });
    const [task] = simulator.records('Task');
    expect(task?.values['Subject']).toMatch(/ \[svc:[0-9a-f]{16}\]$/);
    simulator.edit(task?.id ?? '', { Subject: `Changed ${String(task?.values['Subject']).slice(-22)}` });
    expect(await write({}, { isRepeated: true })).toEqual(first);
  });
});
