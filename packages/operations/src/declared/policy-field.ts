/** A write policy as somebody wrote it. What is wrong is said with its place, and with the nearest right name. */
import { nearestName } from '@svc/engine/config/nearest-name';
import { policyJsonSchema, type WritePolicy, writePolicySchema } from '@svc/domain/policy/write-policy';
import * as z from 'zod';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

interface Problem {
  path: Path;
  message: string;
}

/** A policy. The key `$schema`, by which editors find the JSON Schema, is no part of it. */
export const policyField = z.unknown().transform((given, context): WritePolicy => {
  const { data, error } = writePolicySchema.safeParse(withoutSchemaAddress(given), { reportInput: true });
  if (data !== undefined) return data;
  for (const { path, message } of error?.issues.flatMap((issue) => describe(issue, [])) ?? []) {
    context.issues.push({ code: 'custom', input: given, path: [...path], message });
  }
  return z.NEVER;
});

function withoutSchemaAddress(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([key]) => key !== '$schema'));
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'an object with keys',
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
};

function describe(issue: Issue, parents: Path): Problem[] {
  const path = [...parents, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: describeKey(key, keysAt(path)) }));
    case 'invalid_value':
      return [{ path, message: `must be one of ${issue.values.join(', ')}${hintOf(issue.input, issue.values)}` }];
    case 'invalid_type':
      return [{ path, message: describeType(issue.expected, issue.input) }];
    case 'invalid_union': {
      const values = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_value' ? inner.values : []));
      // An object is compared with the branch for objects, which says more than the union.
      const branch =
        typeof issue.input === 'object' ? issue.errors.find((inner) => !inner.some(isOtherType)) : undefined;
      if (branch !== undefined) return branch.flatMap((inner) => describe(inner, path));
      return [{ path, message: `${issue.message}${hintOf(issue.input, values)}` }];
    }
    default:
      return [{ path, message: issue.message }];
  }
}

/** Whether a branch of a union is for values of another type. */
function isOtherType({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function describeKey(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  return nearest === null ? `is no key here, only ${known.join(', ')}` : `is no key here: did you mean ${nearest}?`;
}

function describeType(expected: string, given: unknown): string {
  const type = TYPES[expected] ?? expected;
  if (given === undefined) return `is missing: it must be ${type}`;
  return expected === 'string' && typeof given === 'number'
    ? `must be text: put ${given} in quotes`
    : `must be ${type}`;
}

function hintOf(given: unknown, known: readonly unknown[]): string {
  const nearest = typeof given === 'string' ? nearestName(given, known.map(String)) : null;
  return nearest === null ? '' : `: did you mean ${nearest}?`;
}

/** A part of a JSON Schema. */
interface SchemaNode {
  properties?: Readonly<Record<string, SchemaNode>>;
  items?: SchemaNode;
  anyOf?: readonly SchemaNode[];
}

/** Returns the keys that a policy can have at a place. */
function keysAt(path: Path): string[] {
  let nodes: SchemaNode[] = [policyJsonSchema()];
  for (const step of [...path, null]) {
    nodes = nodes.flatMap((node) => [node, ...(node.anyOf ?? [])]);
    if (step === null) break;
    nodes = nodes.flatMap(
      ({ properties, items }) => (typeof step === 'number' ? items : properties?.[String(step)]) ?? [],
    );
  }
  return nodes.flatMap(({ properties }) => Object.keys(properties ?? {}).filter((key) => key !== '$schema'));
}
