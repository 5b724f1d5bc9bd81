/**
 * A strict copy of the contract for tests, which refuses everything undeclared. The published contract is loose, because clients
 * must ignore unknown fields.
 */
import { openapiJson } from '../src/generated/document.ts';

/** The parts of a JSON schema that are used here. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}

export interface HeaderObject {
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface MediaTypeObject {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface Reference {
  readonly $ref: string;
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly 'x-svc-access'?: string;
  readonly 'x-svc-rate-bucket'?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaTypeObject>> };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** The parts of the contract that tests use. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly [section: string]: Readonly<Record<string, unknown>>;
  };
}

/** Returns a new copy of the contract. */
export function readContractDocument(): ContractDocument {
  return JSON.parse(openapiJson);
}

/** Resolves a `$ref` within the document; returns anything else unchanged. Throws for a missing target. */
export function resolve<T extends object>(document: ContractDocument, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const [section = '', name = ''] = value.$ref.replace('#/components/', '').split('/');
  const target = document.components[section]?.[name];
  if (target === undefined) throw new Error(`${value.$ref} points nowhere`);
  return target as T;
}

const SCHEMA_PREFIX = '#/components/schemas/';
const isOpenObject = (schema: JsonSchema): boolean => schema.additionalProperties !== undefined;

/**
 * Returns the schemas with `unevaluatedProperties: false` on every object that has properties, and with references rewritten to
 * `#/$defs/...`.
 *
 * @param options.isOpen leaves objects open, as published
 */
export function toStrictSchema(
  document: ContractDocument,
  schema: JsonSchema,
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): JsonSchema {
  const { schemas } = document.components;

  function strict(node: JsonSchema): JsonSchema {
    const inner = withoutClosing(node);
    if (isOpen) return inner;
    const namesProperties = node.properties !== undefined && !isOpenObject(node);
    return namesProperties || node.allOf !== undefined ? { ...inner, unevaluatedProperties: false } : inner;
  }

  // The parts of an `allOf` must stay open: a closed part would refuse the properties of the other parts.
  function part(node: JsonSchema): JsonSchema {
    const target = node.$ref === undefined ? node : schemas[node.$ref.slice(SCHEMA_PREFIX.length)];
    if (target === undefined) throw new Error(`${node.$ref} points nowhere`);
    return withoutClosing(target);
  }

  function withoutClosing(node: JsonSchema): JsonSchema {
    const { $ref, properties, items, anyOf, allOf } = node;
    return {
      ...node,
      ...($ref === undefined ? {} : { $ref: $ref.replace(SCHEMA_PREFIX, '#/$defs/') }),
      ...(properties === undefined
        ? {}
        : { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strict(value)])) }),
      ...(items === undefined ? {} : { items: strict(items) }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map(strict) }),
      ...(allOf === undefined ? {} : { allOf: allOf.map(part) }),
    };
  }

  return strict(schema);
}
