import type { Exchange } from '@svc/simulators';
import { Ajv, type SchemaObject, type ValidateFunction } from 'ajv';
import { afterEach, expect } from 'vitest';

/**
 * Checks every call of a test, and what the simulator answers to it, against what the vendor publishes: which operations
 * there are, and which fields and values each has. So neither a connector nor a simulator can use what the vendor does not
 * have.
 */

/** What a vendor publishes of its API, written down as data. Only the operations that are used. */
export interface VendorFacts {
  /** Where the facts are published, and the day of that publication. */
  source: string;
  date: string;
  /** By method and path, such as `GET /api/v2/persons/{id}`. A path without a variable comes before one with it. */
  operations: Readonly<Record<string, VendorOperation>>;
  /** The body of refusals that an operation does not describe itself. */
  refusal: SchemaObject;
}

export interface VendorOperation {
  /** Parameters of the query, which are text in the URL: `integer` and `boolean` are read from it. Default: none. */
  query?: Readonly<Record<string, SchemaObject>>;
  /** The body of the request. Default: none. */
  body?: SchemaObject;
  /** The body of each answer, by status; null for an answer without one. */
  answers: Readonly<Record<number, SchemaObject | null>>;
}

/** An object that has no other fields than these. */
export function fields(properties: Readonly<Record<string, SchemaObject>>, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function listOf(items: SchemaObject): SchemaObject {
  return { type: 'array', items };
}

/** One of several values of one type, as the vendor lists them. */
export function oneOf(...values: readonly (string | number)[]): SchemaObject {
  return { type: typeof values[0] === 'number' ? 'number' : 'string', enum: values };
}

/** The same, or null. */
export function orNull(schema: SchemaObject): SchemaObject {
  return { anyOf: [schema, { type: 'null' }] };
}

/**
 * Returns what a simulator calls with each exchange (`onExchange`). After each test of the file, the test fails with every
 * deviation that it made.
 */
export function checkExchanges(facts: VendorFacts): (exchange: Exchange) => void {
  const check = createExchangeCheck(facts);
  const deviations = new Set<string>();
  afterEach(() => {
    const found = [...deviations];
    deviations.clear();
    expect(found, `deviations from ${facts.source} of ${facts.date}`).toEqual([]);
  });
  return (exchange) => {
    for (const deviation of check(exchange)) deviations.add(deviation);
  };
}

const checks = new Map<VendorFacts, (exchange: Exchange) => string[]>();

/**
 * Returns a function that says how an exchange deviates from the facts; nothing when it does not. One function per facts: to compile their
 * schemas takes longer than to call a simulator a hundred times.
 */
export function createExchangeCheck(facts: VendorFacts): (exchange: Exchange) => string[] {
  const check = checks.get(facts) ?? compileExchangeCheck(facts);
  checks.set(facts, check);
  return check;
}

function compileExchangeCheck(facts: VendorFacts): (exchange: Exchange) => string[] {
  const bodies = new Ajv({ allErrors: true, verbose: true });
  const queries = new Ajv({ allErrors: true, verbose: true, coerceTypes: true });
  const operations = Object.entries(facts.operations).map(([name, operation]) => ({
    ...operation,
    name,
    pattern: toPattern(name),
  }));
  const compiled = new Map<SchemaObject, ValidateFunction>();
  const problemsOf = (ajv: Ajv, schema: SchemaObject, value: unknown): string[] => {
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? [] : toProblems(validate);
  };
  const querySchemas = new Map(operations.map(({ name, query = {} }) => [name, fields(query)]));

  return ({ method, url, body, answer }) => {
    const operation = operations.find(({ pattern }) => pattern.test(`${method} ${url.pathname}`));
    if (operation === undefined) return [`${method} ${url.pathname}: the vendor has no such operation`];
    const { name, answers } = operation;
    const query = querySchemas.get(name) ?? fields({});
    const asked = [
      ...problemsOf(queries, query, Object.fromEntries(url.searchParams)).map((problem) => `query${problem}`),
      ...bodyProblems(operation.body ?? null, body).map((problem) => `body${problem}`),
    ];
    const answered =
      answer === null ? [] : answerProblems(answers, answer).map((problem) => `answer ${answer.status}${problem}`);
    return [...asked, ...answered].map((problem) => `${name}: ${problem}`);
  };

  function answerProblems(
    answers: VendorOperation['answers'],
    { status, body, text }: NonNullable<Exchange['answer']>,
  ): string[] {
    // A page of a gateway is no answer of the API.
    if (text !== undefined) return [];
    const expected = answers[status];
    if (expected !== undefined) return bodyProblems(expected, body);
    return status >= 400 ? bodyProblems(facts.refusal, body) : [': the vendor has no answer with this status'];
  }

  function bodyProblems(schema: SchemaObject | null, sent: unknown): string[] {
    const body: unknown = sent === undefined ? undefined : JSON.parse(JSON.stringify(sent));
    if (schema === null) return body === undefined ? [] : [': there is a body where the vendor has none'];
    return body === undefined ? [': there is no body'] : problemsOf(bodies, schema, body);
  }
}

/** `{id}` in a name such as `GET /persons/{id}` is one segment of the path. */
function toPattern(name: string): RegExp {
  const escaped = name.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}

function toProblems({ errors }: ValidateFunction): string[] {
  return (errors ?? []).map(({ instancePath, message, params, data }) => {
    const detail = 'additionalProperty' in params ? ` (${params['additionalProperty']})` : '';
    const value = data === null || typeof data !== 'object' ? `, but is ${JSON.stringify(data)}` : '';
    return `${instancePath}: ${message}${detail}${value}`;
  });
}
