/** Numbers that the same seed repeats (mulberry32). */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Another source, which takes nothing from this one. */
  fork(): Random;
}

export function createRandom(seed: number): Random {
  let state = seed | 0;
  const random: Random = {
    next() {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    between: (min, max) => min + Math.floor(random.next() * (max - min + 1)),
    pick: (items) => items[random.between(0, items.length - 1)] as (typeof items)[number],
    fork: () => createRandom(random.between(0, 0x7fff_ffff)),
  };
  return random;
}
