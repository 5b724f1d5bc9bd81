/** Where traces are sent: the standard variables of OpenTelemetry, with their standard defaults. */
import * as z from 'zod';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

export interface TelemetryConfig {
  /** Complete, with its path. */
  url: string;
  headers: Readonly<Record<string, string>>;
  protocol: (typeof PROTOCOLS)[number];
  isCompressed: boolean;
  /** For one batch, its repetition included. */
  timeoutMs: number;
  serviceName: string;
  resourceAttributes: Readonly<Record<string, string>>;
  /** `ratio` is used by the samplers that end with `traceidratio`. */
  sampler: { name: (typeof SAMPLERS)[number]; ratio: number };
}

const collectorUrl = z
  .string()
  .refine(
    (text) => /^https?:/i.test(text) && URL.canParse(text),
    'must be an http or https URL, such as http://collector:4318',
  )
  .refine((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === '' && url.password === '');
  }, 'must have no user name and password: send them with OTEL_EXPORTER_OTLP_HEADERS');

const PAIRS_RULE = 'must be a list such as key1=value1,key2=value2, with percent-encoded values';
const pairs = z.string().transform((text, context): Record<string, string> => {
  const parsed = text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  try {
    return Object.fromEntries(
      parsed.map((match) => {
        if (match === null) throw new TypeError(PAIRS_RULE);
        const [, name = '', value = ''] = match;
        return [name, decodeURIComponent(value.trim())];
      }),
    );
  } catch {
    context.addIssue(PAIRS_RULE);
    return z.NEVER;
  }
});

const protocol = z.enum(
  PROTOCOLS,
  'must be http/protobuf or http/json: this server does not speak gRPC, so use the port of the collector for HTTP, usually 4318',
);
const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be milliseconds, 1 to 9999999')
  .transform(Number);
const compression = z.enum(['none', 'gzip'], 'must be none or gzip');

const RATIO_RULE = 'must be a number from 0 to 1';

/** Their descriptions are rows of the table in docs/operating.md. The variants for traces win over the general ones. */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl.optional().meta({
    description:
      'Collector of OpenTelemetry that gets traces, at `/v1/traces` below it. See [telemetry](telemetry.md).',
    shownDefault: 'none: nothing is traced',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl.optional().meta({
    description: 'The same as a complete URL; wins.',
    shownDefault: 'none',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional().meta({
    description: 'Headers for the collector, such as `authorization=Bearer%20TOKEN`.',
    shownDefault: 'none',
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs.optional().meta({ description: 'More of them; win.', shownDefault: 'none' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol
    .default('http/protobuf')
    .describe('`http/protobuf` or `http/json`. gRPC is not spoken.'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional().meta({
    description: 'The same for traces; wins.',
    shownDefault: '`OTEL_EXPORTER_OTLP_PROTOCOL`',
  }),
  OTEL_EXPORTER_OTLP_COMPRESSION: compression.default('none').describe('`none` or `gzip`.'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression.optional().meta({
    description: 'The same for traces; wins.',
    shownDefault: '`OTEL_EXPORTER_OTLP_COMPRESSION`',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds
    .default(10_000)
    .describe('How long the collector may take for a batch, in milliseconds.'),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds.optional().meta({
    description: 'The same for traces; wins.',
    shownDefault: '`OTEL_EXPORTER_OTLP_TIMEOUT`',
  }),
  OTEL_SERVICE_NAME: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name of this service in traces.', shownDefault: '`svc-server`' }),
  OTEL_RESOURCE_ATTRIBUTES: pairs.optional().meta({
    description: 'Attributes of this process in traces, such as `deployment.environment.name=production`.',
    shownDefault: 'none',
  }),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`)
    .default('parentbased_always_on')
    .describe('Which posts, requests and jobs begin a trace. `parentbased_traceidratio` takes the share below.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0?\.\d{1,9}|0|1(\.0*)?)$/, RATIO_RULE)
    .transform(Number)
    .default(1)
    .describe('Share that the samplers with `traceidratio` take, 0 to 1.'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], 'must be otlp or none')
    .default('otlp')
    .describe('`none` sends no traces.'),
  OTEL_SDK_DISABLED: z
    .string()
    .transform((text) => text.toLowerCase() === 'true')
    .default(false)
    .describe('`true` sends no traces.'),
};

const schema = z.object(telemetryVariables);

/** Returns where traces are sent; null when no collector is named, or tracing is switched off. */
export function readTelemetry(env: z.output<typeof schema>): TelemetryConfig | null {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url =
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
    (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/traces`);
  if (url === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return null;
  const { 'service.name': namedService, ...resourceAttributes } = env.OTEL_RESOURCE_ATTRIBUTES ?? {};
  return {
    url,
    headers: { ...env.OTEL_EXPORTER_OTLP_HEADERS, ...env.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    protocol: env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL,
    isCompressed: (env.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? env.OTEL_EXPORTER_OTLP_COMPRESSION) === 'gzip',
    timeoutMs: env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: env.OTEL_SERVICE_NAME ?? namedService ?? 'svc-server',
    resourceAttributes,
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
  };
}
