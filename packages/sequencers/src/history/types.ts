/** Lists of past activity at sequencers, and how each entry becomes what the sequencer would have posted. */

export interface HistoryTarget {
  token: string;
  /** Null: the whole account. */
  campaignId: string | null;
  /** From this instant to the other, which is not included. */
  from: Date;
  until: Date;
}

export type HistoryItem =
  /** What the sequencer would have posted. */
  | { body: object }
  /** Why it cannot be compared with posts. It names no person. */
  | { refusal: string };

export interface HistoryPage {
  /** Where the platform lists by time: from the oldest to the newest. */
  items: readonly HistoryItem[];
  /** Where the next call continues, as JSON; null at the end. */
  next: object | null;
}

/** What went wrong, and what to do. `message` has no token and no entry of the list. */
export interface HistoryFailure {
  message: string;
  /** Whether the same call may succeed later; with `afterMs` null the caller chooses the wait. */
  retry: 'never' | { afterMs: number | null };
}

export type HistoryAnswer = { status: 'success'; page: HistoryPage } | { status: 'error'; failure: HistoryFailure };

/** The list of past activity of a platform. Its events have the keys that posts have. */
export interface HistoryClient {
  /** Wait between two calls in ms, so that the platform's limit is kept. */
  readonly pauseMs: number;
  /**
   * Makes one call. Never rejects; failures are answers.
   *
   * @param cursor `next` of the call before; null at the beginning
   */
  next(target: HistoryTarget, cursor: object | null): Promise<HistoryAnswer>;
}
