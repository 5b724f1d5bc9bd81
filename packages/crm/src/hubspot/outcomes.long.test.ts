import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT } from '@svc/sequencers';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';

/**
 * However events come, are repeated, fail, and are written by two processes at once: each contact has one deal in each pipeline that its events
 * ask for, associated with it; one task per event; the list has each contact once; and no stage has gone back.
 */

const NOW = new Date('2026-03-01T12:00:00.000Z');
const FAULTS = [500, 503, 408, 423, 'ten-secondly', 'reset', 'lost-answer', 'truncated'] as const;
const ATTEMPTS_MAX = 300;
const STAGES = ['subscriber', 'lead', 'marketingqualifiedlead', 'salesqualifiedlead', 'opportunity', 'customer'];

let simulator: HubspotSimulator;
let drawFault: () => (typeof FAULTS)[number] | null = () => null;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({ onExchange, faults: () => drawFault() });
});
afterAll(() => simulator.close());

const PEOPLE = ['kim@fjord.example.org', 'lou@fjord.example.org', 'https://www.linkedin.com/in/ann'];
const someEvent = fc.record({
  person: fc.constantFrom(...PEOPLE),
  pipeline: fc.constantFrom(null, 'default', 'Partners'),
  lifecycleStage: fc.constantFrom(null, ...STAGES.slice(0, 5)),
  isListed: fc.boolean(),
  hasTask: fc.boolean(),
});
type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never;

function toWrite(
  { person, pipeline, lifecycleStage, isListed, hasTask }: SomeEvent,
  index: number,
  list: string,
): CrmWrite {
  const email = person.includes('@') ? person : null;
  const contact = { ...BLANK_CONTACT, email, profileUrl: email === null ? person : null, lastName: 'Berg' };
  const event = inboundEvent({ eventKey: `k${index}`, toEmail: person, contact });
  const outcome = {
    ...(pipeline === null
      ? {}
      : { deal: { pipeline, stage: pipeline === 'default' ? 'qualifiedtobuy' : 'First talk' } }),
    ...(lifecycleStage === null ? {} : { lifecycleStage }),
    ...(isListed ? { list } : {}),
    ...(hasTask ? { task: { subject: 'Call' } } : {}),
  };
  const outcomes = Object.keys(outcome).length === 0 ? [] : [{ when: {}, ...outcome }];
  return {
    ...{ plan: planOf(event, { policy: { outcomes } }), event, idempotencyKey: `12:k${index}`, receivedAt: NOW },
    ...{ fields: [], lastValues: null, isRepeated: false },
  };
}

test('outcomes happen once', { timeout: 900_000 }, async () => {
  const histories = fc.array(someEvent, { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(histories, fc.boolean(), fc.infiniteStream(fc.nat(999)), async (history, isCustomer, stream) => {
      const draw = (max: number) => Number(stream.next().value) % max;
      simulator.reset();
      drawFault = () => null;
      const list = simulator.createList({ name: 'Interested', objectType: 'contacts', members: [] });
      if (isCustomer) simulator.seed('contacts', { email: PEOPLE[0] ?? '', lifecyclestage: 'customer' });
      drawFault = () => (draw(6) === 0 ? (FAULTS[draw(FAULTS.length)] ?? null) : null);

      const events = history.map((some, index) => toWrite(some, index, list));
      const workers = [1, 2].map(() => ({
        records: memoryRecords(),
        connector: createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW }),
      }));
      const tried = new Set<CrmWrite>();
      const open = new Set(events);
      for (let attempt = 0; open.size > 0; attempt += 1) {
        expect(attempt).toBeLessThan(ATTEMPTS_MAX);
        const batch = events.filter((event) => (open.has(event) ? draw(2) === 0 : draw(8) === 0));
        const writes = batch.map((event) => ({ ...event, isRepeated: tried.has(event) }));
        for (const event of batch) tried.add(event);
        const [outcomes = []] = await Promise.all(
          workers
            .slice(0, 1 + draw(2))
            .map(({ connector, records }) =>
              connector.writeEvents({ access: accessTo('t'), organizationId: '1', records, events: writes }),
            ),
        );
        for (const [index, event] of batch.entries()) if (outcomes[index]?.status === 'success') open.delete(event);
        expect(outcomes.filter((outcome) => outcome.status === 'warning')).toEqual([]);
      }
      drawFault = () => null;

      const contacts = simulator.records('contacts');
      const contactOf = (person: string) =>
        contacts.find(({ properties }) => [properties['email'], properties['svc_profile_url']].includes(person));
      const deals = history.flatMap(({ person, pipeline }) =>
        pipeline === null ? [] : [`${contactOf(person)?.id} ${pipeline === 'default' ? 'default' : '75001'}`],
      );
      expect(
        simulator
          .deals()
          .map(({ properties, associations }) => `${associations.contacts?.join()} ${properties['pipeline']}`)
          .toSorted(),
      ).toEqual([...new Set(deals)].toSorted());
      expect(simulator.tasks()).toHaveLength(history.filter(({ hasTask }) => hasTask).length);
      const listed = new Set(history.filter(({ isListed }) => isListed).map(({ person }) => contactOf(person)?.id));
      expect(simulator.listMembers(list).toSorted()).toEqual([...listed].toSorted());
      for (const person of PEOPLE) {
        const asked = history.flatMap((some) =>
          some.person === person ? STAGES.indexOf(some.lifecycleStage ?? '') : [],
        );
        const furthest = isCustomer && person === PEOPLE[0] ? STAGES.length - 1 : Math.max(-1, ...asked);
        expect(contactOf(person)?.properties['lifecyclestage']).toBe(STAGES[furthest]);
      }
    }),
    { numRuns: sized(150) },
  );
});
