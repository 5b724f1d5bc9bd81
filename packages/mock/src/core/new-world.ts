import type { ClockState } from './clock.ts';
import { EMPTY_LOG } from './log.ts';
import type { Settings } from './settings.ts';
import type { World, WorldState } from './world.ts';
import type { WorldData } from './world-data.ts';

export interface NewWorld {
  /** Names the world; letters, digits, - and _. */
  readonly id: string;
  readonly data: WorldData;
  readonly clock: ClockState;
  readonly settings: Settings;
  /** Of the generator that chance comes from: the same seed and calls give the same ids. */
  readonly seed: number;
}

export function createWorld({ id, data, clock, settings, seed }: NewWorld): World {
  return fromInitialState(id, {
    data,
    clock,
    settings,
    faults: [],
    journal: EMPTY_LOG,
    outbox: EMPTY_LOG,
    rateWindows: new Map(),
    randomState: seed | 0,
    callCount: 0,
  });
}

/**
 * A world of its own that begins as `world` began, whatever has happened there since. It shares all rows but the keys,
 * which get tokens of their own, so it costs next to nothing.
 *
 * @param options.tokens a token for the key that has this one in `world`
 */
export function copyWorld(
  world: World,
  { id, tokens }: { readonly id: string; readonly tokens: (token: string) => string },
): World {
  const { data } = world.initial;
  const apiKeys = data.apiKeys.map((key) => ({ ...key, token: tokens(key.token) }));
  return fromInitialState(id, { ...world.initial, data: { ...data, apiKeys } });
}

function fromInitialState(id: string, initial: WorldState): World {
  return { id, state: initial, initial, snapshots: new Map(), generation: 0, listeners: new Set() };
}
