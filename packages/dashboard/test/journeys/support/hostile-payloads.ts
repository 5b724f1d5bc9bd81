/** Payloads of sequencers with hostile text in every field that may hold it. */
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { hashBody, type NormalizeInput, normalize } from '../../../../sequencers/src/events/index.ts';
import { hostileText, SPECIAL_NAMES } from './hostile-text.ts';

export interface HostilePayload {
  readonly text: string;
  /** Fields with hostile text. */
  readonly fields: number;
}

type Path = readonly (string | number)[];

interface Original {
  readonly platform: string;
  readonly mapping: EventMapping | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Returns the payload with as much hostile text as its reader takes: a field is replaced, or begins with the text, or is an address that
 * contains it; only where nothing of that leaves an event does it stay as it is.
 *
 * @param kind which kind of text the first field gets; later ones get the next
 */
export function readableHostile(original: Original, kind: number): HostilePayload {
  const body: unknown = JSON.parse(original.text);
  const before = countEvents(original, body);
  let fields = 0;
  for (const [index, path] of textPaths(body).entries()) {
    const value = String(get(body, path));
    const hostile = hostileText(kind + index);
    const isTaken = variantsOf(value, hostile).some((variant) => {
      set(body, path, variant);
      return countEvents(original, body) === before;
    });
    if (isTaken) fields += 1;
    else set(body, path, value);
  }
  return { text: withSpecialNames(JSON.stringify(body), kind), fields };
}

function variantsOf(value: string, hostile: string): string[] {
  const plain = hostile.replaceAll(/[\s"'(),:;<>@[\]\\]/g, '');
  return [
    hostile,
    `${value} ${hostile}`,
    `https://example.org/${hostile}`,
    `${hostile}@example.org`,
    `${plain}@example.org`,
  ];
}

/** Returns the payload with hostile text in every field, also in those that say what it is. */
export function wholeHostile({ text }: Pick<Original, 'text'>, kind: number): HostilePayload {
  const body: unknown = JSON.parse(text);
  const paths = textPaths(body);
  for (const [index, path] of paths.entries()) set(body, path, hostileText(kind + index));
  return { text: withSpecialNames(JSON.stringify(body), kind), fields: paths.length };
}

/** Adds fields whose names are special, or hostile themselves. */
function withSpecialNames(text: string, kind: number): string {
  if (!/^\{./.test(text) || text === '{}') return text;
  const names = [...SPECIAL_NAMES, hostileText(kind), hostileText(kind + 3)];
  const added = names.map((name) => `${JSON.stringify(name)}:{"polluted":${JSON.stringify(hostileText(kind + 1))}}`);
  return `{${added.join(',')},${text.slice(1)}`;
}

function countEvents({ platform, mapping, headers }: Original, body: unknown): number {
  const bodyHash = hashBody(new TextEncoder().encode(JSON.stringify(body)));
  const input: NormalizeInput = { body: structuredClone(body), headers, bodyHash };
  const result = normalize({ platform, mapping }, input);
  return result.outcome === 'events' ? new Set(result.events.map((event) => event.eventKey)).size : 0;
}

function textPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return path.length === 0 ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textPaths(inner, [...path, key]));
}

function get(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

function set(value: unknown, path: Path, text: string): void {
  const parent = get(value, path.slice(0, -1)) as Record<string | number, unknown>;
  parent[path.at(-1) ?? ''] = text;
}
