/** The OpenAPI document of the control endpoints. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DOCUMENT } from '../../test/support/control.ts';
import { controlRoutes, pathsOf } from './routes.ts';

const operations = Object.values<Record<string, { operationId: string; responses: object }>>(DOCUMENT.paths).flatMap(
  (item) => Object.values(item),
);

test('has every route once, with a unique operation id', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBe(controlRoutes.flatMap(pathsOf).length + 1);
  for (const id of ['postWorlds', 'postClock', 'postWorldsWorldClock', 'deleteWorldsWorldFaultsFault'])
    expect(ids).toContain(id);
});

test('describes bodies and parameters', () => {
  const post = DOCUMENT.paths['/__svc/faults'].post.requestBody.content['application/json'].schema;
  expect(
    post.properties.effect.oneOf.map((each: { properties: { kind: { const: string } } }) => each.properties.kind.const),
  ).toEqual(['status', 'latency', 'reset', 'truncate', 'hang']);
  const clock = DOCUMENT.paths['/__svc/clock'].post.requestBody.content['application/json'].schema;
  expect(clock).toMatchObject({ additionalProperties: false, properties: { resume: { const: true } } });
  expect(clock.properties.advance.anyOf).toMatchObject([
    { type: 'number' },
    { type: 'string', pattern: expect.any(String) },
  ]);
  const names = DOCUMENT.paths['/__svc/scenarios'].post.requestBody.content['application/json'].schema.properties.names;
  expect(names.items.enum).toHaveLength(15);
  const parameters = DOCUMENT.paths['/__svc/worlds/{world}/requests'].get.parameters;
  expect(
    parameters.map(({ name, schema }: { name: string; schema: { type?: string } }) => `${name} ${schema.type}`),
  ).toEqual([
    'world string',
    'operation string',
    'keyName string',
    'method string',
    'path string',
    'status integer',
    'unmatched string',
  ]);
});

test("passes Redocly's strictest rules for OpenAPI 3.1", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc control lint '));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(DOCUMENT));
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended-strict]\n');
  const redocly = join(import.meta.dirname, '../../../contract/node_modules/.bin/redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr } = spawnSync(redocly, ['lint', 'openapi.json'], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  rmSync(folder, { recursive: true });
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
});
