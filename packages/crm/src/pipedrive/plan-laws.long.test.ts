import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emailOf, profileUrlOf } from '@svc/domain/contacts/event-contact';
import { isWritten } from '@svc/domain/policy/plan-write';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { sized } from '../../../../scripts/vitest/size.ts';
import { createWriter, type EventChanges, START, TOKEN, toWrite } from '../../test/support/pipedrive.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import type { CrmOutcome } from '../port/types.ts';

/**
 * Whatever the plans of a batch say, the batch leaves in Pipedrive what its events would leave if they were written one by one; no person
 * is created that no event may create, and a repeat changes nothing.
 */

let simulator: PipedriveSimulator;
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  const users = ['owner@example.com', 'rep@example.com', 'sam@example.com'];
  simulator = await startPipedriveSimulator({
    tokens: [TOKEN],
    onExchange,
    users,
    now: () => START,
    hasCampaigns: true,
  });
});
afterAll(() => simulator.close());

const url = (name: string) => `https://www.linkedin.com/in/${name}`;
const PEOPLE = ['kim@fjord.example.org', 'lou@fjord.example.org', url('kim'), url('lou')];

const someEvent = fc.record({
  person: fc.constantFrom(...PEOPLE),
  profileUrl: fc.constantFrom(null, url('kim'), url('lou')),
  firstName: fc.constantFrom(null, 'Kim', 'Kimberly'),
  phone: fc.constantFrom(null, '+47 55', '+47 66'),
  fromEmail: fc.constantFrom('rep@example.com', 'sam@example.com', 'stranger@example.com'),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_OPEN', 'LEAD_UNSUBSCRIBED'),
  source: fc.record({
    createOrUpdateCompany: fc.boolean(),
    createOrUpdateTask: fc.boolean(),
    assignContactOwner: fc.boolean(),
    writeStateFields: fc.boolean(),
  }),
  create: fc.constantFrom('always', 'on-reply', 'never'),
  write: fc.subarray(['timeline', 'fields', 'task']),
  owner: fc.constantFrom(undefined, null, {}, { contact: 'always', companies: true }, { contact: 'never' }),
  fields: fc.constantFrom(
    [],
    [{ to: 'Source', from: 'firstName' }],
    [{ to: 'Source', from: 'phone', write: 'overwrite' }],
    [
      { to: 'Source', value: 'new', write: 'create-only' },
      { to: 'Tier', from: 'mailbox', default: 'none' },
    ],
  ),
  outcome: fc.constantFrom(
    {},
    { leadStatus: 'Hot lead' },
    { deal: { stage: 'Qualified' } },
    { task: { subject: 'Call' } },
  ),
});

/** Custom fields that an admin has made. */
async function makeFields(): Promise<void> {
  for (const field_name of ['Source', 'Tier']) {
    const body = JSON.stringify({ field_name, field_type: 'varchar' });
    await fetch(`${simulator.url}/api/v2/personFields`, { method: 'POST', headers: { 'x-api-token': TOKEN }, body });
  }
}

type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never;

function toChanges(event: SomeEvent, index: number): EventChanges {
  const { person, profileUrl, create, write, owner, fields, outcome, ...some } = event;
  const outcomes = Object.keys(outcome).length === 0 ? [] : [{ when: {}, ...outcome }];
  const { firstName, phone, ...rest } = some;
  const email = person.includes('@') ? person : null;
  return {
    ...rest,
    key: `k${index}`,
    toEmail: person,
    contact: { email, profileUrl: email === null ? person : profileUrl, firstName, lastName: null, phone },
    policy: { create, events: [{ write }], fields, outcomes, ...(owner === undefined ? {} : { owner }) },
  };
}

/**
 * What Pipedrive has, without ids and times; each written part by the reference in its text. Owners of organizations are left out: several
 * persons are written at a time, and the one that comes first makes the organization of both.
 */
function readWorld({ withOwners = true, withFields = true } = {}) {
  const { persons, activities, notes, organizations, deals, personFields } = simulator.state();
  const fieldNames = new Map(personFields.map(({ field_code, field_name }) => [field_code, field_name]));
  const customOf = (custom: Readonly<Record<string, unknown>>) =>
    Object.entries(custom)
      .map(([code, value]) => [fieldNames.get(code), value])
      .filter(([name]) => withFields || name === 'Sequencer profile URL')
      .toSorted();
  const nameOf = new Map(persons.map(({ id, name, emails }) => [id, emails[0]?.value ?? name]));
  const refOf = (text: string | null) => /svc:[0-9a-f]{20}/.exec(text ?? '')?.[0];
  const sorted = (list: readonly object[]) => list.map((entry) => JSON.stringify(entry)).toSorted();
  return {
    persons: sorted(
      persons.map(({ name, emails, phones, owner_id, custom_fields, marketing_status, org_id, label_ids }) => ({
        ...{ name, emails, phones, marketing_status, ...(withOwners ? { owner_id } : {}) },
        ...{ custom: customOf(custom_fields), organization: org_id !== null, label_ids },
      })),
    ),
    activities: sorted(
      activities.map(({ note, owner_id, participants }) => ({
        ...{ ref: refOf(note), owner_id },
        person: participants.map(({ person_id }) => nameOf.get(person_id)),
      })),
    ),
    notes: sorted(notes.map(({ content, person_id }) => ({ ref: refOf(content), person: nameOf.get(person_id ?? 0) }))),
    deals: sorted(deals.map(({ title, person_id }) => ({ title, person: nameOf.get(person_id ?? 0) }))),
    organizations: sorted(organizations.map(({ name }) => ({ name }))),
  };
}

function expectNoForbiddenPerson(events: readonly EventChanges[]): void {
  const creators = events.map(toWrite).filter(({ plan }) => plan.mayCreate);
  const identities = new Set<unknown>(creators.map(({ event }) => emailOf(event) ?? profileUrlOf(event)));
  const forbidden = simulator
    .state()
    .persons.filter(({ emails, custom_fields }) =>
      [...emails.map(({ value }) => value), ...Object.values(custom_fields)].every((value) => !identities.has(value)),
    );
  expect(forbidden).toEqual([]);
}

const isFound = (outcome: CrmOutcome | undefined) => outcome?.status !== 'error' && outcome?.contactId !== null;

/** An event with an entry or a to-do is known when it is repeated. */
function isKnownAgain(changes: EventChanges): boolean {
  const { writes } = toWrite(changes).plan;
  return writes.timeline || writes.task;
}

test('a batch with any plans', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someEvent, { minLength: 1, maxLength: 8 }), async (batch) => {
      const events = batch.map(toChanges).filter((changes) => isWritten(toWrite(changes).plan));
      simulator.reset();
      await makeFields();
      const alone = createWriter(simulator, { now: () => START });
      const expected: CrmOutcome[] = [];
      for (const event of events) expected.push(...(await alone.write(event)));
      const world = readWorld();

      simulator.reset();
      await makeFields();
      const writer = createWriter(simulator, { now: () => START });
      const outcomes = await writer.write(...events);
      expect(outcomes.map(({ status }) => status)).toEqual(expected.map(({ status }) => status));
      expect(outcomes.map(isFound)).toEqual(expected.map(isFound));
      expect(readWorld()).toEqual(world);
      expectNoForbiddenPerson(events);

      // An event that writes fields alone sets owner and fields again (docs/crm/pipedrive.md).
      const withOwners = events.every(
        (event) => isKnownAgain(event) || toWrite(event).plan.owner?.contact !== 'always',
      );
      const withFields = events.every(isKnownAgain);
      const before = readWorld({ withOwners, withFields });
      const again = events.filter((_, index) => isFound(outcomes[index]));
      await writer.write(...again.map((event) => ({ ...event, isRepeated: true })));
      expect(readWorld({ withOwners, withFields })).toEqual(before);
    }),
    { numRuns: sized(100) },
  );
});
