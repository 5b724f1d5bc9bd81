/** One random world after the other, on both sides; what differs is told with the fewest steps that show it. */
import type { WorldInput } from '@svc/domain/world';
import { expect } from 'vitest';
import { createChance } from './chance.ts';
import { play, type PlayOptions, type Result } from './play.ts';
import { randomWorld } from './random-world.ts';
import { shrink } from './shrink.ts';
import { everyOperation, hurriedSteps, randomSteps, type Step } from './steps.ts';

const SHRINK_MS = 90_000;

/** A world and what is done to it follow from the seed of the run and the world's number in it. */
export function checkRandomWorld(seed: number, index: number, stepCount: number): Promise<Result> {
  const chance = createChance(seed + index * 7_919);
  const world = randomWorld(chance, `random ${index} of seed ${seed}`);
  const steps = [...everyOperation(chance), ...randomSteps(chance, stepCount)];
  return checkSteps(world, [{ kind: 'observe' }, ...steps, { kind: 'settle' }, { kind: 'observe' }]);
}

/** The same with the specification's limits on. */
export function checkLimits(seed: number): Promise<Result> {
  const chance = createChance(seed);
  const world = randomWorld(chance, `limited, of seed ${seed}`);
  return checkSteps(world, hurriedSteps(chance), { rateLimit: 'on' });
}

/** @param options.describe says what the step that showed the difference is about */
export async function checkSteps(
  world: WorldInput,
  steps: readonly Step[],
  options: PlayOptions & { readonly describe?: (step: Step) => string } = {},
): Promise<Result> {
  const result = await play(world, steps, options);
  const [first] = result.differences;
  if (first === undefined) return result;
  const fewest = await shrink(world, steps.slice(0, first.index + 1), { ...options, budgetMs: SHRINK_MS });
  expect.fail(
    [
      ...(options.describe === undefined ? [] : [options.describe(first.step)]),
      `The mock and the server differ: ${first.request}`,
      ...first.problems.map((problem) => `  ${problem}`),
      `The fewest steps that show it, in the world "${world.name}":`,
      ...fewest.map((step) => `  ${JSON.stringify(step)}`),
    ].join('\n'),
  );
}
