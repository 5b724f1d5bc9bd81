import { describe, expect, test } from 'vitest';
import { type Delivery, deliver, recordingOptions, WEBHOOK_SECRET } from '../../test/webhook-deliveries.ts';
import {
  ConfigurationError,
  createMemorySeenStore,
  createWebhookReceiver,
  type SeenStore,
  type WebhookAnswer,
  type WebhookReceiverOptions,
  WebhookRequestError,
  WebhookVerificationError,
} from './index.ts';

function start(changes: Partial<WebhookReceiverOptions> = {}) {
  const { events, failures, options } = recordingOptions();
  const receiver = createWebhookReceiver({ ...options, ...changes });
  const send = async ({ body, ...request }: Delivery) => brief(await receiver.handle({ ...request, payload: body }));
  return { events, failures, receiver, send };
}

const brief = ({ status, body }: WebhookAnswer) => `${status} ${body}`;

/** A promise that the test settles. */
function gate() {
  let open = () => {};
  let fail: (error: unknown) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open, fail };
}

describe('answers', () => {
  test('200 when the event was handled', async () => {
    const { send, events, failures } = start();
    expect(await send(await deliver({}, { deliveryId: 'oswhd_7' }))).toBe('200 ok');
    expect(events).toEqual([{ id: 'osevt_1', deliveryId: 'oswhd_7' }]);
    expect(failures).toEqual([]);
  });

  test('200 for an event of an unknown type', async () => {
    const { send, events } = start();
    expect(await send(await deliver({ type: 'sync.paused' }))).toBe('200 ok');
    expect(events).toHaveLength(1);
  });

  test.each([
    ['no_match', { secret: 'oswhsec_other' }],
    ['timestamp_too_old', { timestampSeconds: 0 }],
    ['timestamp_in_future', { timestampSeconds: 2_000_000_000 }],
    ['missing_header', { headerPrefix: 'Other' }],
  ])('400 with only the reason: %s', async (reason, options) => {
    const { send, events, failures } = start();
    expect(await send(await deliver({}, options))).toBe(`400 ${reason}`);
    expect(events).toEqual([]);
    expect(failures).toMatchObject([{ status: 400, eventId: null, error: { reason } }]);
    expect(failures[0]?.error).toBeInstanceOf(WebhookVerificationError);
  });

  test('400 when the signature is valid but the body is not', async () => {
    const { send } = start();
    expect(await send(await deliver({ id: '' }))).toBe('400 not_an_event');
  });

  test('405 with Allow', async () => {
    const { receiver, failures } = start();
    const { headers, body } = await deliver();
    const answer = await receiver.handle({ method: 'GET', headers, payload: body });
    expect(answer).toMatchObject({ status: 405, body: 'method_not_allowed', headers: { Allow: 'POST' } });
    expect(failures[0]?.error).toBeInstanceOf(WebhookRequestError);
    expect(failures).toMatchObject([{ status: 405, deliveryId: 'oswhd_test' }]);
  });

  test('the method is POST by default, and case-insensitive', async () => {
    const { receiver } = start();
    const { headers, body } = await deliver();
    expect(brief(await receiver.handle({ headers, payload: body }))).toBe('200 ok');
    expect(brief(await receiver.handle({ method: 'post', headers, payload: body }))).toBe('200 duplicate');
  });

  test('400 for a parsed payload', async () => {
    const { receiver } = start();
    const { headers, body } = await deliver();
    const payload: unknown = JSON.parse(body);
    // @ts-expect-error a caller without types
    expect(brief(await receiver.handle({ headers, payload }))).toBe('400 payload_not_raw');
  });

  test('500 when onEvent throws, without the text of the error', async () => {
    const fault = new Error('database password is hunter2');
    const { send, failures } = start({
      onEvent: () => {
        throw fault;
      },
    });
    expect(await send(await deliver())).toBe('500 handler_failed');
    expect(failures).toEqual([{ error: fault, status: 500, eventId: 'osevt_1', deliveryId: 'oswhd_test' }]);
  });

  test('an onError that throws does not change the answer', async () => {
    for (const onError of [
      () => Promise.reject(new Error('no log')),
      () => {
        throw new Error('no log');
      },
    ]) {
      const { send } = start({ onError });
      expect(await send(await deliver({}, { secret: 'oswhsec_other' }))).toBe('400 no_match');
    }
  });

  test('failures are answered without onError too', async () => {
    const { options } = recordingOptions();
    const receiver = createWebhookReceiver({ ...options, onError: undefined });
    expect(await receiver.handle({ headers: {}, payload: '' })).toMatchObject({ status: 400 });
  });
});

describe('repeats', () => {
  test('a repeated event is not handled again', async () => {
    const { send, events } = start();
    expect(await send(await deliver({}, { deliveryId: 'oswhd_1' }))).toBe('200 ok');
    expect(await send(await deliver({}, { deliveryId: 'oswhd_2' }))).toBe('200 duplicate');
    expect(await send(await deliver({ id: 'osevt_2' }))).toBe('200 ok');
    expect(events.map(({ id }) => id)).toEqual(['osevt_1', 'osevt_2']);
  });

  test('repeats are recognised by the id in the body, not by the header', async () => {
    const { send, events } = start();
    await send(await deliver({}, { eventId: 'osevt_8' }));
    expect(await send(await deliver({}, { eventId: 'osevt_9' }))).toBe('200 duplicate');
    expect(events).toHaveLength(1);
  });

  test('an event whose handling failed is handled when it is sent again', async () => {
    let calls = 0;
    const { send } = start({
      onEvent: async () => {
        calls += 1;
        if (calls < 3) throw new Error('not yet');
      },
    });
    const answers = [];
    for (let round = 0; round < 4; round += 1) answers.push(await send(await deliver()));
    expect(answers).toEqual(['500 handler_failed', '500 handler_failed', '200 ok', '200 duplicate']);
    expect(calls).toBe(3);
  });

  test('two concurrent deliveries share one call of onEvent and its outcome', async () => {
    const { passed, open } = gate();
    let calls = 0;
    const { send } = start({
      onEvent: () => {
        calls += 1;
        return passed;
      },
    });
    const answered: string[] = [];
    const sent = [deliver(), deliver()].map(async (delivery) => answered.push(await send(await delivery)));
    await expect.poll(() => calls).toBe(1);
    expect(answered).toEqual([]);
    open();
    await Promise.all(sent);
    expect(answered).toEqual(['200 ok', '200 ok']);
    expect(calls).toBe(1);
    expect(await send(await deliver())).toBe('200 duplicate');
  });

  test('two concurrent deliveries of an event whose handling fails both get 500', async () => {
    const { passed, fail } = gate();
    let calls = 0;
    const { send, failures } = start({
      onEvent: () => {
        calls += 1;
        return passed;
      },
    });
    const sent = [send(await deliver()), send(await deliver())];
    await expect.poll(() => calls).toBe(1);
    fail(new Error('no'));
    expect(await Promise.all(sent)).toEqual(['500 handler_failed', '500 handler_failed']);
    expect(failures).toHaveLength(1);
  });

  test('503 while another receiver of the same store handles the event', async () => {
    const seen = createMemorySeenStore();
    const { passed, open } = gate();
    const first = start({ seen, onEvent: () => passed });
    const second = start({ seen });
    const sent = first.send(await deliver());
    await expect.poll(async () => second.send(await deliver())).toBe('503 in_progress');
    open();
    expect(await sent).toBe('200 ok');
    expect(await second.send(await deliver())).toBe('200 duplicate');
    expect(second.events).toEqual([]);
  });
});

describe('stores that fail', () => {
  const fault = new Error('no connection');
  const store = (changes: Partial<SeenStore>): SeenStore => ({
    claim: () => 'claimed',
    complete: () => {},
    release: () => {},
    ...changes,
  });

  test.each([
    [
      'throws',
      () => {
        throw fault;
      },
    ],
    ['rejects', () => Promise.reject(fault)],
  ])('500 when a claim %s, and the event is not handled', async (_, claim) => {
    const { send, events, failures } = start({ seen: store({ claim }) });
    expect(await send(await deliver())).toBe('500 store_failed');
    expect(events).toEqual([]);
    expect(failures).toMatchObject([{ error: fault, status: 500 }]);
  });

  test('200 when only completing failed: the event was handled', async () => {
    const { send, failures } = start({ seen: store({ complete: () => Promise.reject(fault) }) });
    expect(await send(await deliver())).toBe('200 ok');
    expect(failures).toMatchObject([{ error: fault, status: 200, eventId: 'osevt_1' }]);
  });

  test('both failures are reported when releasing fails too', async () => {
    const first = new Error('handler');
    const { send, failures } = start({
      seen: store({ release: () => Promise.reject(fault) }),
      onEvent: () => Promise.reject(first),
    });
    expect(await send(await deliver())).toBe('500 handler_failed');
    expect(failures.map(({ error }) => error)).toEqual([fault, first]);
  });

  test('the functions of the store are called as methods', async () => {
    class ListStore implements SeenStore {
      readonly done: string[] = [];
      claim(id: string) {
        return this.done.includes(id) ? ('done' as const) : ('claimed' as const);
      }
      async complete(id: string) {
        this.done.push(id);
      }
      release(id: string) {
        this.done.splice(this.done.indexOf(id), 1);
      }
    }
    const { send } = start({ seen: new ListStore() });
    expect(await send(await deliver())).toBe('200 ok');
    expect(await send(await deliver())).toBe('200 duplicate');
  });
});

describe('settings', () => {
  test('takes several secrets, a header prefix and a tolerance', async () => {
    const { send, events } = start({
      secrets: ['oswhsec_new', WEBHOOK_SECRET],
      headerPrefix: 'Acme',
      toleranceSeconds: Number.POSITIVE_INFINITY,
    });
    const options = { headerPrefix: 'Acme', timestampSeconds: 0, deliveryId: 'oswhd_3' };
    expect(await send(await deliver({}, options))).toBe('200 ok');
    expect(await send(await deliver({ id: 'osevt_2' }, { ...options, secret: 'oswhsec_new' }))).toBe('200 ok');
    expect(events.map(({ deliveryId }) => deliveryId)).toEqual(['oswhd_3', 'oswhd_3']);
    expect(await send(await deliver())).toBe('400 missing_header');
  });

  test.each<Partial<WebhookReceiverOptions>>([
    { secrets: [] },
    { secrets: [''] },
    { toleranceSeconds: -1 },
    { headerPrefix: 'a:b' },
    { maxBodyBytes: 0 },
    { maxBodyBytes: Number.NaN },
  ])('%o is refused at once', (wrong) => {
    expect(() => start(wrong)).toThrow(ConfigurationError);
  });
});
