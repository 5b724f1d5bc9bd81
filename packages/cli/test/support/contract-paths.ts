/** The parts of a zod schema that are needed here. */
interface Schema {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  unwrap?(): Schema;
}

/** Returns the dotted paths of a zod schema in its order, through arrays and nullable fields. */
function pathsOf(schema: Schema): string[] {
  if (schema.element) return pathsOf(schema.element);
  if (schema.unwrap) return pathsOf(schema.unwrap());
  return Object.entries(schema.shape ?? {}).flatMap(([name, inner]) => [
    name,
    ...pathsOf(inner).map((path) => `${name}.${path}`),
  ]);
}

/**
 * Returns the fields that a command lists, and those of the contract, for comparison. `a.*` in `fields` covers
 * everything inside `a`, so those paths are left out of both.
 */
export function againstContract(fields: readonly string[], schema: unknown): { listed: string[]; contract: string[] } {
  const open = fields.filter((field) => field.endsWith('.*')).map((field) => field.slice(0, -1));
  return {
    listed: fields.filter((field) => !field.endsWith('.*')),
    contract: pathsOf(schema as Schema).filter((path) => !open.some((prefix) => path.startsWith(prefix))),
  };
}
