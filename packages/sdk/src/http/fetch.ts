import { attempt, type AttemptResult, type Send } from './attempt.ts';
import { type CallTrace, requestIdOf, toClosedError, toInvalidResponseError } from './call-trace.ts';
import { AbortError, TimeoutError } from '../errors/errors.ts';
import { toNetworkError } from './network-fault.ts';
import type { Answer, Outgoing } from './outgoing.ts';
import { type Bucket, bucketOfPath, type Gate } from './pacing.ts';
import { createRedact } from './redact.ts';
import { type AttemptOutcome, backoffMs, nextRetryDelayMs, parseRetryAfterMs } from './retry-timing.ts';

/** What may differ from call to call. Everything left out comes from the client. */
export interface CallOptions {
  /** Another key for this one call. */
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** Limit of one attempt, its body included, in milliseconds; `Infinity` for none. */
  timeoutMs?: number | undefined;
  /** Further attempts after the first. */
  maxRetries?: number | undefined;
  /** Ends the call at once, also in the middle of a wait. */
  signal?: AbortSignal | undefined;
}

/** An attempt that is about to be made. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
}
/** An attempt that was answered, whatever the status. */
export interface ResponseInfo extends RequestInfo {
  readonly status: number;
  readonly requestId: string | null;
  readonly durationMs: number;
}
/** An attempt that failed and is made again after a wait. */
export interface RetryInfo extends RequestInfo {
  readonly delayMs: number;
  readonly reason: AttemptOutcome;
}
/** A wait for the rate limit. */
export interface WaitInfo {
  readonly bucket: Bucket;
  readonly waitMs: number;
  /** `refused`: a 429 asked for it. `counted`: the client knows that the next request would meet one. */
  readonly reason: 'refused' | 'counted';
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

export interface FetchSettings {
  /** A promise while what tells the log is being loaded. */
  readonly hooks: Hooks | Promise<Hooks>;
  readonly fetch: Send;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  /** Of the service's own headers: `Service` in `Service-Request-Id`. */
  readonly headerPrefix: string;
  /** Whether somebody looks at requests and answers on their way, and expects the runtime's own. */
  hasMiddleware?: boolean;
  readonly gates: Readonly<Record<Bucket, Gate>>;
  /** Never to appear in an error. */
  readonly secrets: readonly string[];
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * The one place where requests leave: per-attempt timeout, retries, pacing, abort. openapi-fetch cannot send a
 * request again from its middleware, therefore this wraps `fetch` itself.
 *
 * Resolves to the last answer, whatever its status, with its body read already: a body that breaks off is a
 * failed attempt like any other.
 *
 * @throws NetworkError, TimeoutError, AbortError, InvalidResponseError (redirects, statuses that are none)
 */
export async function sendWithRetries(
  settings: FetchSettings,
  call: CallOptions,
  request: Request | Outgoing,
  trace: CallTrace,
): Promise<Answer> {
  // That of the request is the caller's own in calls of the raw client, which have no options.
  const signal = call.signal ?? request.signal;
  try {
    return await attemptUntilDone(settings, call, request, trace, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new AbortError('The call was aborted', { attempts: trace.attempts, cause: signal.reason });
  }
}

async function attemptUntilDone(
  settings: FetchSettings,
  call: CallOptions,
  request: Request | Outgoing,
  trace: CallTrace,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const hooks = await settings.hooks;
  const { maxRetryAfterMs, random } = settings;
  const { method, url } = request;
  const timeoutMs = call.timeoutMs ?? settings.timeoutMs;
  const maxRetries = call.maxRetries ?? settings.maxRetries;
  const { origin, pathname } = new URL(url);
  trace.method = method;
  trace.path = pathname;
  const bucket = bucketOfPath(pathname);
  const redact = createRedact(call.apiKey ? [...settings.secrets, call.apiKey] : settings.secrets);

  for (;;) {
    if (bucket !== null) await waitForGate(settings, hooks, bucket, trace, signal);
    const info: RequestInfo = { method, url, attempt: trace.attempts + 1 };
    signal?.throwIfAborted();
    hooks.onRequest?.(info);
    signal?.throwIfAborted();
    trace.attempts += 1;
    const startedAt = settings.now();
    const result = await attempt({ fetch: settings.fetch, request, timeoutMs, redact, signal });
    if ('response' in result) {
      trace.response = result.response;
      const { status } = result.response;
      const requestId = requestIdOf(trace, result.response);
      hooks.onResponse?.({ ...info, status, requestId, durationMs: settings.now() - startedAt });
    } else {
      signal?.throwIfAborted();
    }

    if (result.kind === 'odd') throw toInvalidResponseError(trace, result.response, result.fault);
    const outcome = outcomeOf(result, settings.now());
    const delayMs =
      outcome === null
        ? null
        : nextRetryDelayMs({ method, outcome, attempt: trace.attempts, maxRetries, maxRetryAfterMs, random: random() });
    if (bucket !== null) reportToGate(settings, settings.gates[bucket], outcome, delayMs);
    if (outcome === null || delayMs === null) {
      if (result.kind === 'answer') return result.response;
      const target = `${origin}${pathname}`;
      if (result.kind === 'network') throw toNetworkError(result.fault, target, trace.attempts, redact);
      const message = `${target} did not answer within ${timeoutMs} ms`;
      throw new TimeoutError(message, { attempts: trace.attempts, timeoutMs });
    }
    hooks.onRetry?.({ ...info, delayMs, reason: outcome });
    await settings.sleep(delayMs, signal);
  }
}

/** `null` for a success. */
function outcomeOf(result: Exclude<AttemptResult, { kind: 'odd' }>, nowMs: number): AttemptOutcome | null {
  if (result.kind === 'timeout') return result;
  if (result.kind === 'network') {
    const { nothingSent, mayPass } = result.fault;
    return { kind: 'network', nothingSent, mayPass };
  }
  const { ok, status, headers } = result.response;
  return ok ? null : { kind: 'status', status, retryAfterMs: parseRetryAfterMs(headers, nowMs) };
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
  gate.refused(settings.now(), Math.max(outcome.retryAfterMs ?? 0, delayMs ?? backoffMs(1, 0)));
}

/** @throws RateLimitError when the wait exceeds the cap: a request would be refused, and none is spent on it */
async function waitForGate(
  settings: FetchSettings,
  hooks: Hooks,
  bucket: Bucket,
  trace: CallTrace,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const gate = settings.gates[bucket];
    const waitMs = gate.take(settings.now());
    if (waitMs === 0) return;
    if (waitMs > settings.maxRetryAfterMs) throw toClosedError(trace, waitMs);
    hooks.onWait?.({ bucket, waitMs, reason: gate.isRefused(settings.now()) ? 'refused' : 'counted' });
    await settings.sleep(waitMs, signal);
  }
}
