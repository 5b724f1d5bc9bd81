/** Chance of a world, seeded: the same seed and calls give the same ids. */
import { nextRandom } from '@svc/domain/values/random';
import type { World } from './world.ts';

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
