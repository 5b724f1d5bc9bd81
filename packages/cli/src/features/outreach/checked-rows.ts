import type { ContactOutreachResponse } from '@svc/sdk';
import type { CsvForm } from './contact-file.ts';
import type { CheckResult } from './look-up-contacts.ts';
import { formatCsvCell, quoteCsvCell } from '../../format/csv.ts';
import { pickFields, readField } from '../../format/fields.ts';
import { OUTREACH_FIELDS, toShownOutreach } from './fields.ts';
import { formatValue } from '../../format/record.ts';
import { createRowEncoder, type RowEncoder, type RowFormat } from '../../format/row-encoder.ts';

/** The default fields of the answer. */
export const CHECK_FIELDS = [
  'doNotContact.value',
  'doNotContact.reasons',
  'found',
  'summary.everContacted',
  'summary.lastTouchAt',
  'summary.lastEventType',
  'summary.lastPlatform',
  'platforms.platform',
  'outcomes.replied',
  'outcomes.lastCategoryName',
] as const;

/** A record of the file and the result of its contact. */
export interface CheckedRow {
  readonly cells: readonly string[];
  readonly result: CheckResult;
  readonly error: string | null;
  /** The chosen fields, with their nesting. */
  readonly answer: unknown;
}

/** Name of the added object in JSON, and prefix of the added columns in CSV. */
const ADDED = 'outreach';

/** Returns the chosen fields of an answer, without `blocklists`. */
export function pickAnswer(answer: ContactOutreachResponse, fields: readonly string[]): unknown {
  return pickFields(toShownOutreach(answer), fields);
}

export interface CheckedRowsOptions {
  readonly format: RowFormat;
  readonly form: CsvForm;
  readonly header: readonly string[];
  readonly fields: readonly string[];
  readonly rowsBefore: number;
}

/**
 * Creates the encoder of checked rows. The cells of the file are unchanged, in CSV with the same delimiter, line ends and
 * byte order mark. Only added cells are protected against formulas. Columns of an earlier check are replaced.
 */
export function createCheckedRowEncoder(options: CheckedRowsOptions): RowEncoder {
  const { format, form, header, fields, rowsBefore } = options;
  const kept = header.flatMap((name, index) => (isAdded(name) ? [] : [index]));
  if (format === 'csv') {
    const { delimiter, lineEnd, hasByteOrderMark } = form;
    const formatLine = (cells: readonly string[], added: readonly unknown[]) =>
      [
        ...kept.map((index) => quoteCsvCell(cells[index] ?? '', delimiter)),
        ...added.map((value) => formatCsvCell(value, delimiter)),
      ].join(delimiter) + lineEnd;
    const columns = ['result', 'error', ...fields].map((name) => `${ADDED}.${name}`);
    return {
      begin: () => (hasByteOrderMark ? '\uFEFF' : '') + formatLine(header, columns),
      encode: (rows: readonly CheckedRow[]) =>
        rows
          .map(({ cells, result, error, answer }) =>
            formatLine(cells, [result, error, ...fields.map((field) => toCell(readField(answer, field)))]),
          )
          .join(''),
      end: () => '',
    };
  }
  const names = uniqueNames(header);
  const encoder = createRowEncoder(format, null, [], rowsBefore);
  return {
    ...encoder,
    encode: (rows: readonly CheckedRow[]) =>
      encoder.encode(
        rows.map(({ cells, result, error, answer }) => ({
          ...Object.fromEntries(kept.map((index) => [names[index], cells[index] ?? ''])),
          [ADDED]: { result, error, ...asRecord(answer ?? pickFields({}, fields)) },
        })),
      ),
  };
}

/** Joins lists with commas. */
function toCell(value: unknown): unknown {
  return Array.isArray(value) ? formatValue(value) : value;
}

function asRecord(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

const ADDED_COLUMNS = new Set(['result', 'error', ...OUTREACH_FIELDS].map((name) => `${ADDED}.${name}`));

function isAdded(name: string): boolean {
  return ADDED_COLUMNS.has(name);
}

/** Returns unique property names: a second `Email` becomes `Email_2`, a column without name `column_3`. */
function uniqueNames(header: readonly string[]): string[] {
  const taken = new Set([ADDED]);
  return header.map((given, index) => {
    const base = given === '' ? `column_${index + 1}` : given;
    let name = base;
    for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
    taken.add(name);
    return name;
  });
}
