import { sanitize } from '@svc/engine/runtime/terminal-text';

/** A value of a table cell. */
export type Cell = string | number | boolean | null | readonly (string | number)[];

/** A field of the rows, or what is made of a row. */
export type Column<Row> =
  | { [Key in keyof Row]-?: Row[Key] extends Cell ? Key : never }[keyof Row]
  | ((row: Row) => Cell);

/** Renders columns under their headers, separated by two spaces; returns `empty` when there are no rows. */
export function renderTable<Row extends object>(
  rows: readonly Row[],
  columns: Readonly<Record<string, Column<Row>>>,
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const cells = Object.values(columns);
  const table = [Object.keys(columns), ...rows.map((row) => cells.map((cell) => toText(cellOf(row, cell))))];
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...table.map((cells) => lengthOf(cells[index] ?? ''))),
  );
  return table.map((cells) => layOut(cells, widths)).join('\n');
}

function cellOf<Row extends object>(row: Row, column: Column<Row>): Cell {
  // The type of the column allows only fields whose values are cells.
  return typeof column === 'function' ? column(row) : (row[column] as Cell);
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
