/**
 * Writes `src/generated/catalog.json`: what the pages say of each operation, from its declaration. `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Declaration, fieldOf } from '@svc/operations/declared/declare';
import { NOUNS } from '@svc/operations/declared/index';
import * as z from 'zod';
import type { CatalogEntry, CatalogField } from '../src/data/catalog.ts';

const file = join(import.meta.dirname, '..', 'src', 'generated', 'catalog.json');

const declarations = NOUNS.flatMap((noun): readonly Declaration[] => noun.operations).filter(
  ({ onlyOnMachine }) => onlyOnMachine !== true,
);
const catalog = Object.fromEntries(declarations.map((each) => [each.name, entryOf(each)]));
const text = `${JSON.stringify(catalog, null, 2)}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write('packages/dashboard/src/generated/catalog.json is stale: run npm run generate\n');
    process.exitCode = 1;
  }
} else writeFileSync(file, text);

function entryOf(declaration: Declaration): CatalogEntry {
  const { description, permission, needsRecentSignIn = false, input } = declaration;
  const fields = Object.entries(input.shape).map(([name, schema]) => fieldEntry(name, schema as z.ZodType));
  return { command: commandOf(declaration), description, permission, needsRecentSignIn, fields };
}

function fieldEntry(name: string, schema: z.ZodType): CatalogField {
  const { core, meta } = fieldOf(schema);
  const absent = schema.safeParse(undefined);
  const { flag, description, secret, file: isFile, none } = meta;
  return {
    name,
    ...kindOf(core, meta),
    isOptional: absent.success,
    ...(absent.success && absent.data !== undefined ? { default: absent.data } : {}),
    ...(flag === undefined ? {} : { flag }),
    ...(description === undefined ? {} : { description }),
    ...(secret === undefined ? {} : { isSecret: true as const }),
    ...(isFile === undefined ? {} : { isFile: true as const }),
    ...(none === undefined ? {} : { noneFlag: `--no-${(flag ?? '').replace(/^--(\S+).*/, '$1')}` }),
  };
}

function kindOf(core: z.core.$ZodType, { isId }: { isId?: boolean }): Pick<CatalogField, 'kind' | 'choices'> {
  if (isId === true) return { kind: 'id' };
  if (core instanceof z.ZodBoolean) return { kind: 'boolean' };
  if (core instanceof z.ZodNumber) return { kind: 'number' };
  if (core instanceof z.ZodEnum) return { kind: 'choice', choices: core.options.map(String) };
  if (core instanceof z.ZodArray) {
    const { element } = core;
    if (element instanceof z.ZodEnum) return { kind: 'choices', choices: element.options.map(String) };
    return { kind: element instanceof z.ZodObject ? 'json' : 'texts' };
  }
  if (core instanceof z.ZodObject || core instanceof z.ZodRecord || core instanceof z.ZodUnion) return { kind: 'json' };
  return { kind: 'text' };
}
