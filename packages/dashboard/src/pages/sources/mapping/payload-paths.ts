/** A payload as lines of text, and the path of a mapping that names the value of a line. */
import {
  formatMappingPath,
  type MappingStep,
  MappingPathError,
  parseMappingPath,
} from '@svc/domain/mappings/mapping-path';
import { isObject } from './mapping-draft.ts';

/** From the top of the body: a key, or the position in a list. */
export type PayloadStep = string | number;

export interface PayloadLine {
  readonly depth: number;
  /** The place of what begins in this line; null in a line that only closes a bracket. */
  readonly steps: readonly PayloadStep[] | null;
  readonly text: string;
  /** Whether it is a whole value: a text, a number, or an empty list. */
  readonly isLeaf: boolean;
}

const LINES_MAX = 1_000;
const TEXT_MAX = 300;

/** Returns the payload as `JSON.stringify` writes it, long texts cut, and no more than 1,000 lines. */
export function listPayloadLines(body: unknown): { lines: readonly PayloadLine[]; isCut: boolean } {
  const lines: PayloadLine[] = [];
  addLines(body, [], '', '', lines);
  return { lines: lines.slice(0, LINES_MAX), isCut: lines.length > LINES_MAX };
}

function addLines(
  value: unknown,
  steps: readonly PayloadStep[],
  name: string,
  end: string,
  lines: PayloadLine[],
): void {
  if (lines.length > LINES_MAX) return;
  const depth = steps.length;
  const inner = toEntries(value);
  if (inner === null || inner.length === 0) {
    lines.push({ depth, steps, text: `${name}${cut(JSON.stringify(value) ?? 'null')}${end}`, isLeaf: true });
    return;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  lines.push({ depth, steps, text: `${name}${open}`, isLeaf: false });
  for (const [index, [key, each]] of inner.entries()) {
    const label = typeof key === 'number' ? '' : `${JSON.stringify(key)}: `;
    addLines(each, [...steps, key], label, index === inner.length - 1 ? '' : ',', lines);
  }
  lines.push({ depth, steps: null, text: `${close}${end}`, isLeaf: false });
}

function toEntries(value: unknown): (readonly [PayloadStep, unknown])[] | null {
  if (Array.isArray(value)) return value.map((each: unknown, index) => [index, each] as const);
  return isObject(value) ? Object.entries(value) : null;
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX).toWellFormed()}…` : text;
}

/** Fields that name the elements of a list of names and values, and fields that tell other elements apart. */
const NAME_KEYS = ['name', 'key', 'label', 'field'];
const KIND_KEYS = ['type', 'role', 'kind'];

/**
 * Returns the path that names a value, or null for what no path names: the whole body or item.
 *
 * @param items the paths of `items` of the mapping: the others begin at an element of that list
 */
export function pathOf(body: unknown, steps: readonly PayloadStep[], items: readonly string[]): string | null {
  // Without `items`, the elements of a body that is a list are its events.
  const lists = items.length === 0 ? ['$'] : items;
  const within = lists.map((each) => stepsWithin(body, steps, each)).find((rest) => rest !== null);
  if (within !== undefined) return within.length === 0 ? null : formatMappingPath(within);
  return items.length === 0 ? null : fromTop(generalize(body, steps));
}

/** Returns the path of the list that a mapping's `items` names, from the top of the body. */
export function itemsPathOf(steps: readonly PayloadStep[]): string {
  if (steps.length === 0) return '$';
  return formatMappingPath(
    steps.map((step) => (typeof step === 'number' ? { kind: 'index', index: step } : { kind: 'key', key: step })),
  );
}

function fromTop(steps: readonly MappingStep[]): string | null {
  if (steps.length === 0) return null;
  const text = formatMappingPath(steps);
  return text.startsWith('[') ? `$${text}` : `$.${text}`;
}

/** Returns the steps from the item of a list at `items`; null when the value is elsewhere. */
function stepsWithin(body: unknown, steps: readonly PayloadStep[], items: string): readonly MappingStep[] | null {
  const path = readPath(items);
  if (path === null || steps.length < path.length) return null;
  let list = body;
  for (const [index, step] of path.entries()) {
    const taken = steps[index];
    const isSame =
      step.kind === 'key' ? taken === step.key : step.kind === 'index' ? taken === step.index : step.kind === 'each';
    if (!isSame || taken === undefined) return null;
    list = childOf(list, taken);
  }
  const inner = steps.slice(path.length);
  if (!Array.isArray(list)) return inner.length === 0 ? null : generalize(list, inner);
  const [element, ...rest] = inner;
  if (typeof element !== 'number') return null;
  const value: unknown = list[element];
  // An element that is a text becomes an object with a value.
  if (rest.length === 0) return isObject(value) ? null : [{ kind: 'key', key: 'value' }];
  return generalize(value, rest);
}

function readPath(text: string): readonly MappingStep[] | null {
  try {
    const { steps } = parseMappingPath(text) as { steps?: readonly MappingStep[] };
    return steps ?? null;
  } catch (error) {
    if (error instanceof MappingPathError) return null;
    throw error;
  }
}

/** Names elements by what tells them apart, and else all elements of the list, because another payload has others. */
function generalize(body: unknown, steps: readonly PayloadStep[]): MappingStep[] {
  let value = body;
  return steps.map((step, index): MappingStep => {
    const inner = childOf(value, step);
    value = inner;
    if (typeof step === 'string') return { kind: 'key', key: step };
    const next = steps[index + 1];
    const selector = isObject(inner) && typeof next === 'string' ? selectorOf(inner, next) : null;
    return selector ?? { kind: 'each' };
  });
}

function selectorOf(element: Readonly<Record<string, unknown>>, next: string): MappingStep | null {
  const keys = Object.hasOwn(element, 'value') ? NAME_KEYS : KIND_KEYS;
  const key = keys.find((name) => name !== next && isSelector(element[name]));
  return key === undefined ? null : { kind: 'where', key, value: String(element[key]).trim() };
}

function isSelector(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 40 && /^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u.test(value);
}

function childOf(value: unknown, step: PayloadStep): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** Returns the path of a header, or of a parameter of the URL, which is stored with the headers. */
export function headerPathOf(name: string): string {
  return name.startsWith('?') ? `query:${name.slice(1)}` : `header:${name}`;
}
