import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  joinStates,
  LAST_VALUE_NAMES,
  type LastValueState,
  NO_LAST_VALUES,
  stateOfEvent,
  valuesOf,
} from '@svc/domain/policy/last-values';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { sized } from '../../../../scripts/vitest/size.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';
import { toLastValues } from './last-values.ts';
import { createHubspotSetup } from './setup.ts';

/**
 * In whatever order events come, however they are cut into batches, repeated and failed: the last values of a contact end as those of all its
 * events, and no older event takes the place of a newer one on the way. As the server does, the test counts each event once, before it is
 * written.
 */

const NOW = new Date('2026-03-01T12:00:00.000Z');
const FAULTS = [500, 503, 408, 423, 'ten-secondly', 'reset', 'lost-answer', 'truncated'] as const;
const ATTEMPTS_MAX = 300;

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
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_LINK_CLICK', 'EMAIL_REPLY', 'LEAD_UNSUBSCRIBED'),
  minute: fc.nat(5),
  subject: fc.constantFrom(null, 'a', 'b'),
  fromEmail: fc.constantFrom(null, 'rep@example.com', 'sam@example.com'),
  fields: fc.boolean(),
});
type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never;

function toEvent({ person, eventType, minute, subject, fromEmail }: SomeEvent, index: number): InboundEvent {
  const email = person.includes('@') ? person : null;
  const contact = { ...BLANK_CONTACT, email, profileUrl: email === null ? person : null, lastName: 'Berg' };
  const occurredAt = new Date(NOW.getTime() + minute * 60_000);
  return inboundEvent({ eventKey: `k${index}`, toEmail: person, contact, eventType, occurredAt, subject, fromEmail });
}

function stateOf(event: InboundEvent, key: string): LastValueState {
  const { occurredAt, bodyText, contact, ...rest } = event;
  return stateOfEvent({
    ...rest,
    key,
    at: occurredAt ?? NOW,
    sequencer: 'smartlead',
    text: bodyText,
    leadUrl: contact.leadUrl,
  });
}

test('last values end as those of all events', { timeout: 900_000 }, async () => {
  const histories = fc.array(someEvent, { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(histories, fc.infiniteStream(fc.nat(999)), async (history, stream) => {
      const draw = (max: number) => Number(stream.next().value) % max;
      simulator.reset();
      drawFault = () => null;
      const setup = createHubspotSetup({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW });
      await setup.prepare({ access: accessTo('t'), isDryRun: false });
      drawFault = () => (draw(6) === 0 ? (FAULTS[draw(FAULTS.length)] ?? null) : null);

      const events = history.map((some, index) => {
        const event = toEvent(some, index);
        const policy = { lastValues: true, events: [{ write: some.fields ? ['timeline', 'fields'] : ['timeline'] }] };
        return {
          event,
          key: `12:k${index}`,
          isWritten: some.fields,
          plan: planOf(event, { policy }),
          person: some.person,
        };
      });
      const states = new Map<string, LastValueState>();
      const counted = new Set<string>();
      const count = ({ event, key, person }: (typeof events)[number]) => {
        if (!counted.has(key))
          states.set(person, joinStates(states.get(person) ?? NO_LAST_VALUES, stateOf(event, key)));
        counted.add(key);
      };
      const seen = new Map<string, string>();
      const expectNoneOlder = () => {
        for (const { id, properties } of simulator.contacts()) {
          const at = properties['svc_last_event_at'] ?? '';
          expect(at >= (seen.get(id) ?? '')).toBe(true);
          seen.set(id, at);
        }
      };

      const records = memoryRecords();
      let connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW });
      const tried = new Set<string>();
      const open = new Set(events);
      for (let attempt = 0; open.size > 0; attempt += 1) {
        expect(attempt).toBeLessThan(ATTEMPTS_MAX);
        if (draw(8) === 0)
          connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW });
        // Any events in any order: also those that are written already.
        const batch = events.filter((event) => (open.has(event) ? draw(2) === 0 : draw(6) === 0));
        if (draw(2) === 0) batch.reverse();
        for (const event of batch) count(event);
        const writes = batch.map(
          ({ event, key, person, plan }): CrmWrite => ({
            ...{ plan, event, idempotencyKey: key, receivedAt: NOW, fields: [] },
            lastValues: valuesOf(states.get(person) ?? NO_LAST_VALUES, plan.lastValues ?? []),
            isRepeated: tried.has(key),
          }),
        );
        for (const { key } of batch) tried.add(key);
        const outcomes = await connector.writeEvents({
          access: accessTo('t'),
          organizationId: '1',
          records,
          events: writes,
        });
        for (const [index, event] of batch.entries()) if (outcomes[index]?.status === 'success') open.delete(event);
        expect(outcomes.filter((outcome) => outcome.status === 'error' && outcome.retry === 'never')).toEqual([]);
        expectNoneOlder();
      }
      drawFault = () => null;
      for (const person of PEOPLE) {
        const isWritten = events.some((event) => event.person === person && event.isWritten);
        const shown = simulator
          .contacts()
          .find(({ properties }) => [properties['email'], properties['svc_profile_url']].includes(person))?.properties;
        if (!isWritten || shown === undefined) continue;
        // An event that writes no fields is counted all the same; its values come with the next event that does.
        await connector.writeEvents({
          ...{ access: accessTo('t'), organizationId: '1', records },
          events: events
            .filter((event) => event.person === person && event.isWritten)
            .map(({ event, key, plan }) => ({
              ...{ plan, event, idempotencyKey: key, receivedAt: NOW, fields: [], isRepeated: true },
              lastValues: valuesOf(states.get(person) ?? NO_LAST_VALUES, LAST_VALUE_NAMES),
            })),
        });
        const all = events.filter((event) => event.person === person);
        const whole = all.map(({ event, key }) => stateOf(event, key)).reduce(joinStates, NO_LAST_VALUES);
        const expected = Object.fromEntries(toLastValues(valuesOf(whole, LAST_VALUE_NAMES)));
        const written = simulator
          .contacts()
          .find(({ properties }) => [properties['email'], properties['svc_profile_url']].includes(person))?.properties;
        expect(written).toMatchObject(expected);
      }
    }),
    { numRuns: sized(200) },
  );
});
