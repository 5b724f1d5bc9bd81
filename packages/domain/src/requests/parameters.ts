/**
 * Specification, "Endpoints": query and path parameters.
 *
 * The rule: a parameter that is not repeatable may be sent once; an empty value is no value but a mistake; a value of
 * the wrong form in a filter is a 400 that says what to send; an id of the wrong form in a path names nothing, so it
 * is the resource's 404. Parameters the operation does not know are never looked at.
 */
import type { NotFoundResource } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { badRequest, notFound } from '../errors/errors.ts';
import { sortedUnique } from '../values/order.ts';
import { quoteInput } from '../values/quote-input.ts';

/** A query value as HTTP frameworks hand it over: absent, once, or repeated. */
export type RawParameter = string | readonly string[] | undefined;

/**
 * The query of a request target (`/api/v1/syncs?limit=5`): every value of a repeated parameter is kept, so that the rules
 * can refuse or use the repeats. What is asked for under a name that was not sent is undefined, whatever the name.
 */
export function parseQuery(target: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const start = target.indexOf('?');
  if (start < 0) return query;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (typeof known === 'string') query[name] = [known, value];
    else known.push(value);
  }
  return query;
}

/** Decimal digits without sign, leading zero or exponent: the only spelling of an id or a limit. */
const WHOLE_NUMBER = /^[1-9][0-9]*$/;

/** A parameter that may be sent once. `undefined` when it was not sent; 400 when it is repeated or empty. */
export function parseScalar(name: string, raw: RawParameter): string | undefined {
  const values = toValues(raw);
  if (values.length > 1) throw badRequest(`${name} was sent ${values.length} times: send it once`);
  const [value] = values;
  if (value === '') throw badRequest(`${name} is empty: send a value or leave it out`);
  return value;
}

/** An integer id in a filter, 1 and up. `undefined` when it was not sent; 400 for anything that is not an id. */
export function parseIdFilter(name: string, raw: RawParameter): number | undefined {
  const value = parseScalar(name, raw);
  if (value === undefined) return undefined;
  const id = toId(value);
  if (id === undefined) throw badRequest(`${name} must be a positive integer id, not ${quoteInput(value)}`);
  return id;
}

/** An integer id in a path. 404 in the resource's words, with the id as it was sent, for anything that is not an id. */
export function parsePathId(resource: NotFoundResource, raw: string): number {
  const id = toId(raw);
  if (id === undefined) throw notFound(resource, raw);
  return id;
}

/** One of `values`, exactly as spelled there. `undefined` when it was not sent; 400 lists the values. */
export function parseEnumFilter<Value extends string>(
  name: string,
  raw: RawParameter,
  values: readonly Value[],
): Value | undefined {
  const value = parseScalar(name, raw);
  return value === undefined ? undefined : toMember(name, value, values);
}

/** `true` or `false`. `undefined` when it was not sent; 400 for every other spelling. */
export function parseBooleanFilter(name: string, raw: RawParameter): boolean | undefined {
  const value = parseEnumFilter(name, raw, ['true', 'false']);
  return value === undefined ? undefined : value === 'true';
}

/**
 * A repeatable parameter, each value one of `values`: sorted, without duplicates. Empty when it was not sent, which
 * means no filter; 400 lists the values.
 */
export function parseRepeatedEnum<Value extends string>(
  name: string,
  raw: RawParameter,
  values: readonly Value[],
): Value[] {
  return sortedUnique(toValues(raw).map((value) => toMember(name, value, values)));
}

/** The page size: an integer from 1 to `max`, `default` when it was not sent, 400 otherwise ("Limits"). */
export function parseLimit(raw: RawParameter, bounds: { readonly default: number; readonly max: number }): number {
  const value = parseScalar('limit', raw);
  if (value === undefined) return bounds.default;
  const limit = WHOLE_NUMBER.test(value) ? Number(value) : Number.NaN;
  if (limit <= bounds.max) return limit;
  throw badRequest(`limit must be an integer from 1 to ${bounds.max}, not ${quoteInput(value)}`);
}

function toValues(raw: RawParameter): readonly string[] {
  if (raw === undefined) return [];
  return typeof raw === 'string' ? [raw] : raw;
}

function toId(value: string): number | undefined {
  if (!WHOLE_NUMBER.test(value)) return undefined;
  const id = Number(value);
  return id <= LIMITS.integerIdMax ? id : undefined;
}

function toMember<Value extends string>(name: string, value: string, values: readonly Value[]): Value {
  const member = values.find((candidate) => candidate === value);
  if (member === undefined) throw badRequest(`${name} must be one of ${values.join(', ')}, not ${quoteInput(value)}`);
  return member;
}
