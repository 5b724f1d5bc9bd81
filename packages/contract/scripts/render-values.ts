import { parse } from 'yaml';

interface JsonSchema {
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
}

const HEADER = `// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

/** The values of each vocabulary, in the order of the contract. An open vocabulary may have other values too. */
`;

/** Returns `src/generated/values.ts`: a list of values for every schema that is an enumeration. */
export function renderValues(yaml: string): string {
  const document: { components: { schemas: Readonly<Record<string, JsonSchema>> } } = parse(yaml);
  const lists = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
    const values = schema.enum ?? schema.anyOf?.[0]?.enum;
    if (values === undefined) return [];
    return [
      `export const ${toConstantName(name)} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`,
    ];
  });
  return HEADER + lists.join('\n');
}

/** `SyncStatus` becomes `SYNC_STATUS_VALUES`. */
function toConstantName(schema: string): string {
  return `${schema.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_VALUES`;
}
