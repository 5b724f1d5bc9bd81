import {
  callAboutEntry,
  idOf,
  isSameEntry,
  notUnderstood,
  REMOVED,
  removeOneByOne,
  rowsOf,
  tooManyPages,
  toRemoval,
  withoutSuspects,
} from './remove-entries.ts';
import { addTogether, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/**
 * Smartlead has one list of addresses and domains for the account and one per client. The API key is in the URL. The documentation
 * names no maximum of entries per call.
 *
 * An entry is removed by its id, which a search gives (api.smartlead.ai/api-reference/utilities/domain-block-list, as public integrations
 * quoted it until August 2026): that of a domain finds its addresses too, at most 1,000 on a page, of which older copies say 100, so only an
 * empty page is the last. These are two calls, and Smartlead allows 10 in 2 seconds (helpcenter.smartlead.ai/en/articles/125); a fifth is left
 * to others.
 */
const BATCH_MAX = 500;
const REMOVAL = { batchMax: 4, pauseMs: 2_000 };
const PAGE = 1_000;
/** With its removal, such an entry takes as many calls as four others. */
const PAGES_MAX = 7;
const PLATFORM = 'Smartlead';

export function createSmartleadBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    addEntries: ({ token, clientId, values }) =>
      addTogether(options, {
        platform: PLATFORM,
        path: `/api/v1/leads/add-domain-block-list?api_key=${encodeURIComponent(token)}`,
        body: { domain_block_list: values, ...(clientId === null ? {} : { client_id: toClientId(clientId) }) },
        token,
        values,
      }),
    removal: REMOVAL,
    removeEntries: ({ token, clientId, values }) =>
      removeOneByOne(options, values, async (value) => {
        const call = (method: 'GET' | 'DELETE', path: string, query: Readonly<Record<string, string>>) => {
          const text = new URLSearchParams({ api_key: token, ...query });
          return callAboutEntry(options, value, {
            ...{ platform: PLATFORM, token, method, path: `/api/v1/leads/${path}?${text}` },
            ...(method === 'DELETE' ? { absent: [404] } : {}),
          });
        };
        const ofClient = clientId === null ? {} : { filter_client_id: clientId };
        for (let page = 0, offset = 0; page < PAGES_MAX; page += 1) {
          const found = await call('GET', 'get-domain-block-list', {
            ...{ limit: String(PAGE), offset: String(offset), filter_email_or_domain: value },
            ...ofClient,
          });
          if (found.status === 'error') return { status: 'failed', failure: withoutSuspects(found.failure) };
          const body = found.status === 'success' ? found.body : undefined;
          const rows = [body, rowsOf([body])[0]?.['data']].find((part) => Array.isArray(part));
          if (!Array.isArray(rows)) return notUnderstood(PLATFORM);
          const own = rowsOf(rows).filter(
            (row) => isSameEntry(row['email_or_domain'], value) && isOfClient(row['client_id'], clientId),
          );
          for (const row of own) {
            const id = idOf(row['id']);
            if (id === null) return notUnderstood(PLATFORM);
            const removal = toRemoval(await call('DELETE', 'delete-domain-block-list', { id }));
            if (removal.status !== 'removed') return removal;
          }
          if (own.length > 0 || rows.length === 0) return REMOVED;
          offset += rows.length;
        }
        return tooManyPages(PLATFORM, PAGES_MAX);
      }),
  };
}

/** A row that names no client is of the list that was asked for. */
function isOfClient(found: unknown, clientId: string | null): boolean {
  return found === undefined || (idOf(found) ?? '') === (clientId ?? '');
}

/** Smartlead documents client ids as numbers. */
function toClientId(clientId: string): number | string {
  return /^\d{1,15}$/.test(clientId) ? Number(clientId) : clientId;
}
