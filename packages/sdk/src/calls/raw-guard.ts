import { type CallTrace, startTrace, toInvalidResponseError } from '../http/call-trace.ts';
import { type FetchSettings, sendWithRetries } from '../http/fetch.ts';
import type { RawClient, RawHttpMethod, RawMethod } from './raw-client.ts';

/** The raw client as callers get it: a success that is not JSON is an error of ours, without the text itself. */
export function guardRawClient(raw: RawClient, settings: FetchSettings): RawClient {
  const guard =
    <Method extends RawHttpMethod>(method: RawMethod<Method>): RawMethod<Method> =>
    async (path, ...init) => {
      const trace = startTrace(settings);
      // Its calls have no options of ours.
      const fetch = async (request: Request) => (await sendWithRetries(settings, {}, request, trace)).toResponse();
      try {
        return await method(path, ...([{ fetch, ...init[0] }] as typeof init));
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

/**
 * openapi-fetch parses the body of a success: only there can it fail on one that is not JSON. Its error quotes the
 * body, which may repeat the key.
 */
export function explainParseError(error: unknown, trace: CallTrace): unknown {
  if (!(error instanceof SyntaxError) || !trace.response?.ok) return error;
  return toInvalidResponseError(trace, trace.response, 'is not JSON');
}
