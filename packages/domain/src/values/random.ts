/** A seeded generator (mulberry32) whose state is one number, so that it can be part of an immutable state. Not for secrets. */

/** Returns the next number from 0 to 1 (1 excluded), and the state after it. */
export function nextRandom(state: number): { readonly value: number; readonly state: number } {
  const next = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296, state: next };
}

/** Returns a function that gives the numbers of a seed one after the other. */
export function createRandom(seed: number): () => number {
  let current = seed | 0;
  return () => {
    const { value, state } = nextRandom(current);
    current = state;
    return value;
  };
}
