import { addTogether, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/**
 * Smartlead has one list of addresses and domains for the account and one per client. The API key is in the URL. The documentation
 * names no maximum of entries per call.
 */
const BATCH_MAX = 500;

export function createSmartleadBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    addEntries: ({ token, clientId, values }) =>
      addTogether(options, {
        platform: 'Smartlead',
        path: `/api/v1/leads/add-domain-block-list?api_key=${encodeURIComponent(token)}`,
        body: { domain_block_list: values, ...(clientId === null ? {} : { client_id: toClientId(clientId) }) },
        token,
        values,
      }),
  };
}

/** Smartlead documents client ids as numbers. */
function toClientId(clientId: string): number | string {
  return /^\d{1,15}$/.test(clientId) ? Number(clientId) : clientId;
}
