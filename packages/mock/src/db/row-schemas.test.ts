/** The published row types, the rows of a world and the schemas that check them agree in both directions. */
import { DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { worldSchema } from '@svc/domain/world';
import { expect, expectTypeOf, test } from 'vitest';
import { createDemoWorld } from '../../test/support/demo.ts';
import type { DbRows } from '../generated/row-types.ts';
import { allRows } from '../state/log.ts';
import { CONFIGURED_KINDS, LOG_KINDS, type WorldRows } from '../state/world-data.ts';
import { isLog, listOf } from './row-lists.ts';
import { rowSchemasOf } from './row-schemas.ts';

const ROW_SCHEMAS = rowSchemasOf(DEFAULT_BRANDING);

/** Removes `readonly`; optional and nullable stay. */
type Plain<Value> = Value extends Date
  ? Date
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Value extends object
      ? { -readonly [Key in keyof Value]: Plain<Value[Key]> }
      : Value;

test('types have every kind and every field', () => {
  expectTypeOf<Plain<DbRows>>().toEqualTypeOf<Plain<WorldRows>>();
});

test.each([...CONFIGURED_KINDS, ...LOG_KINDS])(
  'the schema of %s accepts every row of the demo world unchanged',
  (kind) => {
    const list = listOf(createDemoWorld().state.data, kind);
    const rows: readonly object[] = isLog(list) ? allRows(list) : list;
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(ROW_SCHEMAS[kind].parse(row)).toEqual(row);
  },
);

test.each([...CONFIGURED_KINDS, ...LOG_KINDS])('the schema of %s has the fields of the world file', (kind) => {
  const own = { blocklists: ['run'], requests: ['received'], syncs: ['isEventKnown'] };
  const schema = ROW_SCHEMAS[kind];
  const fields = 'shape' in schema && typeof schema.shape === 'object' ? Object.keys(schema.shape ?? {}) : [];
  const inFile = Object.keys(worldSchema.shape[kind].element.shape).filter((field) => field !== 'hasActiveFetchJob');
  expect(fields.toSorted()).toEqual([...inFile, ...((own as Record<string, string[]>)[kind] ?? [])].toSorted());
});
