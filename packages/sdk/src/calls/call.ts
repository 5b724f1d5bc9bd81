import { describeAnswer, requestIdOf, startTrace, toInvalidResponseError } from '../http/call-trace.ts';
import { ConfigurationError, toApiError } from '../errors/errors.ts';
import { type CallOptions, type FetchSettings, sendWithRetries } from '../http/fetch.ts';
import { type Answer, Outgoing } from '../http/outgoing.ts';
import type { RawClient } from './raw-client.ts';
import { explainParseError } from './raw-guard.ts';
import { checkTimingOptions } from '../options/timing-options.ts';
import type { AnswerValidator } from '../validate/answer-validator.ts';

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
    findFault: (data: T, status: number) => string | null,
  ) => ApiPromise<T>;
  readonly validate: AnswerValidator | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Rejects when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** To be spread into a call of `raw`. */
export interface CallInit {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly headers: Record<string, string>;
  readonly Request: typeof Request | undefined;
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
  findFault: (data: T, status: number) => string | null,
): Promise<WithResponse<T>> {
  checkTimingOptions(options);
  const trace = startTrace(settings);
  // Read once: openapi-fetch too takes the middleware that there is when a call begins.
  const { hasMiddleware } = settings;
  const init: CallInit = {
    fetch: async (request) => {
      const answer = await sendWithRetries(settings, options, request, trace);
      // All that openapi-fetch reads of a `Response`.
      return hasMiddleware ? answer.toResponse() : (answer as unknown as Response);
    },
    headers: { ...options.headers, ...(options.apiKey === undefined ? {} : bearer(options.apiKey)) },
    // All that openapi-fetch does with a `Request` is to make one and to hand it to `fetch`.
    Request: hasMiddleware ? undefined : (Outgoing as unknown as typeof Request),
  };
  let result: RawResult<T>;
  try {
    result = await run(init);
  } catch (error) {
    throw explainParseError(error, trace);
  }
  const { response } = result;
  if (!response.ok) throw toApiError({ ...describeAnswer(trace, response, settings.now()), body: result.error });
  if (result.data === undefined && response.status !== 204) throw toInvalidResponseError(trace, response, 'is empty');
  // 204 is the one success without a body; its operations have `undefined` as their type.
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

/** @throws ConfigurationError, without repeating the key */
export function bearer(apiKey: string): { Authorization: string } {
  // Anything else would make `Headers` throw an error that quotes the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError('The API key is empty or not plain ASCII');
  }
  return { Authorization: `Bearer ${apiKey}` };
}
