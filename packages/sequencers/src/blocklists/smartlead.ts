import { callSequencer, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/**
 * Smartlead: one list for addresses and domains, of the account or of one of its clients. The API key stands in the URL.
 * Its documentation names no limit of entries; the real one counts what it has already as nothing new.
 */
const BATCH_MAX = 500;

export function createSmartleadBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    addEntries: ({ token, clientId, values }) =>
      callSequencer(options, {
        platform: 'Smartlead',
        path: `/api/v1/leads/add-domain-block-list?api_key=${encodeURIComponent(token)}`,
        body: { domain_block_list: values, ...(clientId === null ? {} : { client_id: toClientId(clientId) }) },
        token,
      }),
  };
}

/** Smartlead's own ids are numbers, and documented as such. */
function toClientId(clientId: string): number | string {
  return /^\d{1,15}$/.test(clientId) ? Number(clientId) : clientId;
}
