import type { BlockType } from '@svc/contract/vocabulary';

/**
 * A connector to the block list of a sequencer. Adding an existing entry is a success, and so is removing one that is not there:
 * a batch whose answer was lost can be sent again.
 */
export interface BlocklistConnector {
  /** Maximum entries of one batch. */
  readonly batchMax: number;
  /** Wait between two batches in ms, so that the platform's limit is kept. Default: none. */
  readonly pauseMs?: number;
  /** Never rejects; failures are outcomes. */
  addEntries(batch: BlocklistBatch): Promise<BlocklistOutcome>;
  /** Maximum entries of one batch that is removed, and the wait between two of them in ms. */
  readonly removal: { readonly batchMax: number; readonly pauseMs: number };
  /** Never rejects; failures are outcomes. */
  removeEntries(batch: BlocklistBatch): Promise<RemovalOutcome>;
}

export interface BlocklistBatch {
  token: string;
  /** The sequencer's id of a client; null for the whole account. */
  clientId: string | null;
  /** The sequencer's own address for this customer, without a slash at the end; null for the one of the installation. */
  instanceUrl: string | null;
  blockType: BlockType;
  /** Addresses or domains, at least one. */
  values: readonly string[];
}

/** What became of a batch. An entry that is neither added nor refused is still to be added. */
export interface BlocklistOutcome {
  /** Entries that the sequencer's list has now, also those that it had before. */
  added: readonly string[];
  /** Entries that the sequencer refused by name. */
  refused: readonly string[];
  /** Why entries are still to be added; null when it was not tried, or when there are none. */
  failure: BlocklistFailure | null;
}

/** What became of entries to be removed. One that is neither removed nor refused is still to be removed. */
export interface RemovalOutcome {
  /** Entries that the sequencer's list does not have now, also those that it did not have before. */
  removed: readonly string[];
  /** Entries that the sequencer keeps. */
  refused: readonly string[];
  /** Why entries are still to be removed; null when it was not tried, or when there are none. */
  failure: BlocklistFailure | null;
}

export interface BlocklistFailure {
  /** Says what to do. Contains neither the token nor email addresses. */
  message: string;
  /** Whether the call may be retried; with `afterMs` null the caller chooses the wait. */
  retry: 'never' | { afterMs: number | null };
  /** Entries of a refused call, some of which caused the refusal. A call with fewer of these entries may succeed. Default: none. */
  suspects?: readonly string[];
}
