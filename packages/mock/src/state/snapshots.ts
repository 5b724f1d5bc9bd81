/** Takes and restores snapshots, which are references to immutable states. Work in progress at a restore is dropped. */
import { update, type World, type WorldState } from './world.ts';

/** Saves the state under a name. @returns the name; `snapshot-1` and so on by default */
export function takeSnapshot(world: World, name = newName(world)): string {
  world.snapshots.set(name, world.state);
  return name;
}

function newName({ snapshots }: World): string {
  let number = snapshots.size + 1;
  while (snapshots.has(`snapshot-${number}`)) number += 1;
  return `snapshot-${number}`;
}

/** @throws RangeError for an unknown name, listing the known ones */
export function restoreSnapshot(world: World, name: string): void {
  const state = world.snapshots.get(name);
  if (state === undefined) {
    const known = [...world.snapshots.keys()].join(', ') || 'none';
    throw new RangeError(`Unknown snapshot "${name}". Snapshots: ${known}.`);
  }
  goTo(world, state);
}

/** Returns to the initial state, clock, faults and journal included. Snapshots stay. */
export function resetWorld(world: World): void {
  goTo(world, world.initial);
}

function goTo(world: World, state: WorldState): void {
  world.generation += 1;
  update(world, state);
}
