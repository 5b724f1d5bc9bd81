/**
 * A connector to the block list of a sequencer. It only adds entries and never removes any. Adding an existing entry is a
 * success, so a batch whose answer was lost can be sent again.
 */
export interface BlocklistConnector {
  /** Maximum entries of one call. */
  readonly batchMax: number;
  /** Never rejects; failures are outcomes. */
  addEntries(batch: BlocklistBatch): Promise<BlocklistOutcome>;
}

export interface BlocklistBatch {
  token: string;
  /** The sequencer's id of a client; null for the whole account. */
  clientId: string | null;
  /** Addresses or domains, at least one. */
  values: readonly string[];
}

export type BlocklistOutcome = { status: 'success' } | BlocklistFailed;

export interface BlocklistFailed {
  status: 'error';
  /** Says what to do. Contains neither the token nor email addresses. */
  message: string;
  /** Whether the call may be retried; with `afterMs` null the caller chooses the wait. */
  retry: 'never' | { afterMs: number | null };
  /** The sequencer refused the batch because of some entries; without them it may accept the rest. Default: false. */
  isOfEntries?: boolean;
}
