import { asList, asObject, asText } from '../http/answer-values.ts';
import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import { DAILY_LIMIT_REACHED } from '@svc/domain/syncs/connection-error';
import { type Consequence, CrmFailure, NEVER, RETRY, retryAfter, UNAVAILABLE } from '../http/http-failure.ts';
import type { CrmError } from '../port/types.ts';

/**
 * What Salesforce's refusals mean.
 *
 * A whole call answers `[{errorCode, message, fields}]`, a record of a collection `{errors: [{statusCode, message,
 * fields}]}`. Gateways in front of it answer HTML. The messages of some codes repeat values, so they are not shown.
 */
export interface SalesforceProblem {
  code: string;
  message: string;
  fields: readonly string[];
  /** What a duplicate rule found; null for every other code. */
  duplicates: SalesforceDuplicates | null;
}

export interface SalesforceDuplicates {
  /** Whether the rule lets the write pass when it is asked again. */
  allowsSave: boolean;
  matches: readonly { type: string; id: string }[];
}

/** How long a connection waits whose org has no calls left in its last 24 hours. */
const DAILY_LIMIT_PROBE_MS = 60 * 60 * 1000;
const CONCURRENT_MS = 5_000;
const LOCKED_MS = 2_000;
const MESSAGE_MAX_LENGTH = 500;

/** Codes whose messages consist of values. */
const WITHOUT_MESSAGE = new Set([
  'STRING_TOO_LONG',
  'INVALID_EMAIL_ADDRESS',
  'DUPLICATE_VALUE',
  'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
  'MALFORMED_ID',
]);

/** Reads the first problem of an answer or of one record's result; null when there is none. */
export function readProblem(value: unknown): SalesforceProblem | null {
  const list = Array.isArray(value) ? value : asList(asObject(value)['errors']);
  const [first] = list;
  if (first === undefined) return null;
  const problem = asObject(first);
  return {
    code: asText(problem['errorCode']) ?? asText(problem['statusCode']) ?? '',
    message: asText(problem['message']) ?? '',
    fields: asList(problem['fields']).filter((name) => typeof name === 'string'),
    duplicates: readDuplicates(problem['duplicateResult']),
  };
}

function readDuplicates(value: unknown): SalesforceDuplicates | null {
  if (typeof value !== 'object' || value === null) return null;
  const { allowSave, matchResults } = asObject(value);
  const matches = asList(matchResults)
    .flatMap((result) => asList(asObject(result)['matchRecords']))
    .flatMap((match) => {
      const record = asObject(asObject(match)['record']);
      const id = asText(record['Id']);
      return id === null ? [] : [{ id, type: asText(asObject(record['attributes'])['type']) ?? '' }];
    });
  return { allowsSave: allowSave === true, matches };
}

/**
 * Returns the failure of a refused call or record.
 *
 * @param part what was being written: "the contact"
 * @param problem null when the answer is not in Salesforce's form, such as a gateway's page
 * @param redact removes values of the request from the message
 */
export function toFailure(input: {
  part: string;
  httpStatus: number;
  headers?: Headers;
  problem: SalesforceProblem | null;
  nowMs: number;
  redact: (text: string) => string;
}): CrmFailure {
  const { part, httpStatus, problem, nowMs, redact } = input;
  const askedMs = parseRetryAfterMs(input.headers?.get('retry-after') ?? null, nowMs);
  const { code, consequence } = toMeaning(httpStatus, problem, nowMs, askedMs);
  const error: CrmError = {
    code,
    message: toMessage(part, httpStatus, problem, redact),
    httpStatus,
    ...(problem === null || problem.code === '' ? {} : { category: problem.code.slice(0, 100) }),
  };
  return new CrmFailure(error, consequence);
}

function toMeaning(
  status: number,
  problem: SalesforceProblem | null,
  nowMs: number,
  askedMs: number | null,
): { code: string; consequence: Consequence } {
  const unavailable = {
    code: 'unavailable',
    consequence: askedMs === null ? UNAVAILABLE : { ...retryAfter(askedMs, nowMs), isUnavailable: true as const },
  };
  const refusedToken = { code: 'disconnected', consequence: { retry: 'never' as const, disconnected: true } };
  if (problem === null) {
    if (status === 401) return refusedToken;
    // Neither Salesforce nor its API, but a gateway or a page for browsers.
    if (status >= 400) return unavailable;
    return { code: 'unexpected_answer', consequence: NEVER };
  }
  const { code, message } = problem;
  // A trigger of the customer that finds a locked record reports it in its own words.
  if (code === 'UNABLE_TO_LOCK_ROW' || message.includes('UNABLE_TO_LOCK_ROW'))
    return { code: 'locked', consequence: retryAfter(LOCKED_MS, nowMs) };
  if (status === 401) return refusedToken;
  switch (code) {
    case 'REQUEST_LIMIT_EXCEEDED':
      return message.startsWith('ConcurrentRequests')
        ? { code: 'rate_limited', consequence: retryAfter(askedMs ?? CONCURRENT_MS, nowMs) }
        : { code: DAILY_LIMIT_REACHED, consequence: retryAfter(askedMs ?? DAILY_LIMIT_PROBE_MS, nowMs) };
    case 'SERVER_UNAVAILABLE':
    case 'REQUEST_RUNNING_TOO_LONG':
      return unavailable;
    case 'QUERY_TIMEOUT':
    case 'INVALID_QUERY_LOCATOR':
      return { code: 'unavailable', consequence: RETRY };
    default:
      break;
  }
  if (status >= 500) return unavailable;
  if (status === 429) return { code: 'rate_limited', consequence: retryAfter(askedMs ?? CONCURRENT_MS, nowMs) };
  if (status === 403) return { code: 'forbidden', consequence: NEVER };
  if (status === 300) return { code: 'ambiguous', consequence: NEVER };
  return { code: 'refused', consequence: NEVER };
}

function toMessage(
  part: string,
  status: number,
  problem: SalesforceProblem | null,
  redact: (text: string) => string,
): string {
  const said = `Salesforce answered ${status} to ${part}`;
  if (problem === null) return status === 300 ? `${said}: several records match` : said;
  const { code, message, fields } = problem;
  const named = fields.length === 0 ? code : `${code} for ${fields.slice(0, 10).join(', ')}`;
  const shown = WITHOUT_MESSAGE.has(code) ? '' : redact(message).replaceAll(/\s+/g, ' ').trim();
  return [said, named, shown]
    .filter((text) => text !== '')
    .join(': ')
    .slice(0, MESSAGE_MAX_LENGTH);
}
