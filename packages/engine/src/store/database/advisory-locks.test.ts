import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const packages = new URL('../../../..', import.meta.url);

test('each advisory lock has a number of its own', () => {
  const files = globSync('*/src/**/*.ts', { cwd: packages });
  const texts = files.map((file) => readFileSync(new URL(`${packages.href}/${file}`), 'utf8'));
  const numbers = texts.flatMap((text) => [...text.matchAll(/_LOCKS? = (0x\w+);/g)].map(([, number]) => number));
  expect(numbers.length).toBeGreaterThan(7);
  expect(numbers).toEqual([...new Set(numbers)]);
});
