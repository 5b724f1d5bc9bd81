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

/** An answer whose body has been read. */
export interface Answer {
  readonly response: Response;
  /** The body; keys are removed from that of an error. */
  readonly text: string;
}

/** Returns an answer as a `Response` with an unread body. */
export function toResponse({ response, text }: Answer): Response {
  // The constructor refuses a body for some statuses, even an empty one, and does not take a URL.
  return Object.defineProperty(new Response(text || null, response), 'url', { value: response.url });
}
