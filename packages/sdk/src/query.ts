/** A query without the parameters that were left out; exact optional types know no `undefined`. */
export function toQuery<Query extends object>(
  query: Query,
): { [Name in keyof Query]: Exclude<Query[Name], undefined> } {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Query]: Exclude<Query[Name], undefined> };
}
