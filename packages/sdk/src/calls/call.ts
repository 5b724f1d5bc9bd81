import { describeAnswer, requestIdOf, startTrace, toInvalidResponseError } from '../http/call-trace.ts';
import { ConfigurationError, toApiError } from '../errors/errors.ts';
import { type CallOptions, type FetchSettings, sendWithRetries } from '../http/send-with-retries.ts';
import { type Answer, Outgoing } from '../http/outgoing.ts';
import type { RawClient } from './raw-client.ts';
import { explainParseError } from './raw-guard.ts';
import { checkTimingOptions } from '../options/timing-options.ts';
import type { AnswerValidator } from '../validate/answer-validator.ts';

/** A body with the HTTP response that it came in. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: Response;
  /** `Service-Request-Id`: quote it to support. */
  readonly requestId: string | null;
}

/** A promise of the body; `.withResponse()` gives status and headers as well. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

/** What operations need: the typed client, and `call`, which turns its answers into values or errors. */
export interface CallContext {
  readonly raw: RawClient;
  readonly call: <T>(
    options: CallOptions | undefined,
    run: (init: CallInit) => Promise<RawResult<T>>,
    /** Returns what is wrong with a body, or null. */
    findFault: (data: T, status: number) => string | null,
  ) => ApiPromise<T>;
  readonly validate: AnswerValidator | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits; rejects when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Options to spread into a call of `raw`. */
export interface CallInit {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly headers: Record<string, string>;
  readonly Request: typeof Request;
}

export interface RawResult<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

export function createCall(settings: FetchSettings): CallContext['call'] {
  return (options, run, findFault) => {
    const full = runCall(settings, options ?? {}, run, findFault);
    const data = full.then((answer) => answer.data);
    return Object.assign(data, {
      withResponse() {
        // The caller handles the failure of `full`; the failure of `data` must not count as unhandled.
        data.catch(() => {});
        return full;
      },
    });
  };
}

async function runCall<T>(
  settings: FetchSettings,
  options: CallOptions,
  run: (init: CallInit) => Promise<RawResult<T>>,
  findFault: (data: T, status: number) => string | null,
): Promise<WithResponse<T>> {
  checkTimingOptions(options);
  const trace = startTrace(settings);
  // Read once: openapi-fetch also uses the middleware that is registered when a call begins.
  const { hasMiddleware } = settings;
  let sent: Request | Outgoing | undefined;
  const init: CallInit = {
    fetch: async (request) => {
      sent = request;
      const answer = await sendWithRetries(settings, options, request, trace);
      // An `Answer` has everything that openapi-fetch reads of a `Response`.
      return hasMiddleware ? answer.toResponse() : (answer as unknown as Response);
    },
    headers: { ...options.headers, ...(options.apiKey === undefined ? {} : bearer(options.apiKey)) },
    // openapi-fetch only constructs a `Request` and passes it to `fetch`.
    Request: hasMiddleware ? Request : (Outgoing as unknown as typeof Request),
  };
  let result: RawResult<T>;
  try {
    result = await run(init);
  } catch (error) {
    throw explainParseError(error, trace);
  }
  const { response } = result;
  if (!response.ok) {
    const details = { ...describeAnswer(trace, response, settings.now()), body: result.error };
    throw toApiError(details, response.status === 401 && !hasKey(sent) ? NO_KEY : undefined);
  }
  if (result.data === undefined && response.status !== 204) throw toInvalidResponseError(trace, response, 'is empty');
  // Only 204 has no body; the operations that answer it return `undefined`.
  const data = result.data as T;
  const fault = findFault(data, response.status);
  if (fault !== null) throw toInvalidResponseError(trace, response, fault);
  return {
    data,
    get response() {
      return (response as Partial<Answer>).toResponse?.() ?? response;
    },
    requestId: requestIdOf(trace, response),
  };
}

const NO_KEY = 'No API key: pass apiKey or set SVC_API_KEY';

function hasKey(request: Request | Outgoing | undefined): boolean {
  const headers =
    (request as Partial<Outgoing> | undefined)?.init?.headers ?? (request as Request | undefined)?.headers;
  return new Headers(headers).has('Authorization');
}

/** Returns the `Authorization` header. @throws ConfigurationError that does not quote the key */
export function bearer(apiKey: string): { Authorization: string } {
  // For other characters `Headers` would throw an error that quotes the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError('The API key is empty or not plain ASCII');
  }
  return { Authorization: `Bearer ${apiKey}` };
}
