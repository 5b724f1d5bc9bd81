import { expect, test } from 'vitest';
import { findNearest, notOneOf } from './nearest.ts';

const STATUSES = ['success', 'warning', 'error'];

test.each([
  ['failed', STATUSES, 'error'],
  ['OK', STATUSES, 'success'],
  ['warn', STATUSES, 'warning'],
  ['succes', STATUSES, 'success'],
  ['Error', STATUSES, 'error'],
  ['--limt', ['--limit', '--all'], '--limit'],
  ['--statsu', ['--status', '--source'], '--status'],
  ['idd', ['id', 'status'], 'id'],
  ['x', ['y'], null],
  ['nothing-like-it', STATUSES, null],
  ['failed', ['ready', 'paused'], null],
])('%s among %j', (typed, names, nearest) => {
  expect(findNearest(typed, names)).toBe(nearest);
});

test('notOneOf names the value, the allowed ones and the nearest', () => {
  expect(notOneOf('--status', 'failed', STATUSES, (value) => `--status ${value}`)).toMatchObject({
    exitCode: 2,
    message: '--status must be success, warning or error, not "failed"',
    hint: 'Did you mean --status error?',
  });
  expect(notOneOf('--status', 'x', ['only']).message).toBe('--status must be only, not "x"');
});
