/**
 * Where a webhook may point to (specification, "Webhooks (Sync Monitoring)": `url`; "Limits").
 *
 * 1. A string of at most 2048 characters without white space, control characters or backslashes.
 * 2. An absolute URL that starts with `https://` and no third slash, without user name or password, whose port is not one
 *    of another protocol (`isBlockedPort`).
 * 3. Its host, as every client reads it (`0x7f.1` and full-width digits are 127.0.0.1), is a public address, or a name
 *    that is not local (public-address.ts). What a name resolves to is judged by whoever can look it up, before the webhook
 *    is stored and at every attempt; the refusal is the same (`privateTargetError`).
 * 4. It is stored as it was sent.
 */
import { LIMITS } from '@svc/contract/limits';
import { type ApiError, badRequest } from '../errors/errors.ts';
import { addressOfHostname, isBlockedPort, isLocalName, isPublicAddress } from '../network/public-address.ts';

/** Of a whole name, without the dot that may stand at its end. */
const HOST_NAME_MAX_LENGTH = 253;

export interface WebhookUrlOptions {
  /** Ranges that the operator has opened although they are not public. Default: none. */
  allowedCidrs?: readonly string[];
}

/**
 * The address of a webhook, unchanged. Names are not looked up here: whoever can resolve must judge the result too.
 *
 * @throws ApiError 400 saying what the address must be
 */
export function parseWebhookUrl(value: unknown, { allowedCidrs = [] }: WebhookUrlOptions = {}): string {
  if (typeof value !== 'string') throw badRequest('url must be a string');
  if (countCharacters(value) > LIMITS.webhookUrlMaxLength) {
    throw badRequest(`url must be at most ${LIMITS.webhookUrlMaxLength} characters long`);
  }
  // The URL parser drops or repairs these silently, so that what is stored would not be what is called.
  if (/[\s\p{Cc}\\]/u.test(value) || !value.isWellFormed()) {
    throw badRequest('url must not contain white space, control characters or backslashes');
  }
  // A third slash is repaired by URL and read as an empty host by others.
  if (!/^https:\/\/[^/]/i.test(value) || !URL.canParse(value)) {
    throw badRequest('url must be an absolute https:// address');
  }
  const { username, password, hostname, port } = new URL(value);
  if (username !== '' || password !== '') throw badRequest('url must not contain a user name or password');
  if (isBlockedPort(port)) throw badRequest(`url must not name port ${port}, on which no HTTP service listens`);
  assertPublicHost(hostname, allowedCidrs);
  return value;
}

/** 400 for an address that is not public, whether the URL holds it or its host name resolves to it. */
export function privateTargetError(): ApiError {
  return badRequest('url must not point to a private, local, loopback, link-local or otherwise reserved address');
}

/** Length as JSON Schema's `maxLength` counts it: code points, not the units of a JavaScript string. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function assertPublicHost(hostname: string, allowedCidrs: readonly string[]): void {
  const address = addressOfHostname(hostname);
  if (address !== null) {
    if (!isPublicAddress(address, allowedCidrs)) throw privateTargetError();
    return;
  }
  if (isLocalName(hostname)) throw badRequest('url must not point to a local host name');
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  if (name.length > HOST_NAME_MAX_LENGTH || !labels.every((label) => /^[\w-]{1,63}$/.test(label))) {
    throw badRequest('url must have a valid host name');
  }
}
