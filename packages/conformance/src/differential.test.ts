/**
 * The mock against the reference server: random worlds, random requests to both, and time. Same status, same headers, same body, byte for
 * byte; what is not compared is named in `differential/compare.ts`. Each run prints its seed; `SVC_DIFFERENTIAL_SEED` repeats one.
 */
import { operations } from '@svc/contract/operations';
import { parseWorld } from '@svc/domain/world';
import { afterAll, describe, expect, test } from 'vitest';
import { checkLimits, checkRandomWorld, checkSteps } from './differential/check.ts';
import { NOT_COMPARED } from './differential/compare.ts';
import { createChance } from './differential/chance.ts';
import { EXAMPLES, exampleWorld } from './differential/examples.ts';
import type { Result } from './differential/play.ts';
import { randomWorld } from './differential/random-world.ts';
import type { Step } from './differential/steps.ts';
import { RAW_REQUESTS } from './fuzz/raw-requests.ts';

const given = process.env['SVC_DIFFERENTIAL_SEED'];
const SEED = given === undefined || given === '' ? (Date.now() ^ process.pid) & 0x7fff_ffff : Number(given);
const WORLDS = 5;
const STEPS_PER_WORLD = 310;
const REQUESTS_MIN = 2_000;
const TIMEOUT_MS = 240_000;

describe('the mock and the server answer the same', () => {
  const results: Result[] = [];
  afterAll(() => {
    const count = results.reduce((sum, { requestCount }) => sum + requestCount, 0);
    console.info(`differential: ${count} requests over ${results.length} random worlds, SVC_DIFFERENTIAL_SEED=${SEED}`);
  });

  test(
    `where they once differed: ${EXAMPLES.length} examples`,
    async () => {
      const describe = (step: Step) => EXAMPLES.find(([, steps]) => steps.includes(step))?.[0] ?? 'no example';
      await checkSteps(
        exampleWorld(),
        EXAMPLES.flatMap(([, steps]) => steps),
        { describe },
      );
    },
    TIMEOUT_MS,
  );

  test.each(Array.from({ length: WORLDS }, (_, index) => index))(
    'in random world %i',
    async (index) => {
      results.push(await checkRandomWorld(SEED, index, STEPS_PER_WORLD));
    },
    TIMEOUT_MS,
  );

  test('over enough requests, with nearly every operation and every kind of answer among them', () => {
    const answers = new Set(results.flatMap((result) => [...result.answers.keys()]));
    const succeeded = operations.filter(({ id, successStatus }) => answers.has(`${id} ${successStatus}`));
    // The workers stand still here, so nobody is ready; and what is picked by chance may miss one or the other.
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
    'when limits are reached',
    async () => {
      const { answers } = await checkLimits(SEED);
      expect(answers.get('getContactOutreach 429') ?? 0).toBeGreaterThan(0);
      expect(answers.get('getMe 429') ?? 0).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    'to bytes that are no request',
    async () => {
      const steps = RAW_REQUESTS.filter(([name]) => !Object.hasOwn(NOT_COMPARED.rawRequests, name)).map(
        ([name, bytes]) => ({ kind: 'raw', name, bytes }) as const,
      );
      await checkSteps(randomWorld(createChance(1), 'raw'), steps);
    },
    TIMEOUT_MS,
  );
});

test('random worlds are sound', () => {
  for (let seed = 0; seed < 60; seed += 1) {
    expect(() => parseWorld(randomWorld(createChance(SEED + seed), 'sound'))).not.toThrow();
  }
});
