import { CliError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';

/**
 * Returns the item with an id from a complete list, for resources without an address of their own.
 *
 * @param listCommand the command that shows the ids
 * @throws CliError (exit 3), like a 404
 */
export function findItem<Item extends { readonly id: number }>(
  items: readonly Item[],
  id: number,
  { resource, listCommand }: { readonly resource: string; readonly listCommand: string },
): Item {
  const item = items.find((each) => each.id === id);
  if (item !== undefined) return item;
  throw new CliError(
    'not_found',
    EXIT_CODES.notFound,
    `${resource} ${id} not found`,
    `\`${listCommand}\` shows those that the key can access.`,
  );
}
