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
});

type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never;

function toChanges({ person, profileUrl, create, write, owner, ...some }: SomeEvent, index: number): EventChanges {
  const { firstName, phone, ...rest } = some;
  const email = person.includes('@') ? person : null;
  return {
    ...rest,
    key: `k${index}`,
    toEmail: person,
    contact: { email, profileUrl: email === null ? person : profileUrl, firstName, lastName: null, phone },
    policy: { create, events: [{ write }], ...(owner === undefined ? {} : { owner }) },
  };
}

/**
 * What Pipedrive has, without ids and times; each written part by the reference in its text. Owners of organizations are left out: several
 * persons are written at a time, and the one that comes first makes the organization of both.
 */
function readWorld({ withOwners = true } = {}) {
  const { persons, activities, notes, organizations } = simulator.state();
  const nameOf = new Map(persons.map(({ id, name, emails }) => [id, emails[0]?.value ?? name]));
  const refOf = (text: string | null) => /svc:[0-9a-f]{20}/.exec(text ?? '')?.[0];
  const sorted = (list: readonly object[]) => list.map((entry) => JSON.stringify(entry)).toSorted();
  return {
    persons: sorted(
      persons.map(({ name, emails, phones, owner_id, custom_fields, marketing_status, org_id }) => ({
        ...{ name, emails, phones, marketing_status, ...(withOwners ? { owner_id } : {}) },
        ...{ url: Object.values(custom_fields), organization: org_id !== null },
      })),
    ),
    activities: sorted(
      activities.map(({ note, owner_id, participants }) => ({
        ...{ ref: refOf(note), owner_id },
        person: participants.map(({ person_id }) => nameOf.get(person_id)),
      })),
    ),
    notes: sorted(notes.map(({ content, person_id }) => ({ ref: refOf(content), person: nameOf.get(person_id ?? 0) }))),
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

/**
 * An event that fills nothing leaves its address off a person who was found by the profile URL. What is written later decides whether a
 * repetition, of this event or of another one with its address, finds the person.
 */
function isMarked(changes: EventChanges): boolean {
  const { plan, event } = toWrite(changes);
  return plan.writes.fields || event.contact.email === null || event.contact.profileUrl === null;
}

test('a batch with any plans', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someEvent, { minLength: 1, maxLength: 8 }), async (batch) => {
      const events = batch.map(toChanges).filter((changes) => isWritten(toWrite(changes).plan));
      simulator.reset();
      const alone = createWriter(simulator, { now: () => START });
      const expected: CrmOutcome[] = [];
      for (const event of events) expected.push(...(await alone.write(event)));
      const world = readWorld();

      simulator.reset();
      const writer = createWriter(simulator, { now: () => START });
      const outcomes = await writer.write(...events);
      expect(outcomes.map(({ status }) => status)).toEqual(expected.map(({ status }) => status));
      expect(outcomes.map(isFound)).toEqual(expected.map(isFound));
      expect(readWorld()).toEqual(world);
      expectNoForbiddenPerson(events);

      if (!events.every(isMarked)) return;
      // With `always`, an event that is written again sets its owner again (docs/crm/pipedrive.md).
      const withOwners = events.every((event) => toWrite(event).plan.owner?.contact !== 'always');
      const before = readWorld({ withOwners });
      const again = events.filter((_, index) => isFound(outcomes[index]));
      await writer.write(...again.map((event) => ({ ...event, isRepeated: true })));
      expect(readWorld({ withOwners })).toEqual(before);
    }),
    { numRuns: sized(100) },
  );
});
