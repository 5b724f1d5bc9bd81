import { WEBHOOK_PAGE_MAX } from '@svc/contract/limits';
import type { ApiPromise } from '../calls/call.ts';
import { createList, type List, type ListOptions, markResume, type PageAnswer, walkCursors } from './paginate.ts';
import type { Stop } from './read-ahead.ts';

/** Options of lists without a time range. */
export interface CursorParams extends ListOptions {
  /** Rows per request, 1 to 100. Default 100, which takes the fewest requests. */
  pageSize?: number | undefined;
}

export interface CursorQuery {
  limit: number;
  cursor?: string;
}

/** Creates a lazy list that is paged by cursor only, without a time range. */
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
