/**
 * What identifies a request in a cassette: method, path, query in any order, and the body. Redacted in the same way when it is
 * recorded and when it is replayed.
 */
import { sortKeysDeep } from '@svc/domain/values/sort-keys';
import type { MockRequest } from '../service/call.ts';
import { pathOf } from '@svc/domain/requests/match-route';
import type { RecordedRequest } from './format.ts';
import type { Redactor } from './redact.ts';

export function toRecordedRequest(
  { method, target, body }: MockRequest,
  { redactor, ignoreQuery }: { readonly redactor: Redactor; readonly ignoreQuery: readonly string[] },
): RecordedRequest {
  const path = pathOf(target);
  const query = withoutIgnored(toQuery(new URLSearchParams(target.slice(path.length))), ignoreQuery);
  const redacted = Object.entries(query).map(([name, values]) => {
    const shown = values.map((value) => redactor.value(name, value));
    return [name, shown.length === 1 ? (shown[0] ?? '') : shown] as const;
  });
  return {
    method,
    path: redactor.path(path),
    ...(redacted.length === 0 ? {} : { query: Object.fromEntries(redacted) }),
    ...(body.length === 0 ? {} : { body: toBody(new TextDecoder().decode(body), redactor) }),
  };
}

/** Returns a request without the ignored query parameters. */
export function withoutIgnoredQuery(
  { query, ...request }: RecordedRequest,
  ignoreQuery: readonly string[],
): RecordedRequest {
  const rest = withoutIgnored(query ?? {}, ignoreQuery);
  return Object.keys(rest).length === 0 ? request : { ...request, query: rest };
}

/** Returns a text that is equal for requests that match. */
export function keyOf({ method, path, query = {}, body }: RecordedRequest): string {
  return JSON.stringify([path, method, sortKeysDeep(query), sortKeysDeep(body) ?? null]);
}

function toQuery(params: URLSearchParams): Record<string, string[]> {
  const names = [...new Set(params.keys())].toSorted();
  return Object.fromEntries(names.map((name) => [name, params.getAll(name).toSorted()]));
}

function withoutIgnored<Value>(
  query: Readonly<Record<string, Value>>,
  ignored: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !ignored.includes(name)));
}

function toBody(text: string, redactor: Redactor): unknown {
  const json = parseJson(text);
  return json === undefined ? redactor.text(text) : sortKeysDeep(redactor.json(json));
}

/** Returns undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
