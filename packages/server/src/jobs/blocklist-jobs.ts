/**
 * The jobs of a block list, and how they follow each other:
 *
 * `fetch-blocklist` reads the CRM's list -> `push-blocklist` gives the pending entries to the sequencer -> a day later
 * `top-up-blocklist` begins the next round with a fetch of what is new. A resync begins with a fetch of everything.
 *
 * Each carries the run of the list that it was enqueued under; after a resync the earlier run's jobs change nothing
 * (domain, `blocklist.ts`).
 */
import { type BlocklistState, type FetchMode, isAtRest } from '@svc/domain/blocklists/blocklist';
import { nextRoundAt } from '@svc/domain/blocklists/blocklist-schedule';
import type { ClaimedJob, NewJob } from './queue.ts';

export const FETCH_BLOCKLIST = 'fetch-blocklist';
export const PUSH_BLOCKLIST = 'push-blocklist';
export const TOP_UP_BLOCKLIST = 'top-up-blocklist';

export interface BlocklistOfJob {
  id: number;
  connectionId: number;
  run: number;
}

/** At most one fetch of a list exists at a time; while it does, the list cannot be resynced. */
export function fetchBlocklistJob(list: BlocklistOfJob, mode: FetchMode, now: Date): NewJob {
  return { ...jobOf(list, now), kind: FETCH_BLOCKLIST, ref: list.id, dueAt: now, state: { run: list.run, mode } };
}

/** `ref` names the run too: an earlier run's push may still be waiting for its sequencer. */
export function pushBlocklistJob(list: BlocklistOfJob, now: Date): NewJob {
  const { id, run } = list;
  return {
    ...jobOf(list, now),
    kind: PUSH_BLOCKLIST,
    ref: `${id}/${run}`,
    dueAt: now,
    state: { blocklistId: id, run },
  };
}

/** The job that begins the next round of a list whose round ended now; none while the list is at work or paused. */
export function nextRoundJobs(list: BlocklistOfJob, state: BlocklistState, endedAt: Date): NewJob[] {
  if (!isAtRest(state)) return [];
  return [topUpBlocklistJob(list, { createdAt: endedAt, dueAt: nextRoundAt(endedAt) })];
}

/** The job that begins the next round. */
export function topUpBlocklistJob(
  list: BlocklistOfJob,
  { createdAt, dueAt }: Pick<NewJob, 'createdAt' | 'dueAt'>,
): NewJob {
  const { id, run } = list;
  const state = { blocklistId: id, run };
  return { ...jobOf(list, createdAt), kind: TOP_UP_BLOCKLIST, ref: `${id}/${run}`, dueAt, state };
}

function jobOf({ connectionId }: BlocklistOfJob, now: Date): Pick<NewJob, 'fairnessKey' | 'createdAt'> {
  return { fairnessKey: `connection:${connectionId}`, createdAt: now };
}

/** What a job of a block list knows from being enqueued, and from its own earlier attempts. */
export interface BlocklistJobState {
  blocklistId: number;
  run: number;
  mode: FetchMode;
  /** Where the walk through the CRM's list goes on; null: at its start. */
  cursor: string | null;
  /** Failed calls in a row. */
  failureCount: number;
  /** Of a push, while it looks for entries that the sequencer refuses: what it has found since an entry was last taken. */
  refusal: Refusal | null;
}

export interface Refusal {
  /** Entries of the next call at most. */
  entriesMax: number;
  /** Entries that were refused alone. */
  count: number;
  /** Of the first of these; Unix time in ms. */
  sinceMs: number;
  /** What the sequencer said last. */
  message: string;
}

export function readBlocklistJob({ ref, state }: ClaimedJob): BlocklistJobState {
  const numberOf = (key: string, otherwise: number) => {
    const value = state[key];
    return typeof value === 'number' ? value : otherwise;
  };
  const cursor = state['cursor'];
  return {
    blocklistId: numberOf('blocklistId', Number(ref)),
    run: numberOf('run', 0),
    mode: state['mode'] === 'top-up' ? 'top-up' : 'full',
    cursor: typeof cursor === 'string' ? cursor : null,
    failureCount: numberOf('failureCount', 0),
    refusal: readRefusal(state['refusal']),
  };
}

function readRefusal(stored: unknown): Refusal | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { entriesMax, count, sinceMs, message }: { [key in keyof Refusal]?: unknown } = stored;
  if (typeof entriesMax !== 'number' || typeof count !== 'number' || typeof sinceMs !== 'number') return null;
  return { entriesMax, count, sinceMs, message: typeof message === 'string' ? message : '' };
}
