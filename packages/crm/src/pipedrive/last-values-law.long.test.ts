import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  joinStates,
  LAST_VALUE_NAMES,
  LAST_VALUES,
  type LastValueName,
  type LastValues,
  type LastValueState,
  NO_LAST_VALUES,
  stateOfEvent,
  type ValuedEvent,
  valuesOf,
} from '@svc/domain/policy/last-values';
import { type PipedriveSimulator, startPipedriveSimulator } from '@svc/simulators';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { createWriter, type EventChanges, START, TOKEN } from '../../test/support/pipedrive.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { PIPEDRIVE_FACTS } from '../../test/vendors/pipedrive.ts';
import type { CrmOutcome } from '../port/types.ts';
import { createPipedriveSetup } from './setup.ts';

/**
 * Any order of events, any batches, repetitions, failing calls and restarts: in the end a person has the values of all its events, and on
 * the way no count or time ever goes back.
 */

let simulator: PipedriveSimulator;
const onExchange = checkExchanges(PIPEDRIVE_FACTS);
beforeAll(async () => {
  simulator = await startPipedriveSimulator({ tokens: [TOKEN], onExchange, now: () => START });
});
afterAll(() => simulator.close());

/** Kim is known by an address and a profile, and has events with the profile alone. */
const KIM = { email: 'kim@fjord.example.org', profileUrl: 'https://www.linkedin.com/in/kim' };
const WHO = {
  kim: { toEmail: KIM.email, contact: KIM, person: 'kim' },
  profile: { toEmail: KIM.profileUrl, contact: { ...KIM, email: null }, person: 'kim' },
  lou: { toEmail: 'lou@fjord.example.org', contact: {}, person: 'lou' },
} as const;

const DAY_MS = 24 * 3_600_000;
const someEvent = fc.record({
  who: fc.constantFrom('kim', 'profile', 'lou'),
  day: fc.integer({ min: 0, max: 3 }),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_REPLY', 'EMAIL_BOUNCE', 'CONNECTION_REQUEST_ACCEPTED'),
  subject: fc.constantFrom(null, 'One', 'Two'),
  sequenceNumber: fc.constantFrom(null, 1, 2),
});
type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never;

const FAULTS = [null, null, null, 503, 'reset', 'lost-answer', 'truncated', 'burst'] as const;
const someFault = fc.constantFrom(...FAULTS);

/** Counts each event once, before it is written, as the server does. */
class Counter {
  readonly #states = new Map<string, LastValueState>();
  readonly #counted = new Set<string>();

  count(person: string, event: ValuedEvent): void {
    if (this.#counted.has(event.key)) return;
    this.#counted.add(event.key);
    this.#states.set(person, joinStates(this.#states.get(person) ?? NO_LAST_VALUES, stateOfEvent(event)));
  }

  valuesOf(person: string): LastValues {
    return valuesOf(this.#states.get(person) ?? NO_LAST_VALUES, LAST_VALUE_NAMES);
  }
}

const fieldName = (name: LastValueName) =>
  `Sequencer: ${LAST_VALUES[name].label.charAt(0).toLowerCase()}${LAST_VALUES[name].label.slice(1)}`;

/** What Pipedrive shows of each person, by the name of the field. */
function shownValues(): Map<string, Record<string, unknown>> {
  const { persons, personFields } = simulator.state();
  const nameOf = new Map(personFields.map(({ field_code, field_name }) => [field_code, field_name]));
  return new Map(
    persons.map(({ emails, custom_fields }) => {
      const named = Object.entries(custom_fields).map(([code, value]) => [nameOf.get(code) ?? code, value] as const);
      const values = Object.fromEntries(named.filter(([name]) => name.startsWith('Sequencer: ')));
      return [emails[0]?.value.startsWith('lou') === true ? 'lou' : 'kim', values];
    }),
  );
}

function expectedValues(values: LastValues): Record<string, unknown> {
  return Object.fromEntries(
    LAST_VALUE_NAMES.flatMap((name) => {
      const value = values[name];
      if (value === undefined) return [];
      const isTime = LAST_VALUES[name].type === 'datetime';
      return [[fieldName(name), isTime ? new Date(value).toISOString().slice(0, 10) : value]];
    }),
  );
}

const GROWING = LAST_VALUE_NAMES.filter((name) => /^last.*At$|Count$/.test(name)).map(fieldName);

function expectNothingWentBack(before: Record<string, unknown>, after: Record<string, unknown>): void {
  for (const name of GROWING) {
    const [old, current] = [before[name], after[name]];
    // Counts are numbers, days are texts in the form of ISO.
    if (typeof old === 'number') expect(current).toBeGreaterThanOrEqual(old);
    if (typeof old === 'string') expect([old, current].toSorted()).toEqual([old, current]);
  }
}

test('values of a person', { timeout: 900_000 }, async () => {
  const events = fc.array(someEvent, { minLength: 1, maxLength: 8 });
  const order = fc.array(fc.record({ index: fc.nat(7), endsBatch: fc.boolean(), restarts: fc.boolean() }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(events, order, fc.array(someFault, { maxLength: 30 }), async (list, repetitions, faults) => {
      simulator.reset();
      const setup = createPipedriveSetup({ fetch, baseUrl: simulator.url, timeoutMs: 10_000, now: () => START });
      await setup.prepare({ access: accessTo(TOKEN), isDryRun: false });
      let skip = 0;
      for (const fault of faults) {
        if (fault !== null) simulator.failNext(1, fault, { skip });
        skip = fault === null ? skip + 1 : 0;
      }
      const counter = new Counter();
      const records = memoryRecords();
      let writer = createWriter(simulator, { now: () => START, records });
      let shown = shownValues();
      const writeBatch = async (batch: readonly number[]): Promise<number[]> => {
        const given = batch.flatMap((index) => list[index] ?? []);
        for (const [position, event] of given.entries()) {
          counter.count(WHO[event.who].person, valuedEvent(event, batch[position] ?? 0));
        }
        const changes = given.map((event, position) => toChanges(event, batch[position] ?? 0, counter));
        const outcomes: readonly CrmOutcome[] = await writer.write(...changes);
        const after = shownValues();
        for (const [person, values] of after) expectNothingWentBack(shown.get(person) ?? {}, values);
        shown = after;
        return batch.filter((_, position) => outcomes[position]?.status === 'error');
      };

      const all = [...repetitions.map(({ index }) => index % list.length), ...list.keys()];
      let batch: number[] = [];
      let failed: number[] = [];
      for (const [position, index] of all.entries()) {
        batch.push(index);
        const { endsBatch = true, restarts = false } = repetitions[position] ?? {};
        if (!endsBatch && position < all.length - 1) continue;
        if (restarts) writer = createWriter(simulator, { now: () => START, records });
        failed = [...failed, ...(await writeBatch([...new Set(batch)]))];
        batch = [];
      }
      for (let round = 0; failed.length > 0; round += 1) {
        expect(round).toBeLessThan(60);
        failed = await writeBatch([...new Set(failed)]);
      }
      const people = new Set(list.map(({ who }) => WHO[who].person));
      expect(shownValues()).toEqual(
        new Map([...people].map((person) => [person, expectedValues(counter.valuesOf(person))])),
      );
    }),
    { numRuns: sized(600) },
  );
});

function valuedEvent({ day, eventType, subject, sequenceNumber }: SomeEvent, index: number): ValuedEvent {
  return {
    ...{ key: `k${index}`, at: new Date(START.getTime() + day * DAY_MS), sequencer: 'smartlead', eventType, subject },
    ...{ fromEmail: 'rep@example.com', campaign: { id: '7', name: 'Spring' }, category: null, sequenceNumber },
    ...{ text: 'Hello', linkUrls: [], leadUrl: null },
  };
}

function toChanges({ who, eventType, subject }: SomeEvent, index: number, counter: Counter): EventChanges {
  const { toEmail, contact, person } = WHO[who];
  const lastValues = counter.valuesOf(person);
  return { key: `k${index}`, toEmail, contact, eventType, subject, lastValues, policy: { lastValues: true } };
}
