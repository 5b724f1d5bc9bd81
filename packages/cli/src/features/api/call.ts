import { ApiError, type Client, PaginationError } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { isRecord } from '../../format/fields.ts';

/** A call of `svc api`. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  /** JSON text. */
  readonly body: string | null;
}

export interface ApiAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly text: string;
}

export type SendRequest = (request: ApiRequest) => Promise<ApiAnswer>;

/** Returns a function that sends any request with the key, retries and pacing of the SDK's client. */
export function createSender(client: Client): SendRequest {
  let next: ApiRequest | null = null;
  // The client only knows paths of the contract, so its request for one of them is replaced before it is sent.
  client.raw.use({
    onRequest: ({ request }) => {
      if (next === null) return undefined;
      const { method, url, body } = next;
      const headers = new Headers(request.headers);
      if (body !== null) headers.set('Content-Type', 'application/json');
      return new Request(url, { method, headers, body });
    },
  });
  return async (request) => {
    next = request;
    const { response } = await client.raw.GET('/api/v1/me', { parseAs: 'text' });
    const { status, statusText, headers } = response;
    return { status, statusText, headers, text: await response.text() };
  };
}

/** @throws ApiError for a status of 400 or above */
export function requireSuccess(request: ApiRequest, answer: ApiAnswer, headerPrefix: string): void {
  const { status, headers, text } = answer;
  if (status < 400) return;
  const body = parseBody(text);
  // Frameworks that check bodies answer a list of what is wrong.
  const messages: readonly unknown[] = isRecord(body) ? [body.message].flat() : [];
  const message = messages.every((each) => typeof each === 'string') ? messages.join('; ') : '';
  const seconds = /^\d+$/.exec(headers.get('Retry-After') ?? '')?.[0];
  throw new ApiError(message || `${request.method} ${request.url.pathname} answered ${status}`, {
    status,
    requestId: headers.get(`${headerPrefix}-Request-Id`),
    retryAfterSeconds: seconds === undefined ? null : Number(seconds),
    method: request.method,
    path: request.url.pathname,
    body: undefined,
  });
}

/** Parses JSON; returns other text unchanged. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Yields the rows of all pages, one page at a time.
 *
 * @throws CliError (exit 2) if the answer is not a page of a list
 * @throws PaginationError if a cursor repeats
 */
export async function* walkPages(
  request: ApiRequest,
  send: (request: ApiRequest) => Promise<ApiAnswer>,
): AsyncGenerator<readonly unknown[], void, undefined> {
  const seen = new Set<string>();
  const url = new URL(request.url);
  for (;;) {
    const page = parseBody((await send({ ...request, url })).text);
    if (!isRecord(page) || !Array.isArray(page.data) || typeof page.hasMore !== 'boolean') {
      const message = `${request.method} ${url.pathname} does not return pages`;
      throw new CliError('usage', EXIT_CODES.usage, message, 'Remove --paginate.');
    }
    const cursor = page.nextCursor;
    if (page.hasMore && (typeof cursor !== 'string' || cursor === '')) {
      throw new PaginationError('The service said hasMore without a nextCursor');
    }
    if (page.hasMore && seen.has(String(cursor))) {
      throw new PaginationError('The service returned a cursor it had returned before');
    }
    yield page.data;
    if (!page.hasMore) return;
    seen.add(String(cursor));
    url.searchParams.set('cursor', String(cursor));
  }
}
