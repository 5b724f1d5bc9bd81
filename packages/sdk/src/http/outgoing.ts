/**
 * What one call sends and what it gets, without the runtime's own `Request` and `Response`: to build both took nearly as long
 * as all of the rest that the client adds to a `fetch`, and `fetch` makes a `Request` of its own in any case.
 */

/** What is to be sent, any number of times. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly signal?: undefined;
  readonly init: RequestInit;
}

/** Stands in for the constructor of `Request`, which openapi-fetch takes as an option. */
export function Outgoing(url: string, init: RequestInit & { readonly method: string }): Outgoing {
  return { method: init.method, url, init };
}

/** A whole answer, which no longer depends on the connection. */
export interface Answer extends Pick<Response, 'ok' | 'status' | 'headers' | 'text' | 'json'> {
  /** For whoever asks for it, with its body unread; the same one each time. */
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
      // The constructor takes no text with some of the statuses, and never an address.
      (whole ??= Object.defineProperty(new Response(text || null, response), 'url', { value: response.url })),
  };
}
