import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
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
  /** Default: as the specification has it. */
  readonly branding?: Branding;
  /** Default: there are none. */
  readonly others?: () => readonly World[];
}

export function createWorld(options: NewWorld): World {
  const { id, data, clock, settings, seed, branding = DEFAULT_BRANDING, others = () => [] } = options;
  const initial: WorldState = {
    data,
    clock,
    settings,
    faults: [],
    journal: EMPTY_LOG,
    outbox: EMPTY_LOG,
    rateWindows: new Map(),
    randomState: seed | 0,
    callCount: 0,
    postCount: 0,
  };
  return { id, branding, others, state: initial, initial, snapshots: new Map(), generation: 0, listeners: new Set() };
}
