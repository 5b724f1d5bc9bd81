import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import { DAILY_LIMIT_REACHED } from '@svc/domain/syncs/connection-error';
import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure, type Consequence, NEVER, RETRY, retryAfter, UNAVAILABLE } from '../http/http-failure.ts';
import type { CrmError } from '../port/types.ts';

/**
 * Translates HubSpot's refusals:
 *
 * - 401: the token is not accepted, so the connection is disconnected.
 * - 429: wait for `Retry-After` if sent. Otherwise by policy: one second, the interval of ten seconds, or one hour for
 *   the daily limit, which ends at midnight in the portal's unknown time zone; an hourly probe costs 24 calls a day.
 * - 408, 477 (being moved), 5xx: retry; HubSpot as a whole does not work.
 * - 423: retry; one record is locked. 409: two concurrent writers; the next attempt finds the other's record.
 * - 400 for a property that the account's rules require: no retry, and the failure names it. Also 400: a user may not
 *   associate records, which concerns every input.
 * - Any other 4xx: no retry.
 */

const SECOND_MS = 1_000;
const INTERVAL_MS = 10_000;
const DAILY_LIMIT_PROBE_MS = 60 * 60 * 1000;
/** HubSpot's minimum wait before retrying a locked record. */
const LOCKED_MS = 2_000;
const MESSAGE_MAX_LENGTH = 500;

/** The used parts of an error body; each may be missing or have another type. */
export interface ErrorBody {
  message: string;
  category: string | null;
  correlationId: string | null;
  policyName: string | null;
  missing: readonly MissingProperty[];
}

/** A property that a rule of the account requires and a write lacks. */
export interface MissingProperty {
  property: string;
  /** The property whose value makes this one required; null: every new record must have this one. */
  because: string | null;
}

/** A refusal of HubSpot, with what it says of the account's rules. */
class HubspotRefusal extends CrmFailure {
  readonly missing: readonly MissingProperty[];

  constructor(error: CrmError, consequence: Consequence, missing: readonly MissingProperty[]) {
    super(error, consequence);
    this.missing = missing;
  }
}

/** Returns the properties that a refused write lacks; none when it was refused for another reason. */
export function missingIn(failure: unknown): readonly MissingProperty[] {
  return failure instanceof HubspotRefusal ? failure.missing : [];
}

export function readErrorBody(body: unknown): ErrorBody {
  const object = typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  const text = (name: string) => (typeof object[name] === 'string' ? object[name] : null);
  return {
    message: text('message') ?? '',
    category: text('category') ?? text('errorType'),
    correlationId: text('correlationId'),
    policyName: text('policyName'),
    missing: readMissing(object),
  };
}

/** Codes of 2026-09, from HubSpot's changelog of 11 August 2026 ("CRM API write validation enforcement"). */
const MISSING_CODES = new Set(['MISSING_REQUIRED_PROPERTY', 'MISSING_CONDITIONAL_REQUIRED_PROPERTY']);
const PROPERTY_NAME = /^[a-z0-9_]{1,100}$/i;

/** Reads the missing properties: one error each, or, as before 2026-09, their names in the context of the whole. */
function readMissing({ message, errors, context }: Readonly<Record<string, unknown>>): MissingProperty[] {
  const named = (names: unknown) =>
    asList(names).filter((name): name is string => typeof name === 'string' && PROPERTY_NAME.test(name));
  const isWhole = typeof message === 'string' && message.includes('required properties were not set');
  const ofWhole = isWhole ? named(asObject(context)['properties']) : [];
  return [
    ...ofWhole.map((property) => ({ property, because: null })),
    ...asList(errors).flatMap((entry) => {
      const error = asObject(entry);
      const code = String(error['code']);
      if (!MISSING_CODES.has(code)) return [];
      // "phone is required because of a conditional property rule based on [jobtitle]"
      const because =
        code === 'MISSING_REQUIRED_PROPERTY' ? null : (/\[(\w{1,100})\]/.exec(String(error['message']))?.[1] ?? '');
      return named(asObject(error['context'])['propertyName']).map((property) => ({ property, because }));
    }),
  ];
}

/**
 * Returns the failure of an answer with status 4xx or 5xx, or of one refused item of a batch.
 *
 * @param part what was being written: "the contact"
 * @param redact removes values of the request from the CRM's message
 */
export function toFailure(input: {
  part: string;
  httpStatus: number;
  headers: Headers;
  body: ErrorBody;
  nowMs: number;
  redact: (text: string) => string;
}): CrmFailure {
  const { part, httpStatus, headers, body, redact } = input;
  const error: CrmError = {
    code: httpStatus === 429 && isDailyLimit(headers, body) ? DAILY_LIMIT_REACHED : toCode(httpStatus, body),
    message: toMessage(part, httpStatus, body, redact),
    httpStatus,
    ...(body.category === null ? {} : { category: body.category.slice(0, 100) }),
    ...(body.correlationId === null ? {} : { correlationId: body.correlationId.slice(0, 100) }),
  };
  return new HubspotRefusal(error, toConsequence(input), body.missing);
}

function toCode(status: number, { message, missing }: ErrorBody): string {
  if (status === 401) return 'disconnected';
  // Version 2026-09 answers 400 with this text when the user who connected an app may not change associations.
  if (status === 403 || (status === 400 && message.includes("'Edit Associations' permission"))) return 'forbidden';
  if (status === 400 && missing.length > 0) return 'required_property';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || status === 408 || status === 423 || status === 477) return 'unavailable';
  if (status >= 400) return 'refused';
  return 'unexpected_answer';
}

function toConsequence({
  httpStatus,
  headers,
  body,
  nowMs,
}: {
  httpStatus: number;
  headers: Headers;
  body: ErrorBody;
  nowMs: number;
}): Consequence {
  const askedMs = parseRetryAfterMs(headers.get('retry-after'), nowMs);
  switch (toCode(httpStatus, body)) {
    case 'disconnected':
      return { retry: 'never', disconnected: true };
    case 'rate_limited':
      return retryAfter(askedMs ?? limitWaitMs(headers, body), nowMs);
    case 'unavailable':
      // One record is locked, HubSpot itself works.
      if (httpStatus === 423) return retryAfter(askedMs ?? LOCKED_MS, nowMs);
      return askedMs === null ? UNAVAILABLE : { ...retryAfter(askedMs, nowMs), isUnavailable: true };
    case 'conflict':
      return RETRY;
    default:
      return NEVER;
  }
}

function limitWaitMs(headers: Headers, body: ErrorBody): number {
  const { policyName } = body;
  if (isDailyLimit(headers, body)) return DAILY_LIMIT_PROBE_MS;
  if (policyName === 'SECONDLY') return SECOND_MS;
  const interval = Number(headers.get('x-hubspot-ratelimit-interval-milliseconds') ?? NaN);
  return interval > 0 ? interval : INTERVAL_MS;
}

function isDailyLimit(headers: Headers, { policyName }: ErrorBody): boolean {
  return policyName === 'DAILY' || headers.get('x-hubspot-ratelimit-daily-remaining') === '0';
}

function toMessage(part: string, status: number, body: ErrorBody, redact: (text: string) => string): string {
  const { message, missing } = body;
  if (missing.length > 0) {
    const wanted = missing.map(({ property, because }) => (because ? `${property} (because of ${because})` : property));
    const said = `HubSpot answered ${status} to ${part}: the account requires ${wanted.join(', ')}, and no value is known`;
    return `${said}. Send one, or change the rule in HubSpot`.slice(0, MESSAGE_MAX_LENGTH);
  }
  const problems = readPropertyProblems(message);
  const reason = problems.length > 0 ? problems.join(', ') : redact(message).replaceAll(/\s+/g, ' ').trim();
  const said = `HubSpot answered ${status} to ${part}`;
  return (reason === '' ? said : `${said}: ${reason}`).slice(0, MESSAGE_MAX_LENGTH);
}

/** Returns names and codes of refused properties, which HubSpot lists as JSON inside the message, without values. */
function readPropertyProblems(message: string): string[] {
  const start = message.indexOf('[{');
  if (!message.startsWith('Property values were not valid') || start < 0) return [];
  try {
    const list: unknown = JSON.parse(message.slice(start));
    if (!Array.isArray(list)) return [];
    return list.slice(0, 10).flatMap((item: unknown) => {
      const { error, name } = typeof item === 'object' && item !== null ? Object.fromEntries(Object.entries(item)) : {};
      return typeof error === 'string' && typeof name === 'string' ? [`${error} for ${name}`] : [];
    });
  } catch {
    return [];
  }
}
