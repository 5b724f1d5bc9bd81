import { addTogether, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/** Instantly has one list of addresses and domains per workspace, which the token identifies, and no clients. */
const BATCH_MAX = 1_000;

export function createInstantlyBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    addEntries: ({ token, values }) =>
      addTogether(options, {
        platform: 'Instantly',
        path: '/api/v2/block-lists-entries/bulk-create',
        headers: { Authorization: `Bearer ${token}` },
        body: { bl_values: values },
        token,
        values,
      }),
  };
}
