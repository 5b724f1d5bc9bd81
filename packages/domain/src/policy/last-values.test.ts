import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  eventTypesOf,
  joinStates,
  LAST_TEXT_MAX,
  LAST_VALUE_NAMES,
  NO_LAST_VALUES,
  stateOfEvent,
  type ValuedEvent,
  valuesOf,
} from './last-values.ts';

const EVENT: ValuedEvent = {
  key: 'k1',
  at: new Date('2026-03-01T10:00:00.000Z'),
  sequencer: 'smartlead',
  eventType: 'EMAIL_SENT',
  fromEmail: 'rep@acme.example',
  campaign: { id: '7', name: 'Spring' },
  category: null,
  sequenceNumber: 1,
  subject: 'Route planning',
  text: 'Hello Kim',
  linkUrls: [],
  leadUrl: null,
};
const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour));
const valuesAfter = (...events: ValuedEvent[]) =>
  valuesOf(events.map(stateOfEvent).reduce(joinStates, NO_LAST_VALUES), LAST_VALUE_NAMES);

test('an event says what happened last', () => {
  expect(valuesAfter(EVENT)).toEqual({
    lastEventAt: EVENT.at.getTime(),
    lastEventType: 'EMAIL_SENT',
    lastSentAt: EVENT.at.getTime(),
    firstSentAt: EVENT.at.getTime(),
    lastSentSubject: 'Route planning',
    lastMailbox: 'rep@acme.example',
    lastCampaignId: '7',
    lastCampaignName: 'Spring',
    lastStep: 1,
    lastSequencer: 'smartlead',
    sentCount: 1,
  });
});

test('a reply keeps what was sent, and its text is shortened on one line', () => {
  const reply = {
    ...EVENT,
    key: 'k2',
    at: at(12),
    eventType: 'EMAIL_REPLY',
    subject: 'Re',
    text: `Yes,\n${'a'.repeat(400)}`,
  };
  const values = valuesAfter(reply, EVENT);
  expect(values).toMatchObject({
    lastSentSubject: 'Route planning',
    lastReplySubject: 'Re',
    sentCount: 1,
    replyCount: 1,
  });
  expect(values.lastReplyText).toHaveLength(LAST_TEXT_MAX);
  expect(values.lastReplyText).toMatch(/^Yes, a+…$/);
});

test('an older event that comes later changes nothing but the counts and the first times', () => {
  const newer = { ...EVENT, key: 'k2', at: at(15), subject: 'Second' };
  expect(valuesAfter(newer, EVENT)).toMatchObject({
    lastSentSubject: 'Second',
    lastSentAt: newer.at.getTime(),
    firstSentAt: EVENT.at.getTime(),
    sentCount: 2,
  });
});

test('opens and clicks by machines are not counted', () => {
  const robot = { ...EVENT, key: 'k2', eventType: 'EMAIL_OPEN_BY_BOT' };
  expect(valuesAfter(robot)).not.toHaveProperty('openCount');
  expect(valuesAfter(robot)).not.toHaveProperty('lastOpenedAt');
});

test('a value comes from the events that can have it', () => {
  expect(eventTypesOf('openCount')).toEqual(['EMAIL_OPEN']);
  expect(eventTypesOf('lastSentAt')).toEqual(['EMAIL_SENT', 'MESSAGE_SENT', 'INMAIL_SENT']);
  expect(eventTypesOf('connectionStatus')).toEqual(['CONNECTION_REQUEST_SENT', 'CONNECTION_REQUEST_ACCEPTED']);
  expect(LAST_VALUE_NAMES.filter((name) => eventTypesOf(name).length === 0)).toEqual([]);
});

test('only the names of the policy are written', () => {
  expect(valuesOf(stateOfEvent(EVENT), ['sentCount', 'replyCount'])).toEqual({ sentCount: 1 });
});

const events = fc.uniqueArray(
  fc.record({
    key: fc.stringMatching(/^[a-z]{1,3}$/),
    at: fc.integer({ min: 0, max: 3 }).map(at),
    sequencer: fc.constantFrom('smartlead', 'lemlist'),
    eventType: fc.constantFrom(
      'EMAIL_SENT',
      'EMAIL_OPEN',
      'EMAIL_LINK_CLICK',
      'EMAIL_REPLY',
      'CONNECTION_REQUEST_SENT',
      'LEAD_CATEGORY_UPDATED',
    ),
    fromEmail: fc.constantFrom(null, 'a@acme.example', 'b@acme.example'),
    campaign: fc.record({ id: fc.constantFrom(null, '1', '2'), name: fc.constantFrom(null, 'A', 'B') }),
    category: fc.constantFrom(null, { name: 'Interested' }, { name: 'Not now' }),
    sequenceNumber: fc.constantFrom(null, 0, 1),
    subject: fc.constantFrom(null, '', 'One', 'Two'),
    text: fc.constantFrom(null, 'x', 'y'.repeat(300)),
    linkUrls: fc.constantFrom([], ['https://a.example/'], ['https://b.example/']),
    leadUrl: fc.constantFrom(null, 'https://app.example/lead/1'),
  }),
  { selector: ({ key }) => key, maxLength: 8 },
);

test('law: events give the same values in every order and in every grouping', () => {
  fc.assert(
    fc.property(events, fc.integer(), fc.nat(8), (list, seed, split) => {
      const shuffled = list.toSorted(
        (a, b) => Math.sin(a.key.charCodeAt(0) + seed) - Math.sin(b.key.charCodeAt(0) + seed),
      );
      const join = (some: ValuedEvent[]) => some.map(stateOfEvent).reduce(joinStates, NO_LAST_VALUES);
      const together = joinStates(join(shuffled.slice(split)), join(shuffled.slice(0, split)));
      expect(valuesOf(together, LAST_VALUE_NAMES)).toEqual(valuesAfter(...list));
    }),
    { numRuns: 500 },
  );
});

test('law: a state survives being stored as JSON', () => {
  fc.assert(
    fc.property(events, (list) => {
      const state = list.map(stateOfEvent).reduce(joinStates, NO_LAST_VALUES);
      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    }),
  );
});
