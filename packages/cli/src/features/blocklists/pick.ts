import type { Blocklist, Client } from '@svc/sdk';
import { usageError } from '../../errors/cli-error.ts';

export interface BlocklistChoice {
  readonly ids: readonly number[];
  readonly all: boolean;
}

/** @throws CliError (exit 2) unless either ids or `--all` are given */
export function requireChoice({ ids, all }: BlocklistChoice): void {
  if (all && ids.length > 0) throw usageError('Give either ids or --all, not both');
  if (!all && ids.length === 0) {
    throw usageError('No block list is given', 'Give ids or --all. `svc blocklists list` shows the ids.');
  }
}

/** Returns the current state of the chosen lists without repeats; null for an id that the key cannot access. */
export async function pickBlocklists(
  client: Client,
  choice: BlocklistChoice,
): Promise<readonly { readonly id: number; readonly blocklist: Blocklist | null }[]> {
  requireChoice(choice);
  const { blocklists } = await client.blocklists.list();
  if (choice.all) return blocklists.map((blocklist) => ({ id: blocklist.id, blocklist }));
  return [...new Set(choice.ids)].map((id) => ({ id, blocklist: blocklists.find((list) => list.id === id) ?? null }));
}
