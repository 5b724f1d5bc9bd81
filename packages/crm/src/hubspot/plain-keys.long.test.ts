import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
 * Where HubSpot keeps no property of activities unique, or does not upsert by one, activities are searched and created: also then no
 * event has two, whatever fails and is repeated, as long as the search shows what is there.
 */

const NOW = new Date('2026-03-01T12:00:00.000Z');
const FAULTS = [500, 503, 408, 423, 'ten-secondly', 'reset', 'lost-answer', 'truncated'] as const;
const ATTEMPTS_MAX = 300;
const ACTIVITIES = ['emails', 'notes', 'communications', 'calls', 'tasks'] as const;
const onExchange = checkExchanges(HUBSPOT_FACTS);

const someEvent = fc.record({
  person: fc.constantFrom('kim@fjord.example.org', 'lou@fjord.example.org'),
  eventType: fc.constantFrom('EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_OPEN', 'MESSAGE_SENT', 'CALL_COMPLETED'),
  hasTask: fc.boolean(),
});
type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never;

function toWrite({ person, eventType, hasTask }: SomeEvent, index: number): CrmWrite {
  const contact = { ...BLANK_CONTACT, email: person };
  const event = inboundEvent({ eventKey: `k${index}`, toEmail: person, contact, eventType });
  const policy = { outcomes: hasTask ? [{ when: {}, task: { subject: 'Call' } }] : [] };
  const plan = planOf(event, { source: { createOrUpdateTask: true }, policy });
  return {
    ...{ plan, event, idempotencyKey: `12:k${index}`, receivedAt: NOW },
    ...{ fields: [], lastValues: null, isRepeated: false },
  };
}

describe.each(['refusesUniqueOn', 'refusesUpsertOn'] as const)('an account that %s', (refusal) => {
  let simulator: HubspotSimulator;
  let drawFault: () => (typeof FAULTS)[number] | null = () => null;
  beforeAll(async () => {
    simulator = await startHubspotSimulator({ onExchange, [refusal]: ACTIVITIES, faults: () => drawFault() });
  });
  afterAll(() => simulator.close());
  const connect = () => createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW });
  const batchOf = (records: ReturnType<typeof memoryRecords>, events: readonly CrmWrite[]) => ({
    ...{ access: accessTo('t'), organizationId: '1', records, events },
  });

  test('no event has two activities', { timeout: 900_000 }, async () => {
    const histories = fc.array(someEvent, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(histories, fc.infiniteStream(fc.nat(999)), async (history, stream) => {
        const draw = (max: number) => Number(stream.next().value) % max;
        simulator.reset();
        drawFault = () => (draw(5) === 0 ? (FAULTS[draw(FAULTS.length)] ?? null) : null);
        const events = history.map(toWrite);
        let connector = connect();
        let records = memoryRecords();
        const tried = new Set<CrmWrite>();
        const open = new Set(events);
        for (let attempt = 0; open.size > 0; attempt += 1) {
          expect(attempt).toBeLessThan(ATTEMPTS_MAX);
          if (draw(6) === 0) connector = connect();
          if (draw(6) === 0) records = memoryRecords();
          const batch = events.filter((event) => (open.has(event) ? draw(2) === 0 : draw(8) === 0));
          const writes = batch.map((event) => ({ ...event, isRepeated: tried.has(event) }));
          for (const event of batch) tried.add(event);
          const outcomes = await connector.writeEvents(batchOf(records, writes));
          for (const [index, event] of batch.entries()) if (outcomes[index]?.status === 'success') open.delete(event);
          expect(outcomes.filter((outcome) => outcome.status === 'warning')).toEqual([]);
          expect(outcomes.filter((outcome) => outcome.status === 'error' && outcome.retry === 'never')).toEqual([]);
        }
        const keys = simulator.engagements().map(({ properties }) => properties['svc_event_key']);
        expect(keys.toSorted()).toEqual(events.map(({ idempotencyKey }) => idempotencyKey).toSorted());
        const replies = history.filter(({ eventType }) => eventType === 'EMAIL_REPLY');
        expect(simulator.tasks()).toHaveLength(replies.length + history.filter(({ hasTask }) => hasTask).length);
        const contactless = [...simulator.engagements(), ...simulator.tasks()].filter(
          ({ associations }) => associations.contacts?.length !== 1,
        );
        expect(contactless).toEqual([]);
      }),
      { numRuns: sized(100) },
    );
  });

  test('it costs the calls of others: a search only for what is repeated', async () => {
    simulator.reset();
    drawFault = () => null;
    const [connector, records] = [connect(), memoryRecords()];
    const some = (index: number) =>
      toWrite({ person: 'kim@fjord.example.org', eventType: 'EMAIL_SENT', hasTask: false }, index);
    await connector.writeEvents(batchOf(records, [some(1)]));
    const callsOf = async (event: CrmWrite) => {
      const before = simulator.requests().length;
      const outcomes = await connector.writeEvents(batchOf(records, [event]));
      expect(outcomes).toMatchObject([{ status: 'success' }]);
      return simulator
        .requests()
        .slice(before)
        .map(({ path }) => path.replaceAll('/2026-09', ''));
    };
    const associate = '/crm/associations/emails/contacts/batch/associate/default';
    expect(await callsOf(some(2))).toEqual(['/crm/objects/emails/batch/create', associate]);
    expect(await callsOf({ ...some(3), isRepeated: true })).toEqual([
      '/crm/objects/emails/search',
      '/crm/objects/emails/batch/create',
      associate,
    ]);
    // What was written is remembered, so a search that lags does no harm.
    simulator.freezeSearch(true);
    expect(await callsOf({ ...some(2), isRepeated: true })).toEqual([associate]);
    expect(simulator.engagements()).toHaveLength(3);
    simulator.freezeSearch(false);
  });

  test('an activity that was deleted since is written again', async () => {
    simulator.reset();
    drawFault = () => null;
    const [connector, records] = [connect(), memoryRecords()];
    const event = toWrite({ person: 'kim@fjord.example.org', eventType: 'EMAIL_SENT', hasTask: false }, 1);
    await connector.writeEvents(batchOf(records, [event]));
    simulator.deleteRecord('emails', simulator.engagements()[0]?.id ?? '');
    const repeated = { ...event, isRepeated: true };
    expect(await connector.writeEvents(batchOf(records, [repeated]))).toMatchObject([{ status: 'error' }]);
    expect(await connector.writeEvents(batchOf(records, [repeated]))).toMatchObject([{ status: 'success' }]);
    expect(simulator.engagements()).toHaveLength(1);
  });
});
