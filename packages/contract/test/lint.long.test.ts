/** Each planted fault is found by its lint rule. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Document, isMap, parseDocument } from 'yaml';

const packageDir = join(import.meta.dirname, '..');
const SYNC = ['paths', '/api/v1/syncs/{id}', 'get'];
const CREATE = ['paths', '/api/v1/webhooks', 'post'];
const CONNECTION = ['components', 'schemas', 'Connection', 'properties'];
const METRICS_EXAMPLE = ['paths', '/api/v1/requests/metrics', 'get', 'responses', '200', 'content'];

/** All faults of one document, with the rules that must report each. */
const FAULTS: { rules: string[]; plant: (contract: Document) => void }[] = [
  { rules: ['operation-operationId'], plant: (c) => c.deleteIn([...SYNC, 'operationId']) },
  { rules: ['operation-description'], plant: (c) => c.deleteIn([...SYNC, 'description']) },
  { rules: ['operation-tags'], plant: (c) => c.deleteIn([...SYNC, 'tags']) },
  { rules: ['svc-operation-has-summary'], plant: (c) => c.deleteIn([...SYNC, 'summary']) },
  { rules: ['svc-operation-names-access'], plant: (c) => c.setIn([...SYNC, 'x-svc-access'], 'anyone') },
  { rules: ['svc-operation-declares-500'], plant: (c) => c.deleteIn([...SYNC, 'responses', '500']) },
  { rules: ['svc-api-operation-declares-429'], plant: (c) => c.deleteIn([...SYNC, 'responses', '429']) },
  { rules: ['svc-secured-operation-declares-refusals'], plant: (c) => c.deleteIn([...SYNC, 'responses', '401']) },
  { rules: ['svc-body-declares-refusals'], plant: (c) => c.deleteIn([...CREATE, 'responses', '415']) },
  { rules: ['svc-operation-id-is-camel-case'], plant: (c) => c.setIn([...CREATE, 'operationId'], 'create-webhook') },
  {
    rules: ['svc-response-carries-request-id'],
    plant: (c) => c.deleteIn([...CREATE, 'responses', '200', 'headers', 'Service-Request-Id']),
  },
  {
    rules: ['svc-api-response-carries-link'],
    plant: (c) => c.deleteIn([...CREATE, 'responses', '200', 'headers', 'Link']),
  },
  {
    rules: ['svc-content-has-examples'],
    plant: (c) => c.deleteIn([...CREATE, 'requestBody', 'content', 'application/json', 'examples']),
  },
  {
    rules: ['svc-429-carries-retry-after'],
    plant: (c) => c.deleteIn(['components', 'responses', 'TooManyRequests', 'headers', 'Retry-After']),
  },
  {
    rules: ['svc-401-carries-www-authenticate'],
    plant: (c) => c.deleteIn(['components', 'responses', 'Unauthorized', 'headers', 'WWW-Authenticate']),
  },
  {
    rules: ['svc-delivery-carries-headers'],
    plant: (c) => c.deleteIn(['webhooks', 'test.ping', 'post', 'parameters', 2]),
  },
  {
    rules: ['svc-schema-is-described'],
    plant: (c) => c.deleteIn(['components', 'schemas', 'Connection', 'description']),
  },
  { rules: ['svc-property-is-described'], plant: (c) => c.deleteIn([...CONNECTION, 'id', 'description']) },
  {
    rules: ['oas3-valid-media-example', 'no-invalid-media-type-examples'],
    plant: (c) => c.setIn([...METRICS_EXAMPLE, 'application/json', 'examples', 'count', 'value'], { count: 'many' }),
  },
  {
    rules: ['oas3-unused-component', 'no-unused-components'],
    plant: (c) =>
      c.setIn(['components', 'schemas', 'Unused'], c.createNode({ type: 'string', description: 'Unused.' })),
  },
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc contract lint '));
  for (const name of ['redocly.yaml', '.spectral.yaml']) cpSync(join(packageDir, name), join(folder, name));
  symlinkSync(join(packageDir, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const contract = parseDocument(readFileSync(join(packageDir, 'openapi.yaml'), 'utf8'));
  if (!isMap(contract.contents)) throw new Error('openapi.yaml is not a mapping');
  for (const { plant } of FAULTS) plant(contract);
  writeFileSync(join(folder, 'openapi.yaml'), contract.toString());
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function lint(command: string, args: string[]): { status: number | null; output: string } {
  const path = join(packageDir, 'node_modules', '.bin', command);
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr } = spawnSync(path, args, { cwd: folder, encoding: 'utf8', env });
  return { status, output: stdout + stderr };
}

describe('planted faults', { timeout: 600_000 }, () => {
  test('Spectral finds each by its rule', () => {
    const { status, output } = lint('spectral', ['lint', 'openapi.yaml', '--ruleset', '.spectral.yaml', '-F', 'hint']);
    expect(status).toBe(1);
    const expected = FAULTS.flatMap(({ rules }) => rules.slice(0, 1));
    expect(expected.filter((rule) => !output.includes(rule))).toEqual([]);
  });

  test('Redocly finds those that it has a rule for', () => {
    const { status, output } = lint('redocly', ['lint', '--max-problems=200']);
    expect(status).toBe(1);
    const expected = [
      'operation-operationId',
      'operation-description',
      ...FAULTS.flatMap(({ rules }) => rules.slice(1)),
    ];
    expect(expected.filter((rule) => !output.includes(rule))).toEqual([]);
  });
});
