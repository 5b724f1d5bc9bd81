import { expect, test } from 'vitest';
import { compareLines } from './line-difference.ts';

const marked = (before: string, after: string) =>
  compareLines(before, after).map(({ kind, text }) => `${{ kept: ' ', removed: '-', added: '+' }[kind]}${text}`);

test('equal texts have only kept lines', () => {
  expect(marked('a\nb', 'a\nb')).toEqual([' a', ' b']);
});

test('changed, added and removed lines stand at their place', () => {
  expect(marked('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
  expect(marked('a\nb\na', 'a')).toEqual([' a', '-b', '-a']);
  expect(marked('', 'a')).toEqual(['-', '+a']);
});
