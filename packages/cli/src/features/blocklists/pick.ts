import type { Blocklist, Client } from '@svc/sdk';
import { usageError } from '../../errors/cli-error.ts';

export interface BlocklistChoice {
  readonly ids: readonly number[];
  readonly all: boolean;
}

/** @throws CliError (usage) when none are named, or both ids and `--all` */
export function requireChoice({ ids, all }: BlocklistChoice): void {
  if (all && ids.length > 0) throw usageError('Name block lists, or --all of them: not both');
  if (!all && ids.length === 0) {
    throw usageError('No block list is named', 'Name ids, or add --all; `svc blocklists list` shows them.');
  }
}

/** The lists that are meant, as they are now, each once; null for an id that the key does not reach. */
export async function pickBlocklists(
  client: Client,
  choice: BlocklistChoice,
): Promise<readonly { readonly id: number; readonly blocklist: Blocklist | null }[]> {
  requireChoice(choice);
  const { blocklists } = await client.blocklists.list();
  if (choice.all) return blocklists.map((blocklist) => ({ id: blocklist.id, blocklist }));
  return [...new Set(choice.ids)].map((id) => ({ id, blocklist: blocklists.find((list) => list.id === id) ?? null }));
}
