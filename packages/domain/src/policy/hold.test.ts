import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HeldEvent, type HeldLead, holdEvents } from './hold.ts';
import { writePolicySchema } from './write-policy.ts';

const { holdUntil } = writePolicySchema.parse({ holdUntil: { reply: true, categories: ['Interested'] } });
if (!holdUntil) throw new Error('The policy has no rule.');
const rule = holdUntil;

const eventOf = (given: Partial<HeldEvent> & { campaignId?: string | null } = {}): HeldEvent => {
  const { campaignId = 'spring', ...event } = given;
  return {
    ...{ eventType: 'EMAIL_SENT', toEmail: 'kim@example.org', fromEmail: null, category: null, sequenceNumber: null },
    campaign: { id: campaignId, name: null },
    ...event,
  };
};
const opened = eventOf({ eventType: 'EMAIL_OPEN' });
const replied = eventOf({ eventType: 'EMAIL_REPLY' });

interface State {
  released: HeldLead[];
  waiting: { lead: HeldLead; entry: number }[];
  /** What was written, in this order. */
  written: number[];
}

/** Receives events in batches; each event is known by its position among all of them. */
function receive(batches: readonly (readonly HeldEvent[])[]): State {
  const state: State = { released: [], waiting: [], written: [] };
  let position = 0;
  for (const batch of batches) {
    const received = batch.map((event) => ({ entry: position++, event }));
    const { writes, held, released } = holdEvents(rule, received, state);
    const written = received.flatMap(({ entry }) => writes.get(entry) ?? []);
    state.written.push(...written);
    state.waiting = [...state.waiting.filter(({ entry }) => !written.includes(entry)), ...held];
    state.released.push(...released);
  }
  return state;
}

describe('the events of a lead', () => {
  test('wait, and are written behind each other when one releases them; later ones pass', () => {
    expect(receive([[opened, opened, replied, opened]]).written).toEqual([0, 1, 2, 3]);
    expect(receive([[opened, opened]])).toMatchObject({ written: [], waiting: [{ entry: 0 }, { entry: 1 }] });
    expect(receive([[opened], [replied], [opened]]).written).toEqual([0, 1, 2]);
  });

  test('wait for an event of their own campaign', () => {
    const autumn = eventOf({ campaignId: 'autumn' });
    expect(receive([[opened, autumn, replied, autumn]])).toMatchObject({
      written: [0, 2],
      waiting: [{ entry: 1 }, { entry: 3 }],
    });
  });

  test('are released in all campaigns by an event without a campaign', () => {
    const somewhere = eventOf({ eventType: 'EMAIL_REPLY', campaignId: null });
    const autumn = eventOf({ campaignId: 'autumn' });
    expect(receive([[opened, autumn], [somewhere], [autumn]]).written).toEqual([0, 1, 2, 3]);
  });

  test('without a campaign wait for one of those: a reply in a campaign says nothing about them', () => {
    const somewhere = eventOf({ campaignId: null });
    expect(receive([[somewhere, replied]])).toMatchObject({ written: [1], waiting: [{ entry: 0 }] });
  });

  test.each([
    [{ id: '7', name: 'Interested' }, true],
    [{ id: null, name: ' interested ' }, true],
    [{ id: 'Interested', name: 'Meeting' }, true],
    [{ id: '7', name: 'Not interested' }, false],
  ])('are released by the category %j: %s', (category, isReleased) => {
    const { written } = receive([[opened, eventOf({ eventType: 'LEAD_CATEGORY_UPDATED', category })]]);
    expect(written).toEqual(isReleased ? [0, 1] : []);
  });

  test('belong to the same person in any case of the address', () => {
    expect(receive([[opened, { ...replied, toEmail: 'KIM@example.org' }]]).written).toEqual([0, 1]);
  });
});

const anyEvent = fc
  .record({
    campaignId: fc.constantFrom('spring', 'autumn', null),
    toEmail: fc.constantFrom('kim@example.org', 'ada@example.org'),
    eventType: fc.constantFrom('EMAIL_OPEN', 'EMAIL_SENT', 'EMAIL_REPLY'),
    category: fc.constantFrom(null, { id: '1', name: 'Interested' }, { id: '2', name: 'Later' }),
  })
  .map(eventOf);

test('law: each event is written once or waits, those of a lead in order, whatever comes in one batch', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyEvent, { maxLength: 6 }), { maxLength: 8 }), (batches) => {
      const { written, waiting } = receive(batches);
      const events = batches.flat();
      expect(receive(events.map((event) => [event])).written).toEqual(written);
      const all = [...written, ...waiting.map(({ entry }) => entry)];
      expect(all.toSorted((a, b) => a - b)).toEqual(events.map((_event, index) => index));
      const leadAt = (index: number) => `${events[index]?.toEmail} ${events[index]?.campaign.id}`;
      for (const ofLead of Map.groupBy(written, leadAt).values()) {
        expect(ofLead).toEqual(ofLead.toSorted((a, b) => a - b));
      }
    }),
  );
});
