import { parse } from 'yaml';

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

const HEADER = `// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

/**
 * The fields of each schema as dotted paths, in the order of the contract. Paths lead through arrays. \`a.*\` stands for an object \`a\`
 * whose fields the contract leaves open.
 */
`;

/** Returns `src/generated/fields.ts`: a list of field paths for every schema with properties. */
export function renderFields(yaml: string): string {
  const document: { components: { schemas: Readonly<Record<string, JsonSchema>> } } = parse(yaml);
  const { schemas } = document.components;

  const resolve = (schema: JsonSchema): JsonSchema => {
    if (schema.$ref === undefined) return schema;
    const name = schema.$ref.replace('#/components/schemas/', '');
    const found = schemas[name];
    if (found === undefined) throw new Error(`${schema.$ref} is not in the contract`);
    return resolve(found);
  };
  const propertiesOf = (schema: JsonSchema): readonly [string, JsonSchema][] => {
    const { allOf = [], properties = {} } = resolve(schema);
    return [...allOf.flatMap(propertiesOf), ...Object.entries(properties)];
  };
  const pathsOf = (schema: JsonSchema): string[] =>
    propertiesOf(schema).flatMap(([name, value]) => [name, ...innerPaths(value).map((path) => `${name}.${path}`)]);
  const innerPaths = (value: JsonSchema): string[] => {
    const schema = resolve(value);
    if (schema.items !== undefined) return innerPaths(schema.items);
    if (schema.anyOf !== undefined) return schema.anyOf.flatMap(innerPaths);
    const paths = pathsOf(schema);
    return paths.length === 0 && [schema.type].flat().includes('object') ? ['*'] : paths;
  };

  const lists = Object.entries(schemas).flatMap(([name, schema]) => {
    const paths = pathsOf(schema);
    if (paths.length === 0) return [];
    return [`export const ${toConstantName(name)} = [\n${paths.map((path) => `  '${path}',\n`).join('')}] as const;\n`];
  });
  return HEADER + lists.join('\n');
}

/** `RequestReceipt` becomes `REQUEST_RECEIPT_FIELDS`. */
function toConstantName(schema: string): string {
  return `${schema.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_FIELDS`;
}
