import openapiTS, {
  astToString,
  STRING,
  tsIntersection,
  tsLiteral,
  tsRecord,
  tsUnion,
  NEVER,
} from 'openapi-typescript';
import { parse } from 'yaml';

type TypeNode = ReturnType<typeof tsUnion>;

const HEADER = `// Generated from openapi.yaml by scripts/generate.ts. Do not edit.\n\n`;

/**
 * An open vocabulary: one of these strings, or any other. A plain union would lose the known values (\`'a' | string\` is
 * \`string\`) and the editor's suggestions.
 */
function toOpenVocabulary(schema: unknown): TypeNode | undefined {
  if (typeof schema !== 'object' || schema === null || !('anyOf' in schema) || !Array.isArray(schema.anyOf)) return;
  const [known, other, ...rest]: unknown[] = schema.anyOf;
  if (rest.length > 0 || !isStringSchema(known) || !isStringSchema(other)) return;
  if (!Array.isArray(known.enum) || Object.keys(other).length !== 1) return;
  return tsUnion([...known.enum.map(tsLiteral), tsIntersection([STRING, tsRecord(NEVER, NEVER)])]);
}

function isStringSchema(schema: unknown): schema is { type: 'string'; enum?: unknown } {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string';
}

/** Returns `src/generated/openapi.ts`: `paths`, `components`, `operations`, `webhooks`. */
export async function renderTypes(yaml: string): Promise<string> {
  const nodes = await openapiTS(parse(yaml), {
    alphabetize: false,
    // A parameter with a default is still optional for the client.
    defaultNonNullable: false,
    silent: true,
    transform: toOpenVocabulary,
  });
  // The printer builds `Record<never, never>`; `{}` is the usual form of the idiom.
  return HEADER + astToString(nodes).replaceAll('string & Record<never, never>', 'string & {}');
}
