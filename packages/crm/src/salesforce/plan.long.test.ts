import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isWritten } from '@svc/domain/policy/plan-write';
import { type SalesforceFault, type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { toWrite } from '../../test/support/salesforce.ts';
import { isNoMatchingContact } from '../port/no-matching-contact.ts';
import type { CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';

/**
 * Whatever the plans of a batch are and whatever fails on the way: nobody is created for an event whose plan forbids it, an event has no
 * contact exactly when nobody had created one before it, and repeating what was written changes nothing.
 */

const URL = 'https://www.linkedin.com/in/';
interface SomePerson {
  email: string | null;
  profileUrl: string | null;
}

/** The people of `PLAIN` have an address or a profile URL, so a model of two lines knows whom the org has. The others may be one person. */
const PLAIN: readonly SomePerson[] = [
  { email: 'a@fjord.example', profileUrl: null },
  { email: 'b@crate.example', profileUrl: null },
  { email: null, profileUrl: `${URL}x` },
];
const TANGLED: readonly SomePerson[] = [
  { email: 'd@fjord.example', profileUrl: `${URL}y` },
  { email: 'd@fjord.example', profileUrl: null },
  { email: 'e@fjord.example', profileUrl: `${URL}y` },
  { email: null, profileUrl: `${URL}y` },
];
const USERS = ['rep@example.com', 'lead@example.com'];
const FAULTS: readonly SalesforceFault[] = ['lost-answer', 'reset', 503];

let nextFault: () => SalesforceFault | null = () => null;
let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ users: USERS.map((email) => ({ email })), faults: () => nextFault() });
});
afterAll(() => simulator.close());

const someEvent = fc.record({
  person: fc.constantFrom(...PLAIN, ...PLAIN, ...TANGLED),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_BOUNCE'),
  jobTitle: fc.constantFrom('Captain', 'Cook', null),
  source: fc.record({
    salesforceObjectType: fc.constantFrom('Contact', 'Lead'),
    createOrUpdateTask: fc.boolean(),
    createOrUpdateCompany: fc.boolean(),
    writeStateFields: fc.boolean(),
  }),
  create: fc.constantFrom('always', 'on-reply', 'never', 'never'),
  write: fc.subarray(['timeline', 'fields', 'task'], { minLength: 1 }),
  owner: fc.option(
    fc.record({
      user: fc.constantFrom('rep', 'id of lead', 'stranger@example.com', '005000000000001'),
      contact: fc.constantFrom('if-empty', 'always', 'never'),
      activities: fc.boolean(),
      companies: fc.boolean(),
    }),
  ),
});
const scenario = fc.record({
  known: fc.subarray([...PLAIN, ...TANGLED]),
  events: fc.array(someEvent, { minLength: 1, maxLength: 12 }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { freq: 4, nil: null }), { maxLength: 20 }),
  org: fc.constantFrom({}, { hasEventKeyField: false }, { hasEventKeyField: false, hasCallObject: false }),
  forgets: fc.boolean(),
});
type SomeEvent = typeof someEvent extends fc.Arbitrary<infer Value> ? Value : never;

function userOf(user: string): string {
  if (user === 'rep') return 'rep@example.com';
  const lead = simulator.records('User').find(({ values }) => values['Email'] === 'lead@example.com');
  return user === 'id of lead' ? (lead?.id ?? '') : user;
}

function toWrites(events: readonly SomeEvent[]): CrmWrite[] {
  return events.map(({ person, eventType, jobTitle, source, create, write, owner }, index) => {
    const contact = { ...inboundEvent().contact, ...person, jobTitle };
    const { user = '', ...rule } = owner ?? {};
    return toWrite(
      { eventType, contact, toEmail: person.email ?? person.profileUrl ?? '' },
      {
        source,
        policy: {
          create,
          events: [{ write }],
          ...(owner === null ? {} : { owner: { ...rule, map: [{ mailbox: '*', user: userOf(user) }] } }),
        },
        idempotencyKey: `12:e${index}`,
      },
    );
  });
}

function seedPerson({ email, profileUrl }: SomePerson): void {
  simulator.seed('Contact', {
    LastName: 'Berg',
    ...(email === null ? {} : { Email: email }),
    ...(profileUrl === null ? {} : { Svc_Profile_Url__c: profileUrl }),
  });
}

/** Writes events as one batch, and repeats what failed. */
async function writeUntilDone(
  events: readonly CrmWrite[],
  records: ReturnType<typeof memoryRecords>,
  isRepeatedAtFirst: boolean,
): Promise<CrmOutcome[]> {
  const connector = createSalesforceConnector({ fetch, timeoutMs: 5_000 });
  const final = new Map<CrmWrite, CrmOutcome>();
  let open = events;
  for (let tries = 0; open.length > 0; tries += 1) {
    if (tries > 60) throw new Error('The events are never written.');
    const outcomes = await connector.writeEvents({
      access: accessTo('t', { apiUrl: simulator.url }),
      organizationId: simulator.organizationId,
      records,
      events: open.map((write) => ({ ...write, isRepeated: isRepeatedAtFirst || tries > 0 })),
    });
    open = open.filter((write, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) throw new Error('An event has no outcome.');
      if (outcome.status === 'error' && outcome.retry !== 'never') return true;
      final.set(write, outcome);
      return false;
    });
  }
  return events.flatMap((write) => final.get(write) ?? []);
}

/** All records with their values, and how often tasks were written. @param withOwners whether owners of people are compared */
function recordsNow(withOwners: boolean): unknown[] {
  const all = (['Contact', 'Lead', 'Account', 'Task'] as const).flatMap((type) => simulator.records(type));
  return all.map(({ id, objectType, values, writes }) => {
    const { LastModifiedDate: _, OwnerId, ...kept } = values;
    const owner = withOwners || objectType === 'Task' || objectType === 'Account' ? OwnerId : null;
    return [id, kept, owner, objectType === 'Task' ? writes : null];
  });
}

/**
 * An event that fills nothing leaves its address off a person who was found by the profile URL. What is written later decides whether a
 * repetition, of this event or of another one with its address, finds the person.
 */
function isMarked({ plan, event: { contact } }: CrmWrite): boolean {
  return plan.writes.fields || contact.email === null || contact.profileUrl === null;
}

test('nobody is created where the plan forbids it, and a repetition changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ known, events: drawn, faults, org, forgets }) => {
      nextFault = () => null;
      simulator.reset();
      simulator.configure(org);
      for (const person of known) seedPerson(person);
      const events = toWrites(drawn);
      const mayCreate = events.map(({ plan }) => plan.mayCreate && isWritten(plan));
      const left = [...faults];
      nextFault = () => left.shift() ?? null;
      const records = memoryRecords();
      const outcomes = await writeUntilDone(events, records, false);

      const creators = drawn.filter((_, index) => mayCreate[index] === true).map(({ person }) => person);
      const seeded = known.length;
      const created = [...simulator.records('Contact').slice(seeded), ...simulator.records('Lead')];
      expect(created.length).toBeLessThanOrEqual(new Set(creators).size);
      for (const { values } of created) {
        // A person of whom only the profile URL was known may have got an address from a later event.
        const isOf = ({ email, profileUrl }: SomePerson) =>
          email === null ? profileUrl === values['Svc_Profile_Url__c'] : email === values['Email'];
        expect(creators.some(isOf)).toBe(true);
      }

      const there = new Set(known);
      for (const [index, { person }] of drawn.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) throw new Error('An event has no outcome.');
        if (mayCreate[index] === true) there.add(person);
        expect(outcome.status === 'success' || isNoMatchingContact(outcome)).toBe(true);
        if (mayCreate[index] === true) expect(isNoMatchingContact(outcome)).toBe(false);
        if (PLAIN.includes(person)) expect(isNoMatchingContact(outcome)).toBe(!there.has(person));
      }
      const written = events.filter((_, index) => outcomes[index]?.status === 'success');
      const tasks = written.reduce(
        (sum, { plan: { writes } }) => sum + Number(writes.timeline) + Number(writes.task),
        0,
      );
      expect(simulator.records('Task')).toHaveLength(tasks);

      // With `always`, an event that is written again sets its owner again (docs/crm/salesforce.md).
      const withOwners = events.every(({ plan }) => plan.owner?.contact !== 'always');
      const before = recordsNow(withOwners);
      if (!events.every(isMarked)) return;
      const again = await writeUntilDone(written, forgets ? memoryRecords() : records, true);
      expect(again).toEqual(outcomes.filter(({ status }) => status === 'success'));
      expect(recordsNow(withOwners)).toEqual(before);
    }),
    { numRuns: sized(100) },
  );
});
