/**
 * Every literal message of the API, as the examples of the contract show it. Clients may compare the messages of the first group
 * character by character; the texts of the second may change.
 */

/** Distinguishes the two 409s of a resync. */
export const RESYNC_IN_PROGRESS = 'Blocklist resync already in progress';

/** Texts that clients may compare. */
export const ERROR_MESSAGES = {
  invalidApiKey: 'Invalid API key',
  apiAccessNotEnabled: 'API access is not enabled for this account',
  /** On webhook mutations; the write actions have another text. */
  webhookWriteScopeRequired: "This endpoint requires the 'write' scope",
  /** On retry, replay, pause and resync. */
  actionWriteScopeRequired: 'API key requires the "write" scope',
  blocklistsNotEnabled: 'Block lists are not enabled for this connection',
  accountScopedKeyRequired: 'Webhook endpoint management requires an account-scoped API key',
  webhooksNotEnabled: 'Platform webhooks are not enabled for this account',
  syncNotEligibleForRetry: 'Sync is not eligible for retry',
  retryCrmNotSupported: 'Retry is only supported for HubSpot and Salesforce syncs',
  resyncInProgress: RESYNC_IN_PROGRESS,
  blocklistWithoutCrmSource: 'Blocklist has no CRM source to resync from',
} as const;

/** Resources a 404 can name. */
export const NOT_FOUND_RESOURCES = [
  'Source',
  'Sync',
  'Destination',
  'Delivery',
  'Blocklist',
  'Webhook',
  'Event',
] as const;
export type NotFoundResource = (typeof NOT_FOUND_RESOURCES)[number];

/** Returns a message such as `Sync 42 not found`. `id` is the text that the caller sent, even when it is malformed. */
export function notFoundMessage(resource: NotFoundResource, id: number | string): string {
  return `${resource} ${id} not found`;
}

/** Texts that may change, for refusals that do not depend on a resource. */
export const OWN_MESSAGES = {
  /** 429, with `Retry-After`. */
  tooManyRequests: 'Too many requests',
  /** 413 */
  bodyTooLarge: 'The request body is too large',
  /** 415 */
  bodyNotJson: 'The request body must be sent as application/json',
  /** 431 */
  headersTooLarge: 'The request headers are too large',
  /** 500: the cause stays in the log. */
  internalServerError: 'Internal server error',
  /** 404 of a path, or a method on a path, that the API does not have. */
  noSuchRoute: 'No such route',
  /** 403 of `/mcp` for a page of another site. */
  foreignOrigin: 'Pages of other sites may not call this',
  /** 401 of a post to an inbound URL whose source requires a secret or signature. */
  inboundNotAuthentic: 'The post does not carry the secret or signature that this source requires',
  /** 404 of a post to an inbound URL without a source. */
  noSuchSource: 'No source has this inbound URL: copy it again from the source.',
} as const;
