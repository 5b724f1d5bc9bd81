import { WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { ApiError } from '../errors/errors.ts';
import {
  applyDeliveryStatus,
  applyPatch,
  assertBelowWebhookLimit,
  isUnchangedByDelivery,
  parseCreateWebhook,
  parseWebhookPatch,
  subscribes,
  type WebhookEndpointState,
} from './webhook-endpoint.ts';

testRuleCases('webhook-endpoint', ({ rule }) => {
  rule<unknown>('parseCreateWebhook', (body) => parseCreateWebhook(body));
  rule<unknown>('parseWebhookPatch', (body) => parseWebhookPatch(body));
});

test('refuses a missing body', () => {
  expect(() => parseCreateWebhook(undefined)).toThrow(ApiError);
  expect(() => parseWebhookPatch(undefined)).toThrow('The request body must be a JSON object');
});

test('create and PATCH accept URLs in allowed ranges', () => {
  const options = { allowedCidrs: ['127.0.0.0/8'] };
  const url = 'https://127.0.0.1:8443/x';
  expect(parseCreateWebhook({ url }, options).url).toBe(url);
  expect(parseWebhookPatch({ url }, options).url).toBe(url);
});

const CREATED = new Date('2026-01-01T00:00:00Z');
const NOW = new Date('2026-01-31T12:00:00Z');
const ENDPOINT: WebhookEndpointState & { id: string } = {
  id: 'oswhk_1',
  url: 'https://hooks.example.com/x',
  description: 'Alerts',
  enabledEvents: ['sync.failed'],
  isActive: true,
  autoDisabledAt: null,
  consecutiveDeadCount: 0,
  updatedAt: CREATED,
};

describe('applyPatch', () => {
  test('an empty patch changes nothing, not even updatedAt', () => {
    expect(applyPatch(ENDPOINT, {}, NOW)).toBe(ENDPOINT);
  });

  test('changes only the fields that were sent', () => {
    expect(applyPatch(ENDPOINT, { description: '', enabledEvents: [] }, NOW)).toEqual({
      ...ENDPOINT,
      description: '',
      enabledEvents: [],
      updatedAt: NOW,
    });
  });

  test('isActive true clears autoDisabledAt and resets the counter', () => {
    const disabled = { ...ENDPOINT, isActive: false, autoDisabledAt: CREATED, consecutiveDeadCount: 20 };
    expect(applyPatch(disabled, { isActive: true }, NOW)).toEqual({ ...ENDPOINT, updatedAt: NOW });
  });

  test('isActive true resets the counter of an active webhook too', () => {
    expect(applyPatch({ ...ENDPOINT, consecutiveDeadCount: 19 }, { isActive: true }, NOW).consecutiveDeadCount).toBe(0);
  });

  test('isActive false keeps autoDisabledAt', () => {
    const disabled = { ...ENDPOINT, isActive: false, autoDisabledAt: CREATED, consecutiveDeadCount: 20 };
    expect(applyPatch(disabled, { isActive: false }, NOW)).toEqual({ ...disabled, updatedAt: NOW });
    expect(applyPatch(ENDPOINT, { isActive: false }, NOW)).toMatchObject({ isActive: false, autoDisabledAt: null });
  });

  test('other fields do not change the counter', () => {
    const counting = { ...ENDPOINT, consecutiveDeadCount: 7 };
    expect(applyPatch(counting, { url: 'https://hooks.example.com/y' }, NOW).consecutiveDeadCount).toBe(7);
  });
});

describe('applyDeliveryStatus', () => {
  const after = (endpoint: typeof ENDPOINT, ...statuses: ('PENDING' | 'SUCCEEDED' | 'FAILED' | 'DEAD')[]) =>
    statuses.reduce((state, status) => applyDeliveryStatus(state, status, NOW), endpoint);
  const dead = (count: number) => Array.from({ length: count }, () => 'DEAD' as const);

  test('the twentieth DEAD delivery in a row disables the webhook', () => {
    expect(after(ENDPOINT, ...dead(19))).toEqual({ ...ENDPOINT, consecutiveDeadCount: 19 });
    expect(after(ENDPOINT, ...dead(20))).toEqual({
      ...ENDPOINT,
      consecutiveDeadCount: 20,
      isActive: false,
      autoDisabledAt: NOW,
      updatedAt: NOW,
    });
  });

  test('a success resets the counter', () => {
    expect(after(ENDPOINT, ...dead(19), 'SUCCEEDED', ...dead(19))).toMatchObject({
      isActive: true,
      consecutiveDeadCount: 19,
    });
    expect(after(ENDPOINT, 'SUCCEEDED')).toBe(ENDPOINT);
  });

  test('FAILED and PENDING neither count nor reset', () => {
    expect(after(ENDPOINT, ...dead(19), 'FAILED', 'PENDING')).toMatchObject({
      consecutiveDeadCount: 19,
      isActive: true,
    });
    expect(after(ENDPOINT, ...dead(19), 'FAILED', 'DEAD')).toMatchObject({ isActive: false });
  });

  test('isUnchangedByDelivery predicts that the webhook does not change', () => {
    for (const status of WEBHOOK_DELIVERY_STATUSES) {
      for (const endpoint of [ENDPOINT, after(ENDPOINT, ...dead(1)), after(ENDPOINT, ...dead(20))]) {
        const isUnmoved = applyDeliveryStatus(endpoint, status, NOW) === endpoint;
        expect(isUnchangedByDelivery(endpoint, status)).toBe(isUnmoved);
      }
    }
    expect(isUnchangedByDelivery({ consecutiveDeadCount: 0 }, 'SUCCEEDED')).toBe(true);
    expect(isUnchangedByDelivery({ consecutiveDeadCount: 1 }, 'SUCCEEDED')).toBe(false);
    expect(isUnchangedByDelivery({ consecutiveDeadCount: 0 }, 'DEAD')).toBe(false);
    expect(isUnchangedByDelivery({ consecutiveDeadCount: 1 }, 'PENDING')).toBe(true);
  });

  test('an inactive webhook keeps counting, but is neither disabled again nor made active', () => {
    const disabled = after(ENDPOINT, ...dead(20));
    expect(applyDeliveryStatus(disabled, 'DEAD', new Date(+NOW + 1))).toEqual({
      ...disabled,
      consecutiveDeadCount: 21,
    });
    expect(after(disabled, 'SUCCEEDED')).toEqual({ ...disabled, consecutiveDeadCount: 0 });
    expect(after({ ...ENDPOINT, isActive: false }, ...dead(25))).toMatchObject({
      isActive: false,
      autoDisabledAt: null,
    });
  });

  test('a webhook is disabled exactly when twenty DEAD come without a success in between', () => {
    const status = fc.constantFrom(
      'DEAD' as const,
      'DEAD' as const,
      'DEAD' as const,
      'FAILED' as const,
      'PENDING' as const,
    );
    const runs = fc.array(fc.array(status, { maxLength: 30 }), { maxLength: 5 });
    fc.assert(
      fc.property(runs, (segments) => {
        const state = after(ENDPOINT, ...segments.flatMap((segment) => [...segment, 'SUCCEEDED' as const]));
        const hasTwenty = segments.some((segment) => segment.filter((one) => one === 'DEAD').length >= 20);
        expect(state.isActive).toBe(!hasTwenty);
        expect(state.autoDisabledAt !== null).toBe(hasTwenty);
      }),
    );
  });
});

test('an account can have twenty webhooks', () => {
  expect(() => assertBelowWebhookLimit(19)).not.toThrow();
  expect(() => assertBelowWebhookLimit(20)).toThrow('An account can have at most 20 webhooks');
  expect(() => assertBelowWebhookLimit(21)).toThrow(ApiError);
});

test('an active webhook receives its event types; an empty list means all subscribable types', () => {
  const all = { isActive: true, enabledEvents: [] };
  expect(['sync.failed', 'sync.recovered', 'test.ping', 'other'].map((type) => subscribes(all, type))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(subscribes(ENDPOINT, 'sync.failed')).toBe(true);
  expect(subscribes(ENDPOINT, 'sync.recovered')).toBe(false);
  expect(subscribes({ ...ENDPOINT, isActive: false }, 'sync.failed')).toBe(false);
});
