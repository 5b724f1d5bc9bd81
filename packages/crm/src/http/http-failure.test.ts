import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COOLDOWN_MAX_MS, RETRY_AFTER_INLINE_MAX_MS, retryAfter } from './http-failure.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test("limits every wait, and starts a cooldown exactly when it exceeds a job's longest wait", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e15 }), (waitMs) => {
      const { retry, cooldownUntilMs } = retryAfter(waitMs, NOW);
      if (retry === 'never' || retry.afterMs === null) throw new Error('not a wait');
      expect(retry.afterMs).toBeGreaterThanOrEqual(0);
      expect(retry.afterMs).toBeLessThanOrEqual(COOLDOWN_MAX_MS);
      expect(cooldownUntilMs).toBe(retry.afterMs > RETRY_AFTER_INLINE_MAX_MS ? NOW + retry.afterMs : undefined);
    }),
  );
});
