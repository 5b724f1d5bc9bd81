import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { aggregateOutreach, type CategorySignal, type OutreachRow, sumOutreachRows, touchFlags } from './outreach.ts';

interface AggregateInput {
  identity: { email: string | null; profileUrls: string[] };
  rows: { eventType: string; platform: string | null; payloadId: number | null; createdAt: string }[];
  categorySignals: { name: string; at: string }[];
  now: string;
}

testRuleCases('outreach', ({ rule }) => {
  rule<AggregateInput>('aggregateOutreach', ({ identity, rows, categorySignals, now }) =>
    aggregateOutreach({
      identity,
      sums: sumOutreachRows(rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }))),
      categorySignals: categorySignals.map(({ name, at }) => ({ name, at: new Date(at) })),
      now: new Date(now),
    }),
  );
});

test('every event type of the vocabulary has its touch class, others have an empty one', () => {
  for (const [eventType, flags] of Object.entries(SEQUENCER_EVENT_TYPES)) expect(touchFlags(eventType)).toBe(flags);
  expect(touchFlags('email_sent')).toEqual({});
  expect(touchFlags('__proto__')).toEqual({});
});

const NOW = new Date('2026-03-31T12:00:00Z');
const identity = { email: 'jane@example.com', profileUrls: [] };
const aggregate = (rows: readonly OutreachRow[], categorySignals: readonly CategorySignal[] = []) =>
  aggregateOutreach({ identity, sums: sumOutreachRows(rows), categorySignals, now: NOW });

const row: fc.Arbitrary<OutreachRow> = fc.record({
  eventType: fc.constantFrom(
    'EMAIL_SENT',
    'EMAIL_OPEN',
    'EMAIL_REPLY',
    'MESSAGE_SENT',
    'LEAD_CATEGORY_UPDATED',
    'SMS_SENT',
  ),
  platform: fc.constantFrom('smartlead', 'instantly', 'heyreach', null),
  payloadId: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
  createdAt: fc.integer({ min: 0, max: 40 }).map((hours) => new Date(NOW.getTime() - hours * 3_600_000)),
});
const rows = fc.array(row, { maxLength: 30 });

describe('laws of the aggregate', () => {
  test('the order of rows does not matter', () => {
    const shuffled = rows.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, others]) => {
        expect(aggregate(others)).toEqual(aggregate(all));
      }),
    );
  });

  test('rows already reduced to the earliest of each event give the same answer', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const reduced = all.filter(
          (one, index) =>
            one.payloadId === null ||
            !all.some(
              (other, otherIndex) =>
                other.payloadId === one.payloadId &&
                other.eventType === one.eventType &&
                other.platform === one.platform &&
                (other.createdAt < one.createdAt || (+other.createdAt === +one.createdAt && otherIndex < index)),
            ),
        );
        expect(aggregate(reduced)).toEqual(aggregate(all));
        expect(aggregate(all).summary.totalEvents).toBe(reduced.length);
      }),
    );
  });

  test('counts add up to all events, and category events are not touches', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const { summary, eventTypes, platforms, found } = aggregate(all);
        const sum = (groups: readonly { count: number }[]) => groups.reduce((total, { count }) => total + count, 0);
        expect(sum(eventTypes)).toBe(summary.totalEvents);
        expect(sum(platforms)).toBe(aggregate(all.filter(({ platform }) => platform !== null)).summary.totalEvents);
        expect(found).toBe(all.length > 0);
        const touches = eventTypes.filter(({ eventType }) => eventType !== 'LEAD_CATEGORY_UPDATED');
        expect(summary.firstTouchAt).toBe(touches.map(({ firstAt }) => firstAt).sort()[0] ?? null);
        expect(summary.lastTouchAt).toBe(
          touches
            .map(({ lastAt }) => lastAt)
            .sort()
            .at(-1) ?? null,
        );
        expect(summary.everContacted).toBe(
          all.some(({ eventType }) => ['EMAIL_SENT', 'EMAIL_REPLY', 'MESSAGE_SENT'].includes(eventType)),
        );
        expect(eventTypes.map(({ eventType }) => eventType)).toEqual(
          [...new Set(all.map((one) => one.eventType))].sort(),
        );
        expect(platforms.map(({ platform }) => platform)).toEqual(
          [...new Set(all.flatMap(({ platform }) => platform ?? []))].sort(),
        );
      }),
    );
  });

  test('a category signal changes only found and the category', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const without = aggregate(all);
        const signal = aggregate(all, [{ name: 'Interested', at: NOW }]);
        expect(signal).toEqual({
          ...without,
          found: true,
          outcomes: { ...without.outcomes, lastCategoryName: 'Interested', lastCategoryAt: NOW.toISOString() },
        });
      }),
    );
  });
});

test('of two events that differ only in platform, the one without a platform comes first', () => {
  const events = [null, 'smartlead'].map((platform) => ({
    eventType: 'EMAIL_SENT',
    platform,
    payloadId: 1,
    createdAt: NOW,
  }));
  expect(aggregate(events).summary.lastPlatform).toBe('smartlead');
  expect(aggregate(events.toReversed()).summary.lastPlatform).toBe('smartlead');
});

test('rows may come from a generator', () => {
  function* generate(): Generator<OutreachRow> {
    yield { eventType: 'EMAIL_SENT', platform: 'smartlead', payloadId: 1, createdAt: NOW };
  }
  expect(sumOutreachRows(generate())).toMatchObject([{ count: 1, lastPayloadId: 1 }]);
});
