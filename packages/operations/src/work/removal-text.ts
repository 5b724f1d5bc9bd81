/** Texts about what a removal deletes and keeps, in a module that does not load the removal itself. */
import type { RemovalCounts } from '../store/removals.ts';

/** Returns a text such as `Removing source 3 deletes 2 relay bindings, and keeps 12 requests without it`. */
export function describePlan(what: string, { deleted, kept }: RemovalCounts): string {
  const keeps = listCounts(kept);
  return `Removing ${what} deletes ${listCounts(deleted) || 'nothing else'}${keeps && `, and keeps ${keeps} without it`}`;
}

/** Returns a text such as `Removed source 3 with 2 relay bindings. Kept without it: 12 requests.` */
export function describeResult(what: string, { deleted, kept }: RemovalCounts): string {
  const deletes = listCounts(deleted);
  const keeps = listCounts(kept);
  return `Removed ${what}${deletes && ` with ${deletes}`}.${keeps && ` Kept without it: ${keeps}.`}`;
}

function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => countOf(count, what))
    .join(', ');
}

/** Returns `1 binding`, `2 bindings` or `1 entry`. @param what in the plural */
export function countOf(count: number, what: string): string {
  return `${count} ${count === 1 ? what.replace(/s$/, '').replace(/ie$/, 'y') : what}`;
}
