import { type NetworkFault, readNetworkFault } from './network-fault.ts';
import type { Redact } from './redact.ts';

/** One request and its answer. */
export type AttemptResult =
  | { readonly kind: 'answer'; readonly response: Response }
  /** A redirect, or a status that HTTP does not have: `fault` goes on from "The answer to GET /path". */
  | { readonly kind: 'odd'; readonly response: Response; readonly fault: string }
  | { readonly kind: 'network'; readonly fault: NetworkFault }
  | { readonly kind: 'timeout' };

export interface AttemptInput {
  readonly fetch: (request: Request, init: RequestInit) => Promise<Response>;
  readonly request: Request;
  readonly timeoutMs: number;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

/** Sends a request once. Timeout and signal cover the body too, and do not depend on `fetch` heeding them. */
export async function attempt({ fetch, request, timeoutMs, redact, signal }: AttemptInput): Promise<AttemptResult> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<AttemptResult>((resolve, reject) => {
      onAbort = () => {
        reject(signal.reason);
        controller.abort(signal.reason);
      };
      const onTimeout = () => {
        resolve({ kind: 'timeout' });
        controller.abort();
      };
      if (timeoutMs !== Number.POSITIVE_INFINITY) timer = setTimeout(onTimeout, timeoutMs);
      signal.addEventListener('abort', onAbort);
      // Only a body makes a clone necessary: without one a request can be sent any number of times. A redirect is
      // not followed: it would turn a POST into a GET, and a GET would lose its key on the way to another origin.
      fetch(request.body ? request.clone() : request, { signal: controller.signal, redirect: 'manual' })
        .then((response) => readAnswer(response, request, redact))
        .then(resolve, reject);
    });
  } catch (cause) {
    return { kind: 'network', fault: readNetworkFault(cause) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** An answer that no longer depends on the connection; an error body loses the key, should it repeat it. */
async function readAnswer(response: Response, request: Request, redact: Redact): Promise<AttemptResult> {
  const { status, statusText, headers } = response;
  const isElsewhere = isRedirect(response);
  if (isElsewhere || status < 200 || status > 599) {
    // Not waited for: a body that was branched off another ends with that one only.
    response.body?.cancel().catch(() => {});
    const address = response.redirected ? response.url : headers.get('location');
    const target = address ? redact(withoutQuery(address, request.url)) : 'a hidden address';
    return { kind: 'odd', response, fault: isElsewhere ? `redirects to ${target}` : `has the status ${status}` };
  }
  if (status === 204 || status === 205 || status === 304) return { kind: 'answer', response };
  const plain = await response.text();
  const text = response.ok ? plain : redact(plain);
  const whole = new Response(text, { status, statusText, headers });
  Object.defineProperties(whole, {
    // Its own would read a stream of what is here already, which for a page takes nearly as long as parsing it.
    text: { value: async () => text },
    json: { value: async () => JSON.parse(text) },
    // No constructor takes it.
    url: { value: response.url },
  });
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
