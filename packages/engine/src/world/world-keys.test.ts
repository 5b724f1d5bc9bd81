import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PUBLISHED_KEYS } from './world-keys.ts';

test('the published keys are the keys of the worlds in fixtures', () => {
  const tokens = ['demo', 'minimal'].flatMap((name) => {
    const file = new URL(`../../../../fixtures/${name}-world.json`, import.meta.url);
    const { apiKeys }: { apiKeys: { token: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
    return apiKeys.map(({ token }) => token);
  });
  expect(PUBLISHED_KEYS.map((name) => `osapi_${name}`).toSorted()).toEqual(tokens.toSorted());
});
