/** The position where a list stopped, as plain JSON. Keep it and pass it back as `resume`. */
export interface ResumePoint {
  /** Cursor of the next page; `null` for the first page of a window. */
  readonly cursor: string | null;
  /** Only for lists over a date range. */
  readonly window?: WindowPosition;
}

export interface WindowPosition {
  /** The range of the whole list, with `to` as it was fixed at the start. */
  readonly from: string;
  readonly to: string;
  /** Newer end of the window that the cursor belongs to. */
  readonly windowTo: string;
  /** Ids of rows on a window boundary that were yielded already and must not be yielded twice. */
  readonly seamIds: readonly (number | string)[];
}
