import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Only serves messages of the other modules. */
const INTERNAL = ['quote-input.ts'];

test('the index exports every module of the folder', () => {
  const folder = new URL('.', import.meta.url);
  const modules = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file));
  const exported = readFileSync(new URL('index.ts', folder), 'utf8').matchAll(/^export \* from '\.\/(.+)';$/gm);
  expect([...exported].map(([, file]) => file)).toEqual(
    modules.filter((file) => file !== 'index.ts' && !INTERNAL.includes(file)).sort(),
  );
  expect(modules.length).toBeGreaterThan(20);
});
