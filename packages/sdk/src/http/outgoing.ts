/**
 * Light replacements of `Request` and `Response`. Building the runtime's own took nearly as long as everything else that the client
 * adds to `fetch`, which makes a `Request` of its own anyway.
 */

/** A request that can be sent any number of times. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly signal?: undefined;
  readonly init: RequestInit;
}

/** Replaces the constructor of `Request`, which openapi-fetch takes as an option. */
export function Outgoing(url: string, init: RequestInit & { readonly method: string }): Outgoing {
  return { method: init.method, url, init };
}

/** An answer whose body has been read. */
export interface Answer extends Pick<Response, 'ok' | 'status' | 'headers' | 'text' | 'json'> {
  /** Returns the answer as a `Response` with an unread body; the same object each time. */
  toResponse(): Response;
}

export function toAnswer(response: Response, text: string): Answer {
  const { ok, status, headers } = response;
  let whole: Response | undefined;
  return {
    ok,
    status,
    headers,
    text: async () => text,
    json: async () => JSON.parse(text),
    toResponse: () =>
      // The constructor refuses a body for some statuses, even an empty one, and does not take a URL.
      (whole ??= Object.defineProperty(new Response(text || null, response), 'url', { value: response.url })),
  };
}
