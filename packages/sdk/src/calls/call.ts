import { createQuerySerializer, mergeHeaders } from 'openapi-fetch';
import { type CallTrace, describeAnswer, requestIdOf, startTrace, toInvalidResponseError } from '../http/call-trace.ts';
import { ConfigurationError, toApiError } from '../errors/errors.ts';
import { track } from '../http/lifetime.ts';
import { type CallOptions, type FetchSettings, sendWithRetries } from '../http/send-with-retries.ts';
import { type Answer, type Outgoing, toResponse } from '../http/outgoing.ts';
import type { RawClient } from './raw-client.ts';
import { callRaw, explainParseError } from './raw-guard.ts';
import { checkTimingOptions } from '../options/timing-options.ts';
import type { AnsweredOperation, AnswerValidator } from '../validate/answer-validator.ts';

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

/** What a call sends, beside its headers. */
export interface Sent {
  /** Values of the path's parameters. */
  readonly path?: object | undefined;
  /** Undefined values are left out. */
  readonly query?: object | undefined;
  readonly body?: object;
  readonly parseAs?: 'text';
}

/** What operations need: `call`, which turns answers into values or errors, and the tools of flows of several calls. */
export interface CallContext {
  readonly call: <T>(
    operation: AnsweredOperation,
    options: CallOptions | undefined,
    // A function, so that errors in the arguments reject the promise.
    sent: () => Sent,
    /** Returns what is wrong with a body, or null. */
    findFault: (data: T, status: number) => string | null,
  ) => ApiPromise<T>;
  readonly validate: AnswerValidator | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits; rejects when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface CallTools {
  readonly settings: FetchSettings;
  /** Address of the service, without `/api/v1`. */
  readonly baseUrl: string;
  /** Headers of every call, as the caller names them. */
  readonly headers: Record<string, string>;
  /** The same with each name once; made by the first call, because invalid names and values are an error of a call. */
  plainHeaders?: Record<string, string>;
  /** Runs the calls while middleware is registered. */
  readonly raw: RawClient;
}

export function createCall(tools: CallTools): CallContext['call'] {
  return (operation, options, sent, findFault) => {
    const full = runCall(tools, operation, options ?? {}, sent, findFault);
    track(tools.settings.lifetime, full);
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
  tools: CallTools,
  operation: AnsweredOperation,
  options: CallOptions,
  sent: () => Sent,
  findFault: (data: T, status: number) => string | null,
): Promise<WithResponse<T>> {
  checkTimingOptions(options);
  const { settings } = tools;
  const trace = startTrace(settings, operation.path);
  // Openapi-fetch, too, uses the middleware that is registered when a call begins.
  let answer: Answer | undefined;
  let response: Response;
  let body: unknown;
  if (settings.hasMiddleware) {
    const result = await runMiddleware(tools, operation, options, sent(), trace);
    ({ response } = result);
    body = response.ok ? result.data : result.error;
  } else {
    const parts = sent();
    answer = await sendWithRetries(settings, options, createRequest(tools, operation, options, parts), trace);
    ({ response } = answer);
    body = parseBody(answer, parts.parseAs, trace);
  }
  const { ok, status } = response;
  if (!ok) {
    const details = { ...describeAnswer(trace, response, settings.now()), body };
    throw toApiError(details, status === 401 && !hasKey(trace.request) ? NO_KEY : undefined);
  }
  if (body === undefined && status !== 204) throw toInvalidResponseError(trace, response, 'is empty');
  // Only 204 has no body; the operations that answer it return `undefined`.
  const data = body as T;
  const fault = findFault(data, status);
  if (fault !== null) throw toInvalidResponseError(trace, response, fault);
  let whole: Response | undefined;
  return {
    data,
    get response() {
      return (whole ??= answer ? toResponse(answer) : response);
    },
    get requestId() {
      return requestIdOf(trace, response);
    },
  };
}

const serializeQuery = createQuerySerializer();

function createRequest(
  tools: CallTools,
  { method, path: template }: AnsweredOperation,
  options: CallOptions,
  { path = {}, query = {}, body }: Sent,
): Outgoing {
  const { baseUrl, headers } = tools;
  const search = serializeQuery(query);
  const pathname = template.replaceAll(/\{(\w+)\}/g, (name, key) => {
    const value = path[key as keyof typeof path];
    return value === undefined || value === null ? name : encodeURIComponent(value);
  });
  const own = headersOf(options);
  return {
    method,
    url: `${baseUrl}${pathname}${search && `?${search}`}`,
    init: {
      method,
      headers:
        own || body
          ? mergeHeaders(body && { 'Content-Type': 'application/json' }, headers, own)
          : (tools.plainHeaders ??= Object.fromEntries(mergeHeaders(headers))),
      body: body ? JSON.stringify(body) : null,
    },
  };
}

/** Returns the headers of this call only. */
function headersOf({ headers, apiKey }: CallOptions): Record<string, string> | undefined {
  return apiKey === undefined ? headers : { ...headers, ...bearer(apiKey) };
}

/** Returns the parsed body, or the text of an error that is not JSON. @throws InvalidResponseError for a success that is not JSON */
function parseBody({ response, text }: Answer, parseAs: 'text' | undefined, trace: CallTrace): unknown {
  if (text === '' && (response.ok || response.headers.get('content-length') === '0')) return undefined;
  if (parseAs === 'text' && response.ok) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!response.ok) return text;
    throw explainParseError(error, trace);
  }
}

function runMiddleware(
  { settings, raw }: CallTools,
  { method, path: template }: AnsweredOperation,
  options: CallOptions,
  { path, query, ...rest }: Sent,
  trace: CallTrace,
): Promise<{ data?: unknown; error?: unknown; response: Response }> {
  const send = raw[method as 'GET'] as (template: string, init: object) => ReturnType<typeof runMiddleware>;
  const init = { headers: headersOf(options), ...rest, params: { path, query } };
  return callRaw(settings, options, trace, (own) => send(template, { ...init, ...own }));
}

const NO_KEY = 'No API key: pass apiKey or set SVC_API_KEY';

function hasKey(request: Request | Outgoing | null): boolean {
  const headers = request && ('init' in request ? request.init.headers : request.headers);
  return new Headers(headers ?? {}).has('Authorization');
}

/** Returns the `Authorization` header. @throws ConfigurationError that does not quote the key */
export function bearer(apiKey: string): { Authorization: string } {
  // For other characters `Headers` would throw an error that quotes the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError('The API key is empty or not plain ASCII');
  }
  return { Authorization: `Bearer ${apiKey}` };
}
