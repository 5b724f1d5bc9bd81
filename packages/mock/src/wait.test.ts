import { describe, expect, test } from 'vitest';
import { waitFor } from './wait.ts';

const URL = 'http://127.0.0.1:4010/health/ready';

type Attempt = Response | Error;

const refused = () => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) });
const notReady = () => Response.json({ checks: { database: 'ok', queue: 'failed' } }, { status: 503 });

/** Waits with a clock of its own; every attempt takes no time. The last attempt is repeated. */
async function wait(attempts: readonly (() => Attempt)[], timeoutMs: number) {
  let nowMs = 0;
  let count = 0;
  const reasons: string[] = [];
  const reason = await waitFor(URL, timeoutMs, {
    fetch: async () => {
      const attempt = attempts[Math.min(count++, attempts.length - 1)]?.();
      if (attempt instanceof Response) return attempt;
      throw attempt;
    },
    nowMs: () => nowMs,
    sleep: async (ms) => void (nowMs += ms),
    onWaiting: (each) => void reasons.push(each),
  });
  return { reason, reasons, count, nowMs };
}

describe('waitFor', () => {
  test('ends at the first success, without waiting when the service already answers', async () => {
    expect(await wait([() => new Response('{}')], 30_000)).toEqual({ reason: null, reasons: [], count: 1, nowMs: 0 });
  });

  test('asks five times a second, and reports each new reason once', async () => {
    const attempts = [refused, refused, notReady, notReady, () => new Response(null, { status: 204 })];
    expect(await wait(attempts, 30_000)).toEqual({
      reason: null,
      reasons: ['nothing listens there', 'it answers 503, because these checks fail: queue'],
      count: 5,
      nowMs: 800,
    });
  });

  test('ends with the last reason when the time is over, after one more attempt at its end', async () => {
    expect(await wait([refused], 500)).toEqual({
      reason: 'nothing listens there',
      reasons: ['nothing listens there'],
      count: 4,
      nowMs: 500,
    });
  });

  test('names what it met before when the end of the time cuts the last attempt short', async () => {
    const timedOut = () => new DOMException('x', 'TimeoutError');
    const reason = 'it answers 503, because these checks fail: queue';
    expect(await wait([notReady, notReady, notReady, timedOut], 500)).toMatchObject({ reason, reasons: [reason] });
  });

  test.each([
    [
      () => Response.json({ message: 'The service is starting' }, { status: 503 }),
      'it answers 503: The service is starting',
    ],
    [() => new Response('<html>', { status: 404 }), 'it answers 404'],
    [() => new Response(null, { status: 301, headers: { Location: '/' } }), 'it answers 301'],
    [() => new DOMException('x', 'TimeoutError'), 'it accepts connections, but does not answer'],
    [() => new TypeError('fetch failed', { cause: new Error('self-signed certificate') }), 'self-signed certificate'],
  ])('another answer is none: %#', async (attempt, reason) => {
    expect((await wait([attempt], 0)).reason).toBe(reason);
  });
});
