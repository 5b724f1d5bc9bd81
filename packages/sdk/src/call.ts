import { ConfigurationError, InvalidResponseError, toApiError } from './errors.ts';
import { type CallOptions, type CallTrace, type FetchSettings, REQUEST_ID_HEADER, sendWithRetries } from './fetch.ts';
import type { RawClient } from './raw-client.ts';
import { parseRetryAfterMs } from './retry-timing.ts';

/** A value together with the answer it came in. */
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

/** What the operations are made of: the typed client and the way its answers become values or errors. */
export interface CallContext {
  readonly raw: RawClient;
  readonly call: <T>(
    options: CallOptions | undefined,
    run: (init: CallInit) => Promise<RawResult<T>>,
    /** Says what is wrong with a body that the rest of the client could not work with. */
    findFault?: (data: T) => string | null,
  ) => ApiPromise<T>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** To be spread into a call of `raw`. */
export interface CallInit {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly headers: Record<string, string>;
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
        // Whoever takes this promise handles its failure there; the other one must not count as unhandled.
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
  findFault: ((data: T) => string | null) | undefined,
): Promise<WithResponse<T>> {
  const trace: CallTrace = { attempts: 0, request: null, response: null };
  const init: CallInit = {
    fetch: (request) => sendWithRetries(settings, options, request, trace),
    headers: { ...options.headers, ...(options.apiKey === undefined ? {} : bearer(options.apiKey)) },
  };
  let result: RawResult<T>;
  try {
    result = await run(init);
  } catch (error) {
    // openapi-fetch parses the body of a success: only there can it fail on one that is not JSON.
    if (error instanceof SyntaxError && trace.response?.ok) throw invalidResponse(trace, 'is not JSON');
    throw error;
  }
  const { response } = result;
  if (!response.ok) throw toApiError({ ...describe(trace, response, settings.now()), body: result.error });
  if (result.data === undefined && response.status !== 204) throw invalidResponse(trace, 'is empty');
  // 204 is the one success without a body; its operations have `undefined` as their type.
  const data = result.data as T;
  const fault = findFault?.(data) ?? null;
  if (fault !== null) throw invalidResponse(trace, fault);
  return { data, response, requestId: response.headers.get(REQUEST_ID_HEADER) };
}

function describe(trace: CallTrace, response: Response, nowMs: number) {
  const retryAfterMs = parseRetryAfterMs(response.headers, nowMs);
  return {
    status: response.status,
    requestId: response.headers.get(REQUEST_ID_HEADER),
    retryAfterSeconds: retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000),
    method: trace.request?.method ?? 'GET',
    path: trace.request === null ? '' : new URL(trace.request.url).pathname,
    attempts: trace.attempts,
  };
}

function invalidResponse(trace: CallTrace, fault: string): InvalidResponseError {
  const details = { ...describe(trace, trace.response ?? Response.error(), 0), body: undefined };
  const hint = 'is the base URL that of the service?';
  return new InvalidResponseError(`The answer to ${details.method} ${details.path} ${fault}; ${hint}`, details);
}

/** @throws ConfigurationError, without repeating the key */
export function bearer(apiKey: string): { Authorization: string } {
  // Anything else would make `Headers` throw an error that quotes the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError('The API key is empty or holds spaces, line breaks or non-ASCII characters');
  }
  return { Authorization: `Bearer ${apiKey}` };
}
