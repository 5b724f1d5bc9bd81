/** Request ids (`Service-Request-Id`), derived from the world and the number of the call, so that a repeated run has the same ids. */
import type { World } from '../state/world.ts';

const prefixes = new WeakMap<World, string>();

/**
 * Returns the id of a call, in the form of a UUID and unique within the world.
 * @param callNumber counts the calls of the world from 1
 */
export function requestIdOf(world: World, callNumber: number): string {
  let prefix = prefixes.get(world);
  if (prefix === undefined) {
    prefix = uuidPrefix(`${world.id} ${world.initial.randomState}`);
    prefixes.set(world, prefix);
  }
  return `${prefix}-${callNumber.toString(16).padStart(12, '0')}`;
}

function uuidPrefix(text: string): string {
  const [a, b] = [fnv1a(text), fnv1a(`${text}.`)].map((hash) => hash.toString(16).padStart(8, '0'));
  return `${a}-${b?.slice(0, 4)}-4${b?.slice(4, 7)}-8${b?.slice(5, 8)}`;
}

function fnv1a(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return hash >>> 0;
}
