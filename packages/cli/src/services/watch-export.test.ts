import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowsOf } from './watch-export.ts';

const MAX_MS = 31 * 24 * 60 * 60 * 1000;

test('windows: none too long, each instant in exactly one, newest first', () => {
  const iso = (ms: number) => new Date(ms).toISOString();
  fc.assert(
    fc.property(fc.nat(1e12), fc.nat(400 * 24 * 60 * 60 * 1000), (fromMs, spanMs) => {
      const windows = windowsOf({ from: iso(fromMs), to: iso(fromMs + spanMs) });
      expect(windows[0]?.to).toBe(iso(fromMs + spanMs));
      expect(windows.at(-1)?.from).toBe(iso(fromMs));
      for (const [index, { from, to }] of windows.entries()) {
        expect(Date.parse(to) - Date.parse(from)).toBeLessThanOrEqual(MAX_MS);
        const next = windows[index + 1];
        if (next !== undefined) expect(Date.parse(next.to)).toBe(Date.parse(from) - 1);
      }
    }),
  );
});
