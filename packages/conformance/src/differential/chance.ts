/** A whole number from 0 up to, not including, `below`. */
export type Chance = (below: number) => number;

/** Chance of a seed (mulberry32): the same seed, the same numbers. */
export function createChance(seed: number): Chance {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
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
