/** Lists the values of a payload with the path that a mapping would name them by. */
import { formatMappingPath, type MappingStep, PATH_MAX_LENGTH } from '@svc/domain/mappings/mapping-path';
import { field, isJsonObject } from '../events/json-fields.ts';

export interface JsonLeaf {
  /** All elements of a list have one path, `links[*].url`, or a path each when a field tells the elements apart, `fields[name=Phone].value`. */
  readonly path: string;
  /** The keys of the path in words, lower case: `lead.firstName` is `lead`, `first`, `name`. */
  readonly words: readonly string[];
  /** The words of the last key. */
  readonly ownWords: readonly string[];
  readonly value: unknown;
}

const LEAVES_MAX = 400;
/** `$.` may come before it. */
const LONGEST_PATH = PATH_MAX_LENGTH - 2;
const DEPTH_MAX = 8;
const ELEMENTS_MAX = 20;
/** Fields that name the elements of a list of names and values. */
const NAME_KEYS = ['name', 'key', 'label', 'field'];
/** Fields that tell the elements of a list apart. */
const KIND_KEYS = ['type', 'role', 'kind'];

export function listLeaves(value: unknown): JsonLeaf[] {
  const leaves: JsonLeaf[] = [];
  collect(value, [], [], [], leaves);
  return leaves;
}

function collect(
  value: unknown,
  steps: readonly MappingStep[],
  words: readonly string[],
  ownWords: readonly string[],
  leaves: JsonLeaf[],
): void {
  if (leaves.length >= LEAVES_MAX || steps.length > DEPTH_MAX) return;
  if (Array.isArray(value)) {
    for (const element of value.slice(0, ELEMENTS_MAX)) {
      const step = stepTo(element);
      const named = step.kind === 'where' ? toWords(step.value) : [];
      const isPair = step.kind === 'where' && NAME_KEYS.includes(step.key) && isJsonObject(element);
      const inner = [...steps, step];
      if (isPair) {
        const last: MappingStep = { kind: 'key', key: 'value' };
        collect(field(element, 'value'), [...inner, last], [...words, ...named], named, leaves);
      } else collect(element, inner, [...words, ...named], ownWords, leaves);
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value).slice(0, LEAVES_MAX)) {
      const own = toWords(key);
      collect(field(value, key), [...steps, { kind: 'key', key }], [...words, ...own], own, leaves);
    }
  } else if (value !== null && value !== undefined && value !== '') {
    const path = formatMappingPath(steps);
    if (path.length <= LONGEST_PATH) leaves.push({ path, words, ownWords, value });
  }
}

function stepTo(element: unknown): MappingStep {
  if (!isJsonObject(element)) return { kind: 'each' };
  const keys = Object.hasOwn(element, 'value') ? NAME_KEYS : KIND_KEYS;
  const key = keys.find((name) => isSelector(field(element, name)));
  return key === undefined ? { kind: 'each' } : { kind: 'where', key, value: String(element[key]).trim() };
}

function isSelector(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 40 && /^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u.test(value);
}

/** Splits a key into words: `firstName`, `first_name`, `First Name` and `first-name` are the same. */
export function toWords(key: string): string[] {
  return key
    .slice(0, 100)
    .replaceAll(/linked[ _-]?in/gi, 'Linkedin')
    .replaceAll(/e-mail/gi, 'email')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export function toSingular(word: string): string {
  return word.replace(/s$/, '');
}
