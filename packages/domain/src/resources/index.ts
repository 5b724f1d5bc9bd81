/**
 * Mappers from stored rows to the API's resources, as the contract's schemas describe them.
 *
 * The rule: instants become ISO-8601 UTC strings. Lists of names and ids are sorted and have no duplicates. A missing value
 * is `null`, never absent. URLs are built from configuration, never from a request. Only the columns named here are shown.
 */
export * from './blocklists.ts';
export * from './connections.ts';
export * from './deliveries.ts';
export * from './destinations.ts';
export * from './events.ts';
export * from './reply-relays.ts';
export * from './requests.ts';
export * from './sources.ts';
export * from './syncs.ts';
export * from './webhook-deliveries.ts';
export * from './webhooks.ts';
