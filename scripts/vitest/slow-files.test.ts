import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderSlowFirst, SLOW_FILES } from './slow-files.ts';

test('slow files start first, in the order of the list; the others keep their order', () => {
  const order = orderSlowFirst(['c', 'second', 'a', 'first', 'b'], (name) => name, ['first', 'second', 'not run']);
  expect(order).toEqual(['first', 'second', 'c', 'a', 'b']);
});

test('the list names files that exist', () => {
  expect(SLOW_FILES.filter((file) => !existsSync(join(import.meta.dirname, '../..', file)))).toEqual([]);
});
