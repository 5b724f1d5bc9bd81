import {
  accountStatusResponseSchema,
  connectionSchema,
  meResponseSchema,
  sourceSchema,
  syncMetricsSchema,
  syncSchema,
} from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import {
  CONNECTION_FIELDS,
  ME_FIELDS,
  SOURCE_FIELDS,
  STATUS_FIELDS,
  SYNC_FIELDS,
  SYNC_METRICS_FIELDS,
  topLevelFields,
} from './field-lists.ts';

interface Schema {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  unwrap?(): Schema;
}

/** Dotted paths of a zod schema, through arrays and what may be null. */
function pathsOf(schema: Schema): string[] {
  if (schema.element) return pathsOf(schema.element);
  if (schema.unwrap) return pathsOf(schema.unwrap());
  return Object.entries(schema.shape ?? {}).flatMap(([name, inner]) => [
    name,
    ...pathsOf(inner).map((path) => `${name}.${path}`),
  ]);
}

test.each([
  ['syncs', SYNC_FIELDS, syncSchema],
  ['connections', CONNECTION_FIELDS, connectionSchema],
  ['sources', SOURCE_FIELDS, sourceSchema],
  ['metrics', SYNC_METRICS_FIELDS, syncMetricsSchema],
  ['me', ME_FIELDS, meResponseSchema],
  ['status', STATUS_FIELDS, accountStatusResponseSchema],
])('the fields of %s are those of the contract, in its order', (_name, fields, schema) => {
  const open = fields.filter((field) => field.endsWith('.*')).map((field) => field.slice(0, -1));
  const closed = fields.filter((field) => !field.endsWith('.*'));
  const contract = pathsOf(schema as Schema).filter((path) => !open.some((prefix) => path.startsWith(prefix)));
  expect(contract.length).toBeGreaterThan(0);
  expect(closed).toEqual(contract);
});

test('topLevelFields', () => {
  expect(topLevelFields(['a', 'a.b', 'c', 'c.*'])).toEqual(['a', 'c']);
});
