import { type NetworkFault, readNetworkFault } from './network-fault.ts';
import type { Redact } from './redact.ts';

/** One request and its answer. */
export type AttemptResult =
  | { readonly kind: 'answer'; readonly response: Response }
  | { readonly kind: 'redirect'; readonly response: Response; readonly target: string | null }
  /** A status that HTTP does not have. */
  | { readonly kind: 'odd'; readonly response: Response }
  | { readonly kind: 'network'; readonly fault: NetworkFault }
  | { readonly kind: 'timeout' };

export interface AttemptInput {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly request: Request;
  readonly timeoutMs: number;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

/** Sends a request once. Timeout and signal cover the body too, and do not depend on `fetch` heeding them. */
export async function attempt({ fetch, request, timeoutMs, redact, signal }: AttemptInput): Promise<AttemptResult> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  let timedOut = false;
  const onTimeout = () => {
    timedOut = true;
    controller.abort();
  };
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTimeout, timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // Only a body makes a clone necessary: without one a request can be copied any number of times. A redirect is
    // not followed: it would turn a POST into a GET, and a GET would lose its key on the way to another origin.
    const copy = new Request(request.body ? request.clone() : request, {
      signal: controller.signal,
      redirect: 'manual',
    });
    const answer = fetch(copy).then((response) => readAnswer(response, request, redact));
    return await Promise.race([answer, rejectOnAbort(controller.signal)]);
  } catch (cause) {
    return timedOut ? { kind: 'timeout' } : { kind: 'network', fault: readNetworkFault(cause) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** An answer that no longer depends on the connection; an error body loses the key, should it repeat it. */
async function readAnswer(response: Response, request: Request, redact: Redact): Promise<AttemptResult> {
  const { status, statusText, headers } = response;
  if (isRedirect(response)) {
    // Not waited for: a body that was branched off another ends with that one only.
    response.body?.cancel().catch(() => {});
    const target = response.redirected ? response.url : headers.get('location');
    return { kind: 'redirect', response, target: target && redact(withoutQuery(target, request.url)) };
  }
  // `new Response` refuses them, and would make them look like faults of the network.
  if (status < 200 || status > 599) return { kind: 'odd', response };
  if (status === 204 || status === 205 || status === 304) return { kind: 'answer', response };
  const plain = await response.text();
  const text = response.ok ? plain : redact(plain);
  const whole = new Response(text, { status, statusText, headers });
  // Its own would read a stream of what is here already, which for a page takes nearly as long as parsing it.
  Object.assign(whole, { text: async () => text, json: async () => JSON.parse(text) });
  // No constructor takes it.
  Object.defineProperty(whole, 'url', { value: response.url });
  return { kind: 'answer', response: whole };
}

/** Browsers hide where it leads, and a fetch of the caller's own may have followed it. */
function isRedirect({ status, type, redirected }: Response): boolean {
  return redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}

/** The query may hold personal data. */
function withoutQuery(address: string, base: string): string {
  if (!URL.canParse(address, base)) return address;
  const { protocol, host, pathname } = new URL(address, base);
  return `${protocol}//${host}${pathname}`;
}
