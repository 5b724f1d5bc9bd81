import type { Paint } from '../../terminal/colors.ts';
import type { Cell, Column } from '../../terminal/table.ts';

export const PANEL_IDS = ['connections', 'failing', 'rates', 'blocklists', 'log'] as const;
export type PanelId = (typeof PANEL_IDS)[number];

/** A row of a panel. */
export interface PanelRow {
  /** Stays the same while the row changes. */
  readonly key: string;
  readonly cells: readonly Cell[];
  /** The sync that `e` explains; null if there is none. */
  readonly syncId: number | null;
  /** What Enter opens, and its title. */
  readonly title: string;
  readonly renderPage: (width: number, paint: Paint) => string;
}

export interface Panel {
  readonly title: string;
  /** A short sum, shown beside the title. */
  readonly summary: string;
  readonly columns: readonly Column<PanelRow>[];
  readonly rows: readonly PanelRow[];
  /** Shown instead of rows. */
  readonly whenEmpty: string;
}

type RowParts = Omit<PanelRow, 'cells'>;

/** Characters whose width differs between terminals: joiners, variation selectors, skin tones, flags, private and unassigned ones. */
const UNSTEADY = /[\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;

/** Fills the columns of a panel. */
export function toPanelRows<Value>(
  values: readonly Value[],
  columns: readonly Column<Value>[],
  toParts: (value: Value) => RowParts,
): Pick<Panel, 'columns' | 'rows'> {
  return {
    columns: columns.map(({ cell: _cell, ...column }, index) => ({
      ...column,
      cell: ({ cells }) => cells[index] ?? { text: '' },
    })),
    rows: values.map((value) => ({
      ...toParts(value),
      cells: columns.map(({ cell }) => {
        const { text, tone } = cell(value);
        return { text: text.replaceAll(UNSTEADY, ''), tone };
      }),
    })),
  };
}

/** Keeps the rows that contain the text in any column, or with a `!` before it those that do not. */
export function filterPanelRows(rows: readonly PanelRow[], filter: string): readonly PanelRow[] {
  const isInverse = filter.startsWith('!');
  const wanted = (isInverse ? filter.slice(1) : filter).toLowerCase();
  if (wanted === '') return rows;
  return rows.filter(({ cells }) => {
    const text = cells.map((cell) => cell.text).join(' ');
    return text.toLowerCase().includes(wanted) !== isInverse;
  });
}
