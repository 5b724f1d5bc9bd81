import { paintFor } from '../terminal/colors.ts';
import { readField, topLevelFields } from './fields.ts';
import { formatValue } from './record.ts';
import { createRowEncoder, type ListFormat } from './row-encoder.ts';
import { printNotice } from '../terminal/stderr.ts';
import { terminalWidth, writeRendered, writeStdout } from '../terminal/stdout.ts';
import { type Column, renderTable } from '../terminal/table.ts';

export interface RowsOutput<Row> {
  readonly format: ListFormat;
  readonly fields: readonly string[] | null;
  /** All fields of a row. */
  readonly allFields: readonly string[];
  /** The table's columns when no fields are chosen. */
  readonly columns: readonly Column<Row>[];
  /** Note that is printed instead of an empty table. */
  readonly whenEmpty: string;
}

/** Prints rows in the chosen format. */
export async function printRows<Row>(rows: readonly Row[], output: RowsOutput<Row>): Promise<void> {
  const { format, fields, allFields } = output;
  if (format !== 'table') {
    const encoder = createRowEncoder(format, fields, topLevelFields(allFields));
    return writeStdout(encoder.begin() + encoder.encode(rows) + encoder.end());
  }
  if (rows.length === 0) {
    return printNotice(output.whenEmpty);
  }
  const columns = fields === null ? output.columns : fields.map((field) => fieldColumn<Row>(field));
  await writeRendered(renderTable(rows, columns, { width: terminalWidth(), paint: paintFor(process.stdout) }));
}

function fieldColumn<Row>(field: string): Column<Row> {
  return { header: field, cell: (row) => ({ text: formatValue(readField(row, field)) }), canShrink: true };
}
