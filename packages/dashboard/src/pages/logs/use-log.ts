/**
 * A log, newest first. Live events refresh its first page. Once somebody has asked for older rows or chosen some, the rows stay as they are, so that
 * nothing moves while somebody reads; the page then says when there are newer ones.
 */
import type { Client, ResumePoint } from '@svc/sdk';
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccountId, useApi, useClient } from '../../data/account.tsx';

export interface LogPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null at the end. */
  readonly next: ResumePoint | null;
}

export type ReadLog<Row> = (client: Client, resume: ResumePoint | null) => Promise<LogPage<Row>>;

export const LOG_PAGE_SIZE = 50;
/** A page of the browser holds no more rows; the range of the log reaches the others. */
const ROWS_MAX = 2_000;

/** @param key the filters, and the name of the log */
export function useLog<Row extends { id: number | string }>(key: QueryKey, read: ReadLog<Row>) {
  const client = useClient();
  const accountId = useAccountId();
  const first = useApi(key, (of) => read(of, null));
  const [kept, setKept] = useState<LogPage<Row> | null>(null);
  const [isAskedForMore, setAskedForMore] = useState(false);
  const follow = () => {
    setKept(null);
    setAskedForMore(false);
  };
  // Other filters are another list.
  const filters = JSON.stringify(key);
  useEffect(follow, [filters, accountId]);
  const older = useInfiniteQuery({
    // Not `api`: live events would read all pages again.
    queryKey: ['log', accountId, ...key, kept?.next],
    queryFn: ({ pageParam }) => read(client, pageParam),
    initialPageParam: kept?.next ?? null,
    getNextPageParam: ({ next }) => next,
    enabled: isAskedForMore && kept !== null && kept.next !== null,
    staleTime: Infinity,
    gcTime: 0,
  });
  const shown = kept ?? first.data;
  const pages = isAskedForMore ? (older.data?.pages ?? []) : [];
  const rows = [...(shown?.rows ?? []), ...pages.flatMap((page) => page.rows)];
  const isFull = rows.length >= ROWS_MAX;
  const next = pages.length === 0 ? (shown?.next ?? null) : (pages.at(-1)?.next ?? null);
  return {
    first,
    rows,
    olderError: older.error,
    isFull,
    hasMore: next !== null && !isFull,
    isBusy: older.isFetching,
    /** Whether there are newer rows than those that are shown. */
    hasNewer: kept !== null && first.data?.rows[0]?.id !== kept.rows[0]?.id,
    /** Keeps the rows as they are. */
    keep: () => setKept((before) => before ?? first.data ?? null),
    follow,
    showMore: () => {
      setKept((before) => before ?? first.data ?? null);
      if (isAskedForMore) void older.fetchNextPage();
      else setAskedForMore(true);
    },
  };
}

/** Returns the first page of a list that has rows: the API may answer with empty pages before the end. */
export async function readPage<Row>(list: {
  pages(): AsyncIterable<{ readonly data: readonly Row[]; readonly resume: ResumePoint | null }>;
}): Promise<LogPage<Row>> {
  for await (const { data, resume } of list.pages()) {
    if (data.length > 0 || resume === null) return { rows: data, next: resume };
  }
  return { rows: [], next: null };
}
