import { sanitize } from '@svc/engine/runtime/terminal-text';

/** A value of a table cell. */
export type Cell = string | number | boolean | null | readonly (string | number)[];

/** Renders columns under their headers, separated by two spaces; returns `empty` when there are no rows. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const table = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => toText(cell(row))))];
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...table.map((cells) => lengthOf(cells[index] ?? ''))),
  );
  return table.map((cells) => layOut(cells, widths)).join('\n');
}

function layOut(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)));
  return padded.join('  ').trimEnd();
}

function toText(cell: Cell): string {
  if (cell === null || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'on' : 'off';
  if (typeof cell === 'object') return cell.length === 0 ? '-' : sanitize(cell.join(', '));
  return sanitize(String(cell));
}

function lengthOf(text: string): number {
  return [...text].length;
}
