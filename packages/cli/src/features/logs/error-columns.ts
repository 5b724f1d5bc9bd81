import type { Column } from '../../terminal/table.ts';

/** A column of long texts, which gives way to others before they are dropped. */
export const LONG_TEXT = { canShrink: true, enoughWidth: 40 } as const;

/** Columns that say less than the error if only errors are listed. The highest number is dropped first. */
const LESS_THAN_ERROR: Readonly<Record<string, number>> = { EVENT: 1, STATUS: 2 };

/** Returns the columns for a list of errors: the error stays, whatever is dropped in narrow terminals. */
export function keepErrors<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.map(({ dropOrder, ...column }) => {
    if (column.header === 'ERROR') return column;
    const order = LESS_THAN_ERROR[column.header] ?? (dropOrder === undefined ? 0 : dropOrder + 2);
    return { ...column, dropOrder: order };
  });
}
