// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description For process supervisors. Does not check database and queue. No key, no limit.
         */
        get: operations["getHealthLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description For load balancers. Runs and names each check that receiving and syncing depend on. No key, no limit.
         */
        get: operations["getHealthReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document as JSON
         * @description The OpenAPI 3.1 description of the API. No key. The same content as the YAML form.
         */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document as YAML
         * @description The OpenAPI 3.1 description of the API, as it is maintained. No key.
         */
        get: operations["getOpenapiYaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the key and its access
         * @description Checks the key and returns its account, scopes and connections, and links to further operations. Any valid key can call it, so make this call first.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account status
         * @description Checks every connection within reach and reports what keeps it from syncing (`blockers`) and what is not set up (`warnings`). Always a 200, even when `ready` is false. A connection-scoped key gets exactly one connection.
         */
        get: operations["getAccountStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count requests, syncs and deliveries
         * @description Requests, syncs and deliveries of one range in one call. `connectionId` filters all three, and makes them zero when it is not within reach. `sourceId` filters only requests and syncs.
         */
        get: operations["getAccountMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connections
         * @description Every API-enabled connection within reach of the key, by `id`. A connection without API access does not appear anywhere in this API.
         */
        get: operations["listConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sources
         * @description Every source within reach with its destinations and reply relay. The event filter of a binding is in `destinations[].eventTypes`.
         */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sources/{sourceId}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests of a source
         * @description Requests received at one source. Newest first, one page at a time: follow `nextCursor` while `hasMore` is true. The range is required and spans at most 31 days.
         */
        get: operations["listSourceRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sources/{sourceId}/syncs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List syncs of a source
         * @description CRM write attempts for events of one source. Newest first, one page at a time: follow `nextCursor` while `hasMore` is true. The range is required and spans at most 31 days.
         */
        get: operations["listSourceSyncs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List forwarding destinations
         * @description Every forwarding destination within reach, bound to a source or not, by `id`. Not paged.
         */
        get: operations["listDestinations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/destinations/reply-relays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reply relays
         * @description Every reply relay within reach, bound to a source or not, by `id`. Not paged.
         */
        get: operations["listReplyRelays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a forwarding destination
         * @description One forwarding destination with the union of its bindings.
         */
        get: operations["getDestination"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/destinations/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries to a destination
         * @description POSTs to one destination. Newest first, one page at a time: follow `nextCursor` while `hasMore` is true. The range is required and spans at most 31 days.
         */
        get: operations["listDestinationDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/destinations/{id}/deliveries/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count deliveries to a destination
         * @description Counts the same rows as the list of the same range and filters. Paging parameters and `status` are ignored.
         */
        get: operations["getDestinationDeliveryMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/destinations/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a delivery
         * @description Queues the same event for the same destination again, whatever the status of the first delivery, and returns at once. The replay becomes a new delivery. There is no request body. The write scope is checked first: a read key gets a 403 even for an id that does not exist.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/outreach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up prior outreach
         * @description Returns whether, how and when anybody on this account contacted this person, and with what outcome. Send at least one identity. All identities in a call belong to one contact, so never mix contacts.
         *
         *     Rows are matched by the stored recipient, ignoring case; profile URLs in all their usual forms (scheme, `www`, country and mobile hosts, host aliases, trailing slash, query, hash, status URLs). Only HubSpot and Salesforce connections store profile URLs, so a look-up by URL finds nothing elsewhere: send the email if you have it. Categories are also found more reliably by email.
         *
         *     Every payload counts once per event type and platform. A category is a signal and not a touch: a contact with only categories is `found`, its category events count in `totalEvents` and `eventTypes`, and all fields about the first and last touch are null. An unknown contact is a 200 with `found` false, empty lists and nulls. This operation has its own rate limit and does not count towards the general one.
         */
        get: operations["getContactOutreach"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blocklists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List block lists
         * @description Every block list within reach, by `id`. Not paged. Poll it after a resync until `status` is neither `FETCHING` nor `SYNCING`, then check `lastError`.
         */
        get: operations["listBlocklists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blocklists/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a block list
         * @description Stops pushing to the sequencer; what was pushed stays there. A list that is being fetched or pushed gets the status `SYNCING_NEW_CONTACTS`; any other keeps its status. A running fetch may still store entries, which are not pushed while paused. Pausing a paused list gives the same answer. There is no request body. The write scope is checked first.
         */
        post: operations["pauseBlocklist"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blocklists/{id}/resync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resync a block list from scratch
         * @description Enables the list, clears `lastFetchedAt` and errors, and queues a full reload from the CRM, which replaces the entries stored by the service. It never resumes where an earlier run stopped, and never removes anything at the sequencer. There is no request body. The write scope is checked first.
         *
         *     For a scheduled refresh: list the block lists, clear the list at the sequencer by hand if you want it exact, resync, skip or back off on a 409, then poll the list.
         */
        post: operations["resyncBlocklist"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests
         * @description Inbound POSTs accepted at the sources within reach. Only account-scoped keys see requests of deleted sources, and only while at least one source is within reach; otherwise the page is empty. Newest first, one page at a time: follow `nextCursor` while `hasMore` is true. The range is required and spans at most 31 days.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count requests
         * @description Counts the same rows as the list of the same range and filters. Paging parameters and `status` are ignored.
         */
        get: operations["getRequestMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/syncs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List syncs
         * @description CRM write attempts on the connections within reach. Newest first, one page at a time: follow `nextCursor` while `hasMore` is true. The range is required and spans at most 31 days.
         */
        get: operations["listSyncs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/syncs/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count syncs by status
         * @description Counts the same rows as the list of the same range and filters. Paging parameters and `status` are ignored.
         */
        get: operations["getSyncMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/syncs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sync
         * @description One CRM write attempt.
         */
        get: operations["getSync"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/syncs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed sync
         * @description Queues a new attempt and returns at once. Only syncs that ended in `error`, on a HubSpot or Salesforce connection, can be retried. The failed sync never changes: find the new attempt in the list. There is no request body. The write scope is checked first: a read key gets a 403 even for an id that does not exist.
         */
        post: operations["retrySync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description POSTs to every forwarding destination within reach. Newest first, one page at a time: follow `nextCursor` while `hasMore` is true. The range is required and spans at most 31 days.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Every webhook of the account, oldest first, without secrets. Needs an account-scoped key. Deleted webhooks are not listed.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description Registers an HTTPS endpoint for platform events. The answer holds the signing secret, which is never shown again. An account can have 20 webhooks; deleted ones do not count. Needs an account-scoped key with write scope.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description One webhook, without its secret. Needs an account-scoped key.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Stops sending to it. Its past deliveries stay with their events. Needs an account-scoped key with write scope.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Changes the given fields. `isActive: true` enables an inactive webhook. An empty object changes nothing. Needs an account-scoped key with write scope.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret
         * @description Creates a new secret, shown only in this answer. It takes effect at once, also for retries of earlier deliveries. There is no request body. Needs an account-scoped key with write scope.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Queues a `test.ping` to this webhook, whatever it subscribes to and whether or not it is active. There is no request body. Needs an account-scoped key with write scope.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description Past and pending deliveries to one webhook, newest first by (`createdAt`, `id`). Needs an account-scoped key.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a webhook delivery
         * @description Sends the same event to the same webhook again, as a new delivery that refers to the old one, whatever its status. There is no request body. Needs an account-scoped key with write scope.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List platform events
         * @description Every event of the platform, delivered to a webhook or not, newest first by (`createdAt`, `id`). Use it to find events that your webhook missed. A connection-scoped key sees the events of its connection and those of the account.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a platform event
         * @description One event with its deliveries.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "sync.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Syncs have begun to fail
         * @description Sent once per incident, when the third sync in a row has failed for a source and connection pair that worked before.
         *
         *     Any 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.
         */
        post: operations["onSyncFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sync.recovered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Syncs work again
         * @description Sent when a sync succeeds for a pair that was failing.
         *
         *     Any 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.
         */
        post: operations["onSyncRecovered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "test.ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test
         * @description Sent when a client requests it. Cannot be subscribed to.
         *
         *     Any 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.
         */
        post: operations["onTestPing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * Format: date-time
         * @description An instant in ISO 8601, always in UTC and written with `Z`.
         * @example 2026-03-14T09:26:53.589Z
         */
        Timestamp: string;
        /** @description State of a connection or of one of its parts. `ready`: set up and working. `not_configured`: allowed, but nothing is set up yet. `disconnected`: the CRM authorization is missing. `disabled`: the plan of this connection does not include the feature. `error`: the part has recorded an error. For a connection: its CRM refuses access (a missing scope, a suspended account) or its daily limit is reached, until the next write succeeds. More values may be added. */
        ComponentStatus: "ready" | "not_configured" | "disconnected" | "disabled" | "error" | (string & {});
        /** @description Why a connection cannot sync. `crm_disconnected`: the CRM authorization is missing. More codes may be added. */
        BlockerCode: "crm_disconnected" | (string & {});
        /** @description A feature that is allowed but not set up, a recorded error, or a source whose requests are not understood. A warning never affects `ready`. More codes may be added. */
        WarningCode: "crm_connection_error" | "destinations_not_configured" | "blocklists_not_configured" | "blocklists_error" | "source_events_not_understood" | (string & {});
        /** @description CRM type, upper case. More types may be added. */
        Crm: "HUBSPOT" | "SALESFORCE" | "PIPEDRIVE" | (string & {});
        /** @description Sequencer platform, lower case. More platforms may be added. */
        Platform: "smartlead" | "instantly" | "emailbison" | "lemlist" | "heyreach" | "reply-io" | "salesloft" | "outreach" | (string & {});
        /** @description What happened at the sequencer, in the normalized vocabulary. More types may be added. */
        SequencerEventType: "EMAIL_SENT" | "EMAIL_OPEN" | "EMAIL_LINK_CLICK" | "EMAIL_OPEN_BY_BOT" | "EMAIL_LINK_CLICK_BY_BOT" | "EMAIL_REPLY" | "EMAIL_BOUNCE" | "LEAD_UNSUBSCRIBED" | "LEAD_CATEGORY_UPDATED" | "MESSAGE_SENT" | "MESSAGE_REPLY" | "INMAIL_SENT" | "INMAIL_REPLY" | "CONNECTION_REQUEST_SENT" | "CONNECTION_REQUEST_ACCEPTED" | "PROFILE_VIEWED" | "POST_LIKED" | "FOLLOW_SENT" | "CALL_COMPLETED" | (string & {});
        /** @description Type of a platform event. `sync.failed`: a source and connection pair has begun to fail. `sync.recovered`: it works again. `test.ping`: requested by a client. More types may be added. */
        EventType: "sync.failed" | "sync.recovered" | "test.ping" | (string & {});
        /**
         * @description A platform event type that a webhook can subscribe to.
         * @enum {string}
         */
        SubscribableEventType: "sync.failed" | "sync.recovered";
        /**
         * @description A platform event type as a filter value.
         * @enum {string}
         */
        EventTypeFilter: "sync.failed" | "sync.recovered" | "test.ping";
        /** @description A hard signal against contacting somebody. More reasons may be added. */
        DoNotContactReason: "bounced" | "unsubscribed" | (string & {});
        /**
         * @description What a key may do. Every key can `read`; `write` allows the write actions and the webhook mutations.
         * @enum {string}
         */
        ApiKeyScope: "read" | "write";
        /**
         * @description `account`: the key reaches every API-enabled connection of the account. `connection`: exactly one.
         * @enum {string}
         */
        ConnectionScope: "account" | "connection";
        /**
         * @description `success`: written. `warning`: written, with a part refused by the CRM. `error`: not written.
         * @enum {string}
         */
        SyncStatus: "success" | "warning" | "error";
        /**
         * @description Outcome of one POST to a forwarding destination.
         * @enum {string}
         */
        DeliveryStatus: "success" | "error";
        /**
         * @description `PENDING`: an attempt is due. `SUCCEEDED`: answered with a 2xx. `FAILED`: given up early because the webhook was deleted or became inactive. `DEAD`: answered with 404 or 413, or all eight attempts used up.
         * @enum {string}
         */
        WebhookDeliveryStatus: "PENDING" | "SUCCEEDED" | "FAILED" | "DEAD";
        /**
         * @description `CREATED`: nothing was pushed yet, because the list is new or its first run failed. `FETCHING`: being loaded from the CRM. `SYNCING`: being pushed to the sequencer. `SYNCED`: done; `lastError` says whether entries were left out. `SYNCING_NEW_CONTACTS`: a periodic top-up, or a list that was paused while it was loaded or pushed.
         * @enum {string}
         */
        BlocklistStatus: "CREATED" | "FETCHING" | "SYNCING" | "SYNCED" | "SYNCING_NEW_CONTACTS";
        /**
         * @description Whether the list holds single email addresses or whole domains.
         * @enum {string}
         */
        BlockType: "ADDRESS" | "DOMAIN";
        /** @description The body of every refusal and error. */
        ErrorBody: {
            /** @description The HTTP status. */
            statusCode: number;
            /** @description The reason. Together with the status, the stable field to act on. */
            message: string;
            /** @description The reason phrase of the status. */
            error: string;
        };
        /** @description The process is up. */
        HealthLive: {
            /**
             * @description Always `ok`.
             * @constant
             */
            status: "ok";
        };
        /** @description Whether events can be received and synced now, by check. */
        HealthReady: {
            /**
             * @description `ok` when every check is `ok`, otherwise `error`.
             * @enum {string}
             */
            status: "ok" | "error";
            /** @description One entry per part the service depends on, such as `database`, `queue` and `secrets`. */
            checks: {
                [key: string]: "ok" | "error";
            };
        };
        /** @description Where to go next. */
        ApiLink: {
            /**
             * Format: uri
             * @description Absolute URL that can be called as it is. It has an example query when parameters are required.
             */
            href: string;
            /** @description What the URL returns, and its required parameters. */
            description: string;
        };
        /** @description Entry points of the API and its documentation. */
        MeLinks: {
            /** @description Readiness of the pipeline. */
            accountStatus: components["schemas"]["ApiLink"];
            /** @description Counts of requests, syncs and deliveries. */
            accountMetrics: components["schemas"]["ApiLink"];
            /** @description CRM connections. */
            connections: components["schemas"]["ApiLink"];
            /** @description Forwarding destinations. */
            destinations: components["schemas"]["ApiLink"];
            /** @description Inbound receipts. */
            requests: components["schemas"]["ApiLink"];
            /** @description Reply relays. */
            destinationsReplyRelays: components["schemas"]["ApiLink"];
            /** @description Inbound URLs. */
            sources: components["schemas"]["ApiLink"];
            /** @description Prior outreach to a contact. */
            contactsOutreach: components["schemas"]["ApiLink"];
            /** @description CRM write attempts. */
            syncs: components["schemas"]["ApiLink"];
            /** @description The reference documentation. */
            documentation: components["schemas"]["ApiLink"];
            /** @description This document. */
            openapi: components["schemas"]["ApiLink"];
        };
        /** @description The account that the key belongs to. */
        MeAccount: {
            /** @description Account id. */
            id: number;
            /** @description Email of the account owner. */
            email: string;
        };
        /** @description The key of this call. Its token is never returned. */
        MeApiKey: {
            /** @description Name given to the key. */
            name: string;
            /** @description What the key may do. */
            scopes: components["schemas"]["ApiKeyScope"][];
            /** @description How many connections the key reaches. */
            connectionScope: components["schemas"]["ConnectionScope"];
            /** @description The one connection of a connection-scoped key, the same as the single entry of `connections`; null for account-scoped keys. */
            connectionId: number | null;
        };
        /** @description A connection within reach of the key. */
        MeConnection: {
            /** @description Connection id. */
            id: number;
            /** @description CRM type. */
            crm: components["schemas"]["Crm"];
            /** @description The id of the organization in the CRM. */
            organizationId: string;
            /** @description The domain of the organization in the CRM. */
            organizationDomain: string;
        };
        /** @description The key, its account and its access. */
        MeResponse: {
            account: components["schemas"]["MeAccount"];
            apiKey: components["schemas"]["MeApiKey"];
            /** @description Connections within reach, by `id` ascending; the same order as in `/connections` and `/account/status`. */
            connections: components["schemas"]["MeConnection"][];
            links: components["schemas"]["MeLinks"];
        };
        /** @description State of the CRM authorization. */
        CrmConnectionStatus: {
            /** @description `disconnected` when the CRM authorization is missing. */
            status: components["schemas"]["ComponentStatus"];
            /** @description CRM type. */
            crm: components["schemas"]["Crm"];
            /** @description The id of the organization in the CRM. */
            organizationId: string;
            /** @description The domain of the organization in the CRM. */
            organizationDomain: string;
        };
        /** @description State of the inbound URLs of a connection. */
        SourcesStatus: {
            /** @description State of the part. */
            status: components["schemas"]["ComponentStatus"];
            /** @description Number of sources. */
            count: number;
            /** @description Platforms of those sources, sorted, each once. */
            platforms: components["schemas"]["Platform"][];
        };
        /** @description State of forwarding and reply relays of a connection. */
        DestinationsStatus: {
            /** @description State of the part. `disabled` when the capability `destinations` is off. */
            status: components["schemas"]["ComponentStatus"];
            /** @description `forwardingCount` plus `replyRelayCount`. */
            count: number;
            /** @description Event types that any binding forwards, sorted, each once. */
            eventTypes: components["schemas"]["SequencerEventType"][];
            /** @description Number of distinct forwarding URLs. */
            forwardingCount: number;
            /** @description Number of reply relays bound to a source. */
            replyRelayCount: number;
        };
        /** @description State of the block lists of a connection. */
        BlocklistsStatus: {
            /** @description State of the part. `disabled` when the capability `blocklists` is off. */
            status: components["schemas"]["ComponentStatus"];
            /** @description Number of enabled block lists; 0 without the capability. */
            enabledCount: number;
            /** @description The most recent recorded error, if any. */
            lastError: string | null;
            /** @description When a list of this connection was last loaded from the CRM. */
            lastFetchedAt: components["schemas"]["Timestamp"] | null;
        };
        /** @description Readiness of one connection, part by part. */
        ConnectionStatus: {
            /** @description Connection id. */
            connectionId: number;
            /** @description CRM type. */
            crm: components["schemas"]["Crm"];
            /** @description Whether the connection has no blocker. */
            ready: boolean;
            crmConnection: components["schemas"]["CrmConnectionStatus"];
            sources: components["schemas"]["SourcesStatus"];
            destinations: components["schemas"]["DestinationsStatus"];
            blocklists: components["schemas"]["BlocklistsStatus"];
        };
        /** @description A problem that stops syncing on this connection until it is resolved. */
        Blocker: {
            /** @description Machine-readable reason. */
            code: components["schemas"]["BlockerCode"];
            /** @description The connection concerned. */
            connectionId: number;
            /** @description CRM type of that connection. */
            crm: components["schemas"]["Crm"];
            /** @description What is wrong. */
            message: string;
            /** @description What to do about it. */
            remediation: string;
            /**
             * Format: uri
             * @description Where it is documented.
             */
            docUrl: string;
        };
        /** @description A problem that does not stop syncing, such as an optional part that is not set up. */
        Warning: {
            /** @description Machine-readable reason. */
            code: components["schemas"]["WarningCode"];
            /** @description The connection concerned. */
            connectionId: number;
            /** @description CRM type of that connection. */
            crm: components["schemas"]["Crm"];
            /** @description What is missing. */
            message: string;
            /** @description What to do about it. */
            remediation: string;
            /**
             * Format: uri
             * @description Where it is documented.
             */
            docUrl: string;
        };
        /** @description Readiness of everything within reach of the key. */
        AccountStatusResponse: {
            /** @description False as soon as there is one blocker. Warnings never make it false. */
            ready: boolean;
            /** @description When this was computed. */
            checkedAt: components["schemas"]["Timestamp"];
            /** @description One entry per connection within reach, by `connectionId` ascending. */
            connections: components["schemas"]["ConnectionStatus"][];
            /** @description What keeps connections from syncing. */
            blockers: components["schemas"]["Blocker"][];
            /** @description Parts that are not set up, and minor problems. */
            warnings: components["schemas"]["Warning"][];
        };
        /** @description Features that the plan of this connection includes. */
        ConnectionCapabilities: {
            /** @description Received events are written to the CRM. */
            sync: boolean;
            /** @description Received events are forwarded to destinations, and replies relayed. Gates both. */
            destinations: boolean;
            /** @description Block lists are kept in step with the CRM, and can be resynced. */
            blocklists: boolean;
        };
        /** @description A CRM connection. */
        Connection: {
            /** @description Connection id. */
            id: number;
            /** @description CRM type. */
            crm: components["schemas"]["Crm"];
            /** @description State of the connection. */
            status: components["schemas"]["ComponentStatus"];
            /** @description The id of the organization in the CRM. */
            organizationId: string;
            /** @description The domain of the organization in the CRM. */
            organizationDomain: string;
            capabilities: components["schemas"]["ConnectionCapabilities"];
            /** @description When the connection was created. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description All connections within reach. */
        ConnectionList: {
            /** @description By `id` ascending. */
            connections: components["schemas"]["Connection"][];
        };
        /** @description How events of a source are written to the CRM. */
        SourceConfig: {
            /** @description Also create or update the company. */
            createOrUpdateCompany: boolean;
            /** @description Also create or update a task. */
            createOrUpdateTask: boolean;
            /** @description Set the owner of the contact. */
            assignContactOwner: boolean;
            /** @description Which object Salesforce writes go to; null elsewhere, or for the default. */
            salesforceObjectType: string | null;
        };
        /** @description A forwarding destination bound to a source. The event filter belongs to this binding. */
        SourceDestination: {
            /** @description Where events are forwarded to. */
            url: string;
            /** @description Free text, may be empty. */
            description: string;
            /** @description Event types that this binding forwards, sorted, each once. */
            eventTypes: components["schemas"]["SequencerEventType"][];
            /** @description Whether this binding waits before forwarding. */
            isDelayed: boolean;
        };
        /** @description The reply relay bound to a source. */
        SourceReplyRelay: {
            /** @description Reply relay id. */
            id: number;
            /** @description Free text, may be empty. */
            description: string;
            /** @description Who is copied. */
            ccEmail: string;
            /** @description Minutes to wait before relaying. */
            delayMinutes: number;
        };
        /** @description An inbound URL that a sequencer posts its events to. */
        Source: {
            /** @description Source id. */
            id: number;
            /**
             * Format: uri
             * @description The inbound URL, in the form it was created with. Legacy sources have two path segments.
             */
            url: string;
            /** @description Platform of the sequencer that posts to it. */
            platform: components["schemas"]["Platform"];
            /** @description The CRM connection that events are written to. */
            connectionId: number;
            /** @description CRM type of that connection. */
            crm: components["schemas"]["Crm"];
            config: components["schemas"]["SourceConfig"];
            /** @description Forwarding destinations bound to this source. */
            destinations: components["schemas"]["SourceDestination"][];
            /** @description The reply relay bound to this source; null when there is none. */
            replyRelay: components["schemas"]["SourceReplyRelay"] | null;
            /** @description When the source was created. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description All sources within reach. */
        SourceList: {
            /** @description By `id` ascending. */
            sources: components["schemas"]["Source"][];
        };
        /** @description A customer URL that received events are forwarded to. */
        DestinationResource: {
            /** @description Destination id. */
            id: number;
            /** @description Where events are forwarded to. */
            url: string;
            /** @description Free text, may be empty. */
            description: string;
            /** @description The connection it belongs to. */
            connectionId: number;
            /** @description Union over all bindings, sorted, each once. */
            eventTypes: components["schemas"]["SequencerEventType"][];
            /** @description True when any binding is delayed. */
            isDelayed: boolean;
            /** @description Sources it is bound to, ascending, each once. */
            sourceIds: number[];
            /** @description When the destination was created. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description All forwarding destinations within reach. */
        DestinationList: {
            /** @description By `id` ascending. */
            destinations: components["schemas"]["DestinationResource"][];
        };
        /** @description A category or tag of a lead at the sequencer. */
        RelayCategory: {
            /** @description The sequencer's id of the category. */
            id: string;
            /** @description Its name. */
            name: string;
        };
        /** @description Copies a sales rep on the replies of prospects. */
        ReplyRelay: {
            /** @description Reply relay id. */
            id: number;
            /** @description The connection it belongs to. */
            connectionId: number;
            /** @description Free text, may be empty. */
            description: string;
            /** @description Who is copied. */
            ccEmail: string;
            /** @description Minutes to wait before relaying. */
            delayMinutes: number;
            /** @description Texts of the relayed message. */
            bodyTemplates: string[];
            /** @description Empty: every reply is relayed. Otherwise only when the current category or tag of the lead is one of these, looked up when the relay runs, not when the reply came in. */
            categoryAllowlist: components["schemas"]["RelayCategory"][];
            /** @description Sources it is bound to, ascending, each once. */
            sourceIds: number[];
            /** @description When the relay was created. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description All reply relays within reach. */
        ReplyRelayList: {
            /** @description By `id` ascending. */
            replyRelays: components["schemas"]["ReplyRelay"][];
        };
        /** @description Keeps the block list of a sequencer in step with a list in the CRM. Pushing only adds entries: neither pause nor resync removes anything at the sequencer. */
        Blocklist: {
            /** @description Block list id. */
            id: number;
            /** @description The connection it belongs to. */
            connectionId: number;
            /** @description Name of the list in the CRM. */
            listName: string;
            /** @description CRM type of the connection, when known. */
            crm: components["schemas"]["Crm"] | null;
            /** @description Platform of the sequencer that entries are pushed to. */
            platform: components["schemas"]["Platform"];
            /** @description What the list holds. */
            blockType: components["schemas"]["BlockType"];
            /** @description Status of the pipeline. */
            status: components["schemas"]["BlocklistStatus"];
            /** @description False while paused. */
            isEnabled: boolean;
            /** @description The sequencer's client that the list is pushed for, if it has clients. */
            clientId: string | null;
            /** @description Entries that were pushed. */
            syncedCount: number;
            /** @description Entries that wait to be pushed. */
            pendingCount: number;
            /** @description When the list was last loaded from the CRM; null before the first load and after a resync request. */
            lastFetchedAt: components["schemas"]["Timestamp"] | null;
            /** @description Why the last run failed; null when it did not. */
            lastError: string | null;
            /** @description When the last attempt of any kind began or ended; null before the first. */
            lastAttemptedAt: components["schemas"]["Timestamp"] | null;
            /** @description When the block list was set up. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description All block lists within reach. */
        BlocklistList: {
            /** @description By `id` ascending. */
            blocklists: components["schemas"]["Blocklist"][];
        };
        /** @description The list is paused. */
        BlocklistPaused: {
            /** @description Block list id. */
            id: number;
            /**
             * @description Always false.
             * @constant
             */
            isEnabled: false;
            /** @description The status as stored after the pause. */
            status: components["schemas"]["BlocklistStatus"];
        };
        /** @description A full reload is queued. */
        BlocklistResyncQueued: {
            /** @description Block list id. */
            id: number;
            /**
             * @description Always true.
             * @constant
             */
            queued: true;
            /**
             * @description Always true: a resync enables the list.
             * @constant
             */
            isEnabled: true;
            /**
             * @description Always `FETCHING`.
             * @constant
             */
            status: "FETCHING";
        };
        /** @description One inbound POST that was accepted at a source. */
        RequestReceipt: {
            /** @description Request id. Its syncs and deliveries have it as `payloadId`. */
            id: number;
            /** @description The source that received it; null when the source was deleted. */
            sourceId: number | null;
            /** @description The connection of that source; null when the source was deleted. */
            connectionId: number | null;
            /** @description The part of the source's `url` after `/webhooks/`, not the whole URL. */
            path: string;
            /** @description When it was accepted. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description One page of requests, newest first by (`createdAt`, `id`). */
        RequestPage: {
            /** @description The rows of this page. A page may be short, even empty, while `hasMore` is true. */
            data: components["schemas"]["RequestReceipt"][];
            /** @description Whether more rows follow this page. Only this field marks the end of a list, never the length of `data`. */
            hasMore: boolean;
            /** @description Pass as `cursor` to get the next page; null on the last one. Opaque. */
            nextCursor: string | null;
        };
        /** @description One attempt to write a received event to a CRM. */
        SyncResource: {
            /** @description Sync id. */
            id: number;
            /** @description How the attempt ended. */
            status: components["schemas"]["SyncStatus"];
            /** @description The connection written to. */
            connectionId: number;
            /** @description The source that received the event; null when it was deleted. */
            sourceId: number | null;
            /** @description What happened at the sequencer. */
            eventType: components["schemas"]["SequencerEventType"];
            /** @description Recipient as stored: an email address, or a profile URL for social-only events. */
            toEmail: string;
            /** @description Which sequencer the event came from. */
            platform: components["schemas"]["Platform"];
            /** @description The request with the event; null when it is unknown. */
            payloadId: number | null;
            /** @description The CRM's error, in the CRM's own form; null without one. */
            error: {
                [key: string]: unknown;
            } | null;
            /** @description When the attempt ended. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description One page of syncs, newest first by (`createdAt`, `id`). */
        SyncPage: {
            /** @description The rows of this page. A page may be short, even empty, while `hasMore` is true. */
            data: components["schemas"]["SyncResource"][];
            /** @description Whether more rows follow this page. Only this field marks the end of a list, never the length of `data`. */
            hasMore: boolean;
            /** @description Pass as `cursor` to get the next page; null on the last one. Opaque. */
            nextCursor: string | null;
        };
        /** @description A new attempt is queued. */
        RetryQueued: {
            /**
             * @description Always true.
             * @constant
             */
            queued: true;
            /** @description The failed sync. It stays as it is; the attempt becomes a new sync. */
            syncId: number;
        };
        /** @description One outbound POST to a forwarding destination. */
        DestinationDelivery: {
            /** @description Delivery id. */
            id: number;
            /** @description The destination posted to. */
            destinationId: number;
            /** @description The URL posted to. */
            destinationUrl: string;
            /** @description How it ended. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description Status the destination answered with; null when there was no answer. */
            httpStatus: number | null;
            /** @description The connection of the destination. */
            connectionId: number;
            /** @description The source that received the event; null on historical rows. */
            sourceId: number | null;
            /** @description What happened at the sequencer; null on historical rows. */
            eventType: components["schemas"]["SequencerEventType"] | null;
            /** @description Recipient of the event; null on historical rows. */
            toEmail: string | null;
            /** @description The request with the event; null when there is none, and then the delivery cannot be replayed. */
            payloadId: number | null;
            /** @description What went wrong; null on success. */
            error: string | null;
            /** @description When the POST ended. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description One page of deliveries, newest first by (`createdAt`, `id`). */
        DeliveryPage: {
            /** @description The rows of this page. A page may be short, even empty, while `hasMore` is true. */
            data: components["schemas"]["DestinationDelivery"][];
            /** @description Whether more rows follow this page. Only this field marks the end of a list, never the length of `data`. */
            hasMore: boolean;
            /** @description Pass as `cursor` to get the next page; null on the last one. Opaque. */
            nextCursor: string | null;
        };
        /** @description A replay is queued. */
        ReplayQueued: {
            /**
             * @description Always true.
             * @constant
             */
            queued: true;
            /** @description The destination that will be posted to. */
            destinationId: number;
            /** @description The request whose event will be posted. */
            payloadId: number;
        };
        /** @description Number of requests in the range. */
        RequestMetrics: {
            /** @description Requests. */
            count: number;
        };
        /** @description Number of syncs in the range, by status. */
        SyncMetrics: {
            /** @description Syncs with status `success`. */
            success: number;
            /** @description Syncs with status `warning`. */
            warning: number;
            /** @description Syncs with status `error`. */
            error: number;
        };
        /** @description Number of deliveries in the range. */
        DestinationDeliveryMetrics: {
            /** @description Deliveries with status `success`. */
            success: number;
            /** @description Deliveries with status `error`. */
            error: number;
            /** @description Deliveries whose recorded HTTP status is a 2xx, historical rows with an inferred status included. It can differ from `success`. */
            http2xx: number;
        };
        /** @description Counts over the whole pipeline for one range. */
        AccountMetricsResponse: {
            /** @description Start of the range, normalized. */
            from: components["schemas"]["Timestamp"];
            /** @description End of the range, normalized. */
            to: components["schemas"]["Timestamp"];
            requests: components["schemas"]["RequestMetrics"];
            syncs: components["schemas"]["SyncMetrics"];
            destinationDeliveries: components["schemas"]["DestinationDeliveryMetrics"];
        };
        /** @description The identities, normalized. */
        OutreachQuery: {
            /** @description Lower-cased email; null when only profile URLs were sent. */
            email: string | null;
            /** @description Profile URLs in canonical form. */
            profileUrls: string[];
        };
        /** @description What happened, over all events found. */
        OutreachSummary: {
            /** @description Whether there was a send, a reply, a call or an outbound social message. Opens, clicks, views and likes alone do not count. */
            everContacted: boolean;
            /** @description Whether an email was sent. */
            everEmailed: boolean;
            /** @description Whether an email was opened, as far as known by a person: opens that a sequencer marks as those of a bot do not count. */
            everOpened: boolean;
            /** @description Whether there was a call. */
            everCalled: boolean;
            /** @description Whether anything happened on a social network. */
            everSocialTouched: boolean;
            /** @description Events, each payload counted once per event type and platform. */
            totalEvents: number;
            /** @description When the first touch was processed, which is not when it happened at the sequencer. Every event is a touch except `LEAD_CATEGORY_UPDATED`, which is a signal; null when there was no touch. */
            firstTouchAt: components["schemas"]["Timestamp"] | null;
            /** @description When the last touch was processed; null when there was none. */
            lastTouchAt: components["schemas"]["Timestamp"] | null;
            /** @description Whole days since `lastTouchAt`, rounded down; null when there was none. */
            daysSinceLastTouch: number | null;
            /** @description Event type of the last touch; null when there was none. */
            lastEventType: components["schemas"]["SequencerEventType"] | null;
            /** @description Platform of the last touch; null when there was none or its source is unknown. */
            lastPlatform: components["schemas"]["Platform"] | null;
        };
        /** @description Events of one type. */
        OutreachEventType: {
            /** @description The type. */
            eventType: components["schemas"]["SequencerEventType"];
            /** @description Events of this type. */
            count: number;
            /** @description When the first event was processed. */
            firstAt: components["schemas"]["Timestamp"];
            /** @description When the last event was processed. */
            lastAt: components["schemas"]["Timestamp"];
        };
        /** @description Events of one platform. */
        OutreachPlatform: {
            /** @description The platform. */
            platform: components["schemas"]["Platform"];
            /** @description Events of this platform. */
            count: number;
            /** @description When the last event was processed. */
            lastAt: components["schemas"]["Timestamp"];
            /** @description Type of the last event. */
            lastEventType: components["schemas"]["SequencerEventType"];
        };
        /** @description The outcomes of the outreach. */
        OutreachOutcomes: {
            /** @description Whether the contact ever answered. */
            replied: boolean;
            /** @description When the last answer was processed. */
            lastReplyAt: components["schemas"]["Timestamp"] | null;
            /** @description Whether an email bounced. */
            bounced: boolean;
            /** @description Whether the contact unsubscribed. */
            unsubscribed: boolean;
            /** @description The last category the lead was put in at a sequencer. */
            lastCategoryName: string | null;
            /** @description When that was. */
            lastCategoryAt: components["schemas"]["Timestamp"] | null;
        };
        /** @description Hard signals only: a bounce, or an unsubscribe. */
        DoNotContact: {
            /** @description Whether there is any reason. */
            value: boolean;
            /** @description The reasons. */
            reasons: components["schemas"]["DoNotContactReason"][];
        };
        /** @description Not evaluated in this release, whatever block lists exist. Do not filter on it. */
        OutreachBlocklists: {
            /** @description False in this release. */
            evaluated: boolean;
            /** @description Always false in this release, even when the contact is on a block list. */
            matched: boolean;
            /** @description Empty in this release. */
            matches: unknown[];
        };
        /** @description Prior outreach to one contact. */
        ContactOutreachResponse: {
            /**
             * @deprecated
             * @description Replaced by `query.email`, which has the same value.
             */
            email: string | null;
            query: components["schemas"]["OutreachQuery"];
            /** @description Whether there are events, a category of the lead, or both. */
            found: boolean;
            summary: components["schemas"]["OutreachSummary"];
            /** @description Per event type, sorted by type. */
            eventTypes: components["schemas"]["OutreachEventType"][];
            /** @description Per platform, sorted by platform. Events with an unknown source are not included. */
            platforms: components["schemas"]["OutreachPlatform"][];
            outcomes: components["schemas"]["OutreachOutcomes"];
            doNotContact: components["schemas"]["DoNotContact"];
            blocklists: components["schemas"]["OutreachBlocklists"];
        };
        /** @description A registered HTTPS endpoint that receives the platform events of the account. */
        WebhookEndpoint: {
            /** @description Webhook id. */
            id: string;
            /** @description Where events are posted to. */
            url: string;
            /** @description Free text, empty when none was given. */
            description: string;
            /** @description Event types subscribed to, each once, in a fixed order. Empty means every subscribable type. */
            enabledEvents: components["schemas"]["EventType"][];
            /** @description Whether events are sent. Switched off by the service after 20 DEAD deliveries in a row. */
            isActive: boolean;
            /** @description When the service switched the webhook off; null when it did not. */
            autoDisabledAt: components["schemas"]["Timestamp"] | null;
            /** @description When the webhook was registered. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the webhook was last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description A webhook together with its signing secret, which is shown only this once. */
        WebhookEndpointWithSecret: components["schemas"]["WebhookEndpoint"] & {
            /** @description Signing secret. Store it now: it cannot be read again. */
            secret: string;
        };
        /** @description All webhooks of the account. */
        WebhookList: {
            /** @description Oldest first by (`createdAt`, `id`), without secrets. */
            webhooks: components["schemas"]["WebhookEndpoint"][];
        };
        /** @description A new webhook. Other keys are ignored. */
        CreateWebhookBody: {
            /** @description HTTPS only. Private, local, loopback and link-local targets are refused, host names that resolve to one of them included, and ports of other protocols, such as 22 and 25. */
            url: string;
            /**
             * @description Free text.
             * @default
             */
            description?: string;
            /**
             * @description Event types to subscribe to. Empty or omitted: every subscribable type. Duplicates are dropped.
             * @default []
             */
            enabledEvents?: components["schemas"]["SubscribableEventType"][];
        };
        /** @description The fields to change. Other keys are ignored. */
        UpdateWebhookBody: {
            /** @description As for a new webhook. Later attempts go to the new URL. */
            url?: string;
            /** @description Free text. */
            description?: string;
            /** @description Event types to subscribe to. Empty: every subscribable type. Duplicates are dropped. */
            enabledEvents?: components["schemas"]["SubscribableEventType"][];
            /** @description True switches an inactive webhook on again, clears `autoDisabledAt` and resets the count of DEAD deliveries. */
            isActive?: boolean;
        };
        /** @description A `test.ping` is queued. */
        TestEventQueued: {
            /** @description Id of the event that will be delivered. */
            eventId: string;
        };
        /** @description One platform event on its way to one webhook. */
        WebhookDelivery: {
            /** @description Delivery id, sent as `Service-Delivery-Id`. The same at every attempt. */
            id: string;
            /** @description The webhook delivered to. */
            endpointId: string;
            /** @description Status of the delivery. */
            status: components["schemas"]["WebhookDeliveryStatus"];
            /** @description Attempts made so far. */
            attemptCount: number;
            /** @description When the last attempt was made; null before the first. */
            lastAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description HTTP status of the last attempt's answer; null when there was no answer or no attempt yet. */
            lastHttpStatus: number | null;
            /** @description Why the last attempt failed; null when it did not. */
            lastError: string | null;
            /** @description The delivery this one repeats; null for first deliveries. */
            replayOfDeliveryId: string | null;
            /** @description When the delivery was queued. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the delivery last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description One page of webhook deliveries, newest first by (`createdAt`, `id`). */
        WebhookDeliveryPage: {
            /** @description The rows of this page. A page may be short, even empty, while `hasMore` is true. */
            data: components["schemas"]["WebhookDelivery"][];
            /** @description Whether more rows follow this page. Only this field marks the end of a list, never the length of `data`. */
            hasMore: boolean;
            /** @description Pass as `cursor` to get the next page; null on the last one. Opaque. */
            nextCursor: string | null;
        };
        /** @description A report of the platform itself, not a received request. */
        PlatformEvent: {
            /** @description Event id. */
            id: string;
            /** @description Type of the event. */
            type: components["schemas"]["EventType"];
            /** @description A one-line summary for people. */
            summary: string;
            /** @description Facts that depend on `type`: see `SyncFailedData`, `SyncRecoveredData` and `TestPingData`. */
            data: {
                [key: string]: unknown;
            };
            /** @description The connection concerned; null for events of the account. */
            connectionId: number | null;
            /** @description The source concerned; null for events of the account. */
            sourceId: number | null;
            /** @description Whether at least one webhook has received it. */
            delivered: boolean;
            /** @description When it was recorded. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description A platform event and its deliveries. */
        PlatformEventWithDeliveries: components["schemas"]["PlatformEvent"] & {
            /** @description Newest first by (`createdAt`, `id`). */
            deliveries: components["schemas"]["WebhookDelivery"][];
        };
        /** @description One page of platform events, newest first by (`createdAt`, `id`). */
        EventPage: {
            /** @description The rows of this page. A page may be short, even empty, while `hasMore` is true. */
            data: components["schemas"]["PlatformEvent"][];
            /** @description Whether more rows follow this page. Only this field marks the end of a list, never the length of `data`. */
            hasMore: boolean;
            /** @description Pass as `cursor` to get the next page; null on the last one. Opaque. */
            nextCursor: string | null;
        };
        /** @description Data of a `sync.failed` event. */
        SyncFailedData: {
            /** @description The connection that syncs fail on. */
            connectionId: number;
            /** @description CRM type of that connection. */
            crm: components["schemas"]["Crm"];
            /** @description The source whose events fail. */
            sourceId: number;
            /** @description Platform of that source. */
            sourcePlatform: components["schemas"]["Platform"];
            /** @description What went wrong. */
            reason: string;
            /** @description How to fix it, with a link to the dashboard. */
            remediation: string;
        };
        /** @description Data of a `sync.recovered` event. */
        SyncRecoveredData: {
            /** @description The connection that syncs succeed on again. */
            connectionId: number;
            /** @description CRM type of that connection. */
            crm: components["schemas"]["Crm"];
            /** @description The source whose events are written again. */
            sourceId: number;
            /** @description Platform of that source. */
            sourcePlatform: components["schemas"]["Platform"];
            /** @description When the incident began. */
            failedSince: components["schemas"]["Timestamp"];
        };
        /** @description Data of an event type without defined fields. */
        TestPingData: {
            [key: string]: unknown;
        };
        /** @description The body that is posted to a webhook. The bytes are the same at every attempt. */
        WebhookEnvelope: {
            /** @description Event id. The same event can arrive more than once: drop repeats by this id. */
            id: string;
            /** @description Type of the event. Ignore unknown types. */
            type: components["schemas"]["EventType"];
            /** @description When the event was recorded. Events can arrive out of order: sort by this. */
            created: components["schemas"]["Timestamp"];
            /** @description A one-line summary for people. */
            summary: string;
            /** @description Facts that depend on `type`. */
            data: {
                [key: string]: unknown;
            };
        };
        /** @description The body of a `sync.failed` delivery. */
        SyncFailedEnvelope: components["schemas"]["WebhookEnvelope"] & {
            /**
             * @description The event type.
             * @constant
             */
            type: "sync.failed";
            data: components["schemas"]["SyncFailedData"];
        };
        /** @description The body of a `sync.recovered` delivery. */
        SyncRecoveredEnvelope: components["schemas"]["WebhookEnvelope"] & {
            /**
             * @description The event type.
             * @constant
             */
            type: "sync.recovered";
            data: components["schemas"]["SyncRecoveredData"];
        };
        /** @description The body of a `test.ping` delivery. */
        TestPingEnvelope: components["schemas"]["WebhookEnvelope"] & {
            /**
             * @description The event type.
             * @constant
             */
            type: "test.ping";
            data: components["schemas"]["TestPingData"];
        };
    };
    responses: {
        /** @description A parameter is missing or invalid. */
        InvalidListQuery: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A parameter is missing or invalid. */
        InvalidMetricsQuery: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The filter is invalid. */
        InvalidConnectionFilter: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description No identity was sent, one is invalid, or there are too many. */
        InvalidOutreachQuery: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A parameter is invalid. */
        InvalidPageQuery: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A parameter is invalid. */
        InvalidEventQuery: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is missing, is not JSON, or is invalid. */
        InvalidWebhook: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is missing, is not JSON, or is invalid. */
        InvalidWebhookUpdate: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key is missing, malformed, unknown, revoked or rotated. The answer is the same in all these cases. */
        Unauthorized: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key may not call the API. */
        ForbiddenRead: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key may not call the API, or may not write. */
        ForbiddenAction: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key may not call the API or may not write, or the connection has no block lists. */
        ForbiddenResync: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key may not call the API or read webhooks. */
        ForbiddenWebhookRead: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key may not call the API, may not see webhooks, or may not write. */
        ForbiddenWebhookWrite: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key may not call the API, or webhooks are off for the account. */
        ForbiddenEvents: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such source within reach of the key. */
        SourceNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such sync within reach of the key. */
        SyncNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such destination within reach of the key. */
        DestinationNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such destination within reach of the key, no such delivery of it, or the delivery has no payload to replay, because it never had one or because the payload is no longer stored. */
        DeliveryNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such block list within reach of the key. */
        BlocklistNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The account has no such webhook. */
        WebhookNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The account has no such webhook, or the webhook has no such delivery. */
        WebhookDeliveryNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such event within reach of the key. */
        EventNotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The sync cannot be retried. Repeating the call does not help. */
        RetryConflict: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The list cannot be resynced now. */
        ResyncConflict: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is larger than the service accepts. */
        PayloadTooLarge: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not declared as JSON. */
        UnsupportedMediaType: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The limit of 120 requests in 60 seconds is used up, for the IP address or for the account. Wait `Retry-After` seconds. */
        TooManyRequests: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The limit of 600 look-ups in 60 seconds is used up, for the IP address or for the account. Wait `Retry-After` seconds. */
        TooManyOutreachRequests: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The headers of the request, its address included, are larger than the service accepts (16 kB). The connection is closed. */
        RequestHeaderFieldsTooLarge: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description An internal error occurred. Quote `Service-Request-Id` when you report it. */
        InternalServerError: {
            headers: {
                Link: components["headers"]["Link"];
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description An internal error occurred. */
        HealthError: {
            headers: {
                "Service-Request-Id": components["headers"]["Service-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /**
         * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
         * @example 2026-03-01T00:00:00Z
         */
        From: string;
        /**
         * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
         * @example 2026-03-15T00:00:00Z
         */
        To: string;
        /**
         * @description Where to continue: `nextCursor` of the previous page of requests, unchanged. Opaque.
         * @example cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw
         */
        RequestCursor: string;
        /**
         * @description Where to continue: `nextCursor` of the previous page of syncs, unchanged. Opaque.
         * @example c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw
         */
        SyncCursor: string;
        /**
         * @description Where to continue: `nextCursor` of the previous page of deliveries, unchanged. Opaque.
         * @example ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg
         */
        DeliveryCursor: string;
        /**
         * @description Where to continue: `nextCursor` of the previous page of webhook deliveries, unchanged. Opaque.
         * @example d2ViaG9vay1kZWxpdmVyeToxNzczNDE3OTAwMDAwOm9zd2hkXzAxanExejhiNmQ0ZjJoOWs
         */
        WebhookDeliveryCursor: string;
        /**
         * @description Where to continue: `nextCursor` of the previous page of events, unchanged. Opaque.
         * @example ZXZlbnQ6MTc3MzMxNjgwMDAwMDpvc2V2dF8wMWpwOHc3eTV0M3IxcTl6
         */
        EventCursor: string;
        /**
         * @description Largest number of rows on the page.
         * @example 100
         */
        Limit: number;
        /**
         * @description Largest number of rows on the page.
         * @example 25
         */
        WebhookLimit: number;
        /**
         * @description Only rows of this source. A source that is missing or not within reach is a 404.
         * @example 21
         */
        SourceFilter: number;
        /**
         * @description Counts only requests and syncs of this source; deliveries are counted regardless. A source that is missing or not within reach is a 404.
         * @example 21
         */
        AccountMetricsSourceFilter: number;
        /**
         * @description Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.
         * @example 11
         */
        ConnectionFilter: number;
        /**
         * @description Only deliveries to this destination. A destination that is missing or not within reach is a 404.
         * @example 31
         */
        DestinationFilter: number;
        /**
         * @description Only syncs with this status. Pages may then be short or empty with `hasMore` true: continue with `nextCursor`.
         * @example error
         */
        SyncStatusFilter: components["schemas"]["SyncStatus"];
        /**
         * @description Only deliveries with this outcome.
         * @example error
         */
        DeliveryStatusFilter: components["schemas"]["DeliveryStatus"];
        /**
         * @description Only deliveries in this status.
         * @example DEAD
         */
        WebhookDeliveryStatusFilter: components["schemas"]["WebhookDeliveryStatus"];
        /**
         * @description Email of the contact, in any case. Required unless `profileUrl` is given.
         * @example ada@example.com
         */
        OutreachEmail: string;
        /**
         * @description Profile of the contact on the professional network (`/in/...`, `/pub/...`) or on the short-post network, with or without a scheme. Repeat the parameter or separate with commas, up to five altogether. Required unless `email` is given.
         * @example [
         *       "linkedin.com/in/ada-example"
         *     ]
         */
        OutreachProfileUrl: string[];
        /**
         * @description Only events of these types. May be repeated.
         * @example [
         *       "sync.failed"
         *     ]
         */
        EventTypes: components["schemas"]["EventTypeFilter"][];
        /**
         * @description Only events that at least one webhook has received, or only those that none has.
         * @example false
         */
        Delivered: boolean;
        /**
         * @description Source id.
         * @example 21
         */
        SourceIdPath: number;
        /**
         * @description Sync id.
         * @example 70001
         */
        SyncId: number;
        /**
         * @description Destination id.
         * @example 31
         */
        DestinationId: number;
        /**
         * @description Delivery id.
         * @example 80001
         */
        DeliveryId: number;
        /**
         * @description Block list id.
         * @example 51
         */
        BlocklistId: number;
        /**
         * @description Webhook id.
         * @example oswhk_01jq2x7v9m3t5c8b
         */
        WebhookId: string;
        /**
         * @description Webhook delivery id.
         * @example oswhd_01jq2xa1m8p3r6t5
         */
        WebhookDeliveryId: string;
        /**
         * @description Event id.
         * @example osevt_01jq2xa1k4n6d9f2
         */
        EventId: string;
        /**
         * @description Id of the event, as in the body.
         * @example osevt_01jq2xa1k4n6d9f2
         */
        WebhookEventId: string;
        /**
         * @description Id of the delivery, the same at every attempt.
         * @example oswhd_01jq2xa1m8p3r6t5
         */
        WebhookDeliveryIdHeader: string;
        /**
         * @description `t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole signing secret. New at every attempt. Compute it over the received bytes, compare in constant time, and refuse a `t` that is too old, such as more than 5 minutes.
         * @example t=1773480413,v1=5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f
         */
        WebhookSignature: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description RFC 8631 links to this description (`rel="service-desc"`) and to the reference documentation (`rel="service-doc"`). On every answer under `/api/v1`, refusals included.
         * @example </api/v1/openapi.json>; rel="service-desc"; type="application/json", <https://docs.example.com/api>; rel="service-doc"; type="text/html"
         */
        Link: string;
        /**
         * @description Identifies this call in the logs of the service. On every answer.
         * @example req_01JQ2X7V9M3T5C8B
         */
        "Service-Request-Id": string;
        /**
         * @description The rest of the current window, as in the IETF draft on rate limit headers: `r` requests for another `t` seconds. Sent while a limit applies; clients must not depend on it.
         * @example "general";r=118;t=42
         */
        RateLimit: string;
        /**
         * @description The limit that applies, as in the same draft: `q` requests per `w` seconds. Clients must not depend on it.
         * @example "general";q=120;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Whole seconds until the window ends, at least 1.
         * @example 42
         */
        "Retry-After": number;
        /**
         * @description The expected scheme and its realm.
         * @example Bearer realm="api"
         */
        "WWW-Authenticate": string;
        /**
         * @description The document may be kept for 300 seconds.
         * @example public, max-age=300
         */
        "Cache-Control": "public, max-age=300";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealthLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is up. */
            200: {
                headers: {
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthLive"];
                };
            };
            500: components["responses"]["HealthError"];
        };
    };
    getHealthReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready: every check is `ok`. */
            200: {
                headers: {
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthReady"];
                };
            };
            500: components["responses"]["HealthError"];
            /** @description Not ready: at least one check is `error`. */
            503: {
                headers: {
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthReady"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        info: {
                            [key: string]: unknown;
                        };
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getOpenapiYaml: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is valid. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getAccountStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account status. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountStatusResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getAccountMetrics: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.
                 * @example 11
                 */
                connectionId?: components["parameters"]["ConnectionFilter"];
                /**
                 * @description Counts only requests and syncs of this source; deliveries are counted regardless. A source that is missing or not within reach is a 404.
                 * @example 21
                 */
                sourceId?: components["parameters"]["AccountMetricsSourceFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountMetricsResponse"];
                };
            };
            400: components["responses"]["InvalidMetricsQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listConnections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connections. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sources. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listSourceRequests: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of requests, unchanged. Opaque.
                 * @example cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw
                 */
                cursor?: components["parameters"]["RequestCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 100
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                /**
                 * @description Source id.
                 * @example 21
                 */
                sourceId: components["parameters"]["SourceIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of requests. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestPage"];
                };
            };
            400: components["responses"]["InvalidListQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listSourceSyncs: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only syncs with this status. Pages may then be short or empty with `hasMore` true: continue with `nextCursor`.
                 * @example error
                 */
                status?: components["parameters"]["SyncStatusFilter"];
                /**
                 * @description Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.
                 * @example 11
                 */
                connectionId?: components["parameters"]["ConnectionFilter"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of syncs, unchanged. Opaque.
                 * @example c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw
                 */
                cursor?: components["parameters"]["SyncCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 100
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                /**
                 * @description Source id.
                 * @example 21
                 */
                sourceId: components["parameters"]["SourceIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of syncs. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncPage"];
                };
            };
            400: components["responses"]["InvalidListQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listDestinations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destinations. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listReplyRelays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The relays. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplyRelayList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Destination id.
                 * @example 31
                 */
                id: components["parameters"]["DestinationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationResource"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["DestinationNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listDestinationDeliveries: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only deliveries with this outcome.
                 * @example error
                 */
                status?: components["parameters"]["DeliveryStatusFilter"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of deliveries, unchanged. Opaque.
                 * @example ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg
                 */
                cursor?: components["parameters"]["DeliveryCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 100
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                /**
                 * @description Destination id.
                 * @example 31
                 */
                id: components["parameters"]["DestinationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["InvalidListQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["DestinationNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getDestinationDeliveryMetrics: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
            };
            header?: never;
            path: {
                /**
                 * @description Destination id.
                 * @example 31
                 */
                id: components["parameters"]["DestinationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationDeliveryMetrics"];
                };
            };
            400: components["responses"]["InvalidMetricsQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["DestinationNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Destination id.
                 * @example 31
                 */
                id: components["parameters"]["DestinationId"];
                /**
                 * @description Delivery id.
                 * @example 80001
                 */
                deliveryId: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The replay is queued. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayQueued"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenAction"];
            404: components["responses"]["DeliveryNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getContactOutreach: {
        parameters: {
            query?: {
                /**
                 * @description Email of the contact, in any case. Required unless `profileUrl` is given.
                 * @example ada@example.com
                 */
                email?: components["parameters"]["OutreachEmail"];
                /**
                 * @description Profile of the contact on the professional network (`/in/...`, `/pub/...`) or on the short-post network, with or without a scheme. Repeat the parameter or separate with commas, up to five altogether. Required unless `email` is given.
                 * @example [
                 *       "linkedin.com/in/ada-example"
                 *     ]
                 */
                profileUrl?: components["parameters"]["OutreachProfileUrl"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outreach found, possibly none. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactOutreachResponse"];
                };
            };
            400: components["responses"]["InvalidOutreachQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyOutreachRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listBlocklists: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.
                 * @example 11
                 */
                connectionId?: components["parameters"]["ConnectionFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The block lists. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlocklistList"];
                };
            };
            400: components["responses"]["InvalidConnectionFilter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    pauseBlocklist: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Block list id.
                 * @example 51
                 */
                id: components["parameters"]["BlocklistId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list is paused. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlocklistPaused"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenAction"];
            404: components["responses"]["BlocklistNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    resyncBlocklist: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Block list id.
                 * @example 51
                 */
                id: components["parameters"]["BlocklistId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reload is queued. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlocklistResyncQueued"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenResync"];
            404: components["responses"]["BlocklistNotFound"];
            409: components["responses"]["ResyncConflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listRequests: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only rows of this source. A source that is missing or not within reach is a 404.
                 * @example 21
                 */
                sourceId?: components["parameters"]["SourceFilter"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of requests, unchanged. Opaque.
                 * @example cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw
                 */
                cursor?: components["parameters"]["RequestCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 100
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of requests. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestPage"];
                };
            };
            400: components["responses"]["InvalidListQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getRequestMetrics: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only rows of this source. A source that is missing or not within reach is a 404.
                 * @example 21
                 */
                sourceId?: components["parameters"]["SourceFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestMetrics"];
                };
            };
            400: components["responses"]["InvalidMetricsQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listSyncs: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only syncs with this status. Pages may then be short or empty with `hasMore` true: continue with `nextCursor`.
                 * @example error
                 */
                status?: components["parameters"]["SyncStatusFilter"];
                /**
                 * @description Only rows of this source. A source that is missing or not within reach is a 404.
                 * @example 21
                 */
                sourceId?: components["parameters"]["SourceFilter"];
                /**
                 * @description Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.
                 * @example 11
                 */
                connectionId?: components["parameters"]["ConnectionFilter"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of syncs, unchanged. Opaque.
                 * @example c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw
                 */
                cursor?: components["parameters"]["SyncCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 100
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of syncs. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncPage"];
                };
            };
            400: components["responses"]["InvalidListQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getSyncMetrics: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only rows of this source. A source that is missing or not within reach is a 404.
                 * @example 21
                 */
                sourceId?: components["parameters"]["SourceFilter"];
                /**
                 * @description Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.
                 * @example 11
                 */
                connectionId?: components["parameters"]["ConnectionFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncMetrics"];
                };
            };
            400: components["responses"]["InvalidMetricsQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SourceNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getSync: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Sync id.
                 * @example 70001
                 */
                id: components["parameters"]["SyncId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sync. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResource"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["SyncNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    retrySync: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Sync id.
                 * @example 70001
                 */
                id: components["parameters"]["SyncId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempt is queued. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryQueued"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenAction"];
            404: components["responses"]["SyncNotFound"];
            409: components["responses"]["RetryConflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listDeliveries: {
        parameters: {
            query: {
                /**
                 * @description Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: components["parameters"]["From"];
                /**
                 * @description End of the range, included, written as `from`; it may lie ahead. Not before `from`, and at most 31 days after it.
                 * @example 2026-03-15T00:00:00Z
                 */
                to: components["parameters"]["To"];
                /**
                 * @description Only deliveries with this outcome.
                 * @example error
                 */
                status?: components["parameters"]["DeliveryStatusFilter"];
                /**
                 * @description Only deliveries to this destination. A destination that is missing or not within reach is a 404.
                 * @example 31
                 */
                destinationId?: components["parameters"]["DestinationFilter"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of deliveries, unchanged. Opaque.
                 * @example ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg
                 */
                cursor?: components["parameters"]["DeliveryCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 100
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["InvalidListQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRead"];
            404: components["responses"]["DestinationNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookRead"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The webhook to register. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookBody"];
            };
        };
        responses: {
            /** @description The webhook is registered. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["InvalidWebhook"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookWrite"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookRead"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. No body. */
            204: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookWrite"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /** @description What to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookBody"];
            };
        };
        responses: {
            /** @description The webhook as it is now, without its secret. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["InvalidWebhookUpdate"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookWrite"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookWrite"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event is queued. */
            202: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestEventQueued"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookWrite"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries in this status.
                 * @example DEAD
                 */
                status?: components["parameters"]["WebhookDeliveryStatusFilter"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of webhook deliveries, unchanged. Opaque.
                 * @example d2ViaG9vay1kZWxpdmVyeToxNzczNDE3OTAwMDAwOm9zd2hkXzAxanExejhiNmQ0ZjJoOWs
                 */
                cursor?: components["parameters"]["WebhookDeliveryCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 25
                 */
                limit?: components["parameters"]["WebhookLimit"];
            };
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["InvalidPageQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookRead"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Webhook id.
                 * @example oswhk_01jq2x7v9m3t5c8b
                 */
                id: components["parameters"]["WebhookId"];
                /**
                 * @description Webhook delivery id.
                 * @example oswhd_01jq2xa1m8p3r6t5
                 */
                deliveryId: components["parameters"]["WebhookDeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new delivery. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenWebhookWrite"];
            404: components["responses"]["WebhookDeliveryNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only events of these types. May be repeated.
                 * @example [
                 *       "sync.failed"
                 *     ]
                 */
                type?: components["parameters"]["EventTypes"];
                /**
                 * @description Only events that at least one webhook has received, or only those that none has.
                 * @example false
                 */
                delivered?: components["parameters"]["Delivered"];
                /**
                 * @description Where to continue: `nextCursor` of the previous page of events, unchanged. Opaque.
                 * @example ZXZlbnQ6MTc3MzMxNjgwMDAwMDpvc2V2dF8wMWpwOHc3eTV0M3IxcTl6
                 */
                cursor?: components["parameters"]["EventCursor"];
                /**
                 * @description Largest number of rows on the page.
                 * @example 25
                 */
                limit?: components["parameters"]["WebhookLimit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["InvalidEventQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenEvents"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Event id.
                 * @example osevt_01jq2xa1k4n6d9f2
                 */
                id: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event and its deliveries. */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "Service-Request-Id": components["headers"]["Service-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformEventWithDeliveries"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenEvents"];
            404: components["responses"]["EventNotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
        };
    };
    onSyncFailed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, as in the body.
                 * @example osevt_01jq2xa1k4n6d9f2
                 */
                "Service-Event-Id": components["parameters"]["WebhookEventId"];
                /**
                 * @description Id of the delivery, the same at every attempt.
                 * @example oswhd_01jq2xa1m8p3r6t5
                 */
                "Service-Delivery-Id": components["parameters"]["WebhookDeliveryIdHeader"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole signing secret. New at every attempt. Compute it over the received bytes, compare in constant time, and refuse a `t` that is too old, such as more than 5 minutes.
                 * @example t=1773480413,v1=5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f
                 */
                "Service-Signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. Verify the signature before you parse it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncFailedEnvelope"];
            };
        };
        responses: {
            /** @description Gone: the delivery is DEAD at once. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too large: the delivery is DEAD at once. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: tried again while attempts remain. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSyncRecovered: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, as in the body.
                 * @example osevt_01jq2xa1k4n6d9f2
                 */
                "Service-Event-Id": components["parameters"]["WebhookEventId"];
                /**
                 * @description Id of the delivery, the same at every attempt.
                 * @example oswhd_01jq2xa1m8p3r6t5
                 */
                "Service-Delivery-Id": components["parameters"]["WebhookDeliveryIdHeader"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole signing secret. New at every attempt. Compute it over the received bytes, compare in constant time, and refuse a `t` that is too old, such as more than 5 minutes.
                 * @example t=1773480413,v1=5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f
                 */
                "Service-Signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. Verify the signature before you parse it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncRecoveredEnvelope"];
            };
        };
        responses: {
            /** @description Gone: the delivery is DEAD at once. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too large: the delivery is DEAD at once. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: tried again while attempts remain. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTestPing: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, as in the body.
                 * @example osevt_01jq2xa1k4n6d9f2
                 */
                "Service-Event-Id": components["parameters"]["WebhookEventId"];
                /**
                 * @description Id of the delivery, the same at every attempt.
                 * @example oswhd_01jq2xa1m8p3r6t5
                 */
                "Service-Delivery-Id": components["parameters"]["WebhookDeliveryIdHeader"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole signing secret. New at every attempt. Compute it over the received bytes, compare in constant time, and refuse a `t` that is too old, such as more than 5 minutes.
                 * @example t=1773480413,v1=5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f
                 */
                "Service-Signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. Verify the signature before you parse it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestPingEnvelope"];
            };
        };
        responses: {
            /** @description Gone: the delivery is DEAD at once. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too large: the delivery is DEAD at once. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: tried again while attempts remain. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
