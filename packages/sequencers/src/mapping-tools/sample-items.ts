/** The events of sample payloads, and their values by path. */
import { isJsonObject } from '../events/json-fields.ts';
import type { NormalizeInput } from '../events/types.ts';
import { type JsonLeaf, listLeaves, toWords } from './json-leaves.ts';

export type Sample = Pick<NormalizeInput, 'body' | 'headers'>;

export interface SampleItem {
  /** The position of its payload among the samples. */
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

/** Headers that every request has. Of the others, one may name the event. */
const COMMON_HEADERS =
  /^(?:accept|connection|content-|host$|user-agent|x-forwarded|x-real|via$|cf-|traceparent|authorization)/;

const ITEMS_MAX = 2_000;

/** Returns the items of all samples, each once: a repeat would make an id look as if it were no id. */
export function listItems(samples: readonly Sample[], itemsPath: string | null): SampleItem[] {
  const items = samples.flatMap((sample, index) => itemsOf(sample, index, itemsPath));
  return [...new Map(items.map((item) => [item.text, item])).values()].slice(0, ITEMS_MAX);
}

function itemsOf({ body, headers }: Sample, sample: number, itemsPath: string | null): SampleItem[] {
  const elements =
    itemsPath === null
      ? body
      : itemsPath.split('.').reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), body);
  const outer =
    itemsPath === null
      ? []
      : listLeaves(body).flatMap((leaf) => (leaf.path.startsWith(itemsPath) ? [] : [asOuter(leaf)]));
  const named = Object.entries(headers).flatMap(([name, value]): JsonLeaf[] => {
    const words = toWords(name);
    return COMMON_HEADERS.test(name) || value === undefined || !words.includes('event')
      ? []
      : [{ path: `header:${name}`, words, ownWords: words, value }];
  });
  return [elements]
    .flat()
    .filter(isJsonObject)
    .slice(0, ITEMS_MAX)
    .map((item) => ({
      sample,
      leaves: new Map([...listLeaves(item), ...outer, ...named].map((leaf) => [leaf.path, leaf])),
      text: JSON.stringify([...listLeaves(item), ...named].map(({ path, value }) => [path, value])),
    }));
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
