/**
 * The URL of a webhook (`url` of `createWebhook` and `updateWebhook`).
 *
 * 1. It is a string of at most 2048 characters without white space, control characters or backslashes.
 * 2. It is an absolute `https://` URL without a third slash, user name or password, and its port does not belong to another
 *    protocol (`isBlockedPort`).
 * 3. Its host is a public address or a name that is not local (public-address.ts), or what the operator has allowed. `URL` normalizes addresses first, so
 *    `0x7f.1` is 127.0.0.1. The server also checks the addresses that a name resolves to, before the webhook is stored and at
 *    every attempt, and answers the same error (`privateTargetError`).
 * 4. It is stored as it was sent.
 */
import { LIMITS } from '@svc/contract/limits';
import { type ApiError, badRequest } from '../errors/errors.ts';
import { completeUrl } from '../values/complete-url.ts';
import { addressOfHostname, isBlockedPort, isForbiddenName, isPublicAddress } from '../network/public-address.ts';

/** Maximum length of a host name, without a trailing dot. */
const HOST_NAME_MAX_LENGTH = 253;

export interface WebhookUrlOptions {
  /** Non-public ranges that the operator has allowed. Default: none. */
  allowedCidrs?: readonly string[];
}

/**
 * Checks the URL of a webhook and returns it unchanged. Does not resolve host names.
 *
 * @throws ApiError 400 saying what the URL must be
 */
export function parseWebhookUrl(value: unknown, { allowedCidrs = [] }: WebhookUrlOptions = {}): string {
  if (typeof value !== 'string') throw badRequest('url must be a string');
  if (countCharacters(value) > LIMITS.webhookUrlMaxLength) {
    throw badRequest(`url must be at most ${LIMITS.webhookUrlMaxLength} characters long`);
  }
  // `URL` silently drops or repairs these, so the called URL would differ from the stored one.
  if (/[\s\p{Cc}\\]/u.test(value) || !value.isWellFormed()) {
    throw badRequest('url must not contain white space, control characters or backslashes');
  }
  // `URL` drops a third slash; other parsers read an empty host.
  if (!/^https:\/\/[^/]/i.test(value) || !URL.canParse(value)) {
    const completed = completeUrl(value, () => false);
    throw badRequest(`url must be an absolute https:// address${completed === null ? '' : `, such as ${completed}`}`);
  }
  const { username, password, hostname, port } = new URL(value);
  if (username !== '' || password !== '') throw badRequest('url must not contain a user name or password');
  if (isBlockedPort(port)) throw badRequest(`url must not name port ${port}, on which no HTTP service listens`);
  assertPublicHost(hostname, allowedCidrs);
  return value;
}

/** Creates the 400 for an address that is not public, in the URL itself or resolved from its host name. */
export function privateTargetError(): ApiError {
  return badRequest('url must not point to a private, local, loopback, link-local or otherwise reserved address');
}

/** Counts code points, as JSON Schema's `maxLength` does. */
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
  if (isForbiddenName(hostname, allowedCidrs)) throw badRequest('url must not point to a local host name');
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  if (name.length > HOST_NAME_MAX_LENGTH || !labels.every((label) => /^[\w-]{1,63}$/.test(label))) {
    throw badRequest('url must have a valid host name');
  }
}
