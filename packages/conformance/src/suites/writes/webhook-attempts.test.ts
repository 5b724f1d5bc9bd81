/** `listWebhookDeliveries`: requests, answers and retries. */
import { createWebhookRequestValidator } from '@svc/contract/strict';
import { describe, expect, test } from 'vitest';
import { proveHostNamesAreResolved } from '../../cases/host-names.ts';
import { onlyPost, signatureOf, useWebhooks } from '../../cases/webhooks.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import type { ReceiverAnswer } from '../../harness/targets/receivers.ts';

const problemsOf = createWebhookRequestValidator();
const TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 60_000;
const JITTER_MAX_MS = 300_000;
const LATER_WAITS_MS = [2, 4, 8, 16, 30, 60].map((minutes) => minutes * 60_000);

onEveryTarget(
  (api, { resolvesHostNames }) => {
    const webhooks = useWebhooks(api);
    const { make, ping, deliveries, pingAll, write } = webhooks;
    const settle = () => api.target().settle();
    const now = () => api.target().clock.now();
    const update = (id: string, body: object) => write('updateWebhook', { params: { id }, body });
    const shown = (id: string) => api.read('getWebhook', { params: { id } });
    /** Advances time past the first retry with the largest jitter. */
    const passFirstWait = () => api.advance(FIRST_WAIT_MS + JITTER_MAX_MS);
    const countDead = async (id: string) => (await deliveries(id)).filter(({ status }) => status === 'DEAD').length;

    describe('testWebhook', () => {
      test('202: sends one POST with the envelope, three headers and a signature', async () => {
        const { id, secret, receiver } = await make();
        await api.advance(123_456);
        const eventId = await ping(id);
        await settle();
        const post = onlyPost(receiver);
        const [delivery] = await deliveries(id);
        expect([post.method, post.path]).toEqual(['POST', '/hooks/svc?source=suite']);
        expect(post.headers['content-type']).toMatch(/^application\/json/);
        expect(post.headers).toMatchObject({
          'service-event-id': eventId,
          'service-delivery-id': delivery?.id,
          'content-length': String(post.body.length),
        });
        expect(problemsOf('test.ping', post.headers, JSON.parse(post.body.toString()))).toEqual([]);
        const { type, summary, data, createdAt } = await api.read('getEvent', { params: { id: eventId } });
        expect(JSON.parse(post.body.toString())).toEqual({ id: eventId, type, created: createdAt, summary, data });

        const signature = signatureOf(post);
        expect(signature.t).toBe(Math.floor(now().getTime() / 1_000));
        expect(signature.isValidFor(secret)).toBe(true);
        for (const wrong of ['', 'oswhsec_other', secret.slice('oswhsec_'.length)]) {
          expect(signature.isValidFor(wrong)).toBe(false);
        }
      });

      test('202: sends no secret, key or cookie', async () => {
        const { id, secret, receiver } = await make();
        await ping(id);
        await settle();
        const text = JSON.stringify(onlyPost(receiver)) + onlyPost(receiver).body.toString();
        for (const word of [secret, 'osapi_', 'authorization', 'cookie']) expect(text).not.toContain(word);
      });

      test.each([200, 201, 202, 204, 206, 299])('202: status %d is a success', async (status) => {
        const { id, receiver } = await make();
        receiver.answer(status);
        const eventId = await ping(id);
        await settle();
        const [delivery] = await deliveries(id);
        expect(delivery).toMatchObject({
          status: 'SUCCEEDED',
          attemptCount: 1,
          lastHttpStatus: status,
          lastError: null,
          lastAttemptAt: now().toISOString(),
          updatedAt: now().toISOString(),
        });
        expect((await api.read('getEvent', { params: { id: eventId } })).delivered).toBe(true);
        await passFirstWait();
        expect(receiver.posts).toHaveLength(1);
      });

      test.each([404, 413])('202: status %d makes the delivery DEAD at once', async (status) => {
        const { id, receiver } = await make();
        receiver.answer(status);
        const eventId = await ping(id);
        await settle();
        expect(await deliveries(id)).toMatchObject([
          {
            status: 'DEAD',
            attemptCount: 1,
            lastHttpStatus: status,
            lastError: expect.stringContaining(String(status)),
          },
        ]);
        expect((await api.read('getEvent', { params: { id: eventId } })).delivered).toBe(false);
        await passFirstWait();
        expect(receiver.posts).toHaveLength(1);
      });

      const failures: [name: string, answer: ReceiverAnswer, httpStatus: number | null][] = [
        ...[300, 304, 400, 401, 403, 405, 408, 409, 410, 412, 414, 418, 422, 429, 500, 501, 502, 503, 504].map(
          (status): [string, ReceiverAnswer, number] => [String(status), status, status],
        ),
        ...[301, 302, 303, 307, 308].map((status): [string, ReceiverAnswer, number] => [
          `${status} to another URL`,
          { status, location: 'https://redirected.example.com/hook' },
          status,
        ]),
        ['a broken connection', 'reset', null],
      ];
      test.each(failures)('202: %s is retried', async (_name, answer, httpStatus) => {
        const { id, receiver } = await make();
        const elsewhere = await api.target().openReceiver('redirected.example.com');
        receiver.plan(answer);
        const eventId = await ping(id);
        await settle();
        const [failed] = await deliveries(id);
        expect(failed).toMatchObject({ status: 'PENDING', attemptCount: 1, lastHttpStatus: httpStatus });
        expect(failed?.lastError).toEqual(expect.any(String));
        expect(failed?.lastAttemptAt).toBe(now().toISOString());
        expect((await api.read('getEvent', { params: { id: eventId } })).delivered).toBe(false);
        await passFirstWait();
        expect(await deliveries(id)).toMatchObject([
          { status: 'SUCCEEDED', attemptCount: 2, lastHttpStatus: 200, lastError: null },
        ]);
        expect([receiver.posts.length, elsewhere.posts.length]).toEqual([2, 0]);
      });

      test('202: an attempt times out after ten seconds', async () => {
        const { id, receiver } = await make();
        receiver.answer('hang');
        await ping(id);
        const startedAt = now().getTime();
        const settled = settle();
        await receiver.arrived(1);
        await api.target().clock.advance(TIMEOUT_MS);
        await settled;
        const [delivery] = await deliveries(id);
        expect(delivery).toMatchObject({ status: 'PENDING', attemptCount: 1, lastHttpStatus: null });
        expect(delivery?.lastError).toEqual(expect.any(String));
        expect(now().getTime()).toBe(startedAt + 10_000);
        receiver.answer(200);
        await passFirstWait();
        expect(await deliveries(id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 2 }]);
      });

      test('202: an answer in the last millisecond before the timeout counts', async () => {
        const { id, receiver } = await make();
        let answerNow = (_status: number) => {};
        receiver.plan(
          new Promise((resolve) => {
            answerNow = resolve;
          }),
        );
        await ping(id);
        const settled = settle();
        await receiver.arrived(1);
        await api.target().clock.advance(TIMEOUT_MS - 1);
        answerNow(204);
        await settled;
        expect(await deliveries(id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1, lastHttpStatus: 204 }]);
      });

      test('202: a receiver that hangs does not block deliveries to others', async () => {
        const [slow, quick] = [await make(), await make()];
        slow.receiver.answer('hang');
        for (let count = 0; count < 12; count += 1) await ping(slow.id);
        await ping(quick.id);
        const settled = settle();
        await quick.receiver.arrived(1);
        slow.receiver.answer(200);
        await api.target().clock.advance(TIMEOUT_MS);
        await settled;
        await passFirstWait();
        expect(new Set((await deliveries(slow.id)).map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
      });
    });

    describe('listWebhookDeliveries', () => {
      test('200: DEAD after eight scheduled attempts with the same bytes and new signatures', async () => {
        const { id, secret, receiver } = await make();
        receiver.answer(503);
        await ping(id);
        await settle();
        await api.advance(FIRST_WAIT_MS - 1);
        expect(receiver.posts).toHaveLength(1);
        // The jitter is up to five minutes.
        for (let ms = 0; ms <= JITTER_MAX_MS && receiver.posts.length < 2; ms += 10_000) await api.advance(10_000);
        expect(receiver.posts).toHaveLength(2);
        for (const [index, waitMs] of LATER_WAITS_MS.entries()) {
          const [before] = await deliveries(id);
          expect(before).toMatchObject({ status: 'PENDING', attemptCount: index + 2 });
          const last = Date.parse(before?.lastAttemptAt ?? '');
          await api.advance(last + waitMs - 1 - now().getTime());
          expect(receiver.posts).toHaveLength(index + 2);
          await api.advance(1);
          expect(receiver.posts).toHaveLength(index + 3);
        }
        const [dead] = await deliveries(id);
        expect(dead).toMatchObject({ status: 'DEAD', attemptCount: 8, lastHttpStatus: 503 });
        expect(dead?.lastAttemptAt).toBe(now().toISOString());
        await api.advance(24 * 3_600_000);
        expect(receiver.posts).toHaveLength(8);

        const [first, ...others] = receiver.posts;
        if (first === undefined) throw new Error('nothing arrived');
        for (const post of others) {
          expect(post.body.equals(first.body)).toBe(true);
          for (const name of ['service-event-id', 'service-delivery-id']) {
            expect(post.headers[name]).toBe(first.headers[name]);
          }
        }
        expect(receiver.posts.every((post) => signatureOf(post).isValidFor(secret))).toBe(true);
        expect(new Set(receiver.posts.map((post) => signatureOf(post).t)).size).toBe(8);
      });

      test('200: the first wait is one to six minutes and differs between deliveries', async () => {
        const { id, receiver } = await make();
        receiver.answer(500);
        for (let count = 0; count < 24; count += 1) await ping(id);
        await settle();
        const startedAt = now().getTime();
        receiver.answer(200);
        await api.advance(FIRST_WAIT_MS - 1);
        expect(receiver.posts).toHaveLength(24);
        for (let ms = 0; ms <= JITTER_MAX_MS; ms += 10_000) await api.advance(ms === 0 ? 1 : 10_000);
        const waits = (await deliveries(id)).map(({ lastAttemptAt }) => Date.parse(lastAttemptAt ?? '') - startedAt);
        expect(receiver.posts).toHaveLength(48);
        expect(new Set(waits).size).toBeGreaterThan(8);
        // The probability that all 24 fall into the same half is below one in eight million.
        expect(Math.max(...waits)).toBeGreaterThan(FIRST_WAIT_MS + JITTER_MAX_MS / 2);
        expect(Math.min(...waits)).toBeLessThan(FIRST_WAIT_MS + JITTER_MAX_MS / 2);
      });

      test('200: later attempts use the current URL and secret of the webhook', async () => {
        const { id, secret, receiver } = await make();
        receiver.answer(500);
        await ping(id);
        await settle();
        const rotated = (await write('rotateWebhookSecret', { params: { id } })).json.secret;
        await passFirstWait();
        const moved = await api.target().openReceiver('moved.example.com');
        await update(id, { url: 'https://moved.example.com/new' });
        await api.advance(LATER_WAITS_MS[0] ?? 0);
        expect([receiver.posts.length, moved.posts.length]).toEqual([2, 1]);
        const [first, second] = receiver.posts.map(signatureOf);
        expect([first?.isValidFor(secret), first?.isValidFor(rotated)]).toEqual([true, false]);
        expect([second?.isValidFor(secret), second?.isValidFor(rotated)]).toEqual([false, true]);
        const last = onlyPost(moved);
        expect([last.path, signatureOf(last).isValidFor(rotated)]).toEqual(['/new', true]);
        expect(last.body.equals(receiver.posts[0]?.body ?? Buffer.alloc(0))).toBe(true);
        expect(await deliveries(id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 3 }]);
      });

      test('200: a test is retried after the webhook became inactive', async () => {
        const { id, receiver } = await make();
        receiver.answer(500);
        await ping(id);
        await settle();
        await update(id, { isActive: false });
        await passFirstWait();
        expect(receiver.posts).toHaveLength(2);
        expect(await deliveries(id)).toMatchObject([{ status: 'PENDING', attemptCount: 2 }]);
      });

      test('200 with PENDING and no attempts before the first', async () => {
        const { id } = await make();
        await ping(id);
        expect(await deliveries(id)).toMatchObject([
          { status: 'PENDING', attemptCount: 0, lastAttemptAt: null, lastHttpStatus: null, lastError: null },
        ]);
        await settle();
      });
    });

    describe('getEvent', () => {
      test('200 with FAILED after the webhook was deleted; nothing more is sent', async () => {
        const { id, receiver } = await make();
        receiver.answer(500);
        const eventId = await ping(id);
        await settle();
        await write('deleteWebhook', { params: { id } });
        await passFirstWait();
        expect(receiver.posts).toHaveLength(1);
        const event = await api.read('getEvent', { params: { id: eventId } });
        expect(event.delivered).toBe(false);
        expect(event.deliveries).toMatchObject([
          { endpointId: id, status: 'FAILED', attemptCount: 1, lastHttpStatus: 500, lastError: expect.any(String) },
        ]);
      });

      test('200 with FAILED when the webhook is deleted before the first attempt', async () => {
        const { id, receiver } = await make();
        const eventId = await ping(id);
        await write('deleteWebhook', { params: { id } });
        await settle();
        expect(receiver.posts).toHaveLength(0);
        const event = await api.read('getEvent', { params: { id: eventId } });
        expect(event.deliveries).toMatchObject([{ status: 'FAILED', attemptCount: 0, lastAttemptAt: null }]);
      });
    });

    describe('getWebhook', () => {
      test('200 with isActive false after twenty DEAD deliveries in a row, not after nineteen', async () => {
        const webhook = await make();
        await pingAll(webhook, 19, 404);
        expect(await shown(webhook.id)).toMatchObject({ isActive: true, autoDisabledAt: null });
        await api.advance(1_000);
        await pingAll(webhook, 1, 413);
        const at = now().toISOString();
        expect(await shown(webhook.id)).toMatchObject({ isActive: false, autoDisabledAt: at, updatedAt: at });
        expect(await countDead(webhook.id)).toBe(20);
      });

      test('200 with isActive true: a success resets the count', async () => {
        const webhook = await make();
        await pingAll(webhook, 19, 404);
        await pingAll(webhook, 1, 200);
        await pingAll(webhook, 19, 404);
        expect((await shown(webhook.id)).isActive).toBe(true);
        await pingAll(webhook, 1, 404);
        expect((await shown(webhook.id)).isActive).toBe(false);
      });

      test('200 with isActive true while a failed delivery is retried; it counts once it is DEAD', async () => {
        const webhook = await make();
        await pingAll(webhook, 19, 404);
        await pingAll(webhook, 1, 500);
        expect((await shown(webhook.id)).isActive).toBe(true);
        await passFirstWait();
        for (const [index, waitMs] of LATER_WAITS_MS.entries()) {
          expect((await shown(webhook.id)).isActive, `before attempt ${index + 3}`).toBe(true);
          await api.advance(waitMs);
        }
        expect(await shown(webhook.id)).toMatchObject({ isActive: false, autoDisabledAt: now().toISOString() });
      });

      test('200: isActive: true resets the count, on an active webhook too', async () => {
        const webhook = await make();
        await pingAll(webhook, 20, 404);
        expect((await shown(webhook.id)).isActive).toBe(false);
        await update(webhook.id, { isActive: true });
        await pingAll(webhook, 19, 404);
        expect(await shown(webhook.id)).toMatchObject({ isActive: true, autoDisabledAt: null });
        await update(webhook.id, { description: 'counts on' });
        await update(webhook.id, { isActive: true });
        await pingAll(webhook, 19, 404);
        expect((await shown(webhook.id)).isActive).toBe(true);
        await update(webhook.id, { description: 'counts on' });
        await pingAll(webhook, 1, 404);
        expect((await shown(webhook.id)).isActive).toBe(false);
      });

      test('200: a webhook disabled by a PATCH is neither auto-disabled nor enabled by a success', async () => {
        const webhook = await make();
        await update(webhook.id, { isActive: false });
        await pingAll(webhook, 21, 404);
        await pingAll(webhook, 1, 200);
        expect(await shown(webhook.id)).toMatchObject({ isActive: false, autoDisabledAt: null });
      });

      test('200: replays count, and webhooks are counted separately', async () => {
        const [one, other] = [await make(), await make()];
        await pingAll(one, 19, 404);
        await pingAll(other, 19, 404);
        const [last] = await deliveries(one.id);
        await write('replayWebhookDelivery', { params: { id: one.id, deliveryId: last?.id ?? '' } });
        await settle();
        expect([(await shown(one.id)).isActive, (await shown(other.id)).isActive]).toEqual([false, true]);
      });
    });

    if (resolvesHostNames) proveHostNamesAreResolved(api, webhooks);
  },
  { workers: 'off' },
);
