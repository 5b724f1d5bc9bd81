/**
 * The zod schemas agree with the types generated from the contract in both directions: fields, optional fields and nulls. The
 * compiler compares types (`npm run check`); these tests compare values, by validating the contract's examples and thousands of
 * damaged copies with both.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import type { Page, Schemas, Sync } from '../src/types.ts';
import { isSchemaName, type SchemaName, schemasByName } from './schema-names.ts';
import { damagedCopies } from './damaged-copies.ts';
import { listExamples } from './examples.ts';
import { readContractDocument } from './strict-document.ts';

/** Without the "and anything else" of loose objects, with intersections flattened. */
type Known<T> = T extends readonly (infer Item)[]
  ? Known<Item>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? (unknown extends T[Key] ? never : Key) : Key]: Known<T[Key]> }
    : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Drifted = {
  [Name in SchemaName]: Same<Known<Schemas[Name]>, Known<z.infer<(typeof schemasByName)[Name]>>> extends true
    ? never
    : Name;
}[SchemaName];

/** Does not compile when the types of a schema differ; the compiler's message names it. */
function assertNever<T extends never>(..._drifted: T[]): void {}
assertNever<Drifted>();
assertNever<Same<Known<Page<Sync>>, Known<Schemas['SyncPage']>> extends true ? never : 'Page'>();
// Proves that the comparison can fail.
const seesMissingField: Same<Known<{ a: 1 }>, Known<{ a: 1; b: 2 }>> = false;
const seesOptionalField: Same<Known<{ a: 1 }>, Known<{ a?: 1 }>> = false;
const seesNull: Same<Known<{ a: { b: string }[] }>, Known<{ a: { b: string | null }[] }>> = false;

test('the comparison of types detects a missing field, an optional field and a null', () => {
  expect([seesMissingField, seesOptionalField, seesNull]).toEqual([false, false, false]);
});

const document = readContractDocument();
const examples = listExamples(document);

test('every schema of the contract has a zod schema, and vice versa', () => {
  expect(Object.keys(schemasByName).toSorted()).toEqual(Object.keys(document.components.schemas).toSorted());
});

describe('every example of the contract parses', () => {
  test.each(examples)('$where', ({ schemaName, value }) => {
    if (!isSchemaName(schemaName)) throw new Error(`${schemaName} is no schema`);
    expect(schemasByName[schemaName].parse(value)).toEqual(value);
  });
});

const ajv = new Ajv2020({ strict: false, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'contract', components: { schemas: document.components.schemas } });

function isValidByContract(name: string, value: unknown): boolean {
  const validate = ajv.getSchema(`contract#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`${name} is no schema`);
  return validate(value) === true;
}

describe('zod and the contract agree on damaged examples', () => {
  test.each(examples)('$where', ({ schemaName, value }) => {
    if (!isSchemaName(schemaName)) throw new Error(`${schemaName} is no schema`);
    const disagreements: unknown[] = [];
    let refused = 0;
    for (const damaged of damagedCopies(value)) {
      const byZod = schemasByName[schemaName].safeParse(damaged).success;
      const byContract = isValidByContract(schemaName, damaged);
      if (!byContract) refused += 1;
      if (byZod !== byContract) disagreements.push({ byZod, byContract, damaged });
    }
    expect(disagreements.slice(0, 3)).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });
});
