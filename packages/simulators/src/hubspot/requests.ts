import { Refusal } from './answer.ts';
import { findObjectType, type ObjectType } from './catalog.ts';

/** Reads the parts of a request and refuses wrong forms as HubSpot does. */

export type Json = Readonly<Record<string, unknown>>;

/** Most records of a batch. */
const BATCH_MAX = 100;

export function asObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, `Invalid input JSON: ${what} must be an object`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function asText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new Refusal(400, `Invalid input JSON: ${what} must be a string`);
  }
  return value;
}

export function asTexts(value: unknown, what: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refusal(400, `Invalid input JSON: ${what} must be an array`);
  return value.map((item) => asText(item, what));
}

export function readObjectType(name: string): ObjectType {
  const type = findObjectType(name);
  if (type === null) throw new Refusal(400, `Unable to infer object type from: ${name}`);
  return type;
}

/** @param max most inputs that the endpoint takes */
export function readInputs(body: unknown, max = BATCH_MAX): Json[] {
  const { inputs } = asObject(body, 'body');
  if (!Array.isArray(inputs) || inputs.length === 0)
    throw new Refusal(400, 'Invalid input JSON: inputs must not be empty');
  if (inputs.length > max) {
    throw new Refusal(
      400,
      `The maximum number of inputs supported in a batch request is ${max}. Received ${inputs.length}.`,
    );
  }
  return inputs.map((input) => asObject(input, 'inputs'));
}

/** Returns property values as strings. HubSpot also accepts numbers and booleans, and stores null as "". */
export function readProperties(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value ?? {}, 'properties')).map(([name, entry]): [string, string] => {
    if (entry === null) return [name, ''];
    if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean')
      return [name, String(entry)];
    throw new Refusal(400, `Invalid input JSON: property ${name} must be a string`);
  });
  return Object.fromEntries(entries);
}
