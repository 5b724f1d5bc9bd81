import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SalesforceFault, type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { toWrite } from '../../test/support/salesforce.ts';
import type { CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';

/**
 * Whatever fails on the way and however events are put into batches: each event that can be written becomes one task, and
 * people look as if the events had been written one by one without a failure.
 */

const CALL_FAULTS: readonly SalesforceFault[] = [
  'lost-answer',
  'reset',
  'html',
  503,
  'concurrent-requests',
  'truncated',
];
const URL = 'https://www.linkedin.com/in/';

let nextFault: () => SalesforceFault | null = () => null;
let simulator: SalesforceSimulator;
beforeAll(async () => {
  const faults = () => nextFault();
  simulator = await startSalesforceSimulator({ tokens: ['t'], users: [{ email: 'rep@example.com' }], faults });
});
afterAll(() => simulator.close());

const person = fc.record({
  email: fc.constantFrom('a@fjord.example', 'b@fjord.example', 'c@crate.example', "o'd@crate.example", null),
  profileUrl: fc.constantFrom(`${URL}x`, `${URL}y`, null, null),
  firstName: fc.constantFrom('Kim', "D'Arcy \\ %", null),
  lastName: fc.constantFrom('Berg', null),
  jobTitle: fc.constantFrom('CTO', 'Ops', null),
  companyName: fc.constantFrom('Fjord', null),
});
const someEvent = fc.record({
  person: person.filter(({ email, profileUrl }) => email !== null || profileUrl !== null),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_REPLY', 'LEAD_UNSUBSCRIBED'),
  salesforceObjectType: fc.constantFrom('Contact', 'Lead'),
  isPoison: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
});
const scenario = fc.record({
  events: fc.array(someEvent, { minLength: 1, maxLength: 14 }),
  batchSize: fc.integer({ min: 1, max: 14 }),
  faults: fc.array(fc.option(fc.constantFrom(...CALL_FAULTS), { freq: 4, nil: null }), { maxLength: 60 }),
  lockedRecords: fc.integer({ min: 0, max: 3 }),
  forgets: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
  org: fc.constantFrom({}, { hasEventKeyField: false }, { hasEventKeyField: false, hasCallObject: false }),
});

type SomeEvent = typeof someEvent extends fc.Arbitrary<infer Value> ? Value : never;

function toEvents(events: readonly SomeEvent[]): CrmWrite[] {
  return events.map(({ person: { email, profileUrl, ...names }, eventType, salesforceObjectType, isPoison }, index) => {
    // Salesforce refuses an address without a dot in its host.
    const address = isPoison ? 'poison@localhost' : email;
    const contact = { ...inboundEvent().contact, ...names, email: address, profileUrl: isPoison ? null : profileUrl };
    return toWrite(
      { eventType, contact, toEmail: address ?? profileUrl ?? '' },
      {
        source: {
          salesforceObjectType,
          createOrUpdateTask: true,
          createOrUpdateCompany: true,
          assignContactOwner: true,
          writeStateFields: true,
        },
        idempotencyKey: `12:e${index}`,
      },
    );
  });
}

/** Writes events in batches, and repeats what failed before it goes on. */
async function writeInBatches(
  events: readonly CrmWrite[],
  { batchSize, forgets }: { batchSize: number; forgets: readonly boolean[] },
): Promise<CrmOutcome[]> {
  const final = new Map<CrmWrite, CrmOutcome>();
  let records = memoryRecords();
  let connector = createSalesforceConnector({ fetch, timeoutMs: 60_000 });
  let tries = 0;
  for (let start = 0; start < events.length; start += batchSize) {
    let open = events.slice(start, start + batchSize);
    let isRepeated = false;
    while (open.length > 0) {
      // Another process, whose caches are empty; sometimes what was stored is lost too.
      if (forgets[tries % forgets.length] === true) {
        connector = createSalesforceConnector({ fetch, timeoutMs: 60_000 });
        if (tries % 2 === 0) records = memoryRecords();
      }
      tries += 1;
      if (tries > 300) throw new Error('the events are never written');
      const outcomes = await connector.writeEvents({
        access: accessTo('t', { apiUrl: simulator.url }),
        organizationId: simulator.organizationId,
        records,
        events: open.map((write) => ({ ...write, isRepeated })),
      });
      expect(outcomes).toHaveLength(open.length);
      const again: CrmWrite[] = [];
      for (const [index, write] of open.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) continue;
        if (outcome.status === 'error' && outcome.retry !== 'never') again.push(write);
        else final.set(write, outcome);
      }
      open = again;
      isRepeated = true;
    }
  }
  return events.flatMap((write) => final.get(write) ?? []);
}

const DETAILS = ['Email', 'Svc_Profile_Url__c', 'FirstName', 'LastName', 'Title', 'Company', 'HasOptedOutOfEmail'];
function peopleNow(): string[] {
  const people = [...simulator.records('Contact'), ...simulator.records('Lead')];
  return people
    .map(({ objectType, values }) => JSON.stringify([objectType, ...DETAILS.map((name) => values[name] ?? null)]))
    .toSorted();
}
const subjectsNow = () =>
  simulator
    .records('Task')
    .map(({ values }) => String(values['Subject']))
    .toSorted();

test('each event becomes exactly one task, and people look as if written one by one', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events: drawn, batchSize, faults, lockedRecords, forgets, org }) => {
      const events = toEvents(drawn);
      nextFault = () => null;
      simulator.reset();
      simulator.configure(org);
      const plain = await writeInBatches(events, { batchSize: 1, forgets: [false] });
      const expected = { people: peopleNow(), subjects: subjectsNow(), accounts: simulator.records('Account').length };

      simulator.reset();
      simulator.configure(org);
      const left = [...faults];
      nextFault = () => left.shift() ?? null;
      simulator.failRecords(lockedRecords, { objectType: 'Contact', errorCode: 'UNABLE_TO_LOCK_ROW' });
      simulator.failRecords(lockedRecords, { objectType: 'Task', errorCode: 'UNABLE_TO_LOCK_ROW' });
      const outcomes = await writeInBatches(events, { batchSize, forgets });

      expect(outcomes.map(({ status }) => status)).toEqual(plain.map(({ status }) => status));
      expect(outcomes.map(({ status }) => status === 'error')).toEqual(drawn.map(({ isPoison }) => isPoison));
      expect(peopleNow()).toEqual(expected.people);
      expect(subjectsNow()).toEqual(expected.subjects);
      expect(simulator.records('Account')).toHaveLength(expected.accounts);
      const replies = drawn.filter(({ isPoison, eventType }) => !isPoison && eventType === 'EMAIL_REPLY').length;
      expect(simulator.records('Task')).toHaveLength(drawn.filter(({ isPoison }) => !isPoison).length + replies);
    }),
    { numRuns: sized(100) },
  );
});
