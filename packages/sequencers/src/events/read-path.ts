/** Follows the paths of a mapping through a received body: own properties and elements only, a bounded number of values. */
import type { MappingPath, MappingStep } from '@svc/domain/mappings/mapping-path';
import type { Place } from './compile-mapping.ts';
import { field, isJsonObject, toId, toText } from './json-fields.ts';
import type { NormalizeInput } from './types.ts';

/** What paths begin at. */
export interface PathRoots {
  readonly item: unknown;
  readonly body: unknown;
  readonly headers: NormalizeInput['headers'];
}

/** Elements of one list that are looked at, and values that one path yields at most. */
const VALUES_MAX = 100;
/** Long enough for every id; the whole of it tells two events apart. */
const PART_MAX_LENGTH = 10_000;

/** Returns the values of a place in the order of the body. A place of several parts has one value: all of them, or none. */
export function readPlace({ paths }: Place, roots: PathRoots): readonly unknown[] {
  const [path] = paths;
  if (path === undefined) return [];
  if (paths.length === 1) return readPath(path, roots);
  const parts = paths.map((part) =>
    readPath(part, roots)
      .map(toPart)
      .find((text) => text !== null),
  );
  return parts.includes(undefined) ? [] : [parts.join('\n')];
}

function toPart(value: unknown): string | null {
  return typeof value === 'string' ? toText(value, PART_MAX_LENGTH) : toId(value);
}

/** Returns the values that a path leads to. */
export function readPath(path: MappingPath, roots: PathRoots, max: number = VALUES_MAX): readonly unknown[] {
  if (path.from === 'header') {
    const value = field(roots.headers, path.name);
    return value === undefined ? [] : [value];
  }
  let values: unknown[] = [roots[path.from]];
  for (const step of path.steps) values = values.flatMap((value) => follow(step, value, max)).slice(0, max);
  return values;
}

function follow(step: MappingStep, value: unknown, max: number): unknown[] {
  if (step.kind === 'key') {
    const found = isJsonObject(value) ? field(value, step.key) : undefined;
    return found === undefined ? [] : [found];
  }
  if (!Array.isArray(value)) return [];
  if (step.kind === 'index')
    return value.length > 0 && value.at(step.index) !== undefined ? [value.at(step.index)] : [];
  const elements: unknown[] = value.slice(0, max);
  if (step.kind === 'each') return elements;
  return elements.filter((element) => isJsonObject(element) && toId(field(element, step.key)) === step.value);
}
