/** Spans for calls, loaded only when the option `tracing` is set. They hold no query (which may hold personal data), body or key. */
import type { Outgoing } from './outgoing.ts';
import type { Hooks, TraceCall } from './send-with-retries.ts';

/** Starts spans. README.md of this package has one that uses `@opentelemetry/api`. */
export interface Tracing {
  /**
   * Starts the span of a call.
   *
   * @param name method and path template, such as `GET /api/v1/syncs/{id}`
   * @param attributes named as in OpenTelemetry's semantic conventions for HTTP
   */
  startSpan(name: string, attributes: SpanAttributes): CallSpan;
}

/** Attributes of a span or of an event in it. */
export type SpanAttributes = Record<string, string | number>;

/** The span of a call, with all its attempts. */
export interface CallSpan {
  /** Runs the call, so that what it starts belongs to this span. */
  run<Result>(call: () => Result): Result;
  /** Returns the headers that carry the trace to the service, such as `traceparent`. */
  headers(): Record<string, string>;
  /** Adds `svc.retry` before the wait for another attempt, or `svc.wait` before a wait for the rate limit. */
  addEvent(name: string, attributes: SpanAttributes): void;
  /** Ends the span. `error` is the value of `error.type`, undefined for a success. */
  end(attributes: SpanAttributes, error: string | undefined): void;
}

export function createTraceCall(tracing: Tracing): TraceCall {
  return async (settings, request, trace, send) => {
    const { protocol, hostname, port } = new URL(request.url);
    const span = tracing.startSpan(`${request.method} ${trace.template}`, {
      'http.request.method': request.method,
      'url.template': trace.template,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    });
    let error: string | undefined;
    try {
      const hooks = withEvents(await settings.hooks, span);
      const answer = await span.run(() => send({ ...settings, hooks }, withHeaders(request, span.headers())));
      if (!answer.response.ok) error = `${answer.response.status}`;
      return answer;
    } catch (fault) {
      error = fault instanceof Error ? fault.name : 'Error';
      throw fault;
    } finally {
      span.end(
        {
          ...(trace.response && { 'http.response.status_code': trace.response.status }),
          ...(trace.attempts > 1 && { 'http.request.resend_count': trace.attempts - 1 }),
          ...(error !== undefined && { 'error.type': error }),
        },
        error,
      );
    }
  };
}

function withHeaders(request: Request | Outgoing, more: Record<string, string>): Request | Outgoing {
  const isOutgoing = 'init' in request;
  const headers = isOutgoing ? new Headers(request.init.headers) : request.headers;
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return isOutgoing ? { ...request, init: { ...request.init, headers } } : request;
}

function withEvents(hooks: Hooks, span: CallSpan): Hooks {
  return {
    onRequest: (info) => hooks.onRequest?.(info),
    onResponse: (info) => hooks.onResponse?.(info),
    onRetry(info) {
      const { attempt, delayMs, reason } = info;
      span.addEvent('svc.retry', {
        'http.request.resend_count': attempt,
        'error.type': reason.kind === 'status' ? `${reason.status}` : reason.kind,
        'svc.delay_ms': delayMs,
      });
      hooks.onRetry?.(info);
    },
    onWait(info) {
      span.addEvent('svc.wait', { 'svc.bucket': info.bucket, 'svc.reason': info.reason, 'svc.delay_ms': info.waitMs });
      hooks.onWait?.(info);
    },
  };
}
