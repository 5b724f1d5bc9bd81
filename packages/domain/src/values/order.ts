/**
 * The order of lists without pages: `getMe`, `listConnections`, `listSources`, `listDestinations`, `listReplyRelays`,
 * `listBlocklists`.
 *
 * The rule: sources, destinations, relays, block lists and connections are sorted by ascending id, webhooks by creation. Lists
 * of plain values are sorted and have no duplicates.
 */

/** Compares numbers by value and strings by code unit, as the database compares ASCII text. */
export function compareValues<Value extends number | string>(a: Value, b: Value): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** Returns connections, sources, destinations, relays or block lists sorted by id. */
export function sortById<Row extends { readonly id: number }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => compareValues(a.id, b.id));
}

/** Returns webhooks sorted oldest first, by id at the same instant. */
export function sortByCreation<Row extends { readonly createdAt: Date; readonly id: string }>(
  rows: readonly Row[],
): Row[] {
  return rows.toSorted(
    (a, b) => compareValues(a.createdAt.getTime(), b.createdAt.getTime()) || compareValues(a.id, b.id),
  );
}

/** Returns the distinct values in ascending order: `eventTypes`, `platforms`, `sourceIds`. */
export function sortedUnique<Value extends number | string>(values: Iterable<Value>): Value[] {
  return [...new Set(values)].sort(compareValues);
}
