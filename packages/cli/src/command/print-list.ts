import type { List } from '@svc/sdk';
import { parseFields } from '../format/fields.ts';
import { printRows, printTableNote, type RowsOutput } from '../format/rows.ts';
import { formatCount } from '../terminal/progress.ts';
import { printNote, printNotice } from '../terminal/stderr.ts';
import { BaseCommand } from './base-command.ts';
import { listFlags, listFormat, pageFlags, rangeFlags } from './flags.ts';
import { type LogRange, longerRange } from './log-range.ts';

/** The part of a list that is used here. */
export interface Rows<Row> extends Pick<List<Row>, 'toArray'> {
  /** The number of rows read to find the matches, when the rows are filtered here. */
  readonly countRead?: () => number;
}

/** Returns the first rows of a list and whether more exist, for which it requests one row more. */
async function readNewest<Row>(list: Rows<Row>, limit: number): Promise<{ rows: Row[]; moreExist: boolean }> {
  if (limit === Number.POSITIVE_INFINITY) return { rows: await list.toArray(), moreExist: false };
  const rows = await list.toArray({ limit: limit + 1 });
  return { rows: rows.slice(0, limit), moreExist: rows.length > limit };
}

export interface PageFlags {
  readonly limit: number;
  readonly all: boolean;
  readonly json: boolean;
  readonly jq?: string | undefined;
}

export interface ListedRows {
  /** The plural of the rows, for messages. */
  readonly rowsName: string;
  /** Null for lists without a range. */
  readonly range: LogRange | null;
}

/** Prints the newest rows of a list, and below them the range and whether more rows exist. */
export async function printList<Row>(
  list: Rows<Row>,
  flags: PageFlags,
  output: RowsOutput<Row>,
  { rowsName, range }: ListedRows,
): Promise<void> {
  const { rows, moreExist } = await readNewest(list, flags.all ? Number.POSITIVE_INFINITY : flags.limit);
  await printRows(rows, output);
  const isJson = flags.json || flags.jq !== undefined;
  const read = list.countRead?.() ?? null;
  const filtered = read === null || range === null ? '' : ` ${describeRead(read, rowsName, { range, moreExist })}`;
  if (moreExist) {
    const text = `${describeNewest(rows.length, rowsName, range)}${filtered}`;
    return isJson ? printNote(text, isJson, { shown: rows.length, moreExist }) : printTableNote(text);
  }
  // A program that reads JSON gets no note on a complete list.
  if (range === null || output.format === 'json' || output.format === 'ndjson') return;
  if (rows.length > 0) printTableNote(`${describeAll(rows.length, rowsName, range)}${filtered}`);
  else if (output.format === 'csv') printNotice(`${output.whenEmpty}${filtered}`);
  else if (filtered !== '') printNotice(filtered.trimStart());
}

/** Says that the rows were filtered here, among which rows. */
function describeRead(
  read: number,
  rowsName: string,
  { range, moreExist }: { readonly range: LogRange; readonly moreExist: boolean },
): string {
  const rows = read === 1 ? singular(rowsName) : `${formatCount(read)} ${rowsName}`;
  return moreExist ? `Filtered here among the newest ${rows}.` : `Filtered here among the ${rows}${range.phrase}.`;
}

function describeNewest(count: number, rowsName: string, range: LogRange | null): string {
  const newest = count === 1 ? singular(rowsName) : `${formatCount(count)} ${rowsName}`;
  const label = range === null ? '' : ` (${range.label})`;
  const isCut = range?.isDefault === true && range.fromMs !== null;
  const more = isCut ? '--limit N, or --all for all time' : '--all or --limit N';
  return `Showing the newest ${newest}${label}. More: ${more}.`;
}

/** Describes a complete list, such as `Showing 12 syncs (last 7 days).` */
export function describeAll(count: number, rowsName: string, range: LogRange): string {
  const rows = count === 1 ? `1 ${singular(rowsName)}` : `${formatCount(count)} ${rowsName}`;
  return `Showing ${rows} (${range.label}).${hintLonger(range)}`;
}

/**
 * Returns the note instead of an empty table.
 *
 * @param flags every flag that is neither a range nor about the output is a filter
 */
export function describeNone(rowsName: string, range: LogRange, flags: object): string {
  return `No ${hasFilter(flags) ? 'matching ' : ''}${rowsName}${range.phrase}.${hintLonger(range)}`;
}

/** Advises a longer range if the user has not chosen one. */
function hintLonger(range: LogRange): string {
  const { isDefault, fromMs, toMs } = range;
  if (!isDefault || fromMs === null) return '';
  return toMs === null ? ` A longer range: ${longerRange(range)}.` : ' An earlier start: --from TIME, or --all.';
}

const NO_FILTERS = new Set(Object.keys({ ...rangeFlags, ...pageFlags, ...listFlags, ...BaseCommand.baseFlags }));

function hasFilter(flags: object): boolean {
  return Object.entries(flags).some(([name, value]) => value !== undefined && !NO_FILTERS.has(name));
}

function singular(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/s$/, '');
}

type ListFlags = Parameters<typeof listFormat>[0] & { readonly fields?: string | undefined };

/**
 * Returns how a command's rows are printed. Call it before any request.
 *
 * @throws CliError (usage) for an unknown field
 */
export function listOutput<Row>(flags: ListFlags, view: Omit<RowsOutput<Row>, 'format' | 'fields'>): RowsOutput<Row> {
  return { ...view, format: listFormat(flags), fields: parseFields(flags.fields, view.allFields) };
}
