/**
 * Requests to a source's URL: `POST /webhooks/:code`, and the legacy `/webhooks/:hubId/:ownerId`.
 *
 * The rule: an unknown code is a 404; a body that is empty, or neither JSON nor a form, is a 400; a post without the secret or
 * signature that its source requires is a 401. Every other post is stored and acknowledged, even if its payload is not understood,
 * because several sequencers never retry a 4xx.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError, badRequest } from '../errors/errors.ts';
import { SECRET_NAME } from '../values/secret-names.ts';

/** Headers that adapters and mappings need, also for deduplication. Others may hold credentials and are not stored. */
const KEPT_HEADERS = /^(content-type|user-agent|x-request-id|x-([a-z0-9-]*-)?topic|x-[a-z0-9-]*event[a-z0-9-]*)$/;
/** These headers prove who sent a post and reveal no secret. */
const KEPT_SIGNATURES: ReadonlySet<string> = new Set([
  'x-smartlead-signature',
  'x-salesloft-signature',
  'x-warmy-signature',
  // Standard Webhooks and SendPilot.
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]);
/** Parameters of the URL that a sequencer posts to: people add the name of the event where the body has none. */
const KEPT_PARAMETERS = /^[\w-]*event[\w-]*$/;
const KEPT_HEADER_MAX_LENGTH = 1_000;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Largest inbound body unless configured otherwise: 2 MiB. */
export const INBOUND_BODY_BYTES_MAX = 2 * 1024 * 1024;

/** Whether a path has the form of an ingress code or `hubId/ownerId`. Other paths need no lookup. */
export function isInboundPath(path: string): boolean {
  return /^[\w-]{1,128}(\/[\w-]{1,128})?$/.test(path);
}

/**
 * Returns the part of a request path after `/webhooks/`, or null for another path. Percent-encoding is kept, because ingress
 * codes have none.
 */
export function inboundPathOf(path: string): string | null {
  if (path === '/webhooks') return '';
  return path.startsWith('/webhooks/') ? path.slice('/webhooks/'.length) : null;
}

/** @throws ApiError 404 when the path has the wrong form, or the method is not POST */
export function assertInboundCall(method: string, path: string): void {
  if (!isInboundPath(path)) throw noSuchSource();
  if (method !== 'POST') throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
}

/** The same for a missing and a wrong secret. */
export function notAuthentic(): ApiError {
  return new ApiError(401, OWN_MESSAGES.inboundNotAuthentic);
}

export function noSuchSource(): ApiError {
  return new ApiError(404, OWN_MESSAGES.noSuchSource);
}

/** @param name in lower case */
export function isKeptHeader(name: string): boolean {
  return KEPT_SIGNATURES.has(name) || (KEPT_HEADERS.test(name) && !SECRET_NAME.test(name));
}

/**
 * Picks the headers to store.
 * @param headers names in lower case
 * @param omitted further headers that are not stored, because they hold a secret
 */
export function pickInboundHeaders(
  headers: Readonly<Record<string, unknown>>,
  omitted: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !isKeptHeader(name) || omitted.includes(name)) continue;
    kept[name] = value.slice(0, KEPT_HEADER_MAX_LENGTH);
  }
  return kept;
}

/** @param name in lower case */
export function isKeptParameter(name: string): boolean {
  return KEPT_PARAMETERS.test(name) && !SECRET_NAME.test(name);
}

/** Returns the key under which a parameter of the URL is stored. Parameters are kept with the headers, none of which has this form. */
export function toParameterKey(name: string): string {
  return `?${name}`;
}

/**
 * Picks the parameters of a URL to store, by the keys under which they are stored with the headers.
 * @param target path and query
 */
export function pickInboundParameters(target: string): Record<string, string> {
  const at = target.indexOf('?');
  const kept: Record<string, string> = {};
  if (at < 0) return kept;
  for (const [given, value] of new URLSearchParams(target.slice(at + 1))) {
    const name = given.toLowerCase();
    const key = toParameterKey(name);
    if (isKeptParameter(name) && kept[key] === undefined)
      kept[key] = toStorable(value.slice(0, KEPT_HEADER_MAX_LENGTH));
  }
  return kept;
}

/** Without what no database stores as text: NUL, and half a character that the cut has left. */
function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/**
 * Parses a received body: JSON, whatever its type says; a leading byte order mark is skipped. Else, when its type says so, a form:
 * an object of its fields, where fields of one name are a list and a field that holds a JSON object or list is parsed. A form
 * of a single such field (`payload=...`) is what that field holds.
 * @throws SyntaxError
 */
export function parseReceivedBody(text: string, contentType: string | undefined): unknown {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch (error) {
    if (contentType === undefined || !FORM_TYPE.test(contentType) || /^\s*[[{]/.test(plain)) throw error;
    return parseForm(plain);
  }
}

function parseForm(text: string): unknown {
  const fields = new Map<string, unknown[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [parseFormValue(value)]);
    else values.push(parseFormValue(value));
  }
  const entries = [...fields].map(([name, values]): [string, unknown] => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  const [only, ...others] = fields.values();
  const isWhole = others.length === 0 && only?.length === 1 && typeof only[0] === 'object';
  return isWhole ? only[0] : Object.fromEntries(entries);
}

function parseFormValue(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Returns the parsed body. @throws ApiError 400 when it is empty, or neither JSON nor a form */
export function parseInboundBody(text: string, contentType: string | undefined): unknown {
  if (text.length === 0) throw badRequest('The body is empty: send the event as JSON.');
  try {
    return parseReceivedBody(text, contentType);
  } catch (error) {
    throw badRequest(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
