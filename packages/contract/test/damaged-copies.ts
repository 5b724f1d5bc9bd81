const WRONG_VALUES = [null, 'text', '', 0, -1, 1.5, 1000, true, false, [], {}, '2026-02-30T00:00:00Z', '2026-01-01'];

/** Yields every copy of `value` in which one thing, at any depth, is omitted or replaced. */
export function* damagedCopies(value: unknown): Generator<unknown> {
  yield* WRONG_VALUES;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const damaged of damagedCopies(item)) yield value.with(index, damaged);
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const rest: Record<string, unknown> = { ...value };
    delete rest[key];
    yield rest;
    for (const damaged of damagedCopies(item)) yield { ...value, [key]: damaged };
  }
  yield { ...value, unknownField: 1 };
}
