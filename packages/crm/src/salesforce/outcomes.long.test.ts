import { type SalesforceFault, type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { toWrite } from '../../test/support/salesforce.ts';
import { createSalesforceConnector } from './connector.ts';

/**
 * Whatever fails on the way, and however often events are repeated: a contact gets one opportunity per pipeline, a person is one member of a
 * campaign with one of the statuses that events gave, and an event has one to-do per subject.
 */

const PEOPLE = ['a@fjord.example', 'b@crate.example', 'c@fjord.example'];
const FAULTS: readonly SalesforceFault[] = ['lost-answer', 'reset', 503, 'truncated'];
const RECORD_TYPES = [
  { name: 'New', stages: ['Prospecting'], isDefault: true },
  { name: 'Renewal', stages: ['Prospecting'] },
];

let nextFault: () => SalesforceFault | null = () => null;
let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ faults: () => nextFault() });
});
afterAll(() => simulator.close());

const someEvent = fc.record({
  person: fc.integer({ min: 0, max: PEOPLE.length - 1 }),
  pipelines: fc.subarray(['New', 'Renewal']),
  subjects: fc.subarray(['Call', 'Write']),
  status: fc.option(fc.constantFrom('Sent', 'Responded')),
  leadStatus: fc.option(fc.constantFrom('Working', 'Interested')),
});
const scenario = fc.record({
  events: fc.array(someEvent, { minLength: 1, maxLength: 10 }),
  again: fc.array(fc.nat({ max: 9 }), { maxLength: 6 }),
  batchSize: fc.integer({ min: 1, max: 5 }),
  types: fc.array(fc.constantFrom('Contact', 'Lead'), { minLength: PEOPLE.length, maxLength: PEOPLE.length }),
  known: fc.array(fc.boolean(), { minLength: PEOPLE.length, maxLength: PEOPLE.length }),
  faults: fc.array(fc.constantFrom(null, null, null, null, ...FAULTS), { maxLength: 40 }),
  locked: fc.integer({ min: 0, max: 2 }),
  forgets: fc.boolean(),
});

test('outcomes are there once', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, again, batchSize, types, known, faults, locked, forgets }) => {
      nextFault = () => null;
      simulator.reset();
      simulator.configure({ recordTypes: RECORD_TYPES });
      const campaign = simulator.seed('Campaign', { Name: 'Spring' });
      for (const [index, Email] of PEOPLE.entries())
        if (known[index] === true)
          simulator.seed(types[index] === 'Lead' ? 'Lead' : 'Contact', { LastName: 'Berg', Email, Company: 'Fjord' });
      for (const objectType of ['Opportunity', 'CampaignMember', 'Lead', 'Task'] as const)
        simulator.failRecords(locked, { objectType, errorCode: 'UNABLE_TO_LOCK_ROW' });
      const left = [...faults];
      nextFault = () => left.shift() ?? null;
      const writes = events.map(({ person, pipelines, subjects, status, leadStatus }, index) => {
        const email = PEOPLE[person] ?? '';
        const results = [
          ...pipelines.map((pipeline) => ({ deal: { pipeline, stage: 'Prospecting' } })),
          ...subjects.map((subject) => ({ task: { subject } })),
          ...(status === null ? [] : [{ campaign: { id: campaign, status } }]),
          ...(leadStatus === null ? [] : [{ leadStatus }]),
        ];
        return toWrite(
          { toEmail: email, contact: { ...inboundEvent().contact, email } },
          {
            source: { salesforceObjectType: types[person] ?? null },
            policy: { outcomes: results.map((result) => ({ when: {}, ...result })), associations: { deal: true } },
            idempotencyKey: `12:e${index}`,
          },
        );
      });
      const connector = createSalesforceConnector({ fetch, timeoutMs: 5_000 });
      let records = memoryRecords();
      const tried = new Set<number>();
      const open = [...events.keys(), ...again.filter((index) => index < events.length)];
      for (let tries = 0; open.length > 0; tries += 1) {
        if (tries > 200) throw new Error('The events are never written.');
        const batch = open.splice(0, batchSize);
        const outcomes = await connector.writeEvents({
          access: accessTo('t', { apiUrl: simulator.url }),
          organizationId: simulator.organizationId,
          records,
          events: batch.flatMap((index) => {
            const write = writes[index];
            return write === undefined ? [] : [{ ...write, isRepeated: tried.has(index) }];
          }),
        });
        for (const index of batch) tried.add(index);
        // A lead has no opportunity, which is a warning.
        open.unshift(...batch.filter((_, position) => outcomes[position]?.status === 'error'));
        if (forgets) records = memoryRecords();
      }

      const ofPerson = (person: number) => events.filter((event) => event.person === person);
      const expected = PEOPLE.flatMap((_, person) =>
        types[person] === 'Lead' ? [] : [...new Set(ofPerson(person).flatMap(({ pipelines }) => pipelines))],
      );
      expect(simulator.records('Opportunity')).toHaveLength(expected.length);
      expect(simulator.records('OpportunityContactRole')).toHaveLength(expected.length);
      expect(simulator.records('Task')).toHaveLength(
        events.length + events.reduce((sum, { subjects }) => sum + subjects.length, 0),
      );
      const members = PEOPLE.filter((_, person) => ofPerson(person).some(({ status }) => status !== null));
      expect(simulator.records('CampaignMember')).toHaveLength(members.length);
      for (const { values } of simulator.records('Lead')) {
        const given = ofPerson(PEOPLE.indexOf(String(values['Email']))).flatMap(({ leadStatus }) => leadStatus ?? []);
        expect(given.length === 0 ? ['Open'] : given).toContain(values['Status']);
      }
    }),
    { numRuns: sized(200) },
  );
});
