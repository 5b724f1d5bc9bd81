/** The events of sample payloads, and their values by path. */
import { isJsonObject } from '../events/json-fields.ts';
import type { NormalizeInput } from '../events/types.ts';
import { type JsonLeaf, listLeaves, toWords } from './json-leaves.ts';

export type Sample = Pick<NormalizeInput, 'body' | 'headers'>;

/** Where the bodies have their events. */
export interface FoundItems {
  /** Null when each body is one event, or a list of them. */
  readonly path: string | null;
  /** Some bodies have the list, and others are one event. */
  readonly isMixed: boolean;
}

export interface SampleItem {
  /** The position of the item's payload among the samples. */
  readonly sample: number;
  readonly leaves: ReadonlyMap<string, JsonLeaf>;
  /** Equal for items with the same values. */
  readonly text: string;
}

/** A path with its values, by the position of the item. */
export interface Column {
  readonly leaf: JsonLeaf;
  readonly values: ReadonlyMap<number, unknown>;
}

/** Headers that every request has. A header that is not listed may name the event. */
const COMMON_HEADERS =
  /^(?:accept|connection|content-|host$|user-agent|x-forwarded|x-real|via$|cf-|traceparent|authorization)/;

const ITEMS_MAX = 2_000;

/** Returns the items of all samples, each once: a repeat would make an id look as if it were no id. */
export function listItems(samples: readonly Sample[], found: FoundItems): SampleItem[] {
  const items = samples.flatMap((sample, index) => itemsOf(sample, index, found));
  return [...new Map(items.map((item) => [item.text, item])).values()].slice(0, ITEMS_MAX);
}

function itemsOf({ body, headers }: Sample, sample: number, { path, isMixed }: FoundItems): SampleItem[] {
  const list = path === null ? body : path.split('.').reduce<unknown>(readKey, body);
  const named = Object.entries(headers).flatMap(([name, value]): JsonLeaf[] => toHeaderLeaf(name, value));
  // A body without the list is one item. Paths from its top fit it, and bodies with the list as well.
  const isWhole = path !== null && isMixed && list === undefined;
  const outer =
    path === null
      ? []
      : listLeaves(body)
          .filter((leaf) => !leaf.path.startsWith(`${path}[`))
          .map(asOuter);
  return [isWhole ? {} : list]
    .flat()
    .map((element) => (typeof element === 'string' || typeof element === 'number' ? { value: element } : element))
    .filter(isJsonObject)
    .slice(0, ITEMS_MAX)
    .map((item) => {
      const own = listLeaves(item).map((leaf) => (isPlainElement(list) ? nameByList(leaf, path) : leaf));
      return {
        sample,
        leaves: firstByPath([...own, ...outer, ...named]),
        text: JSON.stringify([...own, ...(isWhole ? outer : []), ...named].map(({ path: at, value }) => [at, value])),
      };
    });
}

function isPlainElement(list: unknown): boolean {
  return Array.isArray(list) && !list.some((element) => typeof element === 'object');
}

/** The key of the list says what its texts are: each text of the list `leads` is a lead. */
function nameByList(leaf: JsonLeaf, path: string | null): JsonLeaf {
  const words = toWords(path?.split('.').at(-1) ?? '');
  return { ...leaf, words, ownWords: words };
}

function readKey(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
}

/** Headers, and parameters of the URL, that may name the event. */
function toHeaderLeaf(name: string, value: string | undefined): JsonLeaf[] {
  const words = toWords(name);
  if (COMMON_HEADERS.test(name) || value === undefined || !words.includes('event')) return [];
  const path = name.startsWith('?') ? `query:${name.slice(1)}` : `header:${name}`;
  return [{ path, words, ownWords: words, value }];
}

/** A path that stands for several elements is read at the first one. */
function firstByPath(leaves: readonly JsonLeaf[]): Map<string, JsonLeaf> {
  const byPath = new Map<string, JsonLeaf>();
  for (const leaf of leaves) if (!byPath.has(leaf.path)) byPath.set(leaf.path, leaf);
  return byPath;
}

function asOuter(leaf: JsonLeaf): JsonLeaf {
  return { ...leaf, path: leaf.path.startsWith('[') ? `$${leaf.path}` : `$.${leaf.path}` };
}

/** Whether a path begins at the body, so that all items of a body share its value. */
export function isOuterPath(path: string): boolean {
  return path.startsWith('$');
}

export function toColumns(items: readonly SampleItem[]): Column[] {
  const columns = new Map<string, { leaf: JsonLeaf; values: Map<number, unknown> }>();
  for (const [index, { leaves }] of items.entries()) {
    for (const [path, leaf] of leaves) {
      const column = columns.get(path) ?? { leaf, values: new Map() };
      column.values.set(index, leaf.value);
      columns.set(path, column);
    }
  }
  return [...columns.values()];
}
