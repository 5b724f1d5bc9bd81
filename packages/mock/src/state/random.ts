/** A seeded generator whose state is one number (mulberry32), so that it can be part of an immutable state. */
import type { World } from './world.ts';

/** The next number in 0..1 (1 excluded) and the state after it. */
export function nextRandom(state: number): { readonly value: number; readonly state: number } {
  const next = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296, state: next };
}

/** A number in 0..1 (1 excluded) of the world's generator. */
export function random(world: World): number {
  const { value, state } = nextRandom(world.state.randomState);
  world.state = { ...world.state, randomState: state };
  return value;
}

/** Random bytes for ids and secrets of the mock. Seeded: not for anything that must be unguessable. */
export function randomBytes(world: World, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.floor(random(world) * 256));
}
