import type { Paint, Tone } from './colors.ts';
import { displayWidth, sanitize } from './text.ts';

/** A part of a bar, from left to right. */
export interface BarPart {
  readonly name: string;
  readonly tone: Tone;
}

export interface BarRow {
  /** Cells before the bar: a left-aligned label, then right-aligned numbers. */
  readonly cells: readonly string[];
  /** One count for each part; null for no bar. */
  readonly counts: readonly number[] | null;
}

export interface BarsOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: Paint;
  /** For terminals that cannot show block characters. */
  readonly isAscii: boolean;
}

const GLYPHS = { blocks: ['█', '▓', '░'], ascii: ['#', '+', '!'] } as const;
const MAX_BAR_WIDTH = 60;
const MIN_BAR_WIDTH = 10;
const GAP = '  ';

/** Renders a table whose last column is a bar in proportion to the largest row, if there is room. */
export function renderBars(
  headers: readonly string[],
  parts: readonly BarPart[],
  rows: readonly BarRow[],
  { width, paint, isAscii }: BarsOptions,
): string {
  const glyphs = isAscii ? GLYPHS.ascii : GLYPHS.blocks;
  const widths = headers.map((header, column) =>
    rows.reduce((widest, { cells }) => Math.max(widest, displayWidth(cells[column] ?? '')), displayWidth(header)),
  );
  const line = (cells: readonly string[]) => {
    return widths
      .map((cellWidth, column) => {
        const text = sanitize(cells[column] ?? '');
        const space = ' '.repeat(Math.max(0, cellWidth - displayWidth(text)));
        return column === 0 ? text + space : space + text;
      })
      .join(GAP);
  };
  const used = widths.reduce((sum, cellWidth) => sum + cellWidth + GAP.length, 0);
  const room = Math.min(MAX_BAR_WIDTH, width - used);
  const largest = rows.reduce((most, { counts }) => Math.max(most, sum(counts ?? [])), 0);
  const bar = (counts: readonly number[] | null) =>
    apportion(counts ?? [], largest, room)
      .map((cells, index) => {
        const part = parts[index];
        return part === undefined || cells === 0
          ? ''
          : paint(part.tone, glyphs[index % glyphs.length]?.repeat(cells) ?? '');
      })
      .join('');
  const legend = parts.length < 2 ? '' : parts.map(({ name }, index) => `${glyphs[index]} ${name}`).join(' ');
  const hasBars = room >= MIN_BAR_WIDTH;
  const hasLegend = hasBars && legend.length <= width - used;
  const head = paint('strong', `${line(headers)}${hasLegend ? GAP + legend : ''}`.trimEnd());
  const body = rows.map(({ cells, counts }) => `${line(cells)}${hasBars ? GAP + bar(counts) : ''}`.trimEnd());
  return `${[head, ...body].join('\n')}\n`;
}

/**
 * Returns the number of cells of each count. A nonzero count has at least one cell, even if the bar becomes too long.
 */
export function apportion(counts: readonly number[], largest: number, width: number): number[] {
  const total = sum(counts);
  if (total === 0 || largest === 0) return counts.map(() => 0);
  const shown = counts.filter((count) => count > 0).length;
  const length = Math.max(shown, Math.round((total / largest) * width));
  const shares = counts.map((count) => (count / total) * length);
  const cells = shares.map((share) => (share === 0 ? 0 : Math.max(1, Math.floor(share))));
  const error = (index: number) => (shares[index] ?? 0) - (cells[index] ?? 0);
  const indices = [...counts.keys()].filter((index) => (counts[index] ?? 0) > 0);
  while (sum(cells) < length) {
    const short = indices.reduce((most, index) => (error(index) > error(most) ? index : most));
    cells[short] = (cells[short] ?? 0) + 1;
  }
  while (sum(cells) > length) {
    const long = indices.reduce((most, index) => ((cells[index] ?? 0) > (cells[most] ?? 0) ? index : most));
    cells[long] = (cells[long] ?? 0) - 1;
  }
  return cells;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
