import { parse } from 'yaml';

/** The parts of a JSON schema that answers use. */
interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

interface Reference {
  readonly $ref?: string;
}

interface ResponseObject extends Reference {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

interface OperationObject {
  readonly operationId?: string;
  readonly responses?: Readonly<Record<string, ResponseObject>>;
}

interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

const HEADER = `// Generated from openapi.yaml by scripts/generate.ts. Do not edit.
import * as z from 'zod/mini';

`;

const FOOTER_COMMENT = `/**
 * Schemas of success answers by method, path template and status, for clients that must accept later releases: they check names
 * and types of fields, but not values of enumerations, unknown fields, lengths and prefixes of ids.
 */
`;

/** Returns `src/generated/answers.ts`: a zod/mini schema for the JSON of every success answer. */
export function renderAnswers(yaml: string): string {
  const document: ContractDocument = parse(yaml);
  const names: string[] = [];
  const declarations: string[] = [];

  /** Returns the constant's name for a schema of the contract, and declares it on first use. */
  const refer = (ref: string): string => {
    const name = ref.replace('#/components/schemas/', '');
    const schema = document.components.schemas[name];
    if (schema === undefined) throw new Error(`${ref} is not in the contract`);
    if (!names.includes(name)) {
      names.push(name);
      // Added after its dependencies.
      const text = toZod(schema, refer);
      declarations.push(`const ${name} = ${text};\n`);
    }
    return name;
  };

  const entries: string[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId === undefined) continue;
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        const schema = response.content?.['application/json']?.schema;
        if (!status.startsWith('2') || schema === undefined) continue;
        entries.push(`  '${method.toUpperCase()} ${path} ${status}': ${toZod(schema, refer)},\n`);
      }
    }
  }
  const table = `export const answers: Readonly<Record<string, z.ZodMiniType>> = {\n${entries.join('')}};\n`;
  return `${HEADER}${declarations.join('')}\n${FOOTER_COMMENT}${table}`;
}

/** @throws Error for an unsupported form, so that no check is silently omitted */
function toZod(schema: JsonSchema, refer: (ref: string) => string): string {
  if (schema.$ref !== undefined) return refer(schema.$ref);
  if (schema.allOf !== undefined) {
    const [base, ...rest] = schema.allOf;
    if (base === undefined) throw new Error('an empty allOf');
    return rest.reduce((text, part) => `z.extend(${text}, ${shapeOf(part, refer)})`, toZod(base, refer));
  }
  if (schema.anyOf !== undefined) {
    const others = schema.anyOf.filter(({ type }) => type !== 'null');
    const texts = [...new Set(others.map((part) => toZod(part, refer)))];
    const text = texts.length === 1 ? `${texts[0]}` : `z.union([${texts.join(', ')}])`;
    return others.length === schema.anyOf.length ? text : `z.nullable(${text})`;
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const [type, ...more] = types.filter((name) => name !== 'null');
  if (more.length > 0) throw new Error(`several types: ${types.join(', ')}`);
  const text = toPlainZod(type, schema, refer);
  return types.includes('null') ? `z.nullable(${text})` : text;
}

function toPlainZod(type: string | undefined, schema: JsonSchema, refer: (ref: string) => string): string {
  const minimum = schema.minimum === undefined ? '' : `.check(z.minimum(${schema.minimum}))`;
  switch (type) {
    case 'object':
      return `z.looseObject(${shapeOf(schema, refer)})`;
    case 'array':
      return `z.array(${toZod(schema.items ?? {}, refer)})`;
    case 'integer':
      return `z.int()${minimum}`;
    case 'number':
      return `z.number()${minimum}`;
    case 'boolean':
      return 'z.boolean()';
    case 'string':
      return toString(schema.format);
    case undefined:
      return 'z.unknown()';
    default:
      throw new Error(`the type ${type}`);
  }
}

function toString(format: string | undefined): string {
  switch (format) {
    case 'date-time':
      return 'z.iso.datetime()';
    case 'uri':
      return 'z.url()';
    case undefined:
      return 'z.string()';
    default:
      throw new Error(`the format ${format}`);
  }
}

function shapeOf({ properties = {}, required = [] }: JsonSchema, refer: (ref: string) => string): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const text = toZod(schema, refer);
    return `${name}: ${required.includes(name) ? text : `z.optional(${text})`}`;
  });
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
