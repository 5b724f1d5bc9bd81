/** Adds and removes faults, and finds the one that hits a call. */
import type { Fault, FaultRule } from '../state/fault.ts';
import { random } from '../state/random.ts';
import type { RouteId } from '../state/traffic.ts';
import { update, type World } from '../state/world.ts';

/** Adds a fault after those that are there. @returns it, with its id */
export function addFault(world: World, rule: FaultRule): Fault {
  const { faults } = world.state;
  const taken = new Set(faults.map(({ id }) => id));
  let number = faults.length + 1;
  while (taken.has(`fault-${number}`)) number += 1;
  const fault: Fault = { ...rule, id: `fault-${number}`, matchedCount: 0, hitCount: 0 };
  update(world, { faults: [...faults, fault] });
  return fault;
}

/** @returns whether there was one of that id */
export function removeFault(world: World, id: string): boolean {
  const faults = world.state.faults.filter((fault) => fault.id !== id);
  if (faults.length === world.state.faults.length) return false;
  update(world, { faults });
  return true;
}

/** A call as faults are matched with it. */
export interface FaultTarget {
  /** Null when the API has no such route. */
  readonly operationId: RouteId | 'outbound' | null;
  /** Whether it is a call to the API, which is what a fault without `operations` hits. */
  readonly isApiCall: boolean;
  /** The token that was sent, valid or not; null without one. */
  readonly key?: string | null;
  /** Where an outgoing post goes, as `URL` has it. */
  readonly host?: string;
}

/**
 * Counts the call with every fault that it matches, and returns the first one that hits it, in the order in which they
 * were added. Chance is the world's own.
 */
export function applyFaults(world: World, target: FaultTarget): Fault | null {
  const { faults } = world.state;
  if (faults.length === 0) return null;
  let hit: Fault | null = null;
  const counted = faults.map((fault) => {
    if (!matches(fault, target)) return fault;
    const matched = { ...fault, matchedCount: fault.matchedCount + 1 };
    if (hit !== null || !isDue(world, matched)) return matched;
    hit = { ...matched, hitCount: fault.hitCount + 1 };
    return hit;
  });
  update(world, { faults: counted });
  return hit;
}

function matches(fault: Fault, { operationId, isApiCall, key, host }: FaultTarget): boolean {
  const { operations } = fault;
  const isNamed = operations === undefined ? isApiCall : operationId !== null && operations.includes(operationId);
  return (
    isNamed &&
    (fault.key === undefined || fault.key === key) &&
    (fault.host === undefined || fault.host.toLowerCase() === host)
  );
}

/** @param fault with the call already counted as matched */
function isDue(world: World, { nth = 1, times = Infinity, probability = 1, matchedCount, hitCount }: Fault): boolean {
  if (matchedCount < nth || hitCount >= times) return false;
  return probability >= 1 || random(world) < probability;
}
