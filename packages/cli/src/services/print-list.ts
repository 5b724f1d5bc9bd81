import { printRows, type RowsOutput } from '../output/rows.ts';
import { printNote } from '../output/stderr.ts';
import { readNewest, type Rows } from './read-newest.ts';

export interface HowMany {
  readonly limit: number;
  readonly all: boolean;
  readonly json: boolean;
  readonly jq?: string | undefined;
}

/** The newest rows of a long list, in the form that was asked for. That there are more is never left unsaid. */
export async function printList<Row>(list: Rows<Row>, howMany: HowMany, output: RowsOutput<Row>): Promise<void> {
  const { rows, moreExist } = await readNewest(list, howMany.all ? null : howMany.limit);
  await printRows(rows, output);
  if (!moreExist) return;
  const text = `Only the newest ${rows.length} are shown, more exist: --all, or --limit N.`;
  printNote(text, howMany.json || howMany.jq !== undefined, { shown: rows.length, moreExist });
}
