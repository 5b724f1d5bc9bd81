/** Removes what a configuration file does not name, with the removals of the other commands. */
import type { ConfigStep } from '../declared/config.ts';
import { removeBlocklist } from '../declared/blocklists.ts';
import { removeConnection } from '../declared/connections.ts';
import { removeDestination } from '../declared/destinations.ts';
import { removeRelay } from '../declared/relays.ts';
import { removeSequencerKey } from '../declared/sequencer-keys.ts';
import { removeSource } from '../declared/sources.ts';
import { countRemoval } from '../store/removals.ts';
import { AdminError } from './admin-error.ts';
import type { StoredItem } from './config-items.ts';
import { type AdminContext, CONFIG_ACTOR, type Operation, perform } from './operation.ts';
import { implementRemovals } from './removal.ts';

const REMOVALS: ReadonlyMap<string, Operation> = new Map(
  implementRemovals([
    ...[removeConnection, removeSource, removeDestination],
    ...[removeRelay, removeBlocklist, removeSequencerKey],
  ]).map((operation) => [operation.declaration.name, operation]),
);

/** Removes a row with what belongs to it. A row that is gone already is removed. */
export async function removeStored(ctx: AdminContext, { kind, row }: StoredItem): Promise<void> {
  const operation = REMOVALS.get(`${kind}s/remove`);
  if (operation === undefined) throw new Error(`A configuration file never removes a row of the kind ${kind}.`);
  const input = { id: row.id, isConfirmed: true };
  await perform(ctx, operation, { input, actor: CONFIG_ACTOR }).catch((error: unknown) => {
    if (!(error instanceof AdminError && error.code === 'not_found')) throw error;
  });
}

/** Counts what goes with a row of the kinds that have no logs, whose rows may be millions. */
export async function countQuickly({ db }: AdminContext, { kind, row }: StoredItem): Promise<ConfigStep['changes']> {
  if (kind !== 'blocklist' && kind !== 'sequencer-key') return [];
  const counts = await countRemoval(db, kind, Number(row.id));
  const found = Object.entries({ ...counts?.deleted, ...counts?.kept });
  return found.map(([field, count]) => ({ field, from: count, to: null }));
}
