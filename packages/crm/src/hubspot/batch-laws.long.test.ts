import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { emailOf, profileUrlOf } from '@svc/domain/contacts/event-contact';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';
import { planOf } from '../../test/support/plan.ts';
import { isWritten as isPlanned } from '@svc/domain/policy/plan-write';

/**
 * A batch leaves in HubSpot what its events would leave if they were written one by one, whatever their plans say and whatever
 * fails on the way. No contact is created that no event may create, and a repeat changes nothing.
 */

const NOW = new Date('2026-03-01T12:00:00.000Z');
const FAULTS = [500, 503, 408, 423, 409, 'ten-secondly', 'html', 'reset', 'lost-answer', 'truncated'] as const;
const ATTEMPTS_MAX = 400;

let simulator: HubspotSimulator;
/** Draws the fault of the next request. */
let drawFault: () => (typeof FAULTS)[number] | null = () => null;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    owners: ['rep@example.com', 'sam@example.com'],
    faults: ({ path }) => {
      const fault = drawFault();
      // There a 409 means that the property exists.
      return fault === 409 && path.includes('/properties/') ? null : fault;
    },
    validationRule: (_type, values) =>
      Object.values(values).some((value) => value.includes('[poison]')) ? 'refused by a rule of the account' : null,
  });
});
afterAll(() => simulator.close());

const url = (name: string) => `https://www.linkedin.com/in/${name}`;
const NO_ADDRESS = 'not an address@';
const PEOPLE = ['kim@fjord.example.org', 'KIM@fjord.example.org', 'lou@gmail.com', NO_ADDRESS, url('kim'), url('lou')];
const maybe = <T>(...values: T[]) => fc.constantFrom(null, ...values);

const someField = fc
  .record({
    property: fc.constantFrom('city', 'country', 'jobtitle'),
    write: fc.constantFrom('fill', 'overwrite', 'create-only'),
    value: maybe('A', 'B', 'C'),
    byDefault: maybe('D'),
  })
  // A poisoned title that a later event of the batch replaces is not sent, and then costs its event no other value.
  .filter(({ property, write }) => property !== 'jobtitle' || write !== 'overwrite');

/**
 * @param creates what the policies say about contacts that HubSpot does not have
 * @param jobTitles `[poison]` is refused without its name, so that all values of its event are omitted
 */
const someEvent = (profileUrls: string[], creates: string[], ...jobTitles: string[]) =>
  fc.record({
    person: fc.constantFrom(...PEOPLE),
    profileUrl: maybe(...profileUrls),
    firstName: maybe('Kim', 'Kimberly'),
    lastName: maybe('Berg', 'Quist'),
    jobTitle: maybe('CEO', 'x'.repeat(70_000), ...jobTitles),
    subject: fc.constantFrom('Hello', 'Hello', 'Hello', '[poison]'),
    fromEmail: maybe('rep@example.com', 'sam@example.com', 'stranger@example.com'),
    eventType: fc.constantFrom(
      'EMAIL_SENT',
      'EMAIL_REPLY',
      'EMAIL_OPEN',
      'EMAIL_BOUNCE',
      'MESSAGE_REPLY',
      'CALL_COMPLETED',
    ),
    options: fc.record({
      createOrUpdateCompany: fc.boolean(),
      createOrUpdateTask: fc.boolean(),
      assignContactOwner: fc.boolean(),
      writeStateFields: fc.boolean(),
    }),
    policy: fc.record({
      create: fc.constantFrom(...creates),
      events: fc.subarray(['timeline', 'fields', 'task']).map((write) => [{ write }]),
      owner: maybe({}, { contact: 'always', companies: true }, { contact: 'never', activities: false }),
    }),
    fields: fc.array(someField, { maxLength: 2 }),
    outcome: maybe(
      { leadStatus: 'NEW' },
      { leadStatus: 'OPEN' },
      { lifecycleStage: 'lead' },
      { lifecycleStage: 'opportunity' },
    ),
  });

type SomeEvent = ReturnType<typeof someEvent> extends fc.Arbitrary<infer T> ? T : never;

function toWrite(some: SomeEvent, index: number): CrmWrite {
  const { person, profileUrl, firstName, lastName, subject, fromEmail, eventType, options, policy, outcome } = some;
  const isEmail = person.includes('@');
  // A contact without an address needs its names. With a poisoned title the names would be omitted too, and the next
  // event may bring them.
  const jobTitle = isEmail || some.jobTitle !== '[poison]' ? some.jobTitle : null;
  const event: InboundEvent = {
    eventKey: `k${index}`,
    eventType,
    toEmail: person,
    occurredAt: NOW,
    contact: {
      ...BLANK_CONTACT,
      email: isEmail ? person : null,
      // An event with an address that HubSpot refuses could only be of the contact with its profile URL when it is written alone.
      profileUrl: isEmail ? (person === NO_ADDRESS ? null : profileUrl) : person,
      firstName,
      lastName,
      companyName: 'Fjord',
      jobTitle,
    },
    fromEmail,
    replySender: null,
    campaign: { id: '7', name: 'Spring' },
    subject,
    bodyHtml: null,
    bodyText: 'Hello',
    messageId: null,
    answeredMessageId: null,
    category: null,
    linkUrls: [],
    sequenceNumber: 1,
  };
  return {
    plan: planOf(event, {
      source: options,
      policy: { ...policy, outcomes: outcome === null ? [] : [{ when: {}, ...outcome }] },
    }),
    event,
    idempotencyKey: `12:k${index}`,
    receivedAt: NOW,
    fields: some.fields.map(({ byDefault, ...field }) => ({ ...field, valueOfNew: field.value ?? byDefault })),
    lastValues: null,
    isRepeated: false,
  };
}

function connect(fetchOf: typeof fetch = fetch) {
  return createHubspotConnector({ fetch: fetchOf, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW });
}

type Records = ReturnType<typeof memoryRecords>;
const toBatch = (records: Records, events: readonly CrmWrite[]) => ({
  access: accessTo('t'),
  organizationId: '1',
  records,
  events,
});

/** Writes the events until each has a final outcome; an attempt may be killed before one of its calls. */
async function writeUntilDone(
  events: readonly CrmWrite[],
  killBefore: () => number | null,
): Promise<(CrmOutcome | undefined)[]> {
  const records = memoryRecords();
  const final = new Map<CrmWrite, CrmOutcome>();
  let connector = connect();
  for (let attempt = 0; final.size < events.length; attempt += 1) {
    expect(attempt).toBeLessThan(ATTEMPTS_MAX);
    const open = events.filter((event) => !final.has(event));
    const batch = toBatch(
      records,
      open.map((event) => ({ ...event, isRepeated: attempt > 0 })),
    );
    const calls = killBefore();
    if (calls !== null) {
      await writeUntilKilled(batch, calls);
      connector = connect();
      continue;
    }
    const outcomes = await connector.writeEvents(batch);
    expect(outcomes).toHaveLength(open.length);
    for (const [index, event] of open.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && !(outcome.status === 'error' && outcome.retry !== 'never'))
        final.set(event, outcome);
    }
  }
  return events.map((event) => final.get(event));
}

/** Makes some calls of a batch, and then none: what a killed process leaves. */
async function writeUntilKilled(batch: ReturnType<typeof toBatch>, calls: number): Promise<void> {
  let left = calls;
  let kill = () => {};
  const killed = new Promise<void>((resolve) => (kill = resolve));
  const running = new Set<Promise<unknown>>();
  const dying: typeof fetch = (...args) => {
    if (left === 0) {
      kill();
      return new Promise(() => {});
    }
    left -= 1;
    const call = fetch(...args);
    const ended = call.then(
      () => {},
      () => {},
    );
    running.add(ended);
    return call;
  };
  await Promise.race([connect(dying).writeEvents(batch), killed]);
  // A request on its way reaches HubSpot.
  await Promise.all(running);
}

/** What HubSpot has, without ids and times. */
function readWorld() {
  const { contacts, engagements, companies, tasks } = simulator.state();
  const keyById = new Map<string, string | undefined>(
    [...engagements, ...tasks].map(({ id, properties }) => [id, properties['svc_event_key']]),
  );
  const domainById = new Map(companies.map(({ id, properties }) => [id, properties['domain']]));
  const shown = contacts.map(({ properties, associations }) => {
    const {
      hs_object_id: _id,
      createdate: _created,
      lastmodifieddate: _modified,
      hubspot_owner_id,
      ...values
    } = properties;
    const linked = Object.entries(associations).map(([type, ids]) => [
      type,
      ids.map((id) => keyById.get(id) ?? domainById.get(id)).toSorted(),
    ]);
    const company = domainById.get(values['associatedcompanyid'] ?? '') ?? null;
    const owner = hubspot_owner_id !== undefined ? { hubspot_owner_id } : {};
    return { ...values, ...owner, associatedcompanyid: company, linked: Object.fromEntries(linked) };
  });
  return {
    contacts: shown.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    engagements: engagements
      .map(({ properties }) => `${properties['svc_event_key']} of ${properties['hubspot_owner_id']}`)
      .toSorted(),
    tasks: tasks.map(({ properties }) => properties['svc_event_key']).toSorted(),
    // Without their owners: that of the first event that is written decides, and a failure may change which one that is.
    companies: companies.map(({ properties }) => properties['domain']).toSorted(),
  };
}

async function writeOneByOne(events: readonly CrmWrite[]) {
  simulator.reset();
  drawFault = () => null;
  const connector = connect();
  const records = memoryRecords();
  const outcomes: (CrmOutcome | undefined)[] = [];
  for (const event of events) outcomes.push(...(await connector.writeEvents(toBatch(records, [event]))));
  return { outcomes, world: readWorld() };
}

const statuses = (outcomes: readonly (CrmOutcome | undefined)[]) => outcomes.map((outcome) => outcome?.status);

test('a batch has the outcomes and leaves the contacts of its events one by one', { timeout: 600_000 }, async () => {
  const batches = fc.array(someEvent([url('kim'), url('lou')], ['always', 'always', 'on-reply', 'never'], '[poison]'), {
    minLength: 1,
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const events = batch.map(toWrite).filter(({ plan }) => isPlanned(plan));
      const expected = await writeOneByOne(events);
      simulator.reset();
      const outcomes = await writeUntilDone(events, () => null);
      const replaces = events.some(({ fields }) => fields.some(({ write }) => write === 'overwrite'));
      // A value that a later event replaces is not sent, so nobody learns that HubSpot refuses it.
      const shown = (all: readonly (CrmOutcome | undefined)[]) =>
        statuses(all).map((status) => (replaces && status === 'warning' ? 'success' : status));
      expect(shown(outcomes)).toEqual(shown(expected.outcomes));
      expect(readWorld()).toEqual(expected.world);
      expectNoForbiddenContact(events);
      if (!events.every(isRepeatable)) return;
      const written = events.filter((_, index) => isWritten(outcomes[index]));
      // An event that is written again replaces owner and values again, also when a refused one came behind it (docs/crm/hubspot.md).
      if (written.length < events.length && events.some(replacesValues)) return;
      const before = readWorld();
      await connect().writeEvents(
        toBatch(
          memoryRecords(),
          written.map((event) => ({ ...event, isRepeated: true })),
        ),
      );
      expect(readWorld()).toEqual(before);
    }),
    { numRuns: sized(50) },
  );
});

/**
 * Whether a repeat meets what the first attempt met. The values of an event with a poisoned title are omitted while the title is
 * blank; an event that does not fill is of the contact with its profile URL until another one has its address.
 */
function isRepeatable({ plan, event: { contact } }: CrmWrite): boolean {
  const isFound = plan.writes.fields || contact.email === null || contact.profileUrl === null;
  return isFound && contact.jobTitle !== '[poison]';
}

/** Whether an event takes the place of what an earlier one has written. */
function replacesValues({ plan, fields }: CrmWrite): boolean {
  const { owner, outcomes } = plan;
  const hasStatus = outcomes !== null && outcomes.leadStatus !== null;
  return hasStatus || owner?.contact === 'always' || fields.some(({ write }) => write === 'overwrite');
}

function isWritten(outcome: CrmOutcome | undefined): boolean {
  return outcome !== undefined && outcome.status !== 'error' && outcome.contactId !== null;
}

/** Each contact has an event that may have created it: one with its address or its profile URL. */
function expectNoForbiddenContact(events: readonly CrmWrite[]): void {
  const creators = events.filter(({ plan }) => plan.mayCreate).map(({ event }) => event);
  const forbidden = simulator.contacts().filter(({ properties }) => {
    const identities = [properties['email'], properties['svc_profile_url']];
    return !creators.some((event) => identities.includes(emailOf(event) ?? profileUrlOf(event) ?? ''));
  });
  expect(forbidden).toEqual([]);
}

test('also when a fifth of the calls fails, answers are lost and attempts are killed', {
  timeout: 600_000,
}, async () => {
  // No two contacts share a profile URL: which event failed first would decide whose URL it is.
  // And each event may create its contact: an attempt that is killed after a creation lets the earlier events find the contact.
  const batches = fc.array(someEvent([], ['always']), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(batches, fc.infiniteStream(fc.nat(999)), async (batch, stream) => {
      const draw = (max: number) => Number(stream.next().value) % max;
      const events = batch.map(toWrite).filter(({ plan }) => isPlanned(plan));
      const expected = await writeOneByOne(events);
      simulator.reset();
      drawFault = () => (draw(5) === 0 ? (FAULTS[draw(FAULTS.length)] ?? null) : null);
      const outcomes = await writeUntilDone(events, () => (draw(10) === 0 ? draw(8) : null));
      // A warning may be gone: the value of a later event was written before the refused one was tried again.
      const isError = (status: string | undefined) => status === 'error';
      expect(statuses(outcomes).map(isError)).toEqual(statuses(expected.outcomes).map(isError));
      // An event that is written again replaces values again, also when a refused one came behind it (docs/crm/hubspot.md).
      if (statuses(expected.outcomes).some(isError) && events.some(replacesValues)) return;
      expect(readWorld()).toEqual(expected.world);
    }),
    { numRuns: sized(50) },
  );
});
