import { attempt, type AttemptResult, type Send } from './attempt.ts';
import { type CallTrace, requestIdOf, toClosedGateError, toInvalidResponseError } from './call-trace.ts';
import { AbortError, TimeoutError } from '../errors/errors.ts';
import { CLOSED, type Lifetime, throwIfStopped } from './lifetime.ts';
import { toNetworkError } from './network-fault.ts';
import type { Answer, Outgoing } from './outgoing.ts';
import { type Bucket, BUCKET_LIMITS, bucketOfPath, type Gate } from './pacing.ts';
import { createRedact } from './redact.ts';
import { type AttemptOutcome, backoffMs, nextRetryDelayMs, parseRetryAfterMs } from './retry-timing.ts';

/** Options of a single call. Those left out are taken from the client. */
export interface CallOptions {
  /** API key for this call only. */
  apiKey?: string | undefined;
  /** Headers for this call only. */
  headers?: Record<string, string> | undefined;
  /** Timeout of one attempt, its body included, in milliseconds; `Infinity` for none. */
  timeoutMs?: number | undefined;
  /** Retries after the first attempt. */
  maxRetries?: number | undefined;
  /** Aborts the call immediately with an `AbortError`, even during a wait. */
  signal?: AbortSignal | undefined;
}

/** An attempt that is about to be made. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** Counts from 1. */
  readonly attempt: number;
}
/** An attempt that was answered, whatever the status. */
export interface ResponseInfo extends RequestInfo {
  readonly status: number;
  readonly requestId: string | null;
  readonly durationMs: number;
}
/** A failed attempt that is retried after a wait. */
export interface RetryInfo extends RequestInfo {
  readonly delayMs: number;
  readonly reason: AttemptOutcome;
}
/** A wait for the rate limit. */
export interface WaitInfo {
  readonly bucket: Bucket;
  readonly waitMs: number;
  /** `refused`: a 429 asked for it. `counted`: by the client's own count the next request would get one. */
  readonly reason: 'refused' | 'counted';
}

/** Callbacks for requests, answers, retries and waits. None of them gets the API key. */
export interface Hooks {
  /** Called before each attempt. */
  onRequest?: ((info: RequestInfo) => void) | undefined;
  /** Called after each answer, whatever its status. */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
  /** Called before the wait that precedes a retry. */
  onRetry?: ((info: RetryInfo) => void) | undefined;
  /** Called before a wait for the end of a rate-limit window. */
  onWait?: ((info: WaitInfo) => void) | undefined;
}

export interface FetchSettings {
  /** A promise while `log.ts` is being loaded. */
  readonly hooks: Hooks | Promise<Hooks>;
  /** Set when calls are traced; a promise, because `tracing.ts` is loaded on demand. */
  readonly traceCall?: Promise<TraceCall> | undefined;
  readonly lifetime: Lifetime;
  readonly fetch: Send;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  /** Prefix of the service's own headers, such as `Service` in `Service-Request-Id`. */
  readonly headerPrefix: string;
  /** Whether middleware is registered, which expects the runtime's own `Request` and `Response`. */
  hasMiddleware?: boolean;
  readonly gates: Readonly<Record<Bucket, Gate>>;
  /** Keys, which must never appear in an error. */
  readonly secrets: readonly string[];
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Sends a request, `send`, in a span. */
export type TraceCall = (
  settings: FetchSettings,
  request: Request | Outgoing,
  trace: CallTrace,
  send: (settings: FetchSettings, request: Request | Outgoing) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Sends a request with a timeout per attempt, retries, pacing and abort. Every request of the SDK is sent here. It wraps
 * `fetch` because middleware of openapi-fetch cannot send a request again.
 *
 * Resolves to the last answer, whatever its status. Its body has been read: one that breaks off is a failed attempt.
 *
 * @throws NetworkError, TimeoutError, AbortError; InvalidResponseError for redirects and undefined statuses
 */
export async function sendWithRetries(
  settings: FetchSettings,
  call: CallOptions,
  request: Request | Outgoing,
  trace: CallTrace,
): Promise<Answer> {
  if (settings.traceCall) {
    const { traceCall, ...untraced } = settings;
    return (await traceCall)(untraced, request, trace, (own, traced) => sendWithRetries(own, call, traced, trace));
  }
  const { now, fetch, lifetime, maxRetryAfterMs, random } = settings;
  const { method, url } = request;
  const { timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = call;
  // Calls of the raw client have no options; their signal is the request's.
  const signal = call.signal ?? request.signal;
  const bucket = bucketOfPath(trace.template);
  const gate = bucket && settings.gates[bucket];
  const redact = createRedact(call.apiKey ? [...settings.secrets, call.apiKey] : settings.secrets);
  trace.request = request;
  try {
    const hooks = settings.hooks instanceof Promise ? await settings.hooks : settings.hooks;
    for (;;) {
      if (gate && gate.take(now()) > 0) await waitForGate(settings, hooks, bucket, trace, signal);
      const info: RequestInfo = { method, url, attempt: trace.attempts + 1 };
      throwIfStopped(lifetime, signal);
      hooks.onRequest?.(info);
      throwIfStopped(lifetime, signal);
      trace.attempts += 1;
      const startedAt = now();
      const result = await attempt({ fetch, request, timeoutMs, redact, signal, lifetime });
      if ('response' in result) {
        const { response } = result;
        trace.response = response;
        hooks.onResponse?.({
          ...info,
          status: response.status,
          requestId: requestIdOf(trace, response),
          durationMs: now() - startedAt,
        });
        if (result.kind === 'unexpected') throw toInvalidResponseError(trace, response, result.fault);
      } else {
        throwIfStopped(lifetime, signal);
      }

      const outcome = outcomeOf(result, now());
      const delayMs =
        outcome &&
        nextRetryDelayMs({ method, outcome, attempt: trace.attempts, maxRetries, maxRetryAfterMs, random: random() });
      if (gate) {
        const closedMsMax = Math.max(BUCKET_LIMITS[bucket].windowMs, maxRetryAfterMs);
        reportToGate(gate, now(), outcome, delayMs, closedMsMax);
      }
      if (outcome === null || delayMs === null) {
        if (result.kind === 'answer') return result;
        const { origin, pathname } = new URL(url);
        const target = `${origin}${pathname}`;
        if (result.kind === 'network') throw toNetworkError(result.fault, target, trace.attempts, redact);
        const message = `${target} did not answer within ${timeoutMs} ms`;
        throw new TimeoutError(message, { attempts: trace.attempts, timeoutMs });
      }
      hooks.onRetry?.({ ...info, delayMs, reason: outcome });
      await settings.sleep(delayMs, signal);
    }
  } catch (error) {
    const { attempts } = trace;
    if (signal?.aborted) throw new AbortError('The call was aborted', { attempts, cause: signal.reason });
    throw lifetime.isClosed ? new AbortError(CLOSED, { attempts }) : error;
  }
}

/** Returns null for a success. */
function outcomeOf(result: Exclude<AttemptResult, { kind: 'unexpected' }>, nowMs: number): AttemptOutcome | null {
  if (result.kind === 'timeout') return result;
  if (result.kind === 'network') {
    const { nothingSent, mayPass } = result.fault;
    return { kind: 'network', nothingSent, mayPass };
  }
  const { response } = result;
  if (response.ok) return null;
  return { kind: 'status', status: response.status, retryAfterMs: parseRetryAfterMs(response.headers, nowMs) };
}

/**
 * Reports an outcome to the gate. A 429 closes the bucket for all calls, even when this one has no attempts left.
 *
 * @param closedMsMax a wrong `Retry-After`, which may be years, must not shut the client
 */
function reportToGate(
  gate: Gate,
  nowMs: number,
  outcome: AttemptOutcome | null,
  delayMs: number | null,
  closedMsMax: number,
): void {
  if (outcome !== null && outcome.kind !== 'status') return;
  if (outcome?.status !== 429) return gate.answered(nowMs);
  gate.refused(nowMs, Math.min(Math.max(outcome.retryAfterMs ?? 0, delayMs ?? backoffMs(1, 0)), closedMsMax));
}

/** Waits for the gate to open. @throws RateLimitError without a request when the wait exceeds `maxRetryAfterMs` */
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
    if (waitMs > settings.maxRetryAfterMs) throw toClosedGateError(trace, waitMs);
    hooks.onWait?.({ bucket, waitMs, reason: gate.isRefused(settings.now()) ? 'refused' : 'counted' });
    await settings.sleep(waitMs, signal);
  }
}
