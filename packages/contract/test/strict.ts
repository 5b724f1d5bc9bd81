/**
 * Validates answers and webhook deliveries strictly: reports undeclared statuses, missing headers, other media types, and
 * missing, extra or malformed fields. For tests only (`ajv` is a development dependency).
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OperationId } from '../src/operations.ts';
import {
  type ContractDocument,
  type HeaderObject,
  type JsonSchema,
  type OperationObject,
  type ParameterObject,
  type ResponseObject,
  readContractDocument,
  resolve,
  toStrictSchema,
} from './strict-document.ts';
import type { EventType } from '../src/vocabulary.ts';

/** `Headers` of fetch, or Node's plain object; names in any case. */
export type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | number | undefined>>;

/**
 * Returns the problems of an answer. `body` is the parsed JSON, the text of another media type, or undefined (or `''`) without
 * a body.
 */
export type ResponseValidator<Id extends string = OperationId> = (
  operationId: Id,
  status: number,
  headers: HeadersLike,
  body: unknown,
) => string[];

/** Returns the problems of a POST to a webhook. `body` is the parsed JSON. */
export type WebhookRequestValidator = (type: EventType, headers: HeadersLike, body: unknown) => string[];

const contract = readContractDocument();

export interface ValidatorOptions {
  /** Accepts unknown fields, as clients must. Default false. */
  readonly isOpen?: boolean;
  /** Another OpenAPI document. Default: the contract. */
  readonly document?: ContractDocument;
}

function createCompiler({
  document = contract,
  ...options
}: ValidatorOptions = {}): (schema: JsonSchema) => ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  const strictSchemas = Object.entries(document.components.schemas).map(([name, schema]) => [
    name,
    toStrictSchema(document, schema, options),
  ]);
  const $defs: unknown = Object.fromEntries(strictSchemas);
  const compiled = new Map<JsonSchema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const validate = ajv.compile({ ...toStrictSchema(document, schema, options), $defs });
    compiled.set(schema, validate);
    return validate;
  };
}

function validateValue(validate: ValidateFunction, value: unknown, where: string): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    const detail = 'unevaluatedProperty' in error.params ? `: ${error.params['unevaluatedProperty']}` : '';
    return `${where}${error.instancePath} ${error.message ?? error.keyword}${detail}`;
  });
}

function readHeader(headers: HeadersLike, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase());
  const value = entry?.[1];
  return value === undefined ? undefined : String(value);
}

/** Converts the text of a header to a number when its schema is an integer. */
function fromHeaderText(text: string, schema: JsonSchema): unknown {
  return schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
}

type Compile = ReturnType<typeof createCompiler>;

function validateHeader(
  compile: Compile,
  name: string,
  header: HeaderObject | ParameterObject,
  headers: HeadersLike,
): string[] {
  const text = readHeader(headers, name);
  if (text === undefined) return header.required === true ? [`header ${name} is missing`] : [];
  return validateValue(compile(header.schema), fromHeaderText(text, header.schema), `header ${name}`);
}

function validateBody(compile: Compile, response: ResponseObject, headers: HeadersLike, body: unknown): string[] {
  const isEmpty = body === undefined || body === '';
  if (response.content === undefined) return isEmpty ? [] : ['body: there must be none'];
  if (isEmpty) return ['body is missing'];
  const contentType = readHeader(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  const media = contentType === undefined ? undefined : response.content[contentType];
  if (media === undefined) return [`content-type ${contentType ?? '(none)'} is not declared`];
  return validateValue(compile(media.schema), body, 'body');
}

function operationsById(document: ContractDocument): ReadonlyMap<string, OperationObject> {
  const methods = Object.values(document.paths).flatMap((path) => Object.values(path));
  return new Map(methods.map((operation) => [operation.operationId, operation]));
}

/** Compiles once and on demand; make one and keep it. */
export function createResponseValidator(): ResponseValidator;
export function createResponseValidator(options: ValidatorOptions): ResponseValidator<string>;
export function createResponseValidator(options: ValidatorOptions = {}): ResponseValidator<string> {
  const { document = contract } = options;
  const compile = createCompiler(options);
  const operations = operationsById(document);
  return (operationId, status, headers, body) => {
    const operation = operations.get(operationId);
    if (operation === undefined) return [`${operationId} is no operation of the contract`];
    const declared = operation.responses[String(status)];
    if (declared === undefined) return [`undeclared status ${status} of ${operationId}`];
    const response = resolve<ResponseObject>(document, declared);
    const headerProblems = Object.entries(response.headers ?? {}).flatMap(([name, header]) =>
      validateHeader(compile, name, resolve<HeaderObject>(document, header), headers),
    );
    return [...headerProblems, ...validateBody(compile, response, headers, body)];
  };
}

/** Compiles once and on demand; make one and keep it. */
export function createWebhookRequestValidator(): WebhookRequestValidator {
  const compile = createCompiler();
  return (type, headers, body) => {
    const operation = contract.webhooks[type]?.post;
    if (operation === undefined) return [`${type} is no webhook of the contract`];
    const headerProblems = (operation.parameters ?? []).flatMap((reference) => {
      const parameter = resolve<ParameterObject>(contract, reference);
      return validateHeader(compile, parameter.name, parameter, headers);
    });
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (schema === undefined) return [`${type} declares no body`];
    return [...headerProblems, ...validateValue(compile(schema), body, 'body')];
  };
}

/** Returns the statuses that the contract declares for an operation, ascending. */
export function declaredStatuses(operationId: OperationId): number[] {
  const operation = operationsById(contract).get(operationId);
  return Object.keys(operation?.responses ?? {})
    .map(Number)
    .toSorted((a, b) => a - b);
}
