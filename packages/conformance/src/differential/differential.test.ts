/**
 * The mock against the reference server: same status and body. These are differences found earlier; random worlds and requests are
 * in `differential-worlds.long.test.ts`.
 */
import { parseWorld } from '@svc/domain/world';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSteps } from './check.ts';
import { drawn } from './draw.ts';
import { EXAMPLES, exampleWorld } from './examples.ts';
import { randomWorld } from './random-world.ts';
import type { Step } from './steps.ts';

const TIMEOUT_MS = 240_000;

describe('the mock and the server answer the same', () => {
  test(
    `in ${EXAMPLES.length} examples that differed earlier`,
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

test('random worlds are valid', () => {
  const worlds = drawn((draw) => randomWorld(draw, 'any'));
  fc.assert(
    fc.property(worlds, (world) => {
      expect(() => parseWorld(world)).not.toThrow();
    }),
    { numRuns: 20, seed: 1 },
  );
});
