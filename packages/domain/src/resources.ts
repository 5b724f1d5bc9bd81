/**
 * Specification, "Resources and their fields": rows as the service keeps them, turned into what the API shows.
 *
 * The rule: instants become ISO-8601 UTC strings, lists of names and ids are sorted and free of repeats, no value is
 * `null` and never absent, an address is made from configuration and never from a request, and a row may hold more than
 * is shown: only the columns named here get out.
 */
export * from './resources/blocklists.ts';
export * from './resources/connections.ts';
export * from './resources/deliveries.ts';
export * from './resources/destinations.ts';
export * from './resources/events.ts';
export * from './resources/reply-relays.ts';
export * from './resources/requests.ts';
export * from './resources/sources.ts';
export * from './resources/syncs.ts';
export * from './resources/webhook-deliveries.ts';
export * from './resources/webhooks.ts';
