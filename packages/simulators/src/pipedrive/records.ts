import type { Answer } from '../http/answer.ts';
import type { PipedriveAccount, SimulatedFilter } from './account.ts';
import { page, Refusal } from './answer.ts';
import { type Json, pageLimit, queryNumber, readCursor, toCursor, updatedSinceMs } from './requests.ts';

/** What all lists of v2 have in common: a filter or ids, a time, an order, pages. */

const IDS_MAX = 100;
const PAGE_MAX = 500;

interface ListedRecord {
  id: number;
  is_deleted: boolean;
  add_time: string;
  update_time: string;
}

export function listRecords<T extends ListedRecord>(list: {
  all: ReadonlyMap<number, T>;
  query: URLSearchParams;
  /** Type of the filters that select these records. */
  filter: { account: PipedriveAccount; type: SimulatedFilter['type'] } | null;
  matches: (record: T) => boolean;
  toResource: (record: T) => Json;
}): Answer {
  const { all, query, filter, matches, toResource } = list;
  const limit = pageLimit(query, PAGE_MAX);
  const since = updatedSinceMs(query);
  const filterId = queryNumber(query, 'filter_id');
  const ids = filterId === null ? readIds(query) : null;
  const members = filterId === null ? null : new Set(findFilter(filter, filterId).members);
  const found = [...all.values()].filter(
    (record) =>
      !record.is_deleted &&
      (members === null || members.has(record.id)) &&
      (ids === null || ids.has(record.id)) &&
      (since === null || Date.parse(record.update_time) >= since) &&
      (filterId !== null || matches(record)),
  );
  const sorted = sort(found, query);
  const position = readCursor(query);
  const next = position + limit;
  return page(sorted.slice(position, next).map(toResource), next < sorted.length ? toCursor(next) : null);
}

function sort<T extends ListedRecord>(records: readonly T[], query: URLSearchParams): T[] {
  const by = query.get('sort_by') ?? 'id';
  if (by !== 'id' && by !== 'add_time' && by !== 'update_time') {
    throw new Refusal(400, 'Validation failed: sort_by is not supported');
  }
  const sign = query.get('sort_direction') === 'desc' ? -1 : 1;
  return records.toSorted((a, b) => sign * (by === 'id' ? a.id - b.id : Date.parse(a[by]) - Date.parse(b[by])));
}

function readIds(query: URLSearchParams): ReadonlySet<number> | null {
  const text = query.get('ids');
  if (text === null) return null;
  const ids = text.split(',').map(Number);
  if (ids.length > IDS_MAX || ids.some((id) => !Number.isInteger(id))) {
    throw new Refusal(400, `Validation failed: ids must be at most ${IDS_MAX} numbers`);
  }
  return new Set(ids);
}

function findFilter(
  filter: { account: PipedriveAccount; type: SimulatedFilter['type'] } | null,
  id: number,
): SimulatedFilter {
  const found = filter?.account.filters.get(id);
  if (found === undefined || found.type !== filter?.type) throw new Refusal(404, 'Filter not found');
  return found;
}
