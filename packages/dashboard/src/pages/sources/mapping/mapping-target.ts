/** Which path a click on the payload sets, and to what. */
import { type RawMapping, type Target, toPlaces, valueAt } from './mapping-draft.ts';
import { labelOf } from '../../../forms/label.ts';
import { headerPathOf, itemsPathOf, listPayloadLines, pathOf, type PayloadStep } from './payload-paths.ts';

export interface Sample {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** What was clicked: a value of the body, or a header. */
export type Picked = { readonly steps: readonly PayloadStep[] } | { readonly header: string };

/** The fields that every mapping should have, in the order in which they are asked for. */
const FIRST_FIELDS = ['eventName', 'email', 'occurredAt', 'eventKey'];

/** Returns the first of them that has no path, for a user who has not chosen a field. */
export function nextTarget(mapping: RawMapping): Target | null {
  const isMissing = (name: string) =>
    valueAt(mapping, ['fields', name]) === undefined && valueAt(mapping, ['constants', name]) === undefined;
  const name = FIRST_FIELDS.find(isMissing);
  return name === undefined ? null : { path: ['fields', name], place: 0, part: 0 };
}

/** `Email`, `Email of email.replied`, `List of events`. */
export function describeTarget({ path: [, name, inner], place, part: piece }: Target): string {
  const label =
    name === undefined ? 'List of events' : inner === undefined ? labelOf(name) : `${labelOf(inner)} of ${name}`;
  return [label, place > 0 && `path ${place + 1}`, piece > 0 && `part ${piece + 1}`].filter(Boolean).join(', ');
}

/** Returns the path of what was clicked; null for what no path names. */
export function pickedPath(mapping: RawMapping, { path }: Target, body: unknown, picked: Picked): string | null {
  if ('header' in picked) return headerPathOf(picked.header);
  if (path[0] !== 'items') return pathOf(body, picked.steps, itemsOf(mapping));
  // Within an element of a list, the list is meant.
  const at = picked.steps.findIndex((step) => typeof step === 'number');
  return itemsPathOf(at < 0 ? picked.steps : picked.steps.slice(0, at));
}

const PATHS_MAX = 200;

/** Returns the paths of the values of a sample, for a list of choices. */
export function listPaths(mapping: RawMapping, { body, headers }: Sample): { path: string; text: string }[] {
  const items = itemsOf(mapping);
  const texts = new Map(Object.entries(headers).map(([name, value]) => [headerPathOf(name), value]));
  for (const { steps, text, isLeaf } of listPayloadLines(body).lines) {
    const path = steps === null || !isLeaf ? null : pathOf(body, steps, items);
    if (path !== null && !texts.has(path) && texts.size < PATHS_MAX) texts.set(path, text.replace(/,$/, ''));
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}

function itemsOf(mapping: RawMapping): string[] {
  return (toPlaces(mapping['items']) ?? []).flatMap(([path]) => path ?? []);
}
