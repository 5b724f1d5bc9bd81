import { describe, expect, expectTypeOf, test } from 'vitest';
import { eventBody } from '../../test/webhook-vectors.ts';
import {
  isEventType,
  type KnownWebhookEvent,
  type OtherWebhookEvent,
  signWebhook,
  type SyncFailedEvent,
  type SyncRecoveredEvent,
  type TestPingEvent,
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventOf,
} from './index.ts';

async function receive(body: string): Promise<WebhookEvent> {
  const secret = 'oswhsec_demo';
  return verifyWebhook({ payload: body, header: await signWebhook({ payload: body, secret }), secret });
}

function describeEvent(event: WebhookEvent): string {
  switch (event.type) {
    case 'sync.failed':
      expectTypeOf(event).toEqualTypeOf<SyncFailedEvent>();
      expectTypeOf(event.data.reason).toEqualTypeOf<string>();
      return event.data.reason;
    case 'sync.recovered':
      expectTypeOf(event).toEqualTypeOf<SyncRecoveredEvent>();
      return event.data.failedSince;
    case 'test.ping':
      expectTypeOf(event).toEqualTypeOf<TestPingEvent>();
      return 'ping';
    default:
      expectTypeOf(event).toEqualTypeOf<OtherWebhookEvent>();
      expectTypeOf(event.type).toExtend<string>();
      return `other: ${event.type}`;
  }
}

describe('a switch over type', () => {
  test.each([
    [eventBody(), '3 syncs in a row failed'],
    [
      eventBody({ type: 'sync.recovered', data: { failedSince: '2026-01-31T09:00:00.000Z' } }),
      '2026-01-31T09:00:00.000Z',
    ],
    [eventBody({ type: 'test.ping', data: {} }), 'ping'],
    [eventBody({ type: 'sync.paused', data: {} }), 'other: sync.paused'],
  ])('%#', async (body, text) => {
    expect(describeEvent(await receive(body))).toBe(text);
  });

  test('an if narrows too', async () => {
    const event = await receive(eventBody());
    if (event.type !== 'sync.failed') throw new Error('not reached');
    expectTypeOf(event).toEqualTypeOf<SyncFailedEvent>();
    expect(event.data.remediation).toContain('Reconnect');
  });
});

describe('isEventType', () => {
  test('accepts a known type', async () => {
    const event = await receive(eventBody());
    expect(isEventType(event, 'sync.recovered')).toBe(false);
    if (!isEventType(event, 'sync.failed')) throw new Error('not reached');
    expectTypeOf(event).toEqualTypeOf<SyncFailedEvent>();
    expect(event.data.crm).toBe('HUBSPOT');
  });

  test('accepts an unknown type', async () => {
    const event = await receive(eventBody({ type: 'sync.paused', data: { pausedBy: 'somebody' } }));
    if (!isEventType(event, 'sync.paused')) throw new Error('not reached');
    expectTypeOf(event).toEqualTypeOf<OtherWebhookEvent>();
    expect(event.data['pausedBy']).toBe('somebody');
  });
});

test('narrows the type', () => {
  expectTypeOf<KnownWebhookEvent['type']>().toEqualTypeOf<'sync.failed' | 'sync.recovered' | 'test.ping'>();
  expectTypeOf<WebhookEventOf<'test.ping'>>().toEqualTypeOf<TestPingEvent>();
  expectTypeOf<WebhookEventOf<'sync.failed' | 'sync.recovered'>>().toEqualTypeOf<
    SyncFailedEvent | SyncRecoveredEvent
  >();
  expectTypeOf<WebhookEventOf<'anything.else'>>().toEqualTypeOf<OtherWebhookEvent>();
  // Comparing with a misspelt type does not compile.
  // @ts-expect-error no overlap
  expect((event: WebhookEvent) => event.type === 'sync.faild').toBeTypeOf('function');
});
