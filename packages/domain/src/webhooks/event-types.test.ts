import { RESERVED_EVENT_TYPE_PREFIXES, SUBSCRIBABLE_EVENT_TYPES } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { ApiError } from '../errors/errors.ts';
import { isReservedEventType, parseEnabledEvents, subscribedEventTypes, testPingEvent } from './event-types.ts';

testRuleCases('event-types', ({ rule }) => {
  rule<unknown>('parseEnabledEvents', (value) => parseEnabledEvents(value));
});

test('every error is a 400 that lists all available types', () => {
  const refused = ['test.ping', 'nope', ...RESERVED_EVENT_TYPE_PREFIXES.map((prefix) => `${prefix}x`)];
  for (const value of [...refused.map((type) => [type]), null, [1]]) {
    const refuse = () => parseEnabledEvents(value);
    expect(refuse).toThrow(ApiError);
    expect(refuse).toThrow(`Available event types: ${SUBSCRIBABLE_EVENT_TYPES.join(', ')}`);
  }
});

test('no subscribable type is reserved', () => {
  expect(SUBSCRIBABLE_EVENT_TYPES.filter(isReservedEventType)).toEqual([]);
});

test('an empty list means the subscribable types, not test.ping', () => {
  expect(subscribedEventTypes([])).toEqual(['sync.failed', 'sync.recovered']);
  expect(subscribedEventTypes(['sync.failed'])).toEqual(['sync.failed']);
});

test('a test event names its webhook', () => {
  expect(testPingEvent('oswhk_1')).toEqual({
    type: 'test.ping',
    summary: 'Test event for webhook oswhk_1',
    data: { webhookId: 'oswhk_1' },
  });
});
