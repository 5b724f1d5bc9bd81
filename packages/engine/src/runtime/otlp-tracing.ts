/**
 * Records spans and sends them to a collector over OTLP. The only module that loads OpenTelemetry; imported only when a collector
 * is configured.
 *
 * A collector that is away, slow or refuses costs spans, never work: at most `QUEUED_MAX` ended spans are kept, and the others are
 * dropped and counted.
 */
import { randomUUID } from 'node:crypto';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../config/telemetry-config.ts';
import { systemClock } from './clock.ts';
import { createOtlpSender, type OtlpSenderParts } from './otlp-sender.ts';
import {
  formatTraceparent,
  type OpenSpan,
  parseTraceparent,
  type SpanResult,
  type SpanStart,
  type Tracing,
} from './tracing.ts';
import { VERSION } from './version.ts';

/** Ended spans that wait for the collector, of about 1 kB each. */
const QUEUED_MAX = 8_192;
const BATCH_MAX = 1_024;
/** Longest wait of an ended span for others. */
const SEND_EVERY_MS = 2_000;
const STOP_MS = 2_000;
/** A batch of jobs links to the traces of its jobs. */
const LINKS_MAX = 1_024;

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;

/** @param parts without `clock` and `fetch`: the system's */
export function createOtlpTracing(
  config: TelemetryConfig,
  parts: Pick<OtlpSenderParts, 'log'> & Partial<OtlpSenderParts>,
): Tracing {
  let count = (_result: SpanResult, _spans: number) => {};
  const { log, clock = systemClock, fetch = globalThis.fetch } = parts;
  const sender = createOtlpSender(config, { log, clock, fetch });
  const serializer = config.protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  let queued = 0;
  const underWay = new Set<Promise<void>>();
  const exporter: SpanExporter = {
    export(spans, done) {
      const send = async () => {
        const body = serializer.serializeRequest(spans);
        const isSent = body !== undefined && (await sender.send(body));
        queued -= spans.length;
        count(isSent ? 'sent' : 'failed', spans.length);
      };
      // A failure is already counted and logged; the processor would only report it again.
      const sending = send().finally(() => {
        underWay.delete(sending);
        done({ code: 0 });
      });
      underWay.add(sending);
    },
    // The processor waits for what it sends at the end, not for a batch that is under way.
    shutdown: async () => void (await Promise.allSettled(underWay)),
  };
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUED_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: 2 * config.timeoutMs,
  });
  const bounded: SpanProcessor = {
    onStart: () => {},
    onEnd(span) {
      if (queued >= QUEUED_MAX) return count('dropped', 1);
      queued += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName,
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
      ...config.resourceAttributes,
    }),
    sampler: createSampler(config.sampler),
    spanLimits: { linkCountLimit: LINKS_MAX },
    spanProcessors: [bounded],
  });
  const tracer = provider.getTracer('svc-server', VERSION);
  return {
    begin({ parent, links = [], startedAt, ...start }) {
      const span = tracer.startSpan(
        start.name,
        {
          kind: KINDS[start.kind],
          ...(start.attributes === undefined ? {} : { attributes: start.attributes }),
          ...(startedAt === undefined ? {} : { startTime: startedAt }),
          links: links.flatMap((link) => toContext(link) ?? []).map((context) => ({ context })),
        },
        contextOf(parent),
      );
      return span.isRecording() ? wrap(span, start.kind) : null;
    },
    onSpans(callback) {
      count = callback;
    },
    async stop() {
      const cancelCut = clock.setTimer(() => sender.abort(), STOP_MS);
      await provider.shutdown().catch(() => {});
      cancelCut();
      sender.abort();
    },
  };

  function wrap(span: Span, kind: SpanStart['kind']): OpenSpan {
    const { traceId, spanId, traceFlags } = span.spanContext();
    let isEnded = false;
    return {
      kind,
      traceId,
      spanId,
      traceparent: formatTraceparent({ traceId, spanId, flags: traceFlags }),
      get isEnded() {
        return isEnded;
      },
      child: ({ name, attributes, kind: childKind }) => {
        const options = { kind: KINDS[childKind], ...(attributes === undefined ? {} : { attributes }) };
        return wrap(tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, span)), childKind);
      },
      rename: (name) => void span.updateName(name),
      set: (name, value) => void span.setAttribute(name, value),
      end(failure, endedAt) {
        isEnded = true;
        if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
        span.end(endedAt);
      },
    };
  }
}

function toContext(traceparent: string | undefined) {
  const parsed = parseTraceparent(traceparent);
  return parsed && { traceId: parsed.traceId, spanId: parsed.spanId, traceFlags: parsed.flags, isRemote: true };
}

function contextOf(parent: string | undefined) {
  const context = toContext(parent);
  return context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
}

function createSampler({ name, ratio }: TelemetryConfig['sampler']): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  switch (name) {
    case 'always_on':
    case 'always_off':
    case 'traceidratio':
      return roots[name]();
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: roots.always_on() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: roots.always_off() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: roots.traceidratio() });
  }
}
