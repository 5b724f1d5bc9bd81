/** Going back: a snapshot is a reference to a state, and what was under way when the state changed no longer counts. */
import { update, type World, type WorldState } from './world.ts';

/** Keeps the state under a name. @returns the name, `snapshot-1` and so on by default */
export function takeSnapshot(world: World, name = newName(world)): string {
  world.snapshots.set(name, world.state);
  return name;
}

function newName({ snapshots }: World): string {
  let number = snapshots.size + 1;
  while (snapshots.has(`snapshot-${number}`)) number += 1;
  return `snapshot-${number}`;
}

/** @throws RangeError naming the snapshots there are */
export function restoreSnapshot(world: World, name: string): void {
  const state = world.snapshots.get(name);
  if (state === undefined) {
    const known = [...world.snapshots.keys()].join(', ') || 'none';
    throw new RangeError(`No snapshot is called "${name}". There are: ${known}.`);
  }
  goTo(world, state);
}

/** Everything as the world began, clock, faults and journal included; snapshots stay. */
export function resetWorld(world: World): void {
  goTo(world, world.initial);
}

function goTo(world: World, state: WorldState): void {
  world.generation += 1;
  update(world, state);
}
