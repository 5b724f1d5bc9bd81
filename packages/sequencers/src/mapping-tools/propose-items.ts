/** Finds the list of a body whose elements are events of their own: each has an event name, or each has a lead. */
import { isJsonObject } from '../events/json-fields.ts';
import { FIELD_PARSERS } from '../events/mapped-fields.ts';
import { guessEventType } from './event-name-types.ts';
import { type JsonLeaf, listLeaves } from './json-leaves.ts';
import { roleOf } from './mail-roles.ts';
import { fitOf } from './place-fit.ts';
import { EVENT_NAMES } from './place-names.ts';
import type { FoundItems } from './sample-items.ts';

const DEPTH_MAX = 3;
const KEYS_MAX = 100;
/** Fields that tell elements of different kinds apart, such as the prospect and the user of JSON:API. */
const KIND_KEYS = ['type', 'role', 'kind'];

/** Returns the list that the bodies have at one path. */
export function findItems(bodies: readonly unknown[]): FoundItems {
  const found = bodies.filter(isJsonObject).map((body) => findList(body, body, '', 0));
  const paths = new Set(found.filter((path) => path !== null));
  const [path = null] = paths;
  return paths.size === 1 ? { path, isMixed: found.includes(null) } : { path: null, isMixed: false };
}

function findList(value: object, body: object, prefix: string, depth: number): string | null {
  if (depth > DEPTH_MAX) return null;
  for (const [key, inner] of Object.entries(value).slice(0, KEYS_MAX)) {
    if (!/^[^.[\]"]+$/.test(key)) continue;
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (Array.isArray(inner) && inner.length > 0 && (inner.every(looksLikeEvent) || isListOfLeads(inner, path, body)))
      return path;
    const nested = isJsonObject(inner) ? findList(inner, body, path, depth + 1) : null;
    if (nested !== null) return nested;
  }
  return null;
}

function looksLikeEvent(element: unknown): boolean {
  if (!isJsonObject(element)) return false;
  const leaves = listLeaves(element);
  return leaves.some(isEventName) && leaves.some(({ value }) => isContact(value));
}

/** Every element is a person, and nobody else in the body is the lead. */
function isListOfLeads(elements: readonly unknown[], path: string, body: object): boolean {
  const kinds = new Set(
    elements.map((element) => KIND_KEYS.map((key) => isJsonObject(element) && element[key]).join()),
  );
  const all = listLeaves(body);
  const isInside = (leaf: JsonLeaf) => leaf.path.startsWith(`${path}[`);
  const isLead = (leaf: JsonLeaf) => isContact(leaf.value) && ['lead', 'plain'].includes(roleOf(leaf) ?? '');
  return (
    kinds.size === 1 &&
    elements.every((element) => listLeaves(element).some(({ value }) => isContact(value))) &&
    all.some((leaf) => isInside(leaf) && isLead(leaf)) &&
    all.some((leaf) => !isInside(leaf) && isEventName(leaf)) &&
    !all.some((leaf) => !isInside(leaf) && isLead(leaf))
  );
}

function isEventName({ words, ownWords, value }: JsonLeaf): boolean {
  return fitOf({ words, ownWords }, EVENT_NAMES) !== null && guessEventType(String(value)) !== null;
}

function isContact(value: unknown): boolean {
  return FIELD_PARSERS.email(value) !== null || FIELD_PARSERS.profileUrl(value) !== null;
}
