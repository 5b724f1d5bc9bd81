import type { CrmWrite } from '../port/types.ts';
import { personIdentities } from './identities.ts';

/** One event of a batch, with its position. */
export interface GroupedWrite {
  index: number;
  write: CrmWrite;
}

/**
 * Divides a batch into groups of events that may concern one person: those that share an address or a profile URL,
 * directly or through other events. The events of a group keep their order.
 */
export function groupByPerson(writes: readonly CrmWrite[]): GroupedWrite[][] {
  const groups = new Map<string, GroupedWrite[]>();
  for (const [index, write] of writes.entries()) {
    const identities = personIdentities(write.event);
    const found = new Set(identities.flatMap((identity) => groups.get(identity) ?? []));
    const merged = [...found, { index, write }].toSorted((a, b) => a.index - b.index);
    const all = new Set(merged.flatMap((entry) => personIdentities(entry.write.event)));
    for (const identity of all) groups.set(identity, merged);
  }
  return [...new Set(groups.values())];
}
