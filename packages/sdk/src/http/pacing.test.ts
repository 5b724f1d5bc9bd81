import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketOfPath, createGate } from './pacing.ts';

const LIMIT = { requests: 3, windowMs: 60_000 };

/** The service's own fixed window: it starts with the first request, and refused requests do not count. */
function createServiceWindow(limit = LIMIT) {
  let endsAt = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs: number): { retryAfterMs: number } | null => {
    if (nowMs >= endsAt) {
      endsAt = nowMs + limit.windowMs;
      used = 0;
    }
    if (used >= limit.requests) return { retryAfterMs: Math.ceil((endsAt - nowMs) / 1000) * 1000 };
    used += 1;
    return null;
  };
}

test('bucketOfPath', () => {
  expect(bucketOfPath('/api/v1/syncs')).toBe('general');
  expect(bucketOfPath('/api/v1/contacts/outreach')).toBe('outreach');
  expect(bucketOfPath('/prefix/api/v1/contacts/outreach')).toBe('outreach');
  expect(bucketOfPath('/health/ready')).toBeNull();
});

describe('createGate', () => {
  test('auto does not count before the first refusal', () => {
    const gate = createGate(LIMIT, 'auto');
    for (let n = 0; n < 100; n += 1) expect(gate.take(0)).toBe(0);
  });

  test('a refusal closes the bucket until its window resets; after that the limit is kept', () => {
    const gate = createGate(LIMIT, 'auto');
    gate.refused(1000, 42_000);
    expect(gate.take(1000)).toBe(42_000);
    expect(gate.take(42_999)).toBe(1);
    expect([gate.take(43_000), gate.take(43_000), gate.take(43_000)]).toEqual([0, 0, 0]);
    expect(gate.take(43_000)).toBe(60_000);
  });

  test('a shorter refusal does not reopen a bucket that is closed for longer', () => {
    const gate = createGate(LIMIT, 'auto');
    gate.refused(0, 60_000);
    gate.refused(0, 1000);
    expect(gate.take(5000)).toBe(55_000);
  });

  test('the window is counted from the first answer', () => {
    const gate = createGate(LIMIT, 'spec');
    expect([gate.take(0), gate.take(0), gate.take(0)]).toEqual([0, 0, 0]);
    gate.answered(250);
    gate.answered(900);
    expect(gate.take(1000)).toBe(59_250);
    expect(gate.take(60_250)).toBe(0);
  });

  test('off never delays anything', () => {
    const gate = createGate(LIMIT, 'off');
    gate.refused(0, 60_000);
    for (let n = 0; n < 100; n += 1) expect(gate.take(0)).toBe(0);
  });

  test('a fixed window causes at most one refusal, and no more waiting than the rounding of Retry-After', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('auto' as const, 'spec' as const),
        fc.array(fc.record({ uploadMs: fc.nat(800), downloadMs: fc.nat(800) }), { minLength: 1, maxLength: 60 }),
        (mode, requests) => {
          const gate = createGate(LIMIT, mode);
          const service = createServiceWindow();
          let now = 0;
          let refusals = 0;
          let waited = 0;
          for (const { uploadMs, downloadMs } of requests) {
            for (;;) {
              for (let wait = gate.take(now); wait > 0; wait = gate.take(now)) {
                now += wait;
                waited += wait;
              }
              const refusal = service(now + uploadMs);
              now += uploadMs + downloadMs;
              if (refusal === null) {
                gate.answered(now);
                break;
              }
              refusals += 1;
              gate.refused(now, refusal.retryAfterMs);
            }
          }
          expect(refusals).toBeLessThanOrEqual(mode === 'spec' ? 0 : 1);
          const windows = Math.ceil(requests.length / LIMIT.requests) - 1;
          // Per window: its length, one rounded second, and the round trip.
          expect(waited).toBeLessThanOrEqual(windows * (LIMIT.windowMs + 1000 + 1600) + 1600);
        },
      ),
    );
  });

  test.each([2, 3, 5])('%i independent clients share the bucket at one refusal per window each', (count) => {
    const shared = { requests: 120, windowMs: 60_000 };
    const service = createServiceWindow(shared);
    const clients = Array.from({ length: count }, () => ({ gate: createGate(shared, 'auto'), taken: 0, refused: 0 }));
    const windows = 30;
    // Each client sends every 50 ms, at its own offset: more than enough to use up the bucket.
    for (let now = 0; now < windows * shared.windowMs; now += 50) {
      for (const [index, client] of clients.entries()) {
        const at = now + index;
        if (client.gate.take(at) > 0) continue;
        const refusal = service(at);
        if (refusal === null) {
          client.taken += 1;
          client.gate.answered(at);
        } else {
          client.refused += 1;
          client.gate.refused(at, refusal.retryAfterMs);
        }
      }
    }
    const taken = clients.map((client) => client.taken);
    const total = taken.reduce((sum, each) => sum + each, 0);
    // Together they use nearly the whole limit, and no client starves.
    expect(total).toBeGreaterThan(0.9 * windows * shared.requests);
    expect(Math.min(...taken)).toBeGreaterThan(total / count / 4);
    for (const { refused } of clients) expect(refused).toBeLessThanOrEqual(windows + 1);
  });

  test('requests of an earlier process in the first window do not reduce the next windows', () => {
    const service = createServiceWindow({ requests: 120, windowMs: 60_000 });
    for (let n = 0; n < 110; n += 1) service(0);
    const gate = createGate({ requests: 120, windowMs: 60_000 }, 'spec');
    let refused = 0;
    const takenBy = (end: number, from: number): number => {
      let taken = 0;
      for (let now = from; now < end; now += 10) {
        if (gate.take(now) > 0) continue;
        const refusal = service(now);
        if (refusal === null) {
          taken += 1;
          gate.answered(now);
        } else {
          refused += 1;
          gate.refused(now, refusal.retryAfterMs);
        }
      }
      return taken;
    };
    expect(takenBy(60_000, 10)).toBe(10);
    expect(takenBy(120_000, 60_000)).toBe(120);
    expect(refused).toBe(1);
  });
});
