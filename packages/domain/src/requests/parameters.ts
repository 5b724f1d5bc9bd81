/**
 * Query and path parameters of every operation.
 *
 * The rule: a parameter that is not repeatable may be sent once. An empty or malformed value is a 400 that says what to send.
 * A malformed id in a path is the 404 of the resource. Unknown parameters are ignored.
 */
import type { NotFoundResource } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { badRequest, notFound } from '../errors/errors.ts';
import { sortedUnique } from '../values/order.ts';
import { quoteInput } from '../values/quote-input.ts';

/** A query value as HTTP frameworks hand it over: absent, once, or repeated. */
export type RawParameter = string | readonly string[] | undefined;

/**
 * Parses the query of a request target (`/api/v1/syncs?limit=5`). Keeps every value of a repeated parameter. The result has
 * no prototype, so `query.constructor` is undefined unless it was sent.
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

/** The form of an id or a limit: decimal digits without sign, leading zero or exponent. */
const WHOLE_NUMBER = /^[1-9][0-9]*$/;

/** Parses a parameter that may be sent once; undefined when it was not sent. @throws ApiError 400 when repeated or empty */
export function parseScalar(name: string, raw: RawParameter): string | undefined {
  const values = toValues(raw);
  if (values.length > 1) throw badRequest(`${name} was sent ${values.length} times: send it once`);
  const [value] = values;
  if (value === '') throw badRequest(`${name} is empty: send a value or leave it out`);
  return value;
}

/** Parses an integer id in a filter; undefined when it was not sent. @throws ApiError 400 when it is not an id */
export function parseIdFilter(name: string, raw: RawParameter): number | undefined {
  const value = parseScalar(name, raw);
  if (value === undefined) return undefined;
  const id = toId(value);
  if (id === undefined) throw badRequest(`${name} must be a positive integer id, not ${quoteInput(value)}`);
  return id;
}

/** Parses an integer id in a path. @throws ApiError 404 naming the resource and the id as sent, when it is not an id */
export function parsePathId(resource: NotFoundResource, raw: string): number {
  const id = toId(raw);
  if (id === undefined) throw notFound(resource, raw);
  return id;
}

/** Parses one of `values`; undefined when it was not sent. @throws ApiError 400 listing the values */
export function parseEnumFilter<Value extends string>(
  name: string,
  raw: RawParameter,
  values: readonly Value[],
): Value | undefined {
  const value = parseScalar(name, raw);
  return value === undefined ? undefined : toMember(name, value, values);
}

/** Parses `true` or `false`; undefined when it was not sent. @throws ApiError 400 for every other spelling */
export function parseBooleanFilter(name: string, raw: RawParameter): boolean | undefined {
  const value = parseEnumFilter(name, raw, ['true', 'false']);
  return value === undefined ? undefined : value === 'true';
}

/**
 * Parses a repeatable parameter with values of a list. Returns them sorted and without duplicates; empty when it was not sent.
 * @throws ApiError 400 listing the values
 */
export function parseRepeatedEnum<Value extends string>(
  name: string,
  raw: RawParameter,
  values: readonly Value[],
): Value[] {
  return sortedUnique(toValues(raw).map((value) => toMember(name, value, values)));
}

/** Parses the page size: an integer from 1 to `max`, or `default` when it was not sent. @throws ApiError 400 */
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
