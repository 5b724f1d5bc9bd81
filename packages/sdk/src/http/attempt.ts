import { type Lifetime, onStop } from './lifetime.ts';
import { type NetworkFault, readNetworkFault } from './network-fault.ts';
import type { Answer, Outgoing } from './outgoing.ts';
import type { Redact } from './redact.ts';

/** The result of one request. */
export type AttemptResult =
  | ({ readonly kind: 'answer' } & Answer)
  /** A redirect or an undefined status. `fault` completes the sentence "The answer to GET /path ...". */
  | { readonly kind: 'unexpected'; readonly response: Response; readonly fault: string }
  | { readonly kind: 'network'; readonly fault: NetworkFault }
  | { readonly kind: 'timeout' };

export interface AttemptInput {
  readonly fetch: Send;
  readonly request: Request | Outgoing;
  readonly timeoutMs: number;
  readonly redact: Redact;
  readonly signal: AbortSignal | undefined;
  readonly lifetime: Lifetime;
}

/** `fetch`, the runtime's own or the caller's. */
export type Send = (input: Request | string, init: RequestInit) => Promise<Response>;

/** Sends a request once. Timeout, signal and the end of the client also cover the body, and work even when `fetch` ignores them. */
export function attempt({ fetch, request, timeoutMs, redact, signal, lifetime }: AttemptInput): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const end = (result: AttemptResult) => {
      clearTimeout(timer);
      endStop();
      resolve(result);
    };
    const fail = (cause: unknown) => end({ kind: 'network', fault: readNetworkFault(cause) });
    const onTimeout = () => {
      end({ kind: 'timeout' });
      controller.abort();
    };
    const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTimeout, timeoutMs);
    const endStop = onStop(lifetime, signal, (reason) => {
      fail(reason);
      controller.abort(reason);
    });
    sendOnce(fetch, request, controller.signal, redact).then(end, fail);
  });
}

/** Sends a request and reads the whole answer. */
async function sendOnce(
  fetch: Send,
  request: Request | Outgoing,
  signal: AbortSignal,
  redact: Redact,
): Promise<AttemptResult> {
  // Redirects are not followed: one would turn a POST into a GET, and a GET would lose its key on the way to another origin.
  const own = { signal, redirect: 'manual' } as const;
  const response = await ('init' in request
    ? fetch(request.url, { ...request.init, ...own })
    : // Only requests with a body must be cloned to be sent again.
      fetch(request.body ? request.clone() : request, own));
  const { ok, status } = response;
  const isRedirected = isRedirect(response);
  if (isRedirected || status < 200 || status > 599) {
    // Not awaited: cancelling one branch of a cloned body waits for the other branch.
    response.body?.cancel().catch(() => {});
    const address = response.redirected ? response.url : response.headers.get('location');
    const target = address ? redact(withoutQuery(address, request.url)) : 'another address';
    return {
      kind: 'unexpected',
      response,
      fault: isRedirected ? `redirects to ${target}` : `has the status ${status}`,
    };
  }
  const text = await response.text();
  return { kind: 'answer', response, text: ok ? text : redact(text) };
}

/** Browsers report redirects as opaque, and a custom `fetch` may already have followed one. */
function isRedirect({ status, type, redirected }: Response): boolean {
  return redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}

/** Removes the query, which may hold personal data. */
function withoutQuery(address: string, base: string): string {
  if (!URL.canParse(address, base)) return address;
  const { protocol, host, pathname } = new URL(address, base);
  return `${protocol}//${host}${pathname}`;
}
