import type { PlannedField } from '@svc/domain/policy/planned-fields';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { toWrite } from '../../test/support/salesforce.ts';
import { createSalesforceConnector } from './connector.ts';

/**
 * However events are put into batches, and whatever is remembered between them: the fields of a person are those of a model that takes the
 * events one by one. So a remembered person never hides that a field is blank, or that a value differs.
 */

const PROPERTIES = ['A__c', 'B__c', 'Title'] as const;
const CUSTOM = (['Contact', 'Lead'] as const).flatMap((objectType) => [
  { objectType, name: 'A__c', type: 'string', length: 20 } as const,
  { objectType, name: 'B__c', type: 'double' } as const,
]);

let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ org: { customFields: CUSTOM } });
});
afterAll(() => simulator.close());

const someField = fc.record({
  property: fc.constantFrom(...PROPERTIES),
  write: fc.constantFrom('fill', 'overwrite', 'create-only'),
  value: fc.option(fc.integer({ min: 1, max: 3 })),
  byDefault: fc.option(fc.integer({ min: 4, max: 5 })),
});
const someEvent = fc.uniqueArray(someField, { maxLength: 3, selector: ({ property }) => property });
const scenario = fc.record({
  events: fc.array(someEvent, { minLength: 1, maxLength: 10 }),
  cuts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 10, maxLength: 10 }),
  type: fc.constantFrom('Contact', 'Lead'),
  known: fc.option(fc.subarray([...PROPERTIES])),
  forgets: fc.boolean(),
});

function toFields(
  fields: readonly (typeof someField extends fc.Arbitrary<infer Value> ? Value : never)[],
): PlannedField[] {
  return fields.map(({ property, write, value, byDefault }) => {
    // Text and number alike.
    const given = (number: number | null) => (number === null || property === 'B__c' ? number : String(number));
    return { property, write, value: given(value), valueOfNew: given(value ?? byDefault) };
  });
}

/** The fields of a person after events that are taken one by one. @param seeded null: the first event creates the person */
function model(events: readonly PlannedField[][], seeded: Record<string, unknown> | null): Record<string, unknown> {
  const person: Record<string, unknown> = { ...seeded };
  for (const [index, fields] of events.entries()) {
    const isNew = seeded === null && index === 0;
    for (const { property, write, value, valueOfNew } of fields) {
      if (isNew) person[property] = valueOfNew ?? person[property];
      else if (write === 'overwrite' || (write === 'fill' && person[property] === undefined))
        person[property] = value ?? person[property];
    }
  }
  return person;
}

test('fields are those of events that are written one by one', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events: drawn, cuts, type, known, forgets }) => {
      simulator.reset();
      const events = drawn.map(toFields);
      const seeded =
        known === null ? null : Object.fromEntries(known.map((name) => [name, name === 'B__c' ? 9 : '9'] as const));
      if (seeded !== null)
        simulator.seed(type === 'Lead' ? 'Lead' : 'Contact', {
          LastName: 'Berg',
          Email: 'kim@fjord.example.org',
          ...seeded,
        });
      const connector = createSalesforceConnector({ fetch, timeoutMs: 5_000 });
      let records = memoryRecords();
      for (let start = 0, cut = 0; start < events.length; cut += 1) {
        const size = cuts[cut] ?? 1;
        const outcomes = await connector.writeEvents({
          access: accessTo('t', { apiUrl: simulator.url }),
          organizationId: simulator.organizationId,
          records,
          events: events
            .slice(start, start + size)
            .map((fields, index) =>
              toWrite({}, { fields, source: { salesforceObjectType: type }, idempotencyKey: `12:e${start + index}` }),
            ),
        });
        for (const { status } of outcomes) expect(status).toBe('success');
        start += size;
        if (forgets) records = memoryRecords();
      }
      const [person] = simulator.records(type === 'Lead' ? 'Lead' : 'Contact');
      const expected = model(events, seeded);
      for (const name of PROPERTIES)
        expect([name, person?.values[name] ?? null]).toEqual([name, expected[name] ?? null]);
    }),
    { numRuns: sized(500) },
  );
});
