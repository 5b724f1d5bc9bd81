import { formatCsvLine } from './csv.ts';
import { pickFields, readField } from './fields.ts';

export const ROW_FORMATS = ['csv', 'ndjson', 'json'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** `table` is the default in a terminal, `tsv` elsewhere. */
export const LIST_FORMATS = ['table', 'tsv', 'json', 'ndjson', 'csv'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** Converts rows to text page by page. */
export interface RowEncoder {
  /** Returns the text before the first row. */
  begin(): string;
  encode(rows: readonly unknown[]): string;
  end(): string;
}

/**
 * @param fields the chosen fields, or `null` for whole rows; CSV then has the columns `csvFields`
 * @param rowsBefore number of rows that another encoder has already written to the same output
 */
export function createRowEncoder(
  format: RowFormat,
  fields: readonly string[] | null,
  csvFields: readonly string[],
  rowsBefore = 0,
): RowEncoder {
  const pick = (row: unknown) => (fields === null ? row : pickFields(row, fields));
  switch (format) {
    case 'csv': {
      const columns = fields ?? csvFields;
      return {
        begin: () => formatCsvLine(columns),
        encode: (rows) => rows.map((row) => formatCsvLine(columns.map((field) => readField(row, field)))).join(''),
        end: () => '',
      };
    }
    case 'ndjson':
      return {
        begin: () => '',
        encode: (rows) => rows.map((row) => `${JSON.stringify(pick(row))}\n`).join(''),
        end: () => '',
      };
    case 'json': {
      let count = rowsBefore;
      return {
        begin: () => '[',
        encode: (rows) => rows.map((row) => `${count++ === 0 ? '\n' : ',\n'}${JSON.stringify(pick(row))}`).join(''),
        end: () => (count === 0 ? ']\n' : '\n]\n'),
      };
    }
  }
}
