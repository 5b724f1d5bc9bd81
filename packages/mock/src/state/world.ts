/**
 * A world: one isolated copy of the service. `state` is immutable and replaced as a whole, so a snapshot is a reference. Handlers
 * are synchronous, so their reads and writes are one transaction.
 */
import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import type { WindowState } from '@svc/domain/requests/rate-limit';
import type { ClockState } from './clock.ts';
import type { Fault } from './fault.ts';
import { EMPTY_HISTORY, type History } from './history.ts';
import type { Settings } from './settings.ts';
import type { JournalEntry, MailEntry, OutboxEntry } from './traffic.ts';
import type { WorldData } from './world-data.ts';

export interface WorldState {
  readonly data: WorldData;
  readonly clock: ClockState;
  readonly settings: Settings;
  readonly faults: readonly Fault[];
  /** API calls and inbound posts, in order. */
  readonly journal: History<JournalEntry>;
  /** Outgoing posts, with and without receivers, in order. */
  readonly outbox: History<OutboxEntry>;
  /** Attempts at the mails of reply relays, in order. */
  readonly mails: History<MailEntry>;
  /** Fixed windows of the rate limits, by bucket. */
  readonly rateWindows: ReadonlyMap<string, WindowState>;
  /** State of the seeded generator, which a snapshot therefore restores. */
  readonly randomState: number;
  /** Number of calls, for journal ids and request ids. */
  readonly callCount: number;
  /** Number of outgoing posts, for ids of the outbox. */
  readonly postCount: number;
  /** Number of entries of `mails` so far, for their ids. */
  readonly mailCount: number;
}

export interface World {
  readonly id: string;
  /** Prefixes of headers, keys and secrets. All worlds of a mock have the same. */
  readonly branding: Branding;
  /** The other worlds of the mock. Keys and ingress codes are unique among all worlds. */
  readonly others: () => readonly World[];
  /** Replaced only by `update`. */
  state: WorldState;
  /** The state that `reset` restores. */
  initial: WorldState;
  readonly snapshots: Map<string, WorldState>;
  /** Increases with every restore and reset, which drops the work in progress. */
  generation: number;
  /** Called after each change of `state`. */
  readonly listeners: Set<() => void>;
}

/** Replaces parts of the state and calls the listeners. */
export function update(world: World, changes: Partial<WorldState>): void {
  world.state = { ...world.state, ...changes };
  for (const listener of world.listeners) listener();
}

/** Replaces parts of the data. */
export function updateData(world: World, changes: Partial<WorldData>): void {
  update(world, { data: { ...world.state.data, ...changes } });
}

export interface NewWorld {
  /** Letters, digits, - and _. */
  readonly id: string;
  readonly data: WorldData;
  readonly clock: ClockState;
  readonly settings: Settings;
  /** Seed of the random generator: the same seed and calls give the same ids. */
  readonly seed: number;
  /** Default: the contract's prefixes. */
  readonly branding?: Branding;
  /** Default: none. */
  readonly others?: () => readonly World[];
}

export function createWorld(options: NewWorld): World {
  const { id, data, clock, settings, seed, branding = DEFAULT_BRANDING, others = () => [] } = options;
  const initial: WorldState = {
    data,
    clock,
    settings,
    faults: [],
    journal: EMPTY_HISTORY,
    outbox: EMPTY_HISTORY,
    mails: EMPTY_HISTORY,
    rateWindows: new Map(),
    randomState: seed | 0,
    callCount: 0,
    postCount: 0,
    mailCount: 0,
  };
  return { id, branding, others, state: initial, initial, snapshots: new Map(), generation: 0, listeners: new Set() };
}
