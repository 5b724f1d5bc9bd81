/** Arguments and results of `@svc/sdk/webhooks`. `src/webhooks/events.test.ts` tests narrowing. */
import { describe, expectTypeOf, test } from 'vitest';
import type { PlatformEvent } from '../../src/index.ts';
import type * as webhooks from '../../src/webhooks/index.ts';
import type { PathsToAny, RequiredKeys } from './no-any.ts';

declare const verifyWebhook: typeof webhooks.verifyWebhook;
declare const createWebhookReceiver: typeof webhooks.createWebhookReceiver;
declare const event: webhooks.WebhookEvent;

const payload = new Uint8Array();
const header = 't=1,v1=';
const headers = new Headers();
const secret = 'oswhsec_x';

describe('events', () => {
  test('every event has the same envelope', () => {
    expectTypeOf<Pick<webhooks.WebhookEvent, 'id' | 'created' | 'summary'>>().toEqualTypeOf<{
      id: string;
      created: string;
      summary: string;
    }>();
    expectTypeOf<webhooks.WebhookEvent['type']>().toEqualTypeOf<
      'sync.failed' | 'sync.recovered' | 'test.ping' | webhooks.OtherEventType
    >();
  });

  test('an event of a known type has typed data', () => {
    expectTypeOf((one: webhooks.SyncFailedEvent) => one.data.reason).returns.toEqualTypeOf<string>();
    expectTypeOf((one: webhooks.SyncFailedEvent) => one.data.connectionId).returns.toEqualTypeOf<number>();
    expectTypeOf((one: webhooks.SyncFailedEvent) => one.data.remediation).returns.toEqualTypeOf<string>();
    expectTypeOf((one: webhooks.SyncRecoveredEvent) => one.data.sourceId).returns.toEqualTypeOf<number>();
    expectTypeOf((one: webhooks.SyncRecoveredEvent) => one.data.failedSince).returns.toEqualTypeOf<string>();
  });

  test('an event of another type has data of unknown form', () => {
    expectTypeOf((one: webhooks.OtherWebhookEvent) => one.data['pausedBy']).returns.toEqualTypeOf<unknown>();
    // So has every event until its type is checked.
    expectTypeOf(() => event.data['reason']).returns.toEqualTypeOf<unknown>();
  });

  test('a switch narrows an event without a cast', () => {
    expectTypeOf((one: webhooks.WebhookEvent): string => {
      if (one.type === 'test.ping') {
        expectTypeOf(one).toEqualTypeOf<webhooks.TestPingEvent>();
        return one.summary;
      }
      if (one.type === 'sync.failed' || one.type === 'sync.recovered') {
        expectTypeOf(one).toEqualTypeOf<webhooks.SyncFailedEvent | webhooks.SyncRecoveredEvent>();
        return one.data.crm;
      }
      expectTypeOf(one).toEqualTypeOf<webhooks.OtherWebhookEvent>();
      return one.type;
    }).toBeFunction();
  });

  test('an event is never any', () => {
    expectTypeOf<PathsToAny<webhooks.WebhookEvent>>().toBeNever();
    expectTypeOf<PathsToAny<webhooks.WebhookReceiverOptions>>().toBeNever();
    expectTypeOf<PathsToAny<webhooks.WebhookReceiver>>().toBeNever();
  });

  test('an event of the log has data of unknown form too', () => {
    expectTypeOf<PlatformEvent['data']>().toEqualTypeOf<{ [key: string]: unknown }>();
  });
});

describe('verifyWebhook', () => {
  test('takes one header or all, one secret or several', () => {
    expectTypeOf(() => verifyWebhook({ payload, header, secret })).returns.toEqualTypeOf<
      Promise<webhooks.WebhookEvent>
    >();
    expectTypeOf(() => [
      verifyWebhook({ payload: '', headers, secrets: [secret] }),
      verifyWebhook({ payload: new ArrayBuffer(0), headers: { 'service-signature': header }, secret }),
      verifyWebhook({ payload, header: headers.get('service-signature'), secret, toleranceSeconds: 60 }),
    ]).toBeFunction();
  });

  test('takes nothing else', () => {
    expectTypeOf(() => [
      // @ts-expect-error no signature
      verifyWebhook({ payload, secret }),
      // @ts-expect-error no secret
      verifyWebhook({ payload, header }),
      // @ts-expect-error not both of them
      verifyWebhook({ payload, header, headers, secret }),
      // @ts-expect-error not both of them
      verifyWebhook({ payload, header, secret, secrets: [secret] }),
      // @ts-expect-error a parsed body
      verifyWebhook({ payload: { id: 'osevt_1' }, header, secret }),
      // @ts-expect-error undefined is not a secret
      verifyWebhook({ payload, header, secret: undefined }),
    ]).toBeFunction();
  });

  test('has the reason of a refusal', () => {
    expectTypeOf<webhooks.WebhookVerificationError['reason']>().toEqualTypeOf<webhooks.WebhookProblem>();
    expectTypeOf<webhooks.WebhookProblem>().toEqualTypeOf<
      | 'missing_header'
      | 'malformed_header'
      | 'payload_not_raw'
      | 'no_match'
      | 'timestamp_too_old'
      | 'timestamp_in_future'
      | 'byte_order_mark'
      | 'invalid_utf8'
      | 'invalid_json'
      | 'not_an_event'
    >();
    expectTypeOf<webhooks.WebhookRequestError['status']>().toEqualTypeOf<number>();
  });
});

describe('createWebhookReceiver', () => {
  test('needs secrets and a handler', () => {
    expectTypeOf<RequiredKeys<webhooks.WebhookReceiverOptions>>().toEqualTypeOf<'secrets' | 'onEvent'>();
    expectTypeOf<webhooks.WebhookReceiverOptions['onEvent']>().parameters.toEqualTypeOf<
      [event: webhooks.WebhookEvent, delivery: webhooks.DeliveryInfo]
    >();
    expectTypeOf(() => [
      // @ts-expect-error no handler
      createWebhookReceiver({ secrets: [secret] }),
      // @ts-expect-error secrets is a list
      createWebhookReceiver({ secrets: secret, onEvent: () => {} }),
    ]).toBeFunction();
  });

  test('has a function for each kind of server', () => {
    expectTypeOf<webhooks.WebhookReceiver['fetch']>().toEqualTypeOf<(request: Request) => Promise<Response>>();
    expectTypeOf<webhooks.WebhookReceiver['handle']>().returns.resolves.toEqualTypeOf<webhooks.WebhookAnswer>();
    expectTypeOf<webhooks.WebhookReceiver['node']>().returns.toEqualTypeOf<void>();
    expectTypeOf<webhooks.WebhookReceiver['express']>().returns.toEqualTypeOf<Promise<void>>();
    expectTypeOf<ReturnType<webhooks.SeenStore['claim']>>().toEqualTypeOf<
      'claimed' | 'done' | 'busy' | Promise<'claimed' | 'done' | 'busy'>
    >();
  });
});
