import { parseRetryAfterMs } from '@svc/domain/network/retry-after';
import { DAILY_LIMIT_REACHED } from '@svc/domain/syncs/connection-error';
import { type Consequence, CrmFailure, NEVER, retryAfter, UNAVAILABLE } from '../http/http-failure.ts';
import type { CrmAnswer } from '../http/http.ts';
import type { CrmError } from '../port/types.ts';

/**
 * Translates Pipedrive's refusals:
 *
 * - 401: the token is not accepted, so the connection is disconnected.
 * - 402: the company is closed or has not paid. Ask again after six hours.
 * - 403 without JSON is Cloudflare's page for a caller that went on after many 429s. Ask again after 15 minutes. Any other
 *   403 is final: a missing permission, a field of a feature that is off, or a limit of the plan.
 * - 429 with nothing left of the day's tokens: look again hourly, because the day ends at midnight of Pipedrive's server,
 *   whose time zone is unknown. Any other 429: wait for `x-ratelimit-reset`, at least two seconds.
 * - 408 and 5xx: retry; Pipedrive as a whole does not work.
 * - Any other 4xx: no retry.
 */

const WINDOW_MS = 2_000;
const DAILY_LIMIT_PROBE_MS = 60 * 60 * 1000;
const UNPAID_PROBE_MS = 6 * 60 * 60 * 1000;
const BLOCKED_MS = 15 * 60 * 1000;
const MESSAGE_MAX_LENGTH = 500;

/** Returns the failure of an answer whose status is no success. @param redact removes values of the request */
export function toFailure(
  part: string,
  answer: CrmAnswer,
  { nowMs, redact }: { nowMs: number; redact: (text: string) => string },
): CrmFailure {
  const { status: httpStatus, headers } = answer;
  const body = readErrorBody(answer.body);
  const code = toCode(answer, body);
  const reason = redact(body.message).replaceAll(/\s+/g, ' ').trim();
  const said = `Pipedrive answered ${httpStatus} to ${part}`;
  const correlationId = headers.get('x-correlation-id');
  const error: CrmError = {
    code,
    message: (reason === '' ? said : `${said}: ${reason}`).slice(0, MESSAGE_MAX_LENGTH),
    httpStatus,
    ...(body.code === null ? {} : { category: body.code.slice(0, 100) }),
    ...(correlationId === null ? {} : { correlationId: correlationId.slice(0, 100) }),
  };
  return new CrmFailure(error, toConsequence(code, answer, nowMs));
}

/**
 * Returns whether a write may have happened although it failed: there was no answer, or none that says what became of
 * the write. A refusal of the quota and every 4xx but 408 mean that nothing was written.
 */
export function isUncertain({ error: { code, httpStatus } }: CrmFailure): boolean {
  if (httpStatus === null) return code === 'timeout' || code === 'network' || code === 'aborted';
  return httpStatus < 300 || httpStatus === 408 || httpStatus >= 500;
}

function toCode({ status, headers, body }: CrmAnswer, { code }: ErrorBody): string {
  if (status === 401) return 'disconnected';
  if (status === 402) return 'payment_required';
  if (status === 403 && body === undefined) return 'rate_limited';
  if (status === 403) return code?.startsWith('feature_capping') ? 'feature_missing' : 'forbidden';
  if (status === 429) return isDailyLimit(headers) ? DAILY_LIMIT_REACHED : 'rate_limited';
  if (status >= 500 || status === 408) return 'unavailable';
  return status >= 400 ? 'refused' : 'unexpected_answer';
}

function toConsequence(code: string, { status, headers }: CrmAnswer, nowMs: number): Consequence {
  switch (code) {
    case 'disconnected':
      return { retry: 'never', disconnected: true };
    case 'payment_required':
      return retryAfter(UNPAID_PROBE_MS, nowMs);
    case DAILY_LIMIT_REACHED:
      // Its `Retry-After` says nothing about the end of the day.
      return retryAfter(DAILY_LIMIT_PROBE_MS, nowMs);
    case 'rate_limited':
      return retryAfter(status === 403 ? BLOCKED_MS : windowMs(headers), nowMs);
    case 'unavailable': {
      const askedMs = parseRetryAfterMs(headers.get('retry-after'), nowMs);
      return askedMs === null ? UNAVAILABLE : { ...retryAfter(askedMs, nowMs), isUnavailable: true };
    }
    default:
      return NEVER;
  }
}

function windowMs(headers: Headers): number {
  const seconds = Number(headers.get('x-ratelimit-reset') ?? NaN);
  return seconds > 0 ? Math.max(WINDOW_MS, seconds * 1000) : WINDOW_MS;
}

function isDailyLimit(headers: Headers): boolean {
  return headers.get('x-daily-ratelimit-token-remaining') === '0';
}

interface ErrorBody {
  message: string;
  code: string | null;
}

function readErrorBody(body: unknown): ErrorBody {
  const object = typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  const { error, code } = object;
  return { message: typeof error === 'string' ? error : '', code: typeof code === 'string' ? code : null };
}
