import { forwardAbort } from '@svc/domain/network/forward-abort';
import { AnswerTooLargeError, readAnswerText } from './answer-text.ts';
import { CrmFailure, retryAfter, RETRY, UNAVAILABLE } from './http-failure.ts';
import type { CrmAccess, CrmCall, CrmQuotaReport } from '../port/types.ts';

/** One HTTP call of a connector: limits in time and size, permission of the quota, and no redirects. */

export interface CrmHttpOptions {
  fetch: typeof globalThis.fetch;
  /** Timeout of one call in ms, from its start to the last byte of its answer. */
  timeoutMs: number;
  now: () => Date;
  /** Aborts running calls when the process stops. */
  signal?: AbortSignal | undefined;
}

export interface CrmRequest extends Partial<CrmCall> {
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON; nothing is sent when absent. */
  body?: unknown;
  /** Names the written part in error messages, such as "the contact". */
  part: string;
}

export interface CrmAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON; `undefined` for anything else, such as a gateway's HTML page. */
  body: unknown;
}

export interface CrmHttp {
  /** @throws CrmFailure when the quota refuses the call, or when there is no complete answer */
  send(request: CrmRequest): Promise<CrmAnswer>;
}

/** A batch of 100 contacts has some 200 kB. */
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;

/**
 * @param vendor name of the CRM in error messages
 * @param readLimits reads what an answer says about the CRM's limits
 */
export function createCrmHttp(
  { fetch, timeoutMs, now, signal: stopping }: CrmHttpOptions,
  access: Pick<CrmAccess, 'quota'>,
  { vendor, readLimits }: { vendor: string; readLimits: (answer: CrmAnswer) => Omit<CrmQuotaReport, 'httpStatus'> },
): CrmHttp {
  async function exchange({ method, url, headers, body, part }: CrmRequest): Promise<CrmAnswer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const call = new AbortController();
    const endCall = forwardAbort(call, [timeout, stopping]);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Following a redirect could send the token to another host.
        redirect: 'manual',
        signal: call.signal,
      });
      const { status, headers: answerHeaders } = response;
      const text = await readAnswerText(response, ANSWER_MAX_BYTES).catch((error: unknown) => {
        throw error instanceof AnswerTooLargeError ? tooLarge(vendor, part, { error, httpStatus: status }) : error;
      });
      return { status, headers: answerHeaders, text, body: parseJson(text) };
    } catch (error) {
      if (error instanceof CrmFailure) throw error;
      throw noAnswer(vendor, part, error, { isTimeout: timeout.aborted, isAborted: stopping?.aborted === true });
    } finally {
      endCall();
    }
  }

  return {
    async send(request) {
      const { operation, cost = 1, bucket } = request;
      const call: CrmCall = { operation, cost, ...(bucket === undefined ? {} : { bucket }) };
      const refusal = await access.quota.take(call);
      if (refusal !== null) {
        const nowMs = now().getTime();
        throw new CrmFailure(refusal.error, { ...retryAfter(refusal.untilMs - nowMs, nowMs), isQuotaWait: true });
      }
      try {
        const answer = await exchange(request);
        await access.quota.report(call, { httpStatus: answer.status, ...readLimits(answer) });
        return answer;
      } catch (error) {
        await access.quota.report(call, { httpStatus: null });
        throw error;
      }
    },
  };
}

/** The answer has a status, so the connection was not lost: the CRM may have done the work. */
function tooLarge(
  vendor: string,
  part: string,
  { error, httpStatus }: { error: AnswerTooLargeError; httpStatus: number },
): CrmFailure {
  const message = `${vendor}'s answer to ${part} has ${error.message}`;
  return new CrmFailure({ code: 'answer_too_large', message, httpStatus }, UNAVAILABLE);
}

function noAnswer(
  vendor: string,
  part: string,
  error: unknown,
  { isTimeout, isAborted }: { isTimeout: boolean; isAborted: boolean },
): CrmFailure {
  const code = isAborted ? 'aborted' : isTimeout ? 'timeout' : 'network';
  const cause =
    error instanceof Error && error.cause instanceof Error && 'code' in error.cause
      ? ` (${String(error.cause.code)})`
      : '';
  const message = isAborted
    ? `stopped before ${vendor} answered to ${part}`
    : isTimeout
      ? `${vendor} did not answer in time to ${part}`
      : `${vendor} could not be reached for ${part}${cause}`;
  // An aborted call says nothing about the CRM: this process stops.
  return new CrmFailure({ code, message, httpStatus: null }, isAborted ? RETRY : UNAVAILABLE);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
