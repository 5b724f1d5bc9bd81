import { PANEL_IDS, type PanelId } from './panel-rows.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const SIZE_MIN: Size = { columns: 80, rows: 24 };
/** From here on, two panels stand side by side. */
const WIDE_COLUMNS = 140;
/** From here on, every panel has a line with the names of its columns. */
const TALL_ROWS = 32;
/** Columns between two panels side by side. */
export const PANEL_GAP = 2;
/** The part of a wide screen that the panels above the log may fill. */
const TOP_SHARE = 0.6;

export interface Box {
  readonly panel: PanelId;
  readonly hasHeader: boolean;
  /** Lines, with the title. */
  readonly height: number;
}

/** Panels one below another. */
export interface Stack {
  readonly width: number;
  readonly boxes: readonly Box[];
}

/** Stacks side by side, of the same height. */
export interface Band {
  readonly height: number;
  readonly stacks: readonly Stack[];
}

/** Rows that a panel has at least, if it has so many. */
const ROWS_MIN: Readonly<Record<PanelId, number>> = { connections: 2, failing: 2, rates: 3, blocklists: 2, log: 4 };

interface LayoutOptions {
  /** Lines between the first and the last one. */
  readonly height: number;
  readonly columns: number;
  readonly counts: Readonly<Record<PanelId, number>>;
  /** The panel that fills the screen. */
  readonly zoomed: PanelId | null;
}

/** Divides the screen among the panels: what others do not need goes to the log. */
export function layOut({ height, columns, counts, zoomed }: LayoutOptions): Band[] {
  if (zoomed !== null) {
    return [{ height, stacks: [{ width: columns, boxes: [{ panel: zoomed, hasHeader: true, height }] }] }];
  }
  const isWide = columns >= WIDE_COLUMNS;
  const hasHeader = (panel: PanelId) => isWide || height >= TALL_ROWS || panel === 'connections' || panel === 'rates';
  const toBox = (panel: PanelId): Wanted => {
    const rows = Math.max(1, counts[panel]);
    const frame = hasHeader(panel) ? 2 : 1;
    return {
      panel,
      hasHeader: hasHeader(panel),
      min: frame + Math.min(rows, ROWS_MIN[panel]),
      wanted: frame + rows,
    };
  };
  if (!isWide) return [{ height, stacks: [{ width: columns, boxes: divide(height, PANEL_IDS.map(toBox)) }] }];

  const left = (['connections', 'failing'] as const).map(toBox);
  const right = (['rates', 'blocklists'] as const).map(toBox);
  const wanted = Math.max(...[left, right].map((boxes) => boxes.reduce((sum, box) => sum + box.wanted, 0)));
  const top = Math.min(wanted, Math.floor(height * TOP_SHARE));
  const rightWidth = Math.floor((columns - PANEL_GAP) * 0.42);
  return [
    {
      height: top,
      stacks: [
        { width: columns - PANEL_GAP - rightWidth, boxes: divide(top, left) },
        { width: rightWidth, boxes: divide(top, right) },
      ],
    },
    { height: height - top, stacks: [{ width: columns, boxes: divide(height - top, [toBox('log')]) }] },
  ];
}

interface Wanted {
  readonly panel: PanelId;
  readonly hasHeader: boolean;
  readonly min: number;
  readonly wanted: number;
}

/** Gives each box its minimum, then one line after another to those that want more; the rest goes to the last one. */
function divide(height: number, boxes: readonly Wanted[]): Box[] {
  const heights = boxes.map(({ min }) => min);
  let free = height - heights.reduce((sum, each) => sum + each, 0);
  while (free > 0) {
    const before = free;
    for (const [index, { wanted }] of boxes.entries()) {
      if (free === 0 || (heights[index] ?? 0) >= wanted) continue;
      heights[index] = (heights[index] ?? 0) + 1;
      free -= 1;
    }
    if (free === before) break;
  }
  return boxes.map(({ panel, hasHeader }, index) => {
    const rest = index === boxes.length - 1 ? free : 0;
    return { panel, hasHeader, height: (heights[index] ?? 0) + rest };
  });
}

/** Rows that a box shows. */
export function rowsOf({ height, hasHeader }: Box): number {
  return Math.max(0, height - (hasHeader ? 2 : 1));
}
