import type { List } from '@svc/sdk';
import { parseFields } from '../format/fields.ts';
import { printRows, type RowsOutput } from '../format/rows.ts';
import { listFormat } from './flags.ts';
import { printNote } from '../terminal/stderr.ts';

/** The part of a list that is used here. */
export type Rows<Row> = Pick<List<Row>, 'toArray'>;

/** Returns the first rows of a list and whether more exist, for which it requests one row more. */
async function readNewest<Row>(list: Rows<Row>, limit: number | null): Promise<{ rows: Row[]; moreExist: boolean }> {
  if (limit === null) return { rows: await list.toArray(), moreExist: false };
  const rows = await list.toArray({ limit: limit + 1 });
  return { rows: rows.slice(0, limit), moreExist: rows.length > limit };
}

export interface PageFlags {
  readonly limit: number;
  readonly all: boolean;
  readonly json: boolean;
  readonly jq?: string | undefined;
}

/** Prints the newest rows of a list, and a note if more exist. */
export async function printList<Row>(list: Rows<Row>, flags: PageFlags, output: RowsOutput<Row>): Promise<void> {
  const { rows, moreExist } = await readNewest(list, flags.all ? null : flags.limit);
  await printRows(rows, output);
  if (!moreExist) return;
  const newest = rows.length === 1 ? 'row is' : `${rows.length} rows are`;
  const text = `Only the newest ${newest} shown. Use --all or --limit N to show more.`;
  printNote(text, flags.json || flags.jq !== undefined, { shown: rows.length, moreExist });
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
