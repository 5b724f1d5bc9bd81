import { type CallTrace, startTrace, toInvalidResponseError } from '../http/call-trace.ts';
import { type FetchSettings, sendWithRetries } from '../http/send-with-retries.ts';
import type { RawClient, RawHttpMethod, RawMethod } from './raw-client.ts';

/** Wraps the raw client for callers: with retries and pacing, and with `InvalidResponseError` for a success that is not JSON. */
export function guardRawClient(raw: RawClient, settings: FetchSettings): RawClient {
  const guard =
    <Method extends RawHttpMethod>(method: RawMethod<Method>): RawMethod<Method> =>
    async (path, ...init) => {
      const trace = startTrace(settings);
      // Calls of the raw client have no `CallOptions`.
      const fetch = async (request: Request) => (await sendWithRetries(settings, {}, request, trace)).toResponse();
      try {
        return await method(path, ...([{ fetch, Request, ...init[0] }] as unknown as typeof init));
      } catch (error) {
        throw explainParseError(error, trace);
      }
    };
  const { GET, POST, PATCH, DELETE, eject } = raw;
  const use: RawClient['use'] = (...middleware) => {
    settings.hasMiddleware = true;
    raw.use(...middleware);
  };
  return { GET: guard(GET), POST: guard(POST), PATCH: guard(PATCH), DELETE: guard(DELETE), use, eject };
}

/** Replaces openapi-fetch's error for a success that is not JSON: that error quotes the body, which may contain the key. */
export function explainParseError(error: unknown, trace: CallTrace): unknown {
  if (!(error instanceof SyntaxError) || !trace.response?.ok) return error;
  const isHtml = trace.response.headers.get('content-type')?.startsWith('text/html') === true;
  return toInvalidResponseError(trace, trace.response, isHtml ? 'is an HTML page' : 'is not JSON');
}
