/**
 * Notices that the pages of a CRM's list repeat, which would keep a fetch running for ever.
 *
 * Remembering every cursor would make the state of the job grow with the list. Instead one cursor is remembered and
 * compared with those that follow; it is replaced by the current one after 1, 2, 4, 8, ... pages (Brent's algorithm).
 * Pages that repeat are noticed after at most three times as many pages as the list has different ones.
 */
export interface PageMark {
  cursor: string;
  /** Pages since this cursor. */
  pages: number;
  /** Pages after which the current cursor replaces it. */
  pagesMax: number;
}

/**
 * Returns the mark after a page.
 *
 * @param mark null before the first page
 * @param cursor position of the next page
 * @returns null when the pages repeat
 */
export function nextPageMark(mark: PageMark | null, cursor: string): PageMark | null {
  if (mark === null) return { cursor, pages: 0, pagesMax: 1 };
  if (mark.cursor === cursor) return null;
  const pages = mark.pages + 1;
  return pages < mark.pagesMax ? { ...mark, pages } : { cursor, pages: 0, pagesMax: mark.pagesMax * 2 };
}
