/**
 * Spans of OpenTelemetry without OpenTelemetry: what begins, continues and carries them. `otlp-tracing.ts` records and sends
 * them, and is loaded only when a collector is configured. Without it no trace ever begins, and every function here only calls
 * its work.
 *
 * Names and attributes come from closed lists and numbers: kinds, operations, statuses, counts. Nothing of a tenant is in a span,
 * not even an id: the log lines of the same trace have those.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface SpanStart {
  name: string;
  /** `server`: a request to this service; `consumer`: a job; `client`: a call of this service. */
  kind: 'server' | 'consumer' | 'client';
  attributes?: Readonly<Record<string, string | number>>;
}

export interface TraceStart extends SpanStart {
  /** `traceparent` of the span that it continues. Default: none, and the sampler decides whether a trace begins. */
  parent?: string | undefined;
  /** `traceparent` of spans of other traces that belong to it. */
  links?: readonly string[];
  /** `spanTime()` of its beginning. Default: now. */
  startedAt?: number;
}

/** A span of a trace that is recorded. */
export interface OpenSpan {
  readonly kind: SpanStart['kind'];
  readonly traceId: string;
  readonly spanId: string;
  /** The form of W3C Trace Context, with the flag `sampled`. */
  readonly traceparent: string;
  readonly isEnded: boolean;
  child(start: SpanStart): OpenSpan;
  rename(name: string): void;
  set(name: string, value: string | number): void;
  /**
   * @param failure a word of a closed list, or the class of an error: never its message, which may hold data of a tenant
   * @param endedAt `spanTime()` of its end. Default: now
   */
  end(failure?: string, endedAt?: number): void;
}

export interface Tracing {
  /** Begins or continues a trace; null when it is not sampled. */
  begin(start: TraceStart): OpenSpan | null;
  /** Calls back with a number of spans whenever so many were sent, dropped or failed. */
  onSpans(count: (result: SpanResult, spans: number) => void): void;
  /** Sends what is left, for at most two seconds. Later spans are dropped. */
  stop(): Promise<void>;
}

/** `dropped`: the queue was full. `failed`: the collector did not take them. */
export const SPAN_RESULTS = ['sent', 'dropped', 'failed'] as const;
export type SpanResult = (typeof SPAN_RESULTS)[number];

export const noTracing: Tracing = { begin: () => null, onSpans: () => {}, stop: async () => {} };

const active = new AsyncLocalStorage<OpenSpan | undefined>();

/** Returns the span that this code runs in. */
export function activeSpan(): OpenSpan | undefined {
  const span = active.getStore();
  // Work that a span has started may go on after it.
  return span?.isEnded === true ? undefined : span;
}

/** Runs work in a span, or outside of every span. */
export function runInSpan<T>(span: OpenSpan | undefined, work: () => T): T {
  return active.getStore() === span ? work() : active.run(span, work);
}

/** Runs work in a new child of the active span. Without an active span it only runs. */
export function inChildSpan<T>(start: SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
  const parent = activeSpan();
  return parent === undefined ? work() : endAfter(parent.child(start), work);
}

async function endAfter<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  try {
    const result = await runInSpan(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(failureOf(error));
    throw error;
  }
}

/** Returns what a span may say of an error. */
function failureOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}

/** Fields of log lines that were written inside a span. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = active.getStore();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** Milliseconds since 1970, as precise as spans are. */
export function spanTime(): number {
  return performance.timeOrigin + performance.now();
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TraceContext {
  traceId: string;
  spanId: string;
  flags: number;
}

/** Reads a `traceparent`; null when it is not one. */
export function parseTraceparent(text: unknown): TraceContext | null {
  const [, traceId = '', spanId = '', flags = ''] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}
