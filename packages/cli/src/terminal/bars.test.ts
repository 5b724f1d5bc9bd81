import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apportion, type BarRow, renderBars } from './bars.ts';
import { paintNothing } from './colors.ts';

const PARTS = [
  { name: 'success', tone: 'good' },
  { name: 'error', tone: 'bad' },
] as const;
const ROWS: BarRow[] = [
  { cells: ['2026-01-14', '1,000', '0'], counts: [1000, 0] },
  { cells: ['2026-01-15', '480', '20'], counts: [480, 20] },
  { cells: ['2026-01-16', '0', '0'], counts: [0, 0] },
  { cells: ['Total', '1,480', '20'], counts: null },
];
const render = (width: number, isAscii = false) =>
  renderBars(['DAY', 'SUCCESS', 'ERROR'], PARTS, ROWS, { width, paint: paintNothing, isAscii });

test('draws bars in proportion and aligns numbers to the right', () => {
  expect(render(50)).toBe(`DAY         SUCCESS  ERROR  █ success ▓ error
2026-01-14    1,000      0  ██████████████████████
2026-01-15      480     20  ██████████▓
2026-01-16        0      0
Total         1,480     20
`);
});

test('uses ASCII if block characters cannot be shown', () => {
  expect(render(50, true)).toContain('480     20  ##########+\n');
});

test.each([20, 37, 38, 40, 80, 200, 500])('fits into %i columns', (width) => {
  const lines = render(width).trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(26, width));
  // Without room for bars, only the numbers are shown.
  if (width < 38) expect(lines).toContain('2026-01-15      480     20');
});

describe('apportion', () => {
  const counts = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 3 });
  test('nonzero counts have cells, zero counts none, and bars fit the width', () => {
    fc.assert(
      fc.property(counts, fc.nat(100_000), fc.integer({ min: 10, max: 60 }), (row, more, width) => {
        const total = row.reduce((sum, count) => sum + count, 0);
        const cells = apportion(row, total + more, width);
        const length = cells.reduce((sum, count) => sum + count, 0);
        expect(cells.map((cell) => cell > 0)).toEqual(row.map((count) => count > 0));
        expect(length).toBeLessThanOrEqual(width);
        const share = total === 0 ? 0 : (total / (total + more)) * width;
        expect(length).toBeGreaterThanOrEqual(Math.floor(share));
      }),
    );
  });
});
