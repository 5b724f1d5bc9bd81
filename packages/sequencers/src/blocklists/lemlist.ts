import { basicAuthorization } from '../calls/send-request.ts';
import { addOneByOne, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/**
 * lemlist has one list of addresses and domains per team, which the API key identifies. A call adds one of them; the vendor calls it
 * legacy. An API key may make 20 calls in 2 seconds. A fifth is left to the team's other integrations.
 */
const BATCH_MAX = 16;
const PAUSE_MS = 2_000;

export function createLemlistBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    pauseMs: PAUSE_MS,
    addEntries: ({ token, values }) =>
      addOneByOne(options, values, (value) => ({
        platform: 'lemlist',
        path: `/api/unsubscribes/${encodeURIComponent(value)}`,
        headers: { Authorization: basicAuthorization(token) },
        token,
      })),
  };
}
