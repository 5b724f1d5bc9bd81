/**
 * Specification, "Resources and their fields": rows as the service keeps them, turned into what the API shows.
 *
 * The rule: instants become ISO-8601 UTC strings, lists of names and ids are sorted and free of repeats, no value is
 * `null` and never absent, an address is made from configuration and never from a request, and a row may hold more than
 * is shown: only the columns named here get out.
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
