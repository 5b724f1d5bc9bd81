/** A collector of OpenTelemetry on this machine: keeps what it gets over OTLP as JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface CollectedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number>;
  /** Trace ids and span ids. */
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  /** Roles of the process that sent it. */
  roles: string | undefined;
}

export interface Collector {
  /** Address of its `/v1/traces`. */
  url: string;
  spans(): CollectedSpan[];
  /** The attributes of the process that sent the spans. */
  resource(): Record<string, string | number>;
  /** Everything that was received. */
  raw(): string;
  /** Headers of the posts. */
  headers(): Record<string, unknown>[];
  /** Answers the next posts with these statuses. */
  answerNext(...statuses: number[]): void;
  close(): Promise<void>;
}

type JsonAttributes = { key: string; value: Record<string, string | number> }[];

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  let statuses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const [status = 200, ...others] = statuses;
      statuses = others;
      headers.push(request.headers);
      if (status === 200) {
        bodies.push((request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8'));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const resources = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans: () =>
      resources()
        .flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }: { spans: object[] }) =>
            spans.map((span) => ({ ...span, roles: toRecord(resource.attributes)['svc.roles'] })),
          ),
        )
        .map((span) => ({
          ...span,
          attributes: toRecord(span.attributes),
          links: (span.links ?? []).map(({ traceId, spanId }: CollectedSpan) => ({ traceId, spanId })),
          isError: span.status?.code === 2,
        })),
    resource: () => toRecord(resources()[0]?.resource.attributes ?? []),
    raw: () => bodies.join('\n'),
    headers: () => headers,
    answerNext: (...next) => {
      statuses = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toRecord(attributes: JsonAttributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value['stringValue'] ?? Number(value['intValue'] ?? value['doubleValue']),
    ]),
  );
}
