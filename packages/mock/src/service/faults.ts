/** Adds and removes faults, and finds the one that hits a call. */
import type { Fault, FaultRule } from '../state/fault.ts';
import { random } from '../state/random.ts';
import type { RouteId } from '../state/traffic.ts';
import { update, type World } from '../state/world.ts';

/** Adds a fault after the existing ones. @returns the fault with its id */
export function addFault(world: World, rule: FaultRule): Fault {
  const { faults } = world.state;
  const taken = new Set(faults.map(({ id }) => id));
  let number = faults.length + 1;
  while (taken.has(`fault-${number}`)) number += 1;
  const fault: Fault = { ...rule, id: `fault-${number}`, matchedCount: 0, hitCount: 0 };
  update(world, { faults: [...faults, fault] });
  return fault;
}

/** @returns whether the fault existed */
export function removeFault(world: World, id: string): boolean {
  const faults = world.state.faults.filter((fault) => fault.id !== id);
  if (faults.length === world.state.faults.length) return false;
  update(world, { faults });
  return true;
}

/** A call that faults are matched against. */
export interface FaultTarget {
  /** Null when no route matches. */
  readonly operationId: RouteId | 'outbound' | 'mail' | null;
  /** Whether the path is below `/api/v1`: a fault without `operations` hits only these calls. */
  readonly isApiCall: boolean;
  /** The token that was sent, valid or not. */
  readonly key?: string | null;
  /** Host of an outgoing post, or domain of a mail's recipient, in lower case. */
  readonly host?: string;
}

/**
 * Counts the call for every fault that it matches and returns the first fault that hits it, in the order they were added.
 * Probabilities use the world's generator.
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

/** @param fault includes the current call in `matchedCount` */
function isDue(world: World, { nth = 1, times = Infinity, probability = 1, matchedCount, hitCount }: Fault): boolean {
  if (matchedCount < nth || hitCount >= times) return false;
  return probability >= 1 || random(world) < probability;
}
