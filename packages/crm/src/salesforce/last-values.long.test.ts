import {
  joinStates,
  LAST_VALUE_NAMES,
  LAST_VALUES,
  type LastValueState,
  NO_LAST_VALUES,
  stateOfEvent,
  valuesOf,
} from '@svc/domain/policy/last-values';
import { type SalesforceFault, type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { toWrite } from '../../test/support/salesforce.ts';
import { createSalesforceConnector } from './connector.ts';
import { lastValueField } from './last-values.ts';

/**
 * However events arrive, in any order, again and again, in batches of any size, and whatever fails on the way: a person ends with the values
 * of all its events, as when they had been written once and in the order of their times.
 */

const PEOPLE = [
  { email: 'a@fjord.example', profileUrl: null },
  { email: 'b@crate.example', profileUrl: null },
  { email: null, profileUrl: 'https://www.linkedin.com/in/x' },
] as const;
const FAULTS: readonly SalesforceFault[] = ['lost-answer', 'reset', 503, 'truncated'];

let nextFault: () => SalesforceFault | null = () => null;
let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ faults: () => nextFault() });
});
afterAll(() => simulator.close());

const someEvent = fc.record({
  person: fc.integer({ min: 0, max: PEOPLE.length - 1 }),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_REPLY', 'EMAIL_BOUNCE', 'CONNECTION_REQUEST_SENT'),
  hour: fc.integer({ min: 0, max: 5 }),
  subject: fc.constantFrom('Hello', 'Once more', null),
  sequenceNumber: fc.option(fc.integer({ min: 1, max: 5 })),
});
const scenario = fc.array(someEvent, { minLength: 1, maxLength: 12 }).chain((events) =>
  fc.record({
    events: fc.constant(events),
    // Each event arrives at least once.
    arrivals: fc
      .array(fc.integer({ min: 0, max: events.length - 1 }), { maxLength: 8 })
      .chain((again) => fc.shuffledSubarray([...events.keys(), ...again], { minLength: events.length + again.length })),
    batchSize: fc.integer({ min: 1, max: 6 }),
    types: fc.array(fc.constantFrom('Contact', 'Lead'), { minLength: PEOPLE.length, maxLength: PEOPLE.length }),
    known: fc.array(fc.boolean(), { minLength: PEOPLE.length, maxLength: PEOPLE.length }),
    faults: fc.array(fc.constantFrom(null, null, null, null, ...FAULTS), { maxLength: 30 }),
    locked: fc.integer({ min: 0, max: 3 }),
    forgets: fc.boolean(),
  }),
);
type SomeEvent = typeof someEvent extends fc.Arbitrary<infer Value> ? Value : never;

function toInbound({ person, eventType, subject, sequenceNumber, hour }: SomeEvent) {
  const { email, profileUrl } = PEOPLE[person] ?? PEOPLE[0];
  return inboundEvent({
    eventType,
    subject,
    sequenceNumber,
    toEmail: email ?? profileUrl ?? '',
    contact: { ...inboundEvent().contact, email, profileUrl },
    occurredAt: new Date(Date.UTC(2026, 2, 1, hour)),
  });
}

function toState(event: SomeEvent, key: string): LastValueState {
  const inbound = toInbound(event);
  const { eventType, fromEmail, campaign, category, sequenceNumber, subject, linkUrls } = inbound;
  const at = inbound.occurredAt ?? new Date(0);
  const values = { eventType, fromEmail, campaign, category, sequenceNumber, subject, linkUrls };
  return stateOfEvent({ key, at, sequencer: 'smartlead', text: null, leadUrl: null, ...values });
}

/** Counts each event once, as the server does, and knows the values of each person. */
class Counter {
  readonly #counted = new Set<number>();
  readonly #states = new Map<number, LastValueState>();

  count(index: number, event: SomeEvent) {
    const before = this.#states.get(event.person) ?? NO_LAST_VALUES;
    if (!this.#counted.has(index)) this.#states.set(event.person, joinStates(before, toState(event, `k${index}`)));
    this.#counted.add(index);
    return valuesOf(this.#states.get(event.person) ?? NO_LAST_VALUES, LAST_VALUE_NAMES);
  }
}

function personRecord(person: number) {
  const { email, profileUrl } = PEOPLE[person] ?? PEOPLE[0];
  return [...simulator.records('Contact'), ...simulator.records('Lead')].find(({ values }) =>
    email === null ? values['Svc_Profile_Url__c'] === profileUrl : values['Email'] === email,
  );
}

test('any order, repetition, batch and failure ends in the same values', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, arrivals, batchSize, types, known, faults, locked, forgets }) => {
      nextFault = () => null;
      simulator.reset();
      for (const [index, { email, profileUrl }] of PEOPLE.entries())
        if (known[index] === true)
          simulator.seed(types[index] === 'Lead' ? 'Lead' : 'Contact', {
            LastName: 'Berg',
            Email: email,
            Svc_Profile_Url__c: profileUrl,
          });
      for (const objectType of ['Contact', 'Lead', 'Task'] as const)
        simulator.failRecords(locked, { objectType, errorCode: 'UNABLE_TO_LOCK_ROW' });
      const left = [...faults];
      nextFault = () => left.shift() ?? null;
      let records = memoryRecords();
      const connector = createSalesforceConnector({ fetch, timeoutMs: 5_000 });
      const counter = new Counter();
      const tried = new Set<number>();
      const open = [...arrivals];
      for (let tries = 0; open.length > 0; tries += 1) {
        if (tries > 200) throw new Error('The events are never written.');
        const batch = open.splice(0, batchSize);
        const outcomes = await connector.writeEvents({
          access: accessTo('t', { apiUrl: simulator.url }),
          organizationId: simulator.organizationId,
          records,
          events: batch.map((index) => {
            const event = events[index];
            if (event === undefined) throw new Error('There is no such event.');
            const lastValues = counter.count(index, event);
            return toWrite(toInbound(event), {
              lastValues,
              source: { salesforceObjectType: types[event.person] ?? null },
              idempotencyKey: `12:e${index}`,
              isRepeated: tried.has(index),
            });
          }),
        });
        for (const index of batch) tried.add(index);
        open.push(...batch.filter((_, position) => outcomes[position]?.status === 'error'));
        if (forgets) records = memoryRecords();
      }
      for (const person of new Set(events.map((event) => event.person))) {
        const states = events.flatMap((event, index) => (event.person === person ? [toState(event, `k${index}`)] : []));
        const expected = valuesOf(states.reduce(joinStates, NO_LAST_VALUES), LAST_VALUE_NAMES);
        const { values = {} } = personRecord(person) ?? {};
        for (const name of LAST_VALUE_NAMES) {
          const wanted = expected[name] ?? null;
          const shown =
            LAST_VALUES[name].type === 'datetime' && wanted !== null ? new Date(wanted).toISOString() : wanted;
          expect([name, values[lastValueField(name)] ?? null]).toEqual([name, shown]);
        }
      }
      expect(simulator.records('Task')).toHaveLength(events.length);
    }),
    { numRuns: sized(300) },
  );
});
