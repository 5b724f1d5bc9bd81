/**
 * Paths of a mapping. A path names a place in a received body, or a header:
 *
 * - `lead.email`: a field of a field; `lead["first.name"]` for a key with dots, brackets or quotes
 * - `messages[0]`, `messages[-1]`: an element of a list, counted from its start or end
 * - `links[*].url`: the elements of a list, in order
 * - `fields[name=Phone].value`: the elements of a list whose field `name` is `Phone`
 * - `$.account.id`: from the top of the body, where others begin at the item
 * - `header:x-event-name`: a header of the request
 * - `query:event`: a parameter of the URL that was posted to
 *
 * Only headers and parameters that are stored with a request can be named (`syncs/inbound-post.ts`).
 *
 * Nothing here is compiled from user input: a path is a list of steps, each of which is an own property or an element.
 */

import { isKeptHeader, isKeptParameter, toParameterKey } from '../syncs/inbound-post.ts';

export type MappingStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'each' }
  | { readonly kind: 'where'; readonly key: string; readonly value: string };

export type MappingPath =
  | { readonly from: 'item' | 'body'; readonly steps: readonly MappingStep[] }
  /** The name as it is stored with the request. */
  | { readonly from: 'header'; readonly name: string };

export const PATH_MAX_LENGTH = 200;
const PATH_STEPS_MAX = 12;

const HEADER = 'header:';
const HEADER_NOT_KEPT =
  'names a header that is not stored. Stored are content-type, user-agent, x-request-id, x-...event... and x-...-topic';

const QUERY = 'query:';
const PARAMETER_NOT_KEPT =
  'names a parameter of the URL that is not stored. Stored are those whose name contains "event", such as query:event';

/** A path cannot be read; the message says where and what to write instead. */
export class MappingPathError extends Error {
  override readonly name = 'MappingPathError';
}

/** @throws MappingPathError when the text is no path */
export function parseMappingPath(text: string): MappingPath {
  if (text.length > PATH_MAX_LENGTH) throw new MappingPathError(`must be at most ${PATH_MAX_LENGTH} characters long`);
  if (text.startsWith(HEADER)) {
    const name = text.slice(HEADER.length).toLowerCase();
    if (!/^[\w-]+$/.test(name))
      throw new MappingPathError('must name a header after "header:", such as header:x-event');
    if (!isKeptHeader(name)) throw new MappingPathError(HEADER_NOT_KEPT);
    return { from: 'header', name };
  }
  if (text.startsWith(QUERY)) {
    const name = text.slice(QUERY.length).toLowerCase();
    if (!isKeptParameter(name)) throw new MappingPathError(PARAMETER_NOT_KEPT);
    return { from: 'header', name: toParameterKey(name) };
  }
  const isFromTop = /^\$(?=[.[]|$)/.test(text);
  const steps = parseSteps(text, isFromTop ? 1 : 0);
  if (steps.length > PATH_STEPS_MAX) throw new MappingPathError(`must have at most ${PATH_STEPS_MAX} parts`);
  return { from: isFromTop ? 'body' : 'item', steps };
}

/** Parses a path that begins at the top of the body, such as `lead.email` or `[0].email`. @throws MappingPathError */
export function parseBodyPath(text: string): MappingPath {
  return parseMappingPath(text.startsWith('[') ? `$${text}` : `$.${text}`);
}

function parseSteps(text: string, start: number): MappingStep[] {
  const steps: MappingStep[] = [];
  let at = start;
  while (at < text.length) {
    const step = text[at] === '[' ? BRACKET : at === 0 ? KEY : DOT_KEY;
    step.lastIndex = at;
    const found = step.exec(text)?.[1];
    if (found === undefined) throw new MappingPathError(problemAt(text, at));
    steps.push(text[at] === '[' ? parseBracket(found) : { kind: 'key', key: found });
    at = step.lastIndex;
  }
  if (text === '') throw new MappingPathError('must not be empty: write a path such as lead.email');
  return steps;
}

const KEY = /([^.[\]"]+)/y;
const DOT_KEY = /\.([^.[\]"]+)/y;
const BRACKET = /\[(\*|-?\d{1,4}|"(?:[^"\\]|\\["\\])*"|[^\]="[]+=[^\]="[]+)\]/y;

function parseBracket(content: string): MappingStep {
  if (content === '*') return { kind: 'each' };
  if (content.startsWith('"')) return { kind: 'key', key: content.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') };
  const equals = content.indexOf('=');
  if (equals > 0) return { kind: 'where', key: content.slice(0, equals), value: content.slice(equals + 1) };
  return { kind: 'index', index: Number(content) };
}

function problemAt(text: string, at: number): string {
  const rest = JSON.stringify(text.slice(at, at + 20));
  return text[at] === '['
    ? `cannot be read from ${rest}: brackets hold a position ([0], [-1]), [*], ["a key"] or [name=value]`
    : `cannot be read from ${rest}: write fields with dots (lead.email), and a key with dots, brackets or quotes as ["a key"]`;
}
/** Returns the text of a path that begins at the item. */
export function formatMappingPath(steps: readonly MappingStep[]): string {
  return steps.map((step, index) => formatStep(step, index === 0)).join('');
}

function formatStep(step: MappingStep, isFirst: boolean): string {
  switch (step.kind) {
    case 'index':
      return `[${step.index}]`;
    case 'each':
      return '[*]';
    case 'where':
      return `[${step.key}=${step.value}]`;
    case 'key':
      if (!isPlainKey(step.key, isFirst)) return `["${step.key.replaceAll(/["\\]/g, '\\$&')}"]`;
      return isFirst ? step.key : `.${step.key}`;
  }
}

function isPlainKey(key: string, isFirst: boolean): boolean {
  return /^[^.[\]"]+$/.test(key) && !(isFirst && (key === '$' || key.startsWith(HEADER) || key.startsWith(QUERY)));
}
