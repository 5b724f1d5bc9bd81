/**
 * The mock against the reference server: random worlds, random requests and passing time give the same statuses and bodies. Each run
 * prints its seed; `SVC_DIFFERENTIAL_SEED` repeats it.
 */
import { operations } from '@svc/contract/operations';
import { afterAll, describe, expect, test } from 'vitest';
import { seedOf } from '../../../../scripts/vitest/seed.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { checkLimits, checkRandomWorld } from './check.ts';
import type { Result } from './run-steps.ts';

const SEED = seedOf('SVC_DIFFERENTIAL_SEED');
const WORLDS = 5;
const STEPS_PER_WORLD = 310;
const REQUESTS_MIN = 2_000;
/** Additional worlds with more steps; fewer when the file is run by itself. Each run has other ones. */
const LONG_WORLDS = sized(2);
const STEPS_PER_LONG_WORLD = sized(1_000);
const TIMEOUT_MS = 10 * 60_000;

describe('the mock and the server answer the same', () => {
  const results: Result[] = [];
  let longRequestCount = 0;
  afterAll(() => {
    const count = results.reduce((sum, { requestCount }) => sum + requestCount, longRequestCount);
    console.info(
      `differential: ${count} requests over ${results.length + LONG_WORLDS} worlds, SVC_DIFFERENTIAL_SEED=${SEED}`,
    );
  });

  test.each(Array.from({ length: WORLDS }, (_, index) => index))(
    'in random world %i',
    async (index) => {
      results.push(await checkRandomWorld(SEED, index, STEPS_PER_WORLD));
    },
    TIMEOUT_MS,
  );

  test('the worlds cover enough requests, operations and statuses', () => {
    const answers = new Set(results.flatMap((result) => [...result.answers.keys()]));
    const succeeded = operations.filter(({ id, successStatus }) => answers.has(`${id} ${successStatus}`));
    // The workers are off, so the readiness check fails; and random steps may miss a few operations.
    expect(operations.length - succeeded.length).toBeLessThanOrEqual(5);
    for (const status of [400, 401, 403, 404, 409, 415]) {
      expect(
        [...answers].some((answer) => answer.endsWith(` ${status}`)),
        `${status}`,
      ).toBe(true);
    }
    expect(results).toHaveLength(WORLDS);
    expect(results.reduce((sum, { requestCount }) => sum + requestCount, 0)).toBeGreaterThanOrEqual(REQUESTS_MIN);
    expect(results.reduce((sum, { postCount }) => sum + postCount, 0)).toBeGreaterThan(20);
  });

  test(
    'when rate limits are exceeded',
    async () => {
      const { answers } = await checkLimits(SEED);
      expect(answers.get('getContactOutreach 429') ?? 0).toBeGreaterThan(0);
      expect(answers.get('getMe 429') ?? 0).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test.each(Array.from({ length: LONG_WORLDS }, (_, index) => 100 + index))(
    'in random world %i, with more steps',
    async (index) => {
      const { requestCount } = await checkRandomWorld(SEED, index, STEPS_PER_LONG_WORLD);
      longRequestCount += requestCount;
      expect(requestCount).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
