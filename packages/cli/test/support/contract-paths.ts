/** What a zod schema of the contract offers here: the same for all kinds of it. */
interface Schema {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  unwrap?(): Schema;
}

/** Dotted paths of a zod schema, in its order, through arrays and what may be null. */
function pathsOf(schema: Schema): string[] {
  if (schema.element) return pathsOf(schema.element);
  if (schema.unwrap) return pathsOf(schema.unwrap());
  return Object.entries(schema.shape ?? {}).flatMap(([name, inner]) => [
    name,
    ...pathsOf(inner).map((path) => `${name}.${path}`),
  ]);
}

/**
 * The fields a command lists beside those of the contract, in the contract's order. `a.*` in `fields` stands for
 * whatever is inside of `a`, so what the contract names there is left out.
 */
export function againstContract(fields: readonly string[], schema: unknown): { listed: string[]; contract: string[] } {
  const open = fields.filter((field) => field.endsWith('.*')).map((field) => field.slice(0, -1));
  return {
    listed: fields.filter((field) => !field.endsWith('.*')),
    contract: pathsOf(schema as Schema).filter((path) => !open.some((prefix) => path.startsWith(prefix))),
  };
}
