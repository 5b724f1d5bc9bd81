import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import { DAILY_LIMIT_REACHED } from '@svc/domain/syncs/connection-error';
import { CrmFailure, type Consequence, NEVER, RETRY, retryAfter, UNAVAILABLE } from '../http-failure.ts';
import type { CrmError } from '../types.ts';

/**
 * Translates HubSpot's refusals:
 *
 * - 401: the token is not accepted, so the connection is disconnected.
 * - 429: wait for `Retry-After` if sent. Otherwise by policy: one second, the interval of ten seconds, or one hour for
 *   the daily limit, which ends at midnight in the portal's unknown time zone; an hourly probe costs 24 calls a day.
 * - 408, 477 (being moved), 5xx: retry; HubSpot as a whole does not work.
 * - 423: retry; one record is locked. 409: two concurrent writers; the next attempt finds the other's record.
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
}

export function readErrorBody(body: unknown): ErrorBody {
  const object = typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  const text = (name: string) => (typeof object[name] === 'string' ? object[name] : null);
  return {
    message: text('message') ?? '',
    category: text('category') ?? text('errorType'),
    correlationId: text('correlationId'),
    policyName: text('policyName'),
  };
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
    code: httpStatus === 429 && isDailyLimit(headers, body) ? DAILY_LIMIT_REACHED : toCode(httpStatus),
    message: toMessage(part, httpStatus, body, redact),
    httpStatus,
    ...(body.category === null ? {} : { category: body.category.slice(0, 100) }),
    ...(body.correlationId === null ? {} : { correlationId: body.correlationId.slice(0, 100) }),
  };
  return new CrmFailure(error, toConsequence(input));
}

function toCode(status: number): string {
  if (status === 401) return 'disconnected';
  if (status === 403) return 'forbidden';
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
  switch (toCode(httpStatus)) {
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

function toMessage(part: string, status: number, { message }: ErrorBody, redact: (text: string) => string): string {
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
