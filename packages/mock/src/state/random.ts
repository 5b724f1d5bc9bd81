/** The world's seeded random generator: the same seed and calls give the same ids. */
import { nextRandom } from '@svc/domain/values/random';
import type { World } from './world.ts';

/** Returns a number in [0, 1) from the world's generator. */
export function random(world: World): number {
  const { value, state } = nextRandom(world.state.randomState);
  world.state = { ...world.state, randomState: state };
  return value;
}

/** Returns bytes for the mock's ids and secrets. They are seeded, so they are not secure. */
export function randomBytes(world: World, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.floor(random(world) * 256));
}
