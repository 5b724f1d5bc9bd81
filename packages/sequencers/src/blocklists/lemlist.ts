import { basicAuthorization } from '../calls/send-request.ts';
import { REFUSED, REMOVED, removeOneByOne, toRemoval } from './remove-entries.ts';
import { addOneByOne, callSequencer, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/**
 * lemlist has one list of addresses and domains per team, which the API key identifies. A call adds one of them; the vendor calls it
 * legacy. An API key may make 20 calls in 2 seconds. A fifth is left to the team's other integrations.
 *
 * An entry is removed by itself (developer.lemlist.com/api-reference/endpoints/unsubscribes/resubscribe-variable, read November 2026): 400
 * says that the list does not have it, and 409 that the lead unsubscribed or complained, so that lemlist keeps it. Domains are written with
 * an @ there; how the legacy call stores them is not documented, so both spellings are removed.
 */
const BATCH_MAX = 16;
const PAUSE_MS = 2_000;
/** A domain takes two calls. */
const REMOVAL = { batchMax: 8, pauseMs: PAUSE_MS };

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
    removal: REMOVAL,
    removeEntries: ({ token, blockType, values }) =>
      removeOneByOne(options, values, async (value) => {
        let isProtected = false;
        for (const spelling of blockType === 'DOMAIN' ? [`@${value}`, value] : [value]) {
          const answer = await callSequencer(options, {
            ...{ platform: 'lemlist', method: 'DELETE', token, values: [value] },
            path: `/api/v2/unsubscribes/variables/${encodeURIComponent(spelling)}`,
            headers: { Authorization: basicAuthorization(token) },
            isPresent: (status) => {
              isProtected ||= status === 409;
              return status === 400 || status === 404 || status === 409;
            },
          });
          const removal = toRemoval(answer);
          if (removal.status !== 'removed') return removal;
        }
        return isProtected ? REFUSED : REMOVED;
      }),
  };
}
