import { ApiError, type Client, PaginationError } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { isRecord } from '../../format/fields.ts';

/** A call as `svc api` makes it. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  /** JSON. */
  readonly body: string | null;
}

export interface ApiAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly text: string;
}

export type SendRequest = (request: ApiRequest) => Promise<ApiAnswer>;

/** Any call, with the key, the retries and the pacing of the SDK's client. */
export function createSender(client: Client): SendRequest {
  let next: ApiRequest | null = null;
  // The client knows the paths of the contract only: its request for one of them is replaced on its way out.
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

/** @throws ApiError for every answer that is no success */
export function requireSuccess(request: ApiRequest, answer: ApiAnswer, headerPrefix: string): void {
  const { status, headers, text } = answer;
  if (status < 400) return;
  const body = parseBody(text);
  const told = isRecord(body) && typeof body.message === 'string' ? body.message : null;
  const seconds = /^\d+$/.exec(headers.get('Retry-After') ?? '')?.[0];
  throw new ApiError(told ?? `${request.method} ${request.url.pathname} answered ${status}`, {
    status,
    requestId: headers.get(`${headerPrefix}-Request-Id`),
    retryAfterSeconds: seconds === undefined ? null : Number(seconds),
    method: request.method,
    path: request.url.pathname,
    body: undefined,
  });
}

/** A body as a value; text that is not JSON stays text. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The rows of all pages, one page at a time.
 *
 * @throws CliError (exit 2) when the answer is not a page of a list
 * @throws PaginationError when a cursor comes back
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
      const message = `${request.method} ${url.pathname} is not a list of pages`;
      throw new CliError('usage', EXIT_CODES.usage, message, 'Leave --paginate out.');
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
