/** Runs steps on the mock and the server, and reports the fewest steps that show a difference. */
import type { WorldInput } from '@svc/domain/world';
import fc from 'fast-check';
import { expect } from 'vitest';
import { drawOnce } from './draw.ts';
import { randomWorld } from './random-world.ts';
import { runSteps, type Result, type RunOptions } from './run-steps.ts';
import { everyOperation, rapidSteps, randomSteps, type Step } from './steps.ts';

const SHRINK_MS = 90_000;

/** Checks a random world with random steps. Both follow from the seed and the world's index. */
export function checkRandomWorld(seed: number, index: number, stepCount: number): Promise<Result> {
  const { world, steps } = drawOnce(seed + index * 7_919, (draw) => ({
    world: randomWorld(draw, `random ${index} of seed ${seed}`),
    steps: [...everyOperation(draw), ...randomSteps(draw, stepCount)],
  }));
  return checkSteps(world, [{ kind: 'observe' }, ...steps, { kind: 'settle' }, { kind: 'observe' }]);
}

/** Checks a random world with the API's rate limits on. */
export function checkLimits(seed: number): Promise<Result> {
  const { world, steps } = drawOnce(seed, (draw) => ({
    world: randomWorld(draw, `rate limits, seed ${seed}`),
    steps: rapidSteps(draw),
  }));
  return checkSteps(world, steps, { rateLimit: 'on' });
}

/**
 * Fails when the sides differ, with the fewest steps that show it.
 * @param options.describe describes the step that showed the difference
 */
export async function checkSteps(
  world: WorldInput,
  steps: readonly Step[],
  { describe, ...options }: RunOptions & { readonly describe?: (step: Step) => string } = {},
): Promise<Result> {
  const result = await runSteps(world, steps, options);
  const { difference } = result;
  if (difference === null) return result;
  const fewest = await shrink(world, steps.slice(0, difference.index + 1), options);
  expect.fail(
    [
      ...(describe === undefined ? [] : [describe(difference.step)]),
      `The mock and the server differ: ${difference.request}`,
      ...difference.problems.map((problem) => `  ${problem}`),
      `The fewest steps that show a difference, in the world "${world.name}":`,
      ...fewest.map((step) => `  ${JSON.stringify(step)}`),
    ].join('\n'),
  );
}

/** Lets fast-check leave out steps as long as the sides still differ. */
async function shrink(world: WorldInput, steps: Step[], options: RunOptions): Promise<readonly Step[]> {
  const agrees = fc.asyncProperty(
    fc.subarray(steps),
    async (some) => (await runSteps(world, some, options)).difference === null,
  );
  const { counterexample } = await fc.check(agrees, {
    examples: [[steps]],
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_MS,
  });
  return counterexample?.[0] ?? steps;
}
