import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  [{}],
  [{ OTEL_SERVICE_NAME: 'svc', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
])('nothing is traced with %o', (env) => {
  expect(readConfig(env).telemetry).toBeNull();
});

test('the general endpoint is a base, that of traces is complete', () => {
  const urlOf = (env: Record<string, string>) => readConfig(env).telemetry?.url;
  expect(urlOf(ENDPOINT)).toBe('http://collector:4318/v1/traces');
  expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host/otlp/' })).toBe('https://host/otlp/v1/traces');
  expect(urlOf({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://host/in?v=1' })).toBe('https://host/in?v=1');
});

test('the variables of traces win over the general ones', () => {
  const { telemetry } = readConfig({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20one, x-scope = all',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20two',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=named,region=eu',
  });
  expect(telemetry).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: { authorization: 'Bearer two', 'x-scope': 'all' },
    protocol: 'http/json',
    isCompressed: true,
    timeoutMs: 500,
    serviceName: 'named',
    resourceAttributes: { region: 'eu' },
    sampler: { name: 'parentbased_always_on', ratio: 1 },
  });
  expect(
    readConfig({ ...ENDPOINT, OTEL_SERVICE_NAME: 'wins', OTEL_RESOURCE_ATTRIBUTES: 'service.name=x' }).telemetry,
  ).toMatchObject({
    serviceName: 'wins',
    protocol: 'http/protobuf',
    timeoutMs: 10_000,
  });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:secret@collector' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must have no user name'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'does not speak gRPC'],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER must be one of always_on'],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'must be a number from 0 to 1'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'OTEL_EXPORTER_OTLP_HEADERS must be a list such as'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%E0%A4%A' }, 'percent-encoded'],
])('refuses %o without repeating secrets', (env, message) => {
  const read = () => readConfig(env);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/secret/);
});
