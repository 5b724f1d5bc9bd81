/**
 * A log, newest first. Live events refresh its first page. Once somebody has asked for older rows or chosen some, the rows stay as they are, so that
 * nothing moves while somebody reads; the page then says when there are newer ones.
 */
import type { Client, ResumePoint } from '@svc/sdk';
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccountId, useApi, useClient } from '../../data/account.tsx';

export interface LogPage<Row, Cursor = ResumePoint> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null at the end. */
  readonly next: Cursor | null;
}

export type ReadLog<Row, Cursor = ResumePoint> = (client: Client, from: Cursor | null) => Promise<LogPage<Row, Cursor>>;

export const LOG_PAGE_SIZE = 50;
/** A page of the browser holds no more rows; the range of the log reaches the others. */
const ROWS_MAX = 2_000;

/** What a table shows of a log. */
export interface Log<Row> {
  readonly first: {
    readonly data: unknown;
    readonly error: Error | null;
    readonly isFetching: boolean;
    refetch(): unknown;
  };
  readonly rows: readonly Row[];
  readonly olderError: Error | null;
  /** The page holds no more rows. */
  readonly isFull: boolean;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  /** Whether there are newer rows than those that are shown. */
  readonly hasNewer: boolean;
  /** Keeps the rows as they are. */
  readonly keep: () => void;
  /** Shows the newest rows again. */
  readonly follow: () => void;
  readonly showMore: () => void;
}

/** @param key the filters, and the name of the log */
export function useLog<Row extends { id: number | string }, Cursor = ResumePoint>(
  key: QueryKey,
  read: ReadLog<Row, Cursor>,
): Log<Row> {
  const client = useClient();
  const accountId = useAccountId();
  const first = useApi(key, (of) => read(of, null));
  const [kept, setKept] = useState<LogPage<Row, Cursor> | null>(null);
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
    // The library cannot type a parameter that is a type variable.
    queryFn: ({ pageParam }) => read(client, pageParam as Cursor | null),
    initialPageParam: (kept?.next ?? null) as unknown,
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
    hasNewer: kept !== null && first.data?.rows[0]?.id !== kept.rows[0]?.id,
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
