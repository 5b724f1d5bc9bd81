/**
 * The mock against the reference server: same status and body. These are differences found earlier and one random world; more random
 * worlds and requests are in `differential-worlds.long.test.ts`.
 */
import { parseWorld } from '@svc/domain/world';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRandomWorld, checkSteps } from './check.ts';
import { drawn } from './draw.ts';
import { EXAMPLES, exampleWorld } from './examples.ts';
import { relaySteps, relayWorld } from './relay-mails.ts';
import { randomWorld } from './random-world.ts';
import type { Step } from './steps.ts';

const TIMEOUT_MS = 240_000;
const SHORT_WORLD_SEED = 1;

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

  test(
    'and send the same mails for the replies of every platform',
    async () => {
      const { mailCount } = await checkSteps(relayWorld(), relaySteps());
      expect(mailCount).toBeGreaterThan(5);
    },
    TIMEOUT_MS,
  );

  test(
    'in a short random world',
    async () => {
      // The steps that follow from this seed include refusals by 400, 404, 409 and 415.
      const { answers } = await checkRandomWorld(SHORT_WORLD_SEED, 0, 60);
      const statuses = new Set([...answers.keys()].map((answer) => answer.split(' ')[1]));
      expect([...statuses]).toEqual(expect.arrayContaining(['200', '400', '404', '409', '415']));
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
