import { type CallTrace, startTrace, toInvalidResponseError } from '../http/call-trace.ts';
import { track } from '../http/lifetime.ts';
import { toResponse } from '../http/outgoing.ts';
import { type CallOptions, type FetchSettings, sendWithRetries } from '../http/send-with-retries.ts';
import type { RawClient, RawHttpMethod, RawMethod } from './raw-client.ts';

/** Wraps the raw client for callers: with retries and pacing, and with `InvalidResponseError` for a success that is not JSON. */
export function guardRawClient(raw: RawClient, settings: FetchSettings): RawClient {
  const guard =
    <Method extends RawHttpMethod>(method: RawMethod<Method>): RawMethod<Method> =>
    async (path, ...init) => {
      // Calls of the raw client have no `CallOptions`.
      const call = callRaw(settings, {}, startTrace(settings, path), (own) =>
        method(path, ...([{ ...own, ...init[0] }] as unknown as typeof init)),
      );
      track(settings.lifetime, call);
      return await call;
    };
  const { GET, POST, PATCH, DELETE, eject } = raw;
  const use: RawClient['use'] = (...middleware) => {
    settings.hasMiddleware = true;
    raw.use(...middleware);
  };
  return { GET: guard(GET), POST: guard(POST), PATCH: guard(PATCH), DELETE: guard(DELETE), use, eject };
}

/** Runs a call of openapi-fetch. @param run gets the options that make it send its request with `sendWithRetries` */
export async function callRaw<Result>(
  settings: FetchSettings,
  options: CallOptions,
  trace: CallTrace,
  run: (own: object) => Promise<Result>,
): Promise<Result> {
  const fetch = async (request: Request) => toResponse(await sendWithRetries(settings, options, request, trace));
  try {
    // `Request` is named, because openapi-fetch would read the global one when a client is created, which loads all of Node's `fetch`.
    return await run({ fetch, Request });
  } catch (error) {
    throw explainParseError(error, trace);
  }
}

/** Replaces openapi-fetch's error for a success that is not JSON: that error quotes the body, which may contain the key. */
export function explainParseError(error: unknown, trace: CallTrace): unknown {
  if (!(error instanceof SyntaxError) || !trace.response?.ok) return error;
  const isHtml = trace.response.headers.get('content-type')?.startsWith('text/html') === true;
  return toInvalidResponseError(trace, trace.response, isHtml ? 'is an HTML page' : 'is not JSON');
}
