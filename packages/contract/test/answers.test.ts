/**
 * The generated schemas of answers accept what the contract accepts, except for what a later release may change: values of
 * enumerations and constants, patterns and lengths.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { answers } from '../src/generated/answers.ts';
import { operations } from '../src/operations.ts';
import { damagedCopies } from './damaged-copies.ts';
import { listExamples } from './examples.ts';
import { readContractDocument } from './strict-document.ts';

const document = readContractDocument();
const LEFT_OPEN = ['enum', 'const', 'pattern', 'minLength', 'maxLength', 'maxItems', 'maximum', 'additionalProperties'];

function relax(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(relax);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([keyword]) => !LEFT_OPEN.includes(keyword));
  // A pattern is how the contract says that the offset of an instant is Z.
  const pattern = 'format' in node && node.format === 'date-time' && 'pattern' in node ? { pattern: node.pattern } : {};
  return { ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, relax(value)])), ...pattern };
}

const ajv = new Ajv2020({ strict: false, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'contract', components: { schemas: relax(document.components.schemas) } });

/** Returns the schema of an answer such as `listSyncs 200`. */
const schemaByAnswer: ReadonlyMap<string, (typeof answers)[string]> = new Map(
  operations.flatMap(({ id, method, path, successStatus }) => {
    const schema = answers[`${method} ${path} ${successStatus}`];
    return schema === undefined ? [] : [[`${id} ${successStatus}`, schema] as const];
  }),
);
const examples = listExamples(document).flatMap((example) => {
  const schema = schemaByAnswer.get(example.where.split(' ').slice(0, 2).join(' '));
  return schema === undefined ? [] : [{ ...example, schema }];
});

test('every answer has a schema, except the deletion and the YAML document', () => {
  expect(operations.filter(({ id, successStatus }) => !schemaByAnswer.has(`${id} ${successStatus}`))).toMatchObject([
    { id: 'getOpenapiYaml' },
    { id: 'deleteWebhook' },
  ]);
  expect(Object.keys(answers)).toHaveLength(schemaByAnswer.size);
  // The schema of the document has no name, so no example belongs to it.
  const withExample = new Set(examples.map(({ schema }) => schema));
  expect([...schemaByAnswer].filter(([, schema]) => !withExample.has(schema)).map(([answer]) => answer)).toEqual([
    'getOpenapiJson 200',
  ]);
});

describe('damaged examples', () => {
  test.each(examples)('$where', ({ schemaName, schema, value }) => {
    const validate = ajv.getSchema(`contract#/components/schemas/${schemaName}`);
    if (validate === undefined) throw new Error(`${schemaName} is no schema`);
    expect(schema.safeParse(value).success).toBe(true);
    const disagreements: unknown[] = [];
    let refused = 0;
    for (const damaged of damagedCopies(value)) {
      const byAnswers = schema.safeParse(damaged).success;
      const byContract = validate(damaged) === true;
      if (!byContract) refused += 1;
      if (byAnswers !== byContract) disagreements.push({ byAnswers, byContract, damaged });
    }
    expect(disagreements.slice(0, 3)).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });
});
