/**
 * A world: one isolated copy of the service, with all that belongs to it. `state` is immutable and replaced as a whole, so a
 * snapshot is a reference to one. A handler is synchronous, so what it reads and writes is one transaction.
 */
import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import type { WindowState } from '@svc/domain/requests/rate-limit';
import type { ClockState } from './clock.ts';
import type { Fault } from './fault.ts';
import { EMPTY_LOG, type Log } from './log.ts';
import type { Settings } from './settings.ts';
import type { JournalEntry, OutboxEntry } from './traffic.ts';
import type { WorldData } from './world-data.ts';

export interface WorldState {
  readonly data: WorldData;
  readonly clock: ClockState;
  readonly settings: Settings;
  readonly faults: readonly Fault[];
  /** Calls to the API and inbound posts, in the order in which they came. */
  readonly journal: Log<JournalEntry>;
  /** Outgoing posts to hosts that no receiver was routed to, and to those that were: what left the service, in order. */
  readonly outbox: Log<OutboxEntry>;
  /** Fixed windows of the rate limits, by bucket. */
  readonly rateWindows: ReadonlyMap<string, WindowState>;
  /** State of the seeded generator: restoring a snapshot also restores chance. */
  readonly randomState: number;
  /** Counts calls, for journal ids and request ids. */
  readonly callCount: number;
  /** Counts posts, for the ids of the outbox. */
  readonly postCount: number;
}

export interface World {
  readonly id: string;
  /** How headers, keys and secrets begin; the same in all worlds of a mock. */
  readonly branding: Branding;
  /** The other worlds of the mock. Calls find a world by key and ingress code, so no two hold the same ones. */
  readonly others: () => readonly World[];
  /** The state now; only replaced through `update`. */
  state: WorldState;
  /** What `reset` goes back to. */
  initial: WorldState;
  readonly snapshots: Map<string, WorldState>;
  /** Grows with every restore and reset: what was under way before them no longer counts. */
  generation: number;
  /** Called after each change of `state`, for the timer of due jobs and for facades. */
  readonly listeners: Set<() => void>;
}

/** Replaces parts of the state. */
export function update(world: World, changes: Partial<WorldState>): void {
  world.state = { ...world.state, ...changes };
  for (const listener of world.listeners) listener();
}

/** Replaces parts of the data. */
export function updateData(world: World, changes: Partial<WorldData>): void {
  update(world, { data: { ...world.state.data, ...changes } });
}

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
