import { callSequencer, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/** Instantly: one list for the addresses and domains of a workspace, which the token stands for. It knows no clients. */
const BATCH_MAX = 1_000;

export function createInstantlyBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    addEntries: ({ token, values }) =>
      callSequencer(options, {
        platform: 'Instantly',
        path: '/api/v2/block-lists-entries/bulk-create',
        headers: { Authorization: `Bearer ${token}` },
        body: { bl_values: values },
        token,
      }),
  };
}
