/**
 * The jobs of a block list and their order:
 *
 * `fetch-blocklist` reads the CRM's list -> `push-blocklist` sends the pending entries to the sequencer -> a day later, or
 * after the interval of the list, `top-up-blocklist` begins the next round by fetching new entries. A resync begins by fetching everything.
 *
 * Each job carries the list's run at its enqueueing; after a resync, jobs of the earlier run change nothing (domain,
 * `blocklist.ts`).
 */
import { type BlocklistState, type FetchMode, isIdle } from '@svc/domain/blocklists/blocklist';
import { nextRoundAt } from '@svc/domain/blocklists/blocklist-schedule';
import type { PageMark } from '@svc/domain/blocklists/page-mark';
import {
  composeRef,
  fairnessKeys,
  FETCH_BLOCKLIST,
  parseRef,
  PUSH_BLOCKLIST,
  REMOVE_ENTRIES,
  TOP_UP_BLOCKLIST,
} from '../jobs/kinds.ts';
import type { ClaimedJob, NewJob } from '../queue/queue.ts';

export interface BlocklistOfJob {
  id: number;
  connectionId: number;
  run: number;
  /** Null, or left out: a day. */
  everyMinutes?: number | null;
}

/**
 * Returns the fetch job. At most one per list exists, and while it does the list cannot be resynced.
 *
 * @param options.isMoved whether the entries are of another CRM list, client or instance, so that none has left. Default false
 */
export function fetchBlocklistJob(
  list: BlocklistOfJob,
  mode: FetchMode,
  now: Date,
  { isMoved = false }: { isMoved?: boolean } = {},
): NewJob {
  return {
    ...jobOf(list, now),
    kind: FETCH_BLOCKLIST,
    ref: composeRef(list.id),
    dueAt: now,
    state: { run: list.run, mode, ...(isMoved && { isMoved }) },
  };
}

/** Returns the push job. `ref` includes the run, because an earlier run's push may still wait for its sequencer. */
export function pushBlocklistJob(list: BlocklistOfJob, now: Date): NewJob {
  const { id, run } = list;
  return {
    ...jobOf(list, now),
    kind: PUSH_BLOCKLIST,
    ref: composeRef(id, run),
    dueAt: now,
    state: { blocklistId: id, run },
  };
}

/** Returns the job that removes what has left the CRM list. At most one per list exists. */
export function removeEntriesJob(list: Pick<BlocklistOfJob, 'id' | 'connectionId'>, now: Date): NewJob {
  const { id, connectionId } = list;
  const fairnessKey = fairnessKeys.connection(connectionId);
  return { kind: REMOVE_ENTRIES, ref: composeRef(id), fairnessKey, dueAt: now, createdAt: now };
}

/** Returns the job that begins the list's next round; none while the list is active or paused. */
export function nextRoundJobs(list: BlocklistOfJob, state: BlocklistState, endedAt: Date): NewJob[] {
  if (!isIdle(state)) return [];
  return [topUpBlocklistJob(list, { createdAt: endedAt, dueAt: nextRoundAt(endedAt, list.everyMinutes) })];
}

export function topUpBlocklistJob(
  list: BlocklistOfJob,
  { createdAt, dueAt }: Pick<NewJob, 'createdAt' | 'dueAt'>,
): NewJob {
  const { id, run } = list;
  const state = { blocklistId: id, run };
  return { ...jobOf(list, createdAt), kind: TOP_UP_BLOCKLIST, ref: composeRef(id, run), dueAt, state };
}

function jobOf({ connectionId }: BlocklistOfJob, now: Date): Pick<NewJob, 'fairnessKey' | 'createdAt'> {
  return { fairnessKey: fairnessKeys.connection(connectionId), createdAt: now };
}

/** The state of a block list job, from its enqueueing and its earlier attempts. */
export interface BlocklistJobState {
  blocklistId: number;
  run: number;
  mode: FetchMode;
  /** Whether every entry that was read is staged, also those that the list has. */
  isWhole: boolean;
  /** Whether the list's entries are of another CRM list, client or instance. */
  isMoved: boolean;
  /** Position where the fetch of the CRM's list resumes; null for its start. */
  cursor: string | null;
  /** Null before the fetch's first page. */
  mark: PageMark | null;
  /** Consecutive failed calls. */
  failureCount: number;
  /** The state of a push that isolates refused entries, since the last accepted entry. */
  refusal: Refusal | null;
}

export interface Refusal {
  /** Most entries for the next call. */
  entriesMax: number;
  /** Entries that were refused in a batch of one. */
  count: number;
  /** Unix time in ms of the first of these. */
  sinceMs: number;
  /** The sequencer's last message. */
  message: string;
}

export function readBlocklistJob(job: ClaimedJob): BlocklistJobState {
  const { state } = job;
  const numberOf = (key: string, otherwise: number) => {
    const value = state[key];
    return typeof value === 'number' ? value : otherwise;
  };
  const cursor = state['cursor'];
  return {
    blocklistId: numberOf('blocklistId', parseRef(job).subjectId),
    run: numberOf('run', 0),
    mode: state['mode'] === 'top-up' ? 'top-up' : 'full',
    isWhole: state['isWhole'] === true,
    isMoved: state['isMoved'] === true,
    cursor: typeof cursor === 'string' ? cursor : null,
    mark: readMark(state['mark']),
    failureCount: numberOf('failureCount', 0),
    refusal: readRefusal(state['refusal']),
  };
}

function readMark(stored: unknown): PageMark | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { cursor, pages, pagesMax }: { [key in keyof PageMark]?: unknown } = stored;
  if (typeof cursor !== 'string' || typeof pages !== 'number' || typeof pagesMax !== 'number') return null;
  return { cursor, pages, pagesMax };
}

function readRefusal(stored: unknown): Refusal | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { entriesMax, count, sinceMs, message }: { [key in keyof Refusal]?: unknown } = stored;
  if (typeof entriesMax !== 'number' || typeof count !== 'number' || typeof sinceMs !== 'number') return null;
  return { entriesMax, count, sinceMs, message: typeof message === 'string' ? message : '' };
}
