import { WEBHOOK_PAGE_MAX } from '@svc/contract/limits';
import type { ApiPromise } from '../calls/call.ts';
import { createList, type List, type ListOptions, markResume, type PageAnswer, walkCursors } from './paginate.ts';
import type { Stop } from './read-ahead.ts';

/** What lists without a date range take. */
export interface CursorParams extends ListOptions {
  /** Rows per request, 1 to 100. Default 100: fewest requests against the rate limit. */
  pageSize?: number | undefined;
}

export interface CursorQuery {
  limit: number;
  cursor?: string;
}

/** A log that is paged by its cursor alone, as a lazy list. */
export function createCursorList<Row>(
  params: CursorParams,
  fetchPage: (query: CursorQuery, stop?: Stop) => ApiPromise<PageAnswer<Row>>,
): List<Row> {
  const pageSize = params.pageSize ?? WEBHOOK_PAGE_MAX;
  return createList(async function* (rowsWanted, stop) {
    let resume = { cursor: params.resume?.cursor ?? null };
    const fetchOne = (cursor: string | null) => {
      const limit = rowsWanted === undefined ? pageSize : Math.min(pageSize, rowsWanted());
      return fetchPage({ limit, ...(cursor === null ? {} : { cursor }) }, stop);
    };
    try {
      for await (const { data, hasMore, nextCursor } of walkCursors(fetchOne, resume.cursor)) {
        if (hasMore) resume = { cursor: nextCursor };
        yield { data, hasMore, resume: hasMore ? resume : null };
      }
    } catch (error) {
      throw markResume(error, resume);
    }
  }, params);
}
