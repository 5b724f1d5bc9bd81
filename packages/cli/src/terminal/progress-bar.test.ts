import { expect, test } from 'vitest';
import { type ProgressPart, renderProgress } from './progress-bar.ts';

const PARTS: readonly ProgressPart[] = [
  { text: '59,000 of 101,432 syncs' },
  { text: '58 %' },
  { text: 'rate limit: waiting 52 s', short: 'waiting 52 s', dropOrder: 2 },
  { text: '7,375/s', dropOrder: 3 },
  { text: '58 s left', dropOrder: 1 },
];

test.each([
  [120, '█████████████████░░░░░░░░░░░░░ 59,000 of 101,432 syncs, 58 %, rate limit: waiting 52 s, 7,375/s, 58 s left'],
  [79, '██████░░░░░░ 59,000 of 101,432 syncs, 58 %, rate limit: waiting 52 s, 58 s left'],
  [70, '████████░░░░░░░ 59,000 of 101,432 syncs, 58 %, waiting 52 s, 58 s left'],
  [59, '████████░░░░░░░ 59,000 of 101,432 syncs, 58 %, waiting 52 s'],
  [45, '59,000 of 101,432 syncs, 58 %, waiting 52 s'],
])('%d columns', (columns, text) => {
  const line = renderProgress(0.58, PARTS, columns);
  expect(line.length).toBeLessThanOrEqual(columns);
  expect(line).toBe(text);
});

test('the bar is full only at the end, and empty at the start', () => {
  expect(renderProgress(0.999, [{ text: 'a' }], 12)).toBe('█████████░ a');
  expect(renderProgress(1, [{ text: 'a' }], 12)).toBe('██████████ a');
  expect(renderProgress(0, [{ text: 'a' }], 12)).toBe('░░░░░░░░░░ a');
});

test('without a share there is no bar', () => {
  expect(renderProgress(null, PARTS.slice(0, 1), 80)).toBe('59,000 of 101,432 syncs');
});
