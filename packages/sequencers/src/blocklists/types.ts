/**
 * The port towards the block list of a sequencer. It only ever adds: nothing is taken off a sequencer's list. Adding what is
 * there already is a success, so a batch whose answer was lost is simply sent again.
 */
export interface BlocklistConnector {
  /** Most entries of one call. */
  readonly batchMax: number;
  /** Never rejects: every failure is an outcome. */
  addEntries(batch: BlocklistBatch): Promise<BlocklistOutcome>;
}

export interface BlocklistBatch {
  token: string;
  /** The sequencer's own id of a client; null: the whole account. */
  clientId: string | null;
  /** Addresses or domains, at least one. */
  values: readonly string[];
}

export type BlocklistOutcome = { status: 'success' } | BlocklistFailed;

export interface BlocklistFailed {
  status: 'error';
  /** Says what to do, and is fit for showing: it holds neither the token nor anybody's address. */
  message: string;
  /** Whether the same call can succeed later; `afterMs` null leaves the wait to the caller. */
  retry: 'never' | { afterMs: number | null };
  /** The sequencer refused what it was given, as a whole: without some of the entries it may take the others. Default false. */
  isOfEntries?: boolean;
}
