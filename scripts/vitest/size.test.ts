import { expect, test, vi } from 'vitest';
import { sized } from './size.ts';

test('a tenth in the ordinary run, but never nothing', () => {
  vi.stubEnv('SVC_TEST_LONG', '');
  expect([sized(5_000), sized(500), sized(3), sized(1)]).toEqual([500, 50, 1, 1]);
});

test('everything in the long run', () => {
  vi.stubEnv('SVC_TEST_LONG', '1');
  expect(sized(5_000)).toBe(5_000);
});
