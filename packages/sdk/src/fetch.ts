import { followSignals } from './abort.ts';
import { AbortError, TimeoutError } from './errors.ts';
import { type NetworkFault, readNetworkFault, toNetworkError } from './network-fault.ts';
import { type Bucket, bucketOfPath, type Gate } from './pacing.ts';
import { createRedact, type Redact } from './redact.ts';
import { type AttemptOutcome, nextRetryDelayMs, parseRetryAfterMs } from './retry-timing.ts';

/** What may differ from call to call. Everything left out comes from the client. */
export interface CallOptions {
  /** Another key for this one call. */
  apiKey?: string;
  headers?: Record<string, string>;
  /** Limit of one attempt, its body included, in milliseconds. */
  timeoutMs?: number;
  /** Further attempts after the first. */
  maxRetries?: number;
  /** Ends the call at once, also in the middle of a wait. */
  signal?: AbortSignal;
}

export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
}
export interface ResponseInfo extends RequestInfo {
  readonly status: number;
  readonly requestId: string | null;
  readonly durationMs: number;
}
export interface RetryInfo extends RequestInfo {
  readonly delayMs: number;
  readonly reason: AttemptOutcome;
}
export interface WaitInfo {
  readonly bucket: Bucket;
  readonly waitMs: number;
}

/** Told what happens on the wire. The key is in none of it. */
export interface Hooks {
  onRequest?: ((info: RequestInfo) => void) | undefined;
  onResponse?: ((info: ResponseInfo) => void) | undefined;
  /** Before the wait that precedes another attempt. */
  onRetry?: ((info: RetryInfo) => void) | undefined;
  /** Before a wait for a rate-limit window to end. */
  onWait?: ((info: WaitInfo) => void) | undefined;
}

export interface FetchSettings extends Hooks {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  readonly gates: Readonly<Record<Bucket, Gate>>;
  /** Never to appear in an error. */
  readonly secrets: readonly string[];
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Filled in while a call runs, for the error that may come of it. */
export interface CallTrace {
  attempts: number;
  request: Request | null;
  response: Response | null;
}

export const REQUEST_ID_HEADER = 'Service-Request-Id';

/**
 * The one place where requests leave: per-attempt timeout, retries, pacing, abort. openapi-fetch cannot send a
 * request again from its middleware, therefore this wraps `fetch` itself and sends a clone each time.
 *
 * Resolves to the last answer, whatever its status, with its body read already: a body that breaks off is a
 * failed attempt like any other.
 *
 * @throws NetworkError, TimeoutError, AbortError
 */
export async function sendWithRetries(
  settings: FetchSettings,
  call: CallOptions,
  request: Request,
  trace: CallTrace,
): Promise<Response> {
  const stop = followSignals([call.signal, request.signal]);
  trace.request = request;
  try {
    return await attemptUntilDone(settings, call, request, trace, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new AbortError('The call was aborted', { attempts: trace.attempts, cause: stop.signal.reason });
  } finally {
    stop.release();
  }
}

async function attemptUntilDone(
  settings: FetchSettings,
  call: CallOptions,
  request: Request,
  trace: CallTrace,
  signal: AbortSignal,
): Promise<Response> {
  const { method, url } = request;
  const timeoutMs = call.timeoutMs ?? settings.timeoutMs;
  const maxRetries = call.maxRetries ?? settings.maxRetries;
  const { origin, pathname } = new URL(url);
  const bucket = bucketOfPath(pathname);
  const redact = createRedact(call.apiKey ? [...settings.secrets, call.apiKey] : settings.secrets);

  for (;;) {
    if (bucket !== null) await waitForGate(settings, bucket, signal);
    signal.throwIfAborted();
    trace.attempts += 1;
    const info: RequestInfo = { method, url, attempt: trace.attempts };
    settings.onRequest?.(info);
    const startedAt = settings.now();
    const result = await sendOnce(settings.fetch, request, timeoutMs, redact, signal);
    if (result.kind === 'answer') {
      trace.response = result.response;
      const { status, headers } = result.response;
      const requestId = headers.get(REQUEST_ID_HEADER);
      settings.onResponse?.({ ...info, status, requestId, durationMs: settings.now() - startedAt });
    } else {
      signal.throwIfAborted();
    }

    const outcome = outcomeOf(result, settings.now());
    const delayMs = outcome === null ? null : nextDelayMs(settings, method, outcome, trace.attempts, maxRetries);
    if (bucket !== null) reportToGate(settings, settings.gates[bucket], outcome, delayMs);
    if (outcome === null || delayMs === null) {
      if (result.kind === 'answer') return result.response;
      const target = `${origin}${pathname}`;
      if (result.kind === 'network') throw toNetworkError(result.fault, target, trace.attempts, redact);
      const message = `${target} did not answer within ${timeoutMs} ms`;
      throw new TimeoutError(message, { attempts: trace.attempts, timeoutMs });
    }
    settings.onRetry?.({ ...info, delayMs, reason: outcome });
    await settings.sleep(delayMs, signal);
  }
}

type SendResult =
  | { readonly kind: 'answer'; readonly response: Response }
  | { readonly kind: 'network'; readonly fault: NetworkFault }
  | { readonly kind: 'timeout' };

async function sendOnce(
  fetch: FetchSettings['fetch'],
  request: Request,
  timeoutMs: number,
  redact: Redact,
  signal: AbortSignal,
): Promise<SendResult> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // Only a body makes a clone necessary: without one a request can be copied any number of times.
    const copy = new Request(request.body ? request.clone() : request, { signal: controller.signal });
    return { kind: 'answer', response: await readWhole(await fetch(copy), redact) };
  } catch (cause) {
    return timedOut ? { kind: 'timeout' } : { kind: 'network', fault: readNetworkFault(cause) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** An answer that no longer depends on the connection; an error body loses the key, should it repeat it. */
async function readWhole(response: Response, redact: Redact): Promise<Response> {
  const { status, statusText, headers } = response;
  if (status === 204 || status === 205 || status === 304) return response;
  const body = response.ok ? await response.arrayBuffer() : redact(await response.text());
  return new Response(body, { status, statusText, headers });
}

/** `null` for a success. */
function outcomeOf(result: SendResult, nowMs: number): AttemptOutcome | null {
  if (result.kind === 'timeout') return result;
  if (result.kind === 'network') return { kind: 'network', nothingSent: result.fault.nothingSent };
  const { ok, status, headers } = result.response;
  return ok ? null : { kind: 'status', status, retryAfterMs: parseRetryAfterMs(headers, nowMs) };
}

function nextDelayMs(
  { maxRetryAfterMs, random }: FetchSettings,
  method: string,
  outcome: AttemptOutcome,
  attempt: number,
  maxRetries: number,
): number | null {
  return nextRetryDelayMs({ method, outcome, attempt, maxRetries, maxRetryAfterMs, random: random() });
}

/** A refusal closes the bucket for all calls, also when this one has no attempts left. */
function reportToGate(
  settings: FetchSettings,
  gate: Gate,
  outcome: AttemptOutcome | null,
  delayMs: number | null,
): void {
  if (outcome !== null && outcome.kind !== 'status') return;
  if (outcome?.status !== 429) return gate.answered(settings.now());
  gate.refused(settings.now(), Math.min(outcome.retryAfterMs ?? delayMs ?? 0, settings.maxRetryAfterMs));
}

async function waitForGate(settings: FetchSettings, bucket: Bucket, signal: AbortSignal): Promise<void> {
  for (;;) {
    const waitMs = settings.gates[bucket].take(settings.now());
    if (waitMs === 0) return;
    settings.onWait?.({ bucket, waitMs });
    await settings.sleep(waitMs, signal);
  }
}
