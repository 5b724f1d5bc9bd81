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
import { callSequencer, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector, BlocklistOutcome } from './types.ts';

/**
 * Instantly has one list of addresses and domains per workspace, which the token identifies, and no clients.
 *
 * A call answers `{ items, valid_count, invalid_count }`: the entries that it took, and how many it took and refused. An older
 * form of the documentation (developer.instantly.ai, March 2026) has a list of entries only, and then nothing is refused. An
 * entry that the list has already may be missing from `items`, so what is missing is refused only when the count says so.
 *
 * An entry is removed by its id, which a search gives (developer.instantly.ai/api-reference/blocklistentry, April 2026): that of a domain
 * finds its addresses too, at most 100 on a page. The same path without an id removes all entries, so an empty id is never sent.
 */
const BATCH_MAX = 1_000;
const REMOVAL = { batchMax: 50, pauseMs: 1_000 };
const PAGE = 100;
const PAGES_MAX = 50;
const PATH = '/api/v2/block-lists-entries';

export function createInstantlyBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    async addEntries({ token, values }) {
      const answer = await callSequencer(options, {
        platform: 'Instantly',
        path: `${PATH}/bulk-create`,
        headers: { Authorization: `Bearer ${token}` },
        body: { bl_values: values },
        token,
        values,
      });
      if (answer.status === 'error') return { added: [], refused: [], failure: answer.failure };
      return readAnswer(values, answer.body);
    },
    removal: REMOVAL,
    removeEntries: ({ token, values }) =>
      removeOneByOne(options, values, async (value) => {
        const call = { platform: 'Instantly', headers: { Authorization: `Bearer ${token}` }, token };
        let after = '';
        for (let page = 0; page < PAGES_MAX; page += 1) {
          const next = after === '' ? {} : { starting_after: after };
          const query = new URLSearchParams({ search: value, limit: String(PAGE), ...next });
          const found = await callAboutEntry(options, value, { ...call, method: 'GET', path: `${PATH}?${query}` });
          if (found.status === 'error') return { status: 'failed', failure: withoutSuspects(found.failure) };
          const body = found.status === 'success' ? found.body : undefined;
          const { items, next_starting_after: cursor } = rowsOf([body])[0] ?? {};
          if (!Array.isArray(items)) return notUnderstood('Instantly');
          const own = rowsOf(items).filter((row) => isSameEntry(row['bl_value'], value));
          for (const item of own) {
            const id = idOf(item['id']);
            if (id === null) return notUnderstood('Instantly');
            const path = `${PATH}/${encodeURIComponent(id)}`;
            const answer = await callAboutEntry(options, value, { ...call, method: 'DELETE', path, absent: [404] });
            const removal = toRemoval(answer);
            if (removal.status !== 'removed') return removal;
          }
          after = idOf(cursor) ?? '';
          if (own.length > 0 || items.length === 0 || after === '') return REMOVED;
        }
        return tooManyPages('Instantly', PAGES_MAX);
      }),
  };
}

function readAnswer(values: readonly string[], body: unknown): BlocklistOutcome {
  const { items, invalid_count: invalidCount }: Record<string, unknown> =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};
  if (!Array.isArray(items) || typeof invalidCount !== 'number' || invalidCount <= 0) {
    return { added: values, refused: [], failure: null };
  }
  const taken = new Set(items.flatMap((item) => toValue(item)?.toLowerCase() ?? []));
  const missing = values.filter((value) => !taken.has(value.toLowerCase()));
  const added = values.filter((value) => taken.has(value.toLowerCase()));
  if (missing.length <= invalidCount) return { added, refused: missing, failure: null };
  // Some missing entries were in the list before. Only smaller calls show which of the entries are invalid.
  const message = `Instantly refused ${invalidCount} of ${values.length} entries`;
  return { added, refused: [], failure: { message, retry: 'never', suspects: missing } };
}

function toValue(item: unknown): string | null {
  return typeof item === 'object' && item !== null && 'bl_value' in item && typeof item.bl_value === 'string'
    ? item.bl_value
    : null;
}
