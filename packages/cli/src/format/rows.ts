import { paintFor } from '../terminal/colors.ts';
import { readField, topLevelFields } from './fields.ts';
import { formatValue } from './record.ts';
import { localizeTimes } from './times.ts';
import { createRowEncoder, type ListFormat } from './row-encoder.ts';
import { printNotice, writeStderr } from '../terminal/stderr.ts';
import { terminalWidth, writeRendered, writeStdout } from '../terminal/stdout.ts';
import { type Cell, type Column, layOutTable } from '../terminal/table.ts';
import { sanitize } from '../terminal/text.ts';
import { wrapText } from '../terminal/wrap.ts';

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
  if (format !== 'table' && format !== 'tsv') {
    const encoder = createRowEncoder(format, fields, topLevelFields(allFields));
    return writeStdout(encoder.begin() + encoder.encode(rows) + encoder.end());
  }
  if (rows.length === 0) {
    return printNotice(output.whenEmpty);
  }
  const columns = fields === null ? output.columns : fields.map((field) => fieldColumn<Row>(field));
  if (format === 'tsv') return writeRendered(renderTsv(rows, columns));
  const { text, hidden } = layOutTable(rows, columns, { width: terminalWidth(), paint: paintFor(process.stdout) });
  await writeRendered(text);
  if (hidden.length > 0) {
    const count = hidden.length === 1 ? '1 column' : `${hidden.length} columns`;
    printTableNote(`${count} hidden: ${hidden.join(', ')} (--fields or a wider terminal)`);
  }
}

/** Prints a line below a table, on stderr. A terminal gets it wrapped at spaces. */
export function printTableNote(text: string): void {
  const width = process.stderr.isTTY ? process.stderr.columns || 80 : Number.POSITIVE_INFINITY;
  writeStderr(`${wrapText(sanitize(text), width).join('\n')}\n`);
}

/** Renders a line of tab-separated values for each row, without a header. Tabs and line breaks in values become spaces. */
function renderTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const valueOf = ({ text, raw = text }: Cell) => localizeTimes(sanitize(raw));
  return rows.map((row) => `${columns.map(({ cell }) => valueOf(cell(row))).join('\t')}\n`).join('');
}

function fieldColumn<Row>(field: string): Column<Row> {
  return {
    header: field,
    cell: (row) => ({ text: localizeTimes(formatValue(readField(row, field))) }),
    canShrink: true,
  };
}
