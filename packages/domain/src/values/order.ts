/**
 * Specification, "Identity" and "Introspection": the order of what is listed whole, without pages.
 *
 * The rule: sources, destinations, relays, block lists and connections come by ascending id, the same in every answer
 * that shows them; webhooks come in the order of their creation; lists of plain values are sorted and hold each once.
 */

/** Numbers by value, strings by code unit: for ids and names in ASCII that is bytewise, as the database compares them. */
export function compareValues<Value extends number | string>(a: Value, b: Value): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** The one order of connections, sources, destinations, relays and block lists. Leaves its argument alone. */
export function sortById<Row extends { readonly id: number }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => compareValues(a.id, b.id));
}

/** The order of webhooks: oldest first, by id where the instant is the same. Leaves its argument alone. */
export function sortByCreation<Row extends { readonly createdAt: Date; readonly id: string }>(
  rows: readonly Row[],
): Row[] {
  return rows.toSorted(
    (a, b) => compareValues(a.createdAt.getTime(), b.createdAt.getTime()) || compareValues(a.id, b.id),
  );
}

/** Each value once, ascending: `eventTypes`, `platforms`, `sourceIds`. */
export function sortedUnique<Value extends number | string>(values: Iterable<Value>): Value[] {
  return [...new Set(values)].sort(compareValues);
}
