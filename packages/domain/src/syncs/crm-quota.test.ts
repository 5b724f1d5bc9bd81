import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CrmLimits, type CrmQuotaState, learnFromAnswer, newCrmQuota, takeCrmCall } from './crm-quota.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 2, 1, 12);
const CALL = { cost: 1, isSearch: false };
const SEARCH = { cost: 1, isSearch: true };
const PLENTY = { limit: 1_000_000_000, unit: 'calls' } as const;

const limitsOf = (window: CrmLimits['window'], more: Partial<CrmLimits> = {}): CrmLimits => ({
  window,
  search: null,
  daily: PLENTY,
  ...more,
});

/** A connection, driven as processes drive it. */
function drive(limits: CrmLimits, { share = 0.8, startMs = START } = {}) {
  let state: CrmQuotaState = newCrmQuota(limits, startMs);
  return {
    get state() {
      return state;
    },
    take(nowMs: number, call = CALL) {
      const taken = takeCrmCall(state, call, { nowMs, share });
      state = taken.state;
      return taken.permission;
    },
    /** Takes a call once it is allowed; returns when that was. */
    takeLater(fromMs: number, call = CALL) {
      let nowMs = fromMs;
      for (;;) {
        const permission = this.take(nowMs, call);
        if (permission.kind === 'allowed') return nowMs;
        expect(permission.untilMs).toBeGreaterThan(nowMs);
        nowMs = permission.untilMs;
      }
    },
    learn(nowMs: number, answer: Parameters<typeof learnFromAnswer>[2], call = CALL) {
      state = learnFromAnswer(state, call, answer, nowMs);
    },
  };
}

/** Returns the most instants that lie within `windowMs`, both ends included. */
function mostWithin(instants: readonly number[], windowMs: number): number {
  const sorted = instants.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((from, index) => sorted.findLastIndex((at) => at <= from + windowMs) - index + 1));
}

describe('laws of the short windows', () => {
  const window = fc.record({ limit: fc.integer({ min: 1, max: 30 }), windowMs: fc.integer({ min: 500, max: 15_000 }) });
  const steps = fc.array(
    fc.record({
      waitMs: fc.oneof(fc.constant(0), fc.nat(200), fc.nat(20_000)),
      /** How far the clock of the calling process is off. */
      skewMs: fc.integer({ min: -120, max: 120 }),
      isSearch: fc.boolean(),
    }),
    { minLength: 1, maxLength: 150 },
  );

  test('no window ever sees more calls than its limit, whichever process calls, and whenever it asks', () => {
    fc.assert(
      fc.property(window, window, steps, (main, search, asked) => {
        const quota = drive(limitsOf(main, { search }));
        const allowed: { at: number; isSearch: boolean }[] = [];
        let nowMs = START;
        for (const { waitMs, skewMs, isSearch } of asked) {
          nowMs += waitMs;
          const { kind } = quota.take(nowMs + skewMs, isSearch ? SEARCH : CALL);
          if (kind === 'allowed') allowed.push({ at: nowMs, isSearch });
        }
        const at = (calls: typeof allowed) => calls.map((call) => call.at);
        expect(mostWithin(at(allowed), main.windowMs)).toBeLessThanOrEqual(main.limit);
        const searches = allowed.filter(({ isSearch }) => isSearch);
        expect(mostWithin(at(searches), search.windowMs)).toBeLessThanOrEqual(search.limit);
      }),
    );
  });

  test('who comes back when told to gets a call at last, and the limit is used to nine tenths', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 400 }), fc.integer({ min: 2_000, max: 15_000 }), (limit, windowMs) => {
        const quota = drive(limitsOf({ limit, windowMs }));
        let nowMs = START;
        const count = limit * 5;
        for (let call = 0; call < count; call += 1) nowMs = quota.takeLater(nowMs);
        const ideal = (count / limit) * windowMs;
        expect(nowMs - START).toBeLessThan(ideal * 1.25 + windowMs);
      }),
      { numRuns: 30 },
    );
  });

  test("1,000 calls in a row keep HubSpot's 190 in 10 s and take less than a minute", () => {
    const quota = drive(limitsOf({ limit: 190, windowMs: 10_000 }));
    const calls: number[] = [];
    let nowMs = START;
    for (let call = 0; call < 1_000; call += 1) {
      nowMs = quota.takeLater(nowMs);
      calls.push(nowMs);
      nowMs += 5;
    }
    expect(mostWithin(calls, 10_000)).toBeLessThanOrEqual(190);
    expect(nowMs - START).toBeLessThan(57_500);
    // From half of the window on, calls are spread instead of waiting for its end.
    const gaps = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(500);
  });

  test('calls of others count when an answer shows them', () => {
    const quota = drive(limitsOf({ limit: 100, windowMs: 10_000 }));
    expect(quota.take(START).kind).toBe('allowed');
    quota.learn(START + 50, { httpStatus: 200, window: { remaining: 3, resetMs: 10_000, limit: 100 } });
    const allowed = [];
    for (let ms = 100; ms < 9_000; ms += 10) if (quota.take(START + ms).kind === 'allowed') allowed.push(ms);
    expect(allowed).toHaveLength(3);
    expect(quota.takeLater(START + 9_000)).toBeGreaterThan(START + 10_050);
  });

  test('the limit is the one that the last answer told', () => {
    const quota = drive(limitsOf({ limit: 10, windowMs: 10_000 }));
    quota.take(START);
    quota.learn(START, { httpStatus: 200, window: { remaining: 189, resetMs: 10_000, limit: 190 } });
    for (let call = 0; call < 80; call += 1) expect(quota.take(START + call).kind).toBe('allowed');
    quota.learn(START + 100, { httpStatus: 200, window: { remaining: 19, resetMs: 10_000, limit: 100 } });
    let allowed = 0;
    for (let ms = 200; ms < 9_000; ms += 1) if (quota.take(START + ms).kind === 'allowed') allowed += 1;
    expect(allowed).toBeGreaterThan(14);
    expect(allowed).toBeLessThanOrEqual(19);
  });

  test('an answer that says nothing new changes nothing', () => {
    const quota = drive(limitsOf({ limit: 10, windowMs: 10_000 }, { daily: { limit: 1_000, unit: 'calls' } }));
    quota.take(START);
    quota.learn(START, { httpStatus: 200, daily: { remaining: 999, limit: 1_000 } });
    const before = quota.state;
    quota.learn(START, {
      httpStatus: 200,
      window: { remaining: 9, resetMs: 10_000, limit: 10 },
      daily: { remaining: 999, limit: 1_000 },
    });
    expect(quota.state).toBe(before);
    quota.learn(START, { httpStatus: null });
    expect(quota.state).toBe(before);
  });

  test('an answer to a search tells the limit of searches only when that is the smaller one', () => {
    const quota = drive(limitsOf({ limit: 80, windowMs: 2_000 }, { search: { limit: 10, windowMs: 2_000 } }));
    quota.learn(START, { httpStatus: 200, window: { remaining: 0, resetMs: 2_000, limit: 10 } }, SEARCH);
    expect(quota.take(START, SEARCH).kind).toBe('paced');
    expect(quota.take(START).kind).toBe('allowed');
    quota.learn(START, { httpStatus: 200, window: { remaining: 0, resetMs: 2_000, limit: 80 } }, SEARCH);
    expect(quota.take(START).kind).toBe('paced');
  });
});

describe('after a 429', () => {
  test('nobody calls until the end of the window that it names', () => {
    const quota = drive(limitsOf({ limit: 100, windowMs: 10_000 }));
    quota.take(START);
    quota.learn(START + 20, { httpStatus: 429, window: { remaining: 0, resetMs: 4_000 } });
    expect(quota.take(START + 21)).toEqual({ kind: 'paused', untilMs: START + 4_020 });
    expect(quota.take(START + 4_019)).toEqual({ kind: 'paused', untilMs: START + 4_020 });
    expect(quota.take(START + 4_020).kind).not.toBe('paused');
  });

  test.each([
    ['a window without a rest', { httpStatus: 429 }, 10_000],
    ['a rest of nothing', { httpStatus: 429, window: { remaining: 0, resetMs: 0 } }, 1_000],
    ['a rest of hours', { httpStatus: 429, window: { remaining: 0, resetMs: 7 * HOUR_MS } }, 60_000],
  ])('%s', (_name, answer, lengthMs) => {
    const quota = drive(limitsOf({ limit: 100, windowMs: 10_000 }));
    quota.learn(START, answer);
    expect(quota.take(START)).toEqual({ kind: 'paused', untilMs: START + lengthMs });
  });
});

describe('laws of the day', () => {
  test('the share is never exceeded by us, whatever others use and however late answers come', () => {
    fc.assert(
      fc.property(
        // The smallest plans: 15,000 calls, or 30,000 tokens.
        fc.oneof(
          fc.record({
            limit: fc.integer({ min: 15_000, max: 1_000_000 }),
            share: fc.double({ min: 0.1, max: 1, noNaN: true }),
            costMax: fc.constant(1),
          }),
          fc.record({
            limit: fc.integer({ min: 30_000, max: 1_000_000 }),
            share: fc.double({ min: 0.5, max: 1, noNaN: true }),
            costMax: fc.constant(20),
          }),
        ),
        fc.array(
          fc.record({
            calls: fc.integer({ min: 0, max: 8 }),
            cost: fc.nat(),
            others: fc.oneof(fc.constant(0), fc.nat(500)),
            waitMs: fc.oneof(fc.nat(5_000), fc.nat(2 * HOUR_MS)),
            repeat: fc.integer({ min: 1, max: 60 }),
            isReversed: fc.boolean(),
          }),
          { minLength: 1, maxLength: 25 },
        ),
        ({ limit, share, costMax }, phases) => {
          const quota = drive(limitsOf(null, { daily: { limit, unit: 'tokens' } }), { share });
          let nowMs = START;
          // The CRM: its day ends every 24 hours, and it refuses nothing.
          let day = 0;
          let [ours, all] = [0, 0];
          for (const { calls, cost: any, others, waitMs, repeat, isReversed } of phases) {
            const cost = 1 + (any % costMax);
            for (let round = 0; round < repeat; round += 1) {
              nowMs += waitMs;
              if (Math.floor((nowMs - START) / DAY_MS) !== day) {
                day = Math.floor((nowMs - START) / DAY_MS);
                [ours, all] = [0, 0];
              }
              all += others;
              // A batch of calls at the same time, answered in any order.
              const answers: number[] = [];
              for (let call = 0; call < calls; call += 1) {
                if (quota.take(nowMs, { cost, isSearch: false }).kind !== 'allowed') continue;
                ours += cost;
                all += cost;
                answers.push(Math.max(0, limit - all));
              }
              if (isReversed) answers.reverse();
              for (const remaining of answers) quota.learn(nowMs, { httpStatus: 200, daily: { remaining, limit } });
              expect(ours).toBeLessThanOrEqual(Math.floor(limit * share));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  const daily = { limit: 10_000, unit: 'calls' } as const;
  const told = (used: number) => ({ httpStatus: 200, daily: { remaining: 10_000 - used, limit: 10_000 } });

  test('calls of other apps count: they stop us at the share of the account', () => {
    const quota = drive(limitsOf(null, { daily }));
    expect(quota.take(START).kind).toBe('allowed');
    quota.learn(START, told(7_900));
    let allowed = 0;
    while (quota.take(START).kind === 'allowed') allowed += 1;
    // 40 calls are kept back for looks, and for calls of others.
    expect(allowed).toBe(60);
    expect(quota.state.day.stop).toEqual({ sinceMs: START, lookMs: START + HOUR_MS });
  });

  test('while the share is used up, one call an hour looks for the new day', () => {
    const quota = drive(limitsOf(null, { daily }));
    quota.learn(START, told(9_000));
    const kinds = (nowMs: number) => [quota.take(nowMs).kind, quota.take(nowMs).kind];
    expect(kinds(START)).toEqual(['stopped', 'stopped']);
    expect(kinds(START + HOUR_MS - 1)).toEqual(['stopped', 'stopped']);
    expect(kinds(START + HOUR_MS)).toEqual(['allowed', 'stopped']);
    quota.learn(START + HOUR_MS, told(9_001));
    expect(kinds(START + HOUR_MS + 1)).toEqual(['stopped', 'stopped']);
    expect(kinds(START + 2 * HOUR_MS)).toEqual(['allowed', 'stopped']);
    quota.learn(START + 2 * HOUR_MS, told(1));
    expect(kinds(START + 2 * HOUR_MS)).toEqual(['allowed', 'allowed']);
    expect(quota.state.day.stop).toBeNull();
    expect(quota.state.day.used).toBe(3);
  });

  test('a CRM that says nothing about its day gets one of ours, from the first call on', () => {
    const quota = drive(limitsOf(null, { daily }));
    let allowed = 0;
    while (quota.take(START + HOUR_MS).kind === 'allowed') allowed += 1;
    expect(allowed).toBe(8_000 - 40);
    expect(quota.take(START + 2 * HOUR_MS)).toEqual({ kind: 'stopped', untilMs: START + DAY_MS });
    expect(quota.take(START + DAY_MS).kind).toBe('allowed');
    expect(quota.state.day).toMatchObject({ used: 1, stop: null });
  });

  test('a share of 1 uses the whole limit, but for what is kept back', () => {
    const quota = drive(limitsOf(null, { daily }), { share: 1 });
    quota.learn(START, told(9_950));
    let allowed = 0;
    while (quota.take(START).kind === 'allowed') allowed += 1;
    expect(allowed).toBe(10);
  });

  test('a small limit keeps back a twentieth of the share', () => {
    const quota = drive(limitsOf(null, { daily: { limit: 100, unit: 'calls' } }));
    let allowed = 0;
    while (quota.take(START).kind === 'allowed') allowed += 1;
    expect(allowed).toBe(76);
  });

  test('a slightly lower count is an answer that was overtaken; a much lower one is a new day', () => {
    const quota = drive(limitsOf(null, { daily }));
    quota.learn(START, told(5_000));
    quota.learn(START, told(4_901));
    expect(quota.state.day.used).toBe(5_000);
    quota.learn(START, told(4_899));
    expect(quota.state.day.used).toBe(4_899);
  });
});

describe('a clock that jumps does no harm', () => {
  const limits = limitsOf({ limit: 5, windowMs: 10_000 }, { daily: { limit: 10_000, unit: 'calls' } });

  test('back: what was counted counts once more, and no wait gets longer than its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * DAY_MS }), fc.nat(10), fc.boolean(), (backMs, calls, isTold) => {
        const quota = drive(limits);
        for (let call = 0; call < calls; call += 1) quota.take(START + call * 300);
        if (isTold) quota.learn(START, { httpStatus: 200, daily: { remaining: 100, limit: 10_000 } });
        quota.learn(START, { httpStatus: 429, window: { remaining: 5, resetMs: 10_000 } });
        const nowMs = START - backMs;
        const permission = quota.take(nowMs);
        expect(permission.kind).toBe('paused');
        const after = quota.take(nowMs + 10_000);
        if (after.kind === 'paced') expect(after.untilMs - (nowMs + 10_000)).toBeLessThan(11_500);
        else expect(after.kind).toBe(isTold ? 'stopped' : 'allowed');
        if (after.kind !== 'stopped') return;
        expect(after.untilMs - (nowMs + 10_000)).toBeLessThanOrEqual(HOUR_MS);
        const backAgain = quota.take(nowMs - 5 * HOUR_MS);
        expect(backAgain).toEqual({ kind: 'stopped', untilMs: nowMs - 4 * HOUR_MS });
      }),
    );
  });

  test('back and forth: the law of the window holds from the jump on', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ jumpMs: fc.integer({ min: -DAY_MS, max: DAY_MS }), asks: fc.integer({ min: 1, max: 30 }) }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        (phases) => {
          const quota = drive(limits);
          let nowMs = START;
          for (const { jumpMs, asks } of phases) {
            nowMs += jumpMs;
            const allowed: number[] = [];
            for (let ask = 0; ask < asks; ask += 1) {
              nowMs += 700;
              if (quota.take(nowMs).kind === 'allowed') allowed.push(nowMs);
            }
            expect(mostWithin(allowed, 10_000)).toBeLessThanOrEqual(5);
            // A call is allowed again after at most one window.
            const next = quota.takeLater(nowMs);
            expect(next - nowMs).toBeLessThan(11_500);
            nowMs = next;
          }
        },
      ),
    );
  });

  test('our own day is not longer than a day after a jump back', () => {
    const quota = drive(limitsOf(null, { daily: { limit: 100, unit: 'calls' } }));
    while (quota.take(START).kind === 'allowed');
    const back = START - 30 * DAY_MS;
    expect(quota.take(back)).toEqual({ kind: 'stopped', untilMs: back + DAY_MS });
    expect(quota.take(back + DAY_MS).kind).toBe('allowed');
  });
});
