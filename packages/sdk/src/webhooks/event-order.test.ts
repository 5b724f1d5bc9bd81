import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  compareEvents,
  ConfigurationError,
  createEventOrder,
  type OrderedEvent,
  subjectOf,
  type WebhookEvent,
} from './index.ts';

const at = (seconds: number) => new Date(1_769_855_400_000 + seconds * 1000).toISOString();
const event = (id: string, seconds: number, changes: Partial<OrderedEvent> = {}): OrderedEvent => ({
  id,
  type: 'sync.failed',
  created: at(seconds),
  data: { connectionId: 1, sourceId: 11 },
  ...changes,
});

test('a webhook event is an ordered event', () => {
  expectTypeOf<WebhookEvent>().toExtend<OrderedEvent>();
});

describe('subjectOf', () => {
  test('failure and recovery of one source share a subject; other sources, connections and kinds have their own', () => {
    const subjects = [
      event('a', 0),
      event('b', 0, { type: 'sync.recovered' }),
      event('c', 0, { data: { connectionId: 1, sourceId: 12 } }),
      event('d', 0, { data: { connectionId: 2, sourceId: 11 } }),
      event('e', 0, { type: 'connection.lost', data: { connectionId: 1 } }),
      event('f', 0, { type: 'test.ping', data: {} }),
    ].map(subjectOf);
    expect(subjects[0]).toBe(subjects[1]);
    expect(new Set(subjects).size).toBe(5);
  });
});

describe('createEventOrder', () => {
  test('an earlier event of the subject is not newer, one of another subject is', () => {
    const order = createEventOrder();
    order.record(event('recovered', 10, { type: 'sync.recovered' }));
    expect(order.isNewer(event('failed', 0))).toBe(false);
    expect(order.isNewer(event('failed again', 11))).toBe(true);
    expect(order.isNewer(event('other', 0, { data: { connectionId: 2, sourceId: 11 } }))).toBe(true);
  });

  test('isNewer records nothing, so an event whose handling failed is still newer', () => {
    const order = createEventOrder();
    expect(order.isNewer(event('a', 5))).toBe(true);
    expect(order.isNewer(event('a', 5))).toBe(true);
    order.record(event('a', 5));
    expect(order.isNewer(event('a', 5))).toBe(false);
  });

  test('at the same instant, another event is newer, the same one is not', () => {
    const order = createEventOrder();
    order.record(event('a', 5));
    expect(order.isNewer(event('b', 5))).toBe(true);
  });

  test('recording a late event has no effect', () => {
    const order = createEventOrder();
    order.record(event('b', 10));
    order.record(event('a', 5));
    expect(order.isNewer(event('c', 7))).toBe(false);
  });

  test('the subject that was recorded least recently is forgotten first', () => {
    const order = createEventOrder({ maxSubjects: 2, subjectOf: ({ type }) => type });
    for (const [seconds, type] of ['a', 'b', 'a', 'c'].entries()) order.record(event(`${seconds}`, seconds, { type }));
    expect(order.isNewer(event('x', -1, { type: 'b' }))).toBe(true);
    expect(order.isNewer(event('x', -1, { type: 'a' }))).toBe(false);
    expect(order.isNewer(event('x', -1, { type: 'c' }))).toBe(false);
  });

  test('the latest event is handled last, whatever the order of arrival', () => {
    const instants = fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(instants, (seconds) => {
        const order = createEventOrder();
        const handled = seconds
          .map((second) => event(`e${second}`, second))
          .filter((one) => {
            const isNewer = order.isNewer(one);
            if (isNewer) order.record(one);
            return isNewer;
          });
        expect(handled.at(-1)?.created).toBe(at(Math.max(...seconds)));
        expect(handled).toEqual(handled.toSorted(compareEvents));
      }),
    );
  });

  test('maxSubjects must be 1 or more', () => {
    expect(() => createEventOrder({ maxSubjects: 0 })).toThrow(ConfigurationError);
  });
});

test('compareEvents sorts by instant, whatever the offset, then by id', () => {
  const events = [
    event('b', 0),
    event('a', 0),
    event('c', 0, { created: '2026-01-31T11:29:59.000+01:00' }),
    event('d', -60),
  ];
  expect(events.toSorted(compareEvents).map(({ id }) => id)).toEqual(['d', 'c', 'a', 'b']);
});
