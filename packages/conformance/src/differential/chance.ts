import { createRandom } from '@svc/domain/values/random';

/** A whole number from 0 up to, not including, `below`. */
export type Chance = (below: number) => number;

/** Returns chance by a seed: the same seed gives the same numbers. */
export function createChance(seed: number): Chance {
  const random = createRandom(seed);
  return (below) => Math.floor(random() * below);
}

/** One of several. @throws Error when there is none */
export function pickOf(chance: Chance): <Each>(all: readonly Each[]) => Each {
  return (all) => {
    const index = chance(all.length);
    const picked = all[index];
    if (picked === undefined || all.length === 0) throw new Error('There is nothing to pick from.');
    return picked;
  };
}
