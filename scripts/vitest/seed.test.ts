import { afterEach, expect, test, vi } from 'vitest';
import { seedOf } from './seed.ts';

afterEach(() => vi.unstubAllEnvs());

test('the seed that is given, else in CI always the same, else one of chance', () => {
  vi.stubEnv('CI', 'true');
  vi.stubEnv('SVC_OWN_SEED', '');
  const inCi = seedOf('SVC_OWN_SEED');
  expect(seedOf('SVC_OWN_SEED')).toBe(inCi);
  vi.stubEnv('SVC_OWN_SEED', '7');
  expect(seedOf('SVC_OWN_SEED')).toBe(7);
  vi.stubEnv('SVC_OWN_SEED', '');
  vi.stubEnv('CI', '');
  expect(seedOf('SVC_OWN_SEED')).not.toBe(inCi);
  expect(Number.isSafeInteger(seedOf('SVC_OWN_SEED'))).toBe(true);
});
