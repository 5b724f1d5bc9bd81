/**
 * What is taken at a source's URL (specification, "Vocabulary", rule 3: `POST /webhooks/:code` and the legacy
 * `/webhooks/:hubId/:ownerId`).
 *
 * The rule: several sequencers never retry a 4xx, so a payload that is not understood is still kept and acknowledged. Refused
 * is only what can never become a receipt: an unknown code (404), and a body that is empty or not JSON (400).
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError, badRequest } from '../errors/errors.ts';

/** Beside the body: what adapters verify and deduplicate by. Everything else may hold credentials and is dropped. */
const KEPT_HEADERS =
  /^(content-type|user-agent|x-request-id|x-smartlead-signature|x-salesloft-(event|signature)|x-[a-z0-9-]*event[a-z0-9-]*)$/;
const KEPT_HEADER_MAX_LENGTH = 1_000;

/** Largest inbound body unless configured otherwise: 2 MiB. */
export const INBOUND_BODY_BYTES_MAX = 2 * 1024 * 1024;

/** Whether a path could be an ingress code, or `hubId/ownerId`: anything else needs no look-up. */
export function isInboundPath(path: string): boolean {
  return /^[\w-]{1,128}(\/[\w-]{1,128})?$/.test(path);
}

/**
 * What stands behind `/webhooks/` in the path of a request, as it was sent: percent-encoding is no part of an ingress code, so
 * it is not undone. Null when the path is none of the inbound host.
 */
export function inboundPathOf(path: string): string | null {
  if (path === '/webhooks') return '';
  return path.startsWith('/webhooks/') ? path.slice('/webhooks/'.length) : null;
}

/** @throws ApiError 404, whatever the method, when there can be no source of that path; 404 for every method but POST */
export function assertInboundCall(method: string, path: string): void {
  if (!isInboundPath(path)) throw noSuchSource();
  if (method !== 'POST') throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
}

export function noSuchSource(): ApiError {
  return new ApiError(404, 'No source has this inbound URL: copy it again from the source.');
}

/** @param headers names in lower case */
export function pickInboundHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && KEPT_HEADERS.test(name)) kept[name] = value.slice(0, KEPT_HEADER_MAX_LENGTH);
  }
  return kept;
}

/**
 * The JSON of a received body; a byte order mark in front is passed over.
 * @throws SyntaxError
 */
export function parseReceivedJson(text: string): unknown {
  return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}

/** @throws ApiError 400 when the body is empty or not JSON */
export function assertInboundBody(text: string): void {
  if (text.length === 0) throw badRequest('The body is empty: send the event as JSON.');
  try {
    parseReceivedJson(text);
  } catch (error) {
    throw badRequest(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
