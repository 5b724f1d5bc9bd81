import { type NetworkFault, readNetworkFault } from './network-fault.ts';
import { type Answer, type Outgoing, toAnswer } from './outgoing.ts';
import type { Redact } from './redact.ts';

/** One request and its answer. */
export type AttemptResult =
  | { readonly kind: 'answer'; readonly response: Answer }
  /** A redirect, or a status that HTTP does not have: `fault` goes on from "The answer to GET /path". */
  | { readonly kind: 'odd'; readonly response: Response; readonly fault: string }
  | { readonly kind: 'network'; readonly fault: NetworkFault }
  | { readonly kind: 'timeout' };

export interface AttemptInput {
  readonly fetch: Send;
  readonly request: Request | Outgoing;
  readonly timeoutMs: number;
  readonly redact: Redact;
  readonly signal: AbortSignal | undefined;
}

/** `fetch`, of the runtime or of the caller. */
export type Send = (input: Request | string, init: RequestInit) => Promise<Response>;

/** Sends a request once. Timeout and signal cover the body too, and do not depend on `fetch` heeding them. */
export async function attempt({ fetch, request, timeoutMs, redact, signal }: AttemptInput): Promise<AttemptResult> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<AttemptResult>((resolve, reject) => {
      onAbort = () => {
        reject(signal?.reason);
        controller.abort(signal?.reason);
      };
      const onTimeout = () => {
        resolve({ kind: 'timeout' });
        controller.abort();
      };
      if (timeoutMs !== Number.POSITIVE_INFINITY) timer = setTimeout(onTimeout, timeoutMs);
      signal?.addEventListener('abort', onAbort);
      // A redirect is not followed: it would turn a POST into a GET, and a GET would lose its key on the way to another origin.
      const own = { signal: controller.signal, redirect: 'manual' } as const;
      const answer =
        'init' in request
          ? fetch(request.url, { ...request.init, ...own })
          : // Only a body makes a clone necessary: without one a request can be sent any number of times.
            fetch(request.body ? request.clone() : request, own);
      answer.then((response) => readAnswer(response, request.url, redact)).then(resolve, reject);
    });
  } catch (cause) {
    return { kind: 'network', fault: readNetworkFault(cause) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** An answer that no longer depends on the connection; an error body loses the key, should it repeat it. */
async function readAnswer(response: Response, url: string, redact: Redact): Promise<AttemptResult> {
  const { status } = response;
  const isElsewhere = isRedirect(response);
  if (isElsewhere || status < 200 || status > 599) {
    // Not waited for: a body that was branched off another ends with that one only.
    response.body?.cancel().catch(() => {});
    const address = response.redirected ? response.url : response.headers.get('location');
    const target = address ? redact(withoutQuery(address, url)) : 'another address';
    return { kind: 'odd', response, fault: isElsewhere ? `redirects to ${target}` : `has the status ${status}` };
  }
  const text = await response.text();
  return { kind: 'answer', response: toAnswer(response, response.ok ? text : redact(text)) };
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
