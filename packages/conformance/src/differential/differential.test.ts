/**
 * The mock against the reference server: same status, same headers, same body, byte for byte. Random worlds and requests are in
 * `differential-worlds.long.test.ts`; here is what once differed.
 */
import { parseWorld } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { checkSteps } from './check.ts';
import { createChance } from './chance.ts';
import { EXAMPLES, exampleWorld } from './examples.ts';
import { randomWorld } from './random-world.ts';
import type { Step } from './steps.ts';

const TIMEOUT_MS = 240_000;

describe('the mock and the server answer the same', () => {
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
});

test('random worlds are sound', () => {
  for (let seed = 0; seed < 60; seed += 1) {
    expect(() => parseWorld(randomWorld(createChance(seed), 'sound'))).not.toThrow();
  }
});
