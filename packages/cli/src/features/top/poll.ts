import { setTimeout } from 'node:timers/promises';
import {
  ApiError,
  type Client,
  InvalidResponseError,
  NetworkError,
  RateLimitError,
  type SvcError,
  TimeoutError,
} from '@svc/sdk';
import { toErrorReport } from '../../command/map-error.ts';
import { PARTS, type Patch, patchOfRefusal } from './read-parts.ts';
import { NOTHING_READ, type PartName, type TopData } from './top-data.ts';

/** Why the newest data is missing, and when it is asked for again. */
export interface Trouble {
  readonly message: string;
  readonly retriesAtMs: number;
}

export interface PollOptions {
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly onData: (data: TopData) => void;
  /** Called with null when the service answers again. */
  readonly onTrouble: (trouble: Trouble | null) => void;
}

export interface Poller {
  /** Polls until the signal fires. @throws errors that do not pass, such as a revoked key */
  readonly run: () => Promise<void>;
  /** Reads everything now. */
  readonly refresh: () => void;
  readonly pause: (isPaused: boolean) => void;
}

/** The longest wait between two polls. */
const WAIT_MAX_MS = 40_000;
const ENDLESS_MS = 2 ** 31 - 1;
/** How much slower the polls become at most when the rate limit is met. */
const SLOWER_MAX = 8;

/** Reads the parts of the screen again and again, each as often as it needs. */
export function createPoller(client: Client, { intervalMs, signal, onData, onTrouble }: PollOptions): Poller {
  let data = NOTHING_READ;
  let poll = 0;
  let failures = 0;
  let slower = 1;
  let isPaused = false;
  let isRefreshAsked = false;
  let wake = new AbortController();

  const apply = (patch: Patch) => {
    data = patch(data);
    onData(data);
  };
  /** Returns the failure that later polls may overcome, or null. */
  const readPart = async (name: PartName): Promise<SvcError | null> => {
    try {
      const nowMs = Date.now() + data.clockOffsetMs;
      const options = { signal, maxRetries: 0 };
      apply(await PARTS[name].read(client, data, nowMs, options));
      return null;
    } catch (error) {
      const refusal = name === 'status' ? null : patchOfRefusal(name, error);
      if (refusal !== null) {
        apply(refusal);
        return null;
      }
      if (signal.aborted || !isPassing(error, data.status !== null)) throw error;
      return error;
    }
  };
  /** Returns the first failure, or null. */
  const readDue = async (): Promise<SvcError | null> => {
    // The status tells the time of the service, which the ranges of the others need.
    if (data.status === null) {
      const failure = await readPart('status');
      if (failure !== null) return failure;
    }
    const due = (Object.keys(PARTS) as PartName[]).filter(
      (name) => poll % PARTS[name].everyPolls === 0 && !data.refused.has(name),
    );
    const results = await Promise.all(due.map(readPart));
    return results.find((failure) => failure !== null) ?? null;
  };
  const sleep = async (ms: number) => {
    if (isRefreshAsked) return;
    wake = new AbortController();
    await setTimeout(ms, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(() => {});
  };

  return {
    async run() {
      while (!signal.aborted) {
        if (isRefreshAsked) {
          isRefreshAsked = false;
          poll = 0;
          data = { ...data, refused: new Map() };
        }
        const failure = await readDue();
        if (failure === null) {
          if (failures > 0) onTrouble(null);
          failures = 0;
          poll += 1;
        } else {
          failures += 1;
          if (failure instanceof RateLimitError) slower = Math.min(slower * 2, SLOWER_MAX);
        }
        const waitMs = Math.min(intervalMs * slower * 2 ** Math.max(0, failures - 1), WAIT_MAX_MS);
        if (failure !== null) onTrouble({ message: toErrorReport(failure).message, retriesAtMs: Date.now() + waitMs });
        await sleep(waitMs);
        while (isPaused && !isRefreshAsked && !signal.aborted) await sleep(ENDLESS_MS);
      }
    },
    refresh() {
      isRefreshAsked = true;
      wake.abort();
    },
    pause(paused) {
      isPaused = paused;
      wake.abort();
    },
  };
}

/**
 * Whether the failure may be over at the next poll.
 *
 * @param hasAnswered whether the address is known to be that of the service
 */
function isPassing(error: unknown, hasAnswered: boolean): error is SvcError {
  if (error instanceof InvalidResponseError) return hasAnswered;
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  return error instanceof NetworkError || error instanceof TimeoutError;
}
