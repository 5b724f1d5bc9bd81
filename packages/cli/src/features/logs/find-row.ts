import { filterRows } from '../../command/filter-rows.ts';
import { type LogRange, longerRange } from '../../command/log-range.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { formatCount } from '../../terminal/progress.ts';

/** Description of the commands that find a row in its log, in `--help`. */
export const FIND_NOTE =
  'The API has no address for a single one, so this reads the log back from its end, by default the last 7 days (`svc config set range` changes that). Exit code 3 means that the id is not in the range.';

/**
 * Finds a row in a log, which the API has no address for.
 *
 * @throws CliError (exit 3) if the range does not contain it
 */
export async function findRow<Row extends { readonly id: number }>(
  list: AsyncIterable<Row>,
  id: number,
  { name, rowsName, range, isJson }: { name: string; rowsName: string; range: LogRange; isJson: boolean },
): Promise<Row> {
  const rows = filterRows(list, (row) => row.id === id, { rowsName, isJson });
  const [found] = await rows.toArray({ limit: 1 });
  if (found !== undefined) return found;
  throw new CliError(
    'not_found',
    EXIT_CODES.notFound,
    `${name} ${id} is not among the ${formatCount(rows.countRead())} ${rowsName}${range.phrase}`,
    range.fromMs === null ? null : `Search a longer range: ${longerRange(range)}.`,
  );
}
