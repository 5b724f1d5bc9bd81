/** The examples of the README are the files of `test/readme`, which the compiler checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { blocksOf } from '../../../scripts/readme-blocks.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const OF_ROOT = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const FOLDER = new URL('readme/', import.meta.url);
const files = readdirSync(FOLDER)
  .filter((name) => name !== 'receivers.ts')
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));

/** Returns the part of an example file that the README shows. */
function exampleOf(file: string): string {
  return (
    /^\/\/ Example of the README:\n([\s\S]*?)(?:^\/\/ End of the example\.\n|(?![\s\S]))/m.exec(file)?.[1] ??
    'no example'
  );
}

test('every example is a type-checked file, and every file is an example', () => {
  expect(files.length).toBeGreaterThan(10);
  expect(blocksOf(README, 'ts').toSorted()).toEqual(files.map(exampleOf).toSorted());
});

test('the example in the README of the repository differs only in its address', () => {
  const [ofPackage = ''] = blocksOf(README, 'ts');
  const [ofRoot = ''] = blocksOf(OF_ROOT, 'ts').filter((block) => block.includes('@svc/sdk'));
  const withoutAddress = (block: string) => block.replace(/baseUrl: '[^']+'/, 'baseUrl');
  const lines = new Set(withoutAddress(ofPackage).split('\n'));
  expect(
    withoutAddress(ofRoot)
      .split('\n')
      .filter((line) => !lines.has(line)),
  ).toEqual([]);
  expect(ofRoot).toContain('for await');
});

describe('ways to mount a receiver', () => {
  const checked = readFileSync(new URL('receivers.ts', FOLDER), 'utf8');
  const table = README.split('| where | how |')[1]?.split('\n\n')[0] ?? '';
  const shown = [...table.matchAll(/`([^`]*(?:receiver|express)[^`]*)`/g)].map(([, code = '']) => code);

  test.each(shown)('%s', (code) => expect(checked).toContain(code));

  test('the table has rows', () => expect(shown.length).toBeGreaterThan(6));
});
