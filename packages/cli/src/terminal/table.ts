import Table from 'cli-table3';
import type { Paint, Tone } from './colors.ts';
import { displayWidth, sanitize } from './text.ts';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** The value for programs, if it is not the text: a whole timestamp, a plain number, or empty for no value. */
  readonly raw?: string | undefined;
}

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => Cell;
  /** Dropped if the terminal is too narrow, highest number first. */
  readonly dropOrder?: number;
  /** May be cut with an ellipsis if the terminal is too narrow. */
  readonly canShrink?: boolean;
  /** Cut to this width before other columns are dropped. Needs `canShrink`. */
  readonly enoughWidth?: number;
  /** The field to choose with `--fields` if the column is dropped. Default: the header. */
  readonly field?: string;
}

export interface TableOptions {
  /** Columns of the terminal; infinite for files and pipes. */
  readonly width: number;
  readonly paint: Paint;
}

const MIN_SHRUNK_WIDTH = 10;

export interface LaidOutTable {
  readonly text: string;
  /** The fields of the columns that were dropped. */
  readonly hidden: readonly string[];
}

export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], options: TableOptions): string {
  return layOutTable(rows, columns, options).text;
}

/**
 * Renders columns without lines. If the terminal is too narrow, drops columns, then narrows gaps, then cuts cells; if that
 * is still too wide, prints a block of lines per row.
 */
export function layOutTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, paint }: TableOptions,
): LaidOutTable {
  const all = columns.map((column) => measure(column, rows));
  const layout = fit(all, width);
  if (layout === null) return { text: renderBlocks(all, rows.length, paint), hidden: [] };

  const lines = [
    layout.columns.map(({ header }, column) => paint('strong', truncate(header, layout.widths[column] ?? 0))),
    ...rows.map((_row, index) =>
      layout.columns.map(({ cells }, column) => {
        const { text, tone } = cells[index] ?? { text: '' };
        const shown = truncate(text, layout.widths[column] ?? 0);
        return tone === undefined || shown === '' ? shown : paint(tone, shown);
      }),
    ),
  ];
  const colWidths = layout.widths.map((cell, index) => cell + (index < layout.widths.length - 1 ? layout.gap : 0));
  let text = '';
  for (let start = 0; start < lines.length; start += LINES_PER_TABLE) {
    text += alignLines(lines.slice(start, start + LINES_PER_TABLE), colWidths);
  }
  return { text, hidden: all.filter((column) => !layout.columns.includes(column)).map(({ field }) => field) };
}

/** cli-table3 needs quadratic time, so long tables are split. */
const LINES_PER_TABLE = 50;

function alignLines(lines: readonly string[][], colWidths: number[]): string {
  const table = new Table({
    chars: NO_LINES,
    // Disables the library's colours, which ignore pipes and NO_COLOR.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths,
  });
  table.push(...lines);
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Columns are separated by spaces only. */
const NO_LINES = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .concat(['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right'])
    .concat(['left-mid', 'mid-mid', 'right-mid'])
    .map((name) => [name, '']),
);

export interface MeasuredColumn {
  readonly header: string;
  readonly cells: readonly Cell[];
  readonly width: number;
  readonly dropOrder: number;
  readonly canShrink: boolean;
  readonly enoughWidth: number;
  readonly field: string;
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): MeasuredColumn {
  const cells = rows.map((row) => {
    const { text, tone } = column.cell(row);
    return { text: sanitize(text), tone };
  });
  const width = cells.reduce((widest, { text }) => Math.max(widest, displayWidth(text)), displayWidth(column.header));
  return {
    header: column.header,
    cells,
    width,
    dropOrder: column.dropOrder ?? 0,
    canShrink: column.canShrink ?? false,
    enoughWidth: Math.min(width, column.enoughWidth ?? width),
    field: column.field ?? column.header,
  };
}

export interface TableLayout {
  readonly columns: readonly MeasuredColumn[];
  readonly widths: readonly number[];
  readonly gap: number;
}

/** Chooses and sizes the columns for a width like `layOutTable`; null if not even the narrowest fit. */
export function fitColumns<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): TableLayout | null {
  return fit(
    columns.map((column) => measure(column, rows)),
    width,
  );
}

function fit(all: readonly MeasuredColumn[], width: number): TableLayout | null {
  let columns = all;
  const natural = () => columns.map((column) => column.width);
  const total = (widths: readonly number[], gap: number) =>
    widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + gap * (widths.length - 1);

  const enough = () => columns.map((column) => column.enoughWidth);
  while (total(enough(), 2) > width) {
    const next = columns.reduce((highest, { dropOrder }) => Math.max(highest, dropOrder), 0);
    if (next === 0) break;
    columns = columns.filter(({ dropOrder }) => dropOrder !== next);
  }
  if (total(natural(), 2) <= width) return { columns, widths: natural(), gap: 2 };
  if (total(natural(), 1) <= width) return { columns, widths: natural(), gap: 1 };

  const widths = natural();
  for (let excess = total(widths, 1) - width; excess > 0; excess -= 1) {
    const widest = columns.reduce<number>((best, column, index) => {
      const room = column.canShrink && (widths[index] ?? 0) > MIN_SHRUNK_WIDTH;
      return room && (widths[index] ?? 0) > (widths[best] ?? 0) ? index : best;
    }, -1);
    if (widest === -1) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { columns, widths, gap: 1 };
}

function renderBlocks(columns: readonly MeasuredColumn[], rowCount: number, paint: Paint): string {
  const labelWidth = columns.reduce((widest, { header }) => Math.max(widest, header.length), 0);
  const blocks: string[] = [];
  for (let index = 0; index < rowCount; index += 1) {
    const lines = columns.map(({ header, cells }) => {
      const { text, tone } = cells[index] ?? { text: '' };
      return `${paint('strong', header.padEnd(labelWidth))}  ${tone === undefined ? text : paint(tone, text)}`;
    });
    blocks.push(`${lines.join('\n')}\n`);
  }
  return blocks.join('\n');
}

/** Cuts text that is too wide, with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let shown = '';
  for (const character of text) {
    if (displayWidth(shown + character) > width - 1) break;
    shown += character;
  }
  return `${shown}…`;
}
