/** Checks that the collector of traces takes them, with a message that holds no span. */
import type { TelemetryConfig } from '@svc/engine/config/telemetry-config';
import { isTaken, postToCollector } from '@svc/engine/runtime/otlp-sender';
import { type Check, pass, warn } from '@svc/operations/doctor/check';

const TIMEOUT_MS = 5_000;

/** @returns no check when nothing is traced */
export async function checkCollector(
  telemetry: TelemetryConfig | null,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Check[]> {
  if (telemetry === null) return [];
  const body = Buffer.from(telemetry.protocol === 'http/json' ? '{"resourceSpans":[]}' : '');
  const status = await postToCollector(telemetry, body, { fetch, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const collector = new URL(telemetry.url).origin;
  if (isTaken(status)) return [pass('traces', `the collector at ${collector} takes them`)];
  const answer = status === null ? 'does not answer' : `answers ${status}`;
  return [warn('traces', `the collector at ${collector} ${answer}, so traces are lost`, fixOf(status))];
}

function fixOf(status: number | null): string {
  switch (status) {
    case 401:
    case 403:
      return 'Set its token in OTEL_EXPORTER_OTLP_HEADERS, such as authorization=Bearer%20TOKEN.';
    case 404:
    case 405:
      return 'OTEL_EXPORTER_OTLP_ENDPOINT is the address without /v1/traces; OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is a complete URL.';
    case 400:
    case 415:
      return 'Set OTEL_EXPORTER_OTLP_PROTOCOL to what it takes: http/protobuf or http/json.';
    default:
      return 'Check that it runs, and that OTEL_EXPORTER_OTLP_ENDPOINT names its port for HTTP, usually 4318.';
  }
}
