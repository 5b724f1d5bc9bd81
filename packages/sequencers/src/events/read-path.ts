/** Follows the paths of a mapping through a received body: own properties and elements only, a bounded number of values. */
import type { MappingPath, MappingStep } from '@svc/domain/mappings/mapping-path';
import type { Place } from './compile-mapping.ts';
import { field, isJsonObject, toId, toText } from './json-fields.ts';
import type { NormalizeInput } from './types.ts';

/** What paths begin at. */
export interface PathRoots extends BodyRoots {
  readonly item: unknown;
}

/** The same for all items of a body. */
export interface BodyRoots {
  readonly body: unknown;
  readonly headers: NormalizeInput['headers'];
  /** Values of paths that begin at the body, which are read once for all items. */
  readonly read: Map<MappingPath, readonly unknown[]>;
}

export function toBodyRoots({ body, headers }: Pick<NormalizeInput, 'body' | 'headers'>): BodyRoots {
  return { body, headers, read: new Map() };
}

/** Values that one path yields at most. */
const VALUES_MAX = 100;
/** Elements of all lists together that one step of a path looks at. */
const ELEMENTS_MAX = 1_000;
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
  const known = path.from === 'body' ? roots.read.get(path) : undefined;
  if (known !== undefined) return known;
  let values: unknown[] = [roots[path.from]];
  for (const step of path.steps) values = followAll(step, values, max);
  if (path.from === 'body') roots.read.set(path, values);
  return values;
}

function followAll(step: MappingStep, values: readonly unknown[], max: number): unknown[] {
  const isSearch = step.kind === 'each' || step.kind === 'where';
  const found: unknown[] = [];
  let elementsLeft = Math.max(ELEMENTS_MAX, max);
  for (const value of values) {
    if (found.length >= max || elementsLeft === 0) break;
    found.push(...follow(step, value, elementsLeft).slice(0, max - found.length));
    if (isSearch && Array.isArray(value)) elementsLeft -= Math.min(value.length, elementsLeft);
  }
  return found;
}

/** @param max elements of a list that are looked at */
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
