declare const baseUrl: string;
declare const apiKey: string;

// Example of the README:
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { createClient, type Tracing } from '@svc/sdk';

const tracing: Tracing = {
  startSpan(name, attributes) {
    const span = trace.getTracer('svc').startSpan(name, { kind: SpanKind.CLIENT, attributes });
    const within = trace.setSpan(context.active(), span);
    const headers: Record<string, string> = {};
    propagation.inject(within, headers);
    return {
      run: (call) => context.with(within, call),
      headers: () => headers,
      addEvent: (event, details) => span.addEvent(event, details),
      end: (details, error) =>
        span
          .setAttributes(details)
          .setStatus({ code: error ? SpanStatusCode.ERROR : SpanStatusCode.UNSET })
          .end(),
    };
  },
};
const client = createClient({ baseUrl, apiKey, tracing });
// End of the example.
export { client, tracing };
