// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

/** The contract as it is maintained, `GET /api/v1/openapi.yaml`. */
export const openapiYaml: string = `# The contract of the public API v1: the one source of truth. What is derived from it (types, the served documents) is
# written by \`node packages/contract/scripts/generate.ts\`; everything else that repeats it is held to it by tests.
openapi: 3.1.0
info:
  title: "Sequencer-to-CRM Sync Service: Public API"
  version: 1.0.0
  summary: Check readiness, look up outreach, export syncs, retry failures, and receive events.
  description: |
    Sequencers, the platforms that sales teams run their outreach on, post their events to inbound URLs of this service.
    It writes these events to CRMs and, where configured, forwards them to URLs of the customer and copies a sales rep on replies. With this API a client checks a key and its access, checks whether the pipeline is ready, looks up earlier outreach to a contact, exports and counts requests, syncs and deliveries, retries failures, and registers webhooks for the service's own events.

    ## Words

    Several of these words sound alike but mean different things.

    | Word | Meaning |
    | --- | --- |
    | source | An inbound URL that a sequencer posts to. |
    | request | A POST of a sequencer to a source, as received. Its id is the \`payloadId\` of its syncs and deliveries. |
    | sync | One attempt to write a received event to a CRM. |
    | destination | A URL of the customer that received events are forwarded to. |
    | delivery | One POST to a destination: integer id, \`success\` or \`error\`. |
    | reply relay | Copies a sales rep on the reply of a prospect. |
    | block list | Keeps the block list of a sequencer in step with a list in the CRM. |
    | webhook | A registered HTTPS endpoint for the service's own events. |
    | event | A report of the platform itself (\`osevt_...\`); never a received request. |
    | webhook delivery | One event on its way to one webhook (\`oswhd_...\`), \`PENDING\` to \`SUCCEEDED\`, \`FAILED\` or \`DEAD\`. |

    ## Keys

    Send \`Authorization: Bearer osapi_...\`. Every key can read; the write actions and the changes to webhooks need the scope
    \`write\`. A key reaches either every API-enabled connection of its account or exactly one. Everything else does not exist for the key: lists omit it, and its ids are a 404. Only account-scoped keys can manage webhooks.

    Checks come in this order: limit of the IP address, key (401), API access (403), limit of the account (429), webhooks
    enabled (403), account-scoped key (403), write scope (403), parameters and body (400), the resource (404), capabilities
    (403), conflicts (409).

    ## Lists

    Requests, syncs, deliveries, webhook deliveries and events come in pages, newest first by (\`createdAt\`, \`id\`). Follow \`nextCursor\` while \`hasMore\` is true; the length of a page says nothing, since short and empty pages in between are possible. All other lists are complete. Lists and metrics of the logs need \`from\` and \`to\`, at most 31 days apart.

    ## Errors

    Every refusal has the body \`{statusCode, message, error}\`. Act on the status and on \`message\`. After a 401 check the key, after a 403 the message; after a 429 wait for the seconds in \`Retry-After\`; never retry a 409 blindly.
    Unknown parameters and unknown keys of a body are ignored; a parameter given twice, unless it may repeat, is a 400. So is a
    request with more than one \`Host\` header; more than one \`Authorization\` header is no valid key, a 401.

    ## Headers

    Every answer carries \`X-Content-Type-Options: nosniff\`. Every answer below \`/api/v1\` carries \`Link\` and, except for this
    document, \`Cache-Control: no-store\`.

    ## Limits

    120 requests in 60 seconds per IP address and, after the key was checked, 120 per account. Outreach look-ups have their own limits: 600 in 60 seconds. Windows are fixed; a window starts with its first request. The limit per IP address counts
    every request below \`/api/v1\`, unknown addresses included. The probes have no limit.

    ## Versions

    The version is the path prefix \`/api/v1\`. The API is in beta: fields, values of open vocabularies and endpoints may be
    added at any time, so ignore unknown ones. Timestamps are ISO 8601 in UTC. A missing value is \`null\`, never omitted and never an empty string, except for descriptions, which may be empty.
  license:
    name: MIT
    identifier: MIT
  contact:
    name: Service operator
    url: https://docs.example.com/api
servers:
  - url: "{baseUrl}"
    description: Where the service runs.
    variables:
      baseUrl:
        default: http://127.0.0.1:4000
        description: Scheme, host and port, without a trailing slash.
security:
  - bearerAuth: []
tags:
  - name: Health
    description: Probes for supervisors and load balancers.
  - name: Discovery
    description: This document.
  - name: Account
    description: The key, its account, and the state of the pipeline.
  - name: Connections
    description: CRM connections.
  - name: Sources
    description: Inbound URLs that sequencers post to.
  - name: Destinations
    description: "Targets of forwarded events: customer URLs and reply relays."
  - name: Contacts
    description: Prior outreach to a contact.
  - name: Blocklists
    description: CRM lists kept in step with a sequencer's block list.
  - name: Requests
    description: Inbound POSTs, as accepted at a source.
  - name: Syncs
    description: CRM write attempts.
  - name: Deliveries
    description: POSTs to forwarding destinations.
  - name: Webhooks
    description: Endpoints that receive the service's own events.
  - name: Events
    description: The log of the service's own events.
paths:
  /health/live:
    get:
      operationId: getHealthLive
      tags: [Health]
      summary: Check liveness
      description: For process supervisors. Does not check database and queue. No key, no limit.
      x-svc-access: public
      x-svc-rate-bucket: none
      security: []
      responses:
        "200":
          description: The process is up.
          headers:
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/HealthLive" }
              examples:
                up:
                  summary: Up
                  value: { status: ok }
        "500": { $ref: "#/components/responses/HealthError" }
  /health/ready:
    get:
      operationId: getHealthReady
      tags: [Health]
      summary: Check readiness
      description: For load balancers. Runs and names each check that receiving and syncing depend on. No key, no limit.
      x-svc-access: public
      x-svc-rate-bucket: none
      security: []
      responses:
        "200":
          description: "Ready: every check is \`ok\`."
          headers:
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/HealthReady" }
              examples:
                ready:
                  summary: Everything works
                  value: { status: ok, checks: { database: ok, queue: ok, secrets: ok } }
        "500": { $ref: "#/components/responses/HealthError" }
        "503":
          description: "Not ready: at least one check is \`error\`."
          headers:
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/HealthReady" }
              examples:
                databaseGone:
                  summary: The database does not answer
                  value: { status: error, checks: { database: error, queue: ok, secrets: ok } }
  /api/v1/openapi.json:
    get:
      operationId: getOpenapiJson
      tags: [Discovery]
      summary: Get this document as JSON
      description: The OpenAPI 3.1 description of the API. No key. The same content as the YAML form.
      x-svc-access: public
      x-svc-rate-bucket: general
      security: []
      responses:
        "200":
          description: The document.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
            Cache-Control: { $ref: "#/components/headers/Cache-Control" }
          content:
            application/json:
              schema:
                type: object
                additionalProperties: true
                required: [openapi, info, paths]
                properties:
                  openapi: { type: string, pattern: ^3\\.1\\. }
                  info: { type: object, additionalProperties: true }
                  paths: { type: object, additionalProperties: true }
              examples:
                document:
                  summary: The beginning of it
                  value: { openapi: 3.1.0, info: { title: Public API, version: 1.0.0 }, paths: {} }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/openapi.yaml:
    get:
      operationId: getOpenapiYaml
      tags: [Discovery]
      summary: Get this document as YAML
      description: The OpenAPI 3.1 description of the API, as it is maintained. No key.
      x-svc-access: public
      x-svc-rate-bucket: general
      security: []
      responses:
        "200":
          description: The document.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
            Cache-Control: { $ref: "#/components/headers/Cache-Control" }
          content:
            application/yaml:
              schema: { type: string }
              examples:
                document:
                  summary: The beginning of it
                  value: |
                    openapi: 3.1.0
                    info:
                      title: Public API
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/me:
    get:
      operationId: getMe
      tags: [Account]
      summary: Get the key and its access
      description:
        "Checks the key and returns its account, scopes and connections, and links to further operations. Any valid key can call it, so make this call first."
      x-svc-access: read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The key is valid.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/MeResponse" }
              examples:
                accountScoped:
                  summary: A read key for the whole account
                  value:
                    account: { id: 1001, email: owner@acme.example }
                    apiKey: { name: Reporting, scopes: [read], connectionScope: account, connectionId: null }
                    connections:
                      - { id: 11, crm: HUBSPOT, organizationId: "4711", organizationDomain: acme.example }
                      - { id: 13, crm: PIPEDRIVE, organizationId: "9902", organizationDomain: acme.example }
                    links:
                      accountStatus:
                        href: http://127.0.0.1:4000/api/v1/account/status
                        description: Whether events can be received and synced now, with blockers and warnings
                      accountMetrics:
                        href: http://127.0.0.1:4000/api/v1/account/metrics?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z
                        description: Counts of requests, syncs and deliveries; needs from and to, here the last 7 days as an example
                      connections:
                        href: http://127.0.0.1:4000/api/v1/connections
                        description: CRM connections this key sees
                      destinations:
                        href: http://127.0.0.1:4000/api/v1/destinations
                        description: Customer URLs that received events are forwarded to
                      requests:
                        href: http://127.0.0.1:4000/api/v1/requests?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z
                        description: Inbound receipts, newest first; needs from and to, here the last 7 days as an example
                      destinationsReplyRelays:
                        href: http://127.0.0.1:4000/api/v1/destinations/reply-relays
                        description: Relays that copy a sales rep on replies
                      sources:
                        href: http://127.0.0.1:4000/api/v1/sources
                        description: Inbound URLs that sequencers post events to
                      contactsOutreach:
                        href: http://127.0.0.1:4000/api/v1/contacts/outreach?email=owner%40acme.example
                        description: Earlier outreach to one contact; needs email or profileUrl, here the account owner as an example
                      syncs:
                        href: http://127.0.0.1:4000/api/v1/syncs?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z
                        description: CRM sync attempts, newest first; needs from and to, here the last 7 days as an example
                      documentation:
                        href: https://docs.example.com/api
                        description: Reference documentation
                      openapi:
                        href: http://127.0.0.1:4000/api/v1/openapi.json
                        description: OpenAPI 3.1 contract of this API
                connectionScoped:
                  summary: A write key for one connection
                  value:
                    account: { id: 1001, email: owner@acme.example }
                    apiKey:
                      name: HubSpot automation
                      scopes: [read, write]
                      connectionScope: connection
                      connectionId: 11
                    connections: [{ id: 11, crm: HUBSPOT, organizationId: "4711", organizationDomain: acme.example }]
                    links:
                      accountStatus:
                        href: http://127.0.0.1:4000/api/v1/account/status
                        description: Whether events can be received and synced now, with blockers and warnings
                      accountMetrics:
                        href: http://127.0.0.1:4000/api/v1/account/metrics?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z
                        description: Counts of requests, syncs and deliveries; needs from and to, here the last 7 days as an example
                      connections:
                        href: http://127.0.0.1:4000/api/v1/connections
                        description: CRM connections this key sees
                      destinations:
                        href: http://127.0.0.1:4000/api/v1/destinations
                        description: Customer URLs that received events are forwarded to
                      requests:
                        href: http://127.0.0.1:4000/api/v1/requests?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z
                        description: Inbound receipts, newest first; needs from and to, here the last 7 days as an example
                      destinationsReplyRelays:
                        href: http://127.0.0.1:4000/api/v1/destinations/reply-relays
                        description: Relays that copy a sales rep on replies
                      sources:
                        href: http://127.0.0.1:4000/api/v1/sources
                        description: Inbound URLs that sequencers post events to
                      contactsOutreach:
                        href: http://127.0.0.1:4000/api/v1/contacts/outreach?email=owner%40acme.example
                        description: Earlier outreach to one contact; needs email or profileUrl, here the account owner as an example
                      syncs:
                        href: http://127.0.0.1:4000/api/v1/syncs?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z
                        description: CRM sync attempts, newest first; needs from and to, here the last 7 days as an example
                      documentation:
                        href: https://docs.example.com/api
                        description: Reference documentation
                      openapi:
                        href: http://127.0.0.1:4000/api/v1/openapi.json
                        description: OpenAPI 3.1 contract of this API
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/account/status:
    get:
      operationId: getAccountStatus
      tags: [Account]
      summary: Get the account status
      description:
        Checks every connection within reach and reports what keeps it from syncing (\`blockers\`) and what is not set up (\`warnings\`). Always a 200, even when \`ready\` is false. A connection-scoped key gets exactly one
        connection.
      x-svc-access: read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The account status.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/AccountStatusResponse" }
              examples:
                notReady:
                  summary: One connection has lost its authorization
                  value:
                    ready: false
                    checkedAt: "2026-03-14T09:26:53.589Z"
                    connections:
                      - connectionId: 11
                        crm: HUBSPOT
                        ready: true
                        crmConnection:
                          status: ready
                          crm: HUBSPOT
                          organizationId: "4711"
                          organizationDomain: acme.example
                        sources: { status: ready, count: 2, platforms: [instantly, smartlead] }
                        destinations:
                          status: ready
                          count: 2
                          eventTypes: [EMAIL_REPLY, EMAIL_SENT]
                          forwardingCount: 1
                          replyRelayCount: 1
                        blocklists:
                          status: ready
                          enabledCount: 1
                          lastError: null
                          lastFetchedAt: "2026-03-14T02:00:00.000Z"
                      - connectionId: 13
                        crm: PIPEDRIVE
                        ready: false
                        crmConnection:
                          status: disconnected
                          crm: PIPEDRIVE
                          organizationId: "9902"
                          organizationDomain: acme.example
                        sources: { status: ready, count: 1, platforms: [lemlist] }
                        destinations:
                          status: not_configured
                          count: 0
                          eventTypes: []
                          forwardingCount: 0
                          replyRelayCount: 0
                        blocklists: { status: disabled, enabledCount: 0, lastError: null, lastFetchedAt: null }
                    blockers:
                      - code: crm_disconnected
                        connectionId: 13
                        crm: PIPEDRIVE
                        message: "The connection to PIPEDRIVE (acme.example) has no valid access: nothing can be written to it."
                        remediation: "Reconnect the CRM as a user who may write contacts and activities: https://app.example.com/connections/13"
                        docUrl: https://docs.example.com/api/status-codes#crm_disconnected
                    warnings:
                      - code: destinations_not_configured
                        connectionId: 13
                        crm: PIPEDRIVE
                        message: Destinations are enabled on connection 13 (PIPEDRIVE), but there is no forwarding URL and no bound reply relay.
                        remediation: "Add a forwarding destination, or bind a reply relay to a source: https://app.example.com/connections/13"
                        docUrl: https://docs.example.com/api/status-codes#destinations_not_configured
                ready:
                  summary: Everything works
                  value:
                    ready: true
                    checkedAt: "2026-03-14T09:26:53.589Z"
                    connections:
                      - connectionId: 11
                        crm: HUBSPOT
                        ready: true
                        crmConnection:
                          status: ready
                          crm: HUBSPOT
                          organizationId: "4711"
                          organizationDomain: acme.example
                        sources: { status: ready, count: 2, platforms: [instantly, smartlead] }
                        destinations:
                          status: ready
                          count: 2
                          eventTypes: [EMAIL_REPLY, EMAIL_SENT]
                          forwardingCount: 1
                          replyRelayCount: 1
                        blocklists:
                          status: ready
                          enabledCount: 1
                          lastError: null
                          lastFetchedAt: "2026-03-14T02:00:00.000Z"
                    blockers: []
                    warnings: []
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/account/metrics:
    get:
      operationId: getAccountMetrics
      tags: [Account]
      summary: Count requests, syncs and deliveries
      description:
        Requests, syncs and deliveries of one range in one call. \`connectionId\` filters all three, and makes them zero when it is not within reach. \`sourceId\` filters only requests and syncs.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/ConnectionFilter" }
        - { $ref: "#/components/parameters/AccountMetricsSourceFilter" }
      responses:
        "200":
          description: The counts.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/AccountMetricsResponse" }
              examples:
                counts:
                  summary: Two weeks
                  value:
                    from: "2026-03-01T00:00:00.000Z"
                    to: "2026-03-15T00:00:00.000Z"
                    requests: { count: 4210 }
                    syncs: { success: 4102, warning: 61, error: 47 }
                    destinationDeliveries: { success: 1980, error: 12, http2xx: 1979 }
        "400": { $ref: "#/components/responses/InvalidMetricsQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/connections:
    get:
      operationId: listConnections
      tags: [Connections]
      summary: List connections
      description:
        Every API-enabled connection within reach of the key, by \`id\`. A connection without API access does not
        appear anywhere in this API.
      x-svc-access: read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The connections.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/ConnectionList" }
              examples:
                two:
                  summary: A working and a disconnected connection
                  value:
                    connections:
                      - id: 11
                        crm: HUBSPOT
                        status: ready
                        organizationId: "4711"
                        organizationDomain: acme.example
                        capabilities: { sync: true, destinations: true, blocklists: true }
                        createdAt: "2025-06-02T08:00:00.000Z"
                      - id: 13
                        crm: PIPEDRIVE
                        status: disconnected
                        organizationId: "9902"
                        organizationDomain: acme.example
                        capabilities: { sync: true, destinations: true, blocklists: false }
                        createdAt: "2025-09-17T14:30:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/sources:
    get:
      operationId: listSources
      tags: [Sources]
      summary: List sources
      description: Every source within reach with its destinations and reply relay. The event filter of a binding is in
        \`destinations[].eventTypes\`.
      x-svc-access: read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The sources.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/SourceList" }
              examples:
                two:
                  summary: One with everything, one with nothing bound
                  value:
                    sources:
                      - id: 21
                        url: https://sync.example.com/webhooks/7Hk2mQ9x
                        platform: smartlead
                        connectionId: 11
                        crm: HUBSPOT
                        config:
                          createOrUpdateCompany: true
                          createOrUpdateTask: false
                          assignContactOwner: true
                          salesforceObjectType: null
                        destinations:
                          - url: https://hooks.example.com/events
                            description: Data warehouse
                            eventTypes: [EMAIL_REPLY, EMAIL_SENT]
                            isDelayed: false
                        replyRelay:
                          id: 41
                          description: Copy the account owner
                          ccEmail: rep@acme.example
                          delayMinutes: 15
                        createdAt: "2025-06-02T08:05:00.000Z"
                      - id: 22
                        url: https://sync.example.com/webhooks/4711/88
                        platform: lemlist
                        connectionId: 13
                        crm: PIPEDRIVE
                        config:
                          createOrUpdateCompany: false
                          createOrUpdateTask: false
                          assignContactOwner: false
                          salesforceObjectType: null
                        destinations: []
                        replyRelay: null
                        createdAt: "2025-09-17T14:35:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/sources/{sourceId}/requests:
    get:
      operationId: listSourceRequests
      tags: [Requests]
      summary: List requests of a source
      description:
        "Requests received at one source. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true.
        The range is required and spans at most 31 days."
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/SourceIdPath" }
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/RequestCursor" }
        - { $ref: "#/components/parameters/Limit" }
      responses:
        "200":
          description: A page of requests.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/RequestPage" }
              examples:
                last:
                  summary: The last page
                  value:
                    data:
                      - id: 90001
                        sourceId: 21
                        connectionId: 11
                        path: 7Hk2mQ9x
                        createdAt: "2026-03-14T09:20:00.120Z"
                    hasMore: false
                    nextCursor: null
        "400": { $ref: "#/components/responses/InvalidListQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/sources/{sourceId}/syncs:
    get:
      operationId: listSourceSyncs
      tags: [Syncs]
      summary: List syncs of a source
      description:
        "CRM write attempts for events of one source. Newest first, one page at a time: follow \`nextCursor\` while
        \`hasMore\` is true. The range is required and spans at most 31 days."
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/SourceIdPath" }
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/SyncStatusFilter" }
        - { $ref: "#/components/parameters/ConnectionFilter" }
        - { $ref: "#/components/parameters/SyncCursor" }
        - { $ref: "#/components/parameters/Limit" }
      responses:
        "200":
          description: A page of syncs.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/SyncPage" }
              examples:
                last:
                  summary: The last page
                  value:
                    data:
                      - id: 70001
                        status: error
                        connectionId: 11
                        sourceId: 21
                        eventType: EMAIL_REPLY
                        toEmail: ada@example.com
                        platform: smartlead
                        payloadId: 90001
                        error:
                          status: error
                          category: VALIDATION_ERROR
                          message: Property values were not valid
                        createdAt: "2026-03-14T09:20:01.300Z"
                    hasMore: false
                    nextCursor: null
        "400": { $ref: "#/components/responses/InvalidListQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/destinations:
    get:
      operationId: listDestinations
      tags: [Destinations]
      summary: List forwarding destinations
      description: Every forwarding destination within reach, bound to a source or not, by \`id\`. Not paged.
      x-svc-access: read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The destinations.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/DestinationList" }
              examples:
                one:
                  summary: One destination
                  value:
                    destinations:
                      - id: 31
                        url: https://hooks.example.com/events
                        description: Data warehouse
                        connectionId: 11
                        eventTypes: [EMAIL_REPLY, EMAIL_SENT]
                        isDelayed: true
                        sourceIds: [21, 24]
                        createdAt: "2025-06-03T10:00:00.000Z"
                none:
                  summary: Nothing within reach
                  value: { destinations: [] }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/destinations/reply-relays:
    get:
      operationId: listReplyRelays
      tags: [Destinations]
      summary: List reply relays
      description: Every reply relay within reach, bound to a source or not, by \`id\`. Not paged.
      x-svc-access: read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The relays.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/ReplyRelayList" }
              examples:
                one:
                  summary: A relay for one category
                  value:
                    replyRelays:
                      - id: 41
                        connectionId: 11
                        description: Copy the account owner
                        ccEmail: rep@acme.example
                        delayMinutes: 15
                        bodyTemplates: [A prospect has answered. Over to you.]
                        categoryAllowlist: [{ id: "3", name: Interested }]
                        sourceIds: [21]
                        createdAt: "2025-06-04T10:00:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/destinations/{id}:
    get:
      operationId: getDestination
      tags: [Destinations]
      summary: Get a forwarding destination
      description: One forwarding destination with the union of its bindings.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/DestinationId" }
      responses:
        "200":
          description: The destination.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/DestinationResource" }
              examples:
                destination:
                  summary: A destination bound twice
                  value:
                    id: 31
                    url: https://hooks.example.com/events
                    description: Data warehouse
                    connectionId: 11
                    eventTypes: [EMAIL_REPLY, EMAIL_SENT]
                    isDelayed: true
                    sourceIds: [21, 24]
                    createdAt: "2025-06-03T10:00:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/DestinationNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/destinations/{id}/deliveries:
    get:
      operationId: listDestinationDeliveries
      tags: [Deliveries]
      summary: List deliveries to a destination
      description: "POSTs to one destination. Newest first, one page at a time: follow \`nextCursor\` while
        \`hasMore\` is true. The range is required and spans at most 31 days."
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/DestinationId" }
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/DeliveryStatusFilter" }
        - { $ref: "#/components/parameters/DeliveryCursor" }
        - { $ref: "#/components/parameters/Limit" }
      responses:
        "200":
          description: A page of deliveries.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/DeliveryPage" }
              examples:
                last:
                  summary: The last page
                  value:
                    data:
                      - id: 80001
                        destinationId: 31
                        destinationUrl: https://hooks.example.com/events
                        status: error
                        httpStatus: 502
                        connectionId: 11
                        sourceId: 21
                        eventType: EMAIL_REPLY
                        toEmail: ada@example.com
                        payloadId: 90001
                        error: The destination answered 502
                        createdAt: "2026-03-14T09:20:01.900Z"
                    hasMore: false
                    nextCursor: null
        "400": { $ref: "#/components/responses/InvalidListQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/DestinationNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/destinations/{id}/deliveries/metrics:
    get:
      operationId: getDestinationDeliveryMetrics
      tags: [Deliveries]
      summary: Count deliveries to a destination
      description: Counts the same rows as the list of the same range and filters. Paging parameters and \`status\` are ignored.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/DestinationId" }
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
      responses:
        "200":
          description: The counts.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/DestinationDeliveryMetrics" }
              examples:
                counts:
                  summary: Two weeks
                  value: { success: 1980, error: 12, http2xx: 1979 }
        "400": { $ref: "#/components/responses/InvalidMetricsQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/DestinationNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/destinations/{id}/deliveries/{deliveryId}/replay:
    post:
      operationId: replayDelivery
      tags: [Deliveries]
      summary: Replay a delivery
      description: "Queues the same event for the same destination again, whatever the status of the first delivery, and returns at once. The replay becomes a new delivery. There is no request body. The write scope is checked
        first: a read key gets a 403 even for an id that does not exist."
      x-svc-access: action-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/DestinationId" }
        - { $ref: "#/components/parameters/DeliveryId" }
      responses:
        "200":
          description: The replay is queued.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/ReplayQueued" }
              examples:
                queued:
                  summary: Queued
                  value: { queued: true, destinationId: 31, payloadId: 90001 }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenAction" }
        "404": { $ref: "#/components/responses/DeliveryNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/contacts/outreach:
    get:
      operationId: getContactOutreach
      tags: [Contacts]
      summary: Look up prior outreach
      description: |-
        Returns whether, how and when anybody on this account contacted this person, and with what outcome. Send at least one identity. All identities in a call belong to one contact, so never mix contacts.

        Rows are matched by the stored recipient, ignoring case; profile URLs in all their usual forms (scheme, \`www\`, country and mobile hosts, host aliases, trailing slash, query, hash, status URLs). Only HubSpot and Salesforce connections store profile URLs, so a look-up by URL finds nothing elsewhere: send the email if you have it. Categories are also found more reliably by email.

        Every payload counts once per event type and platform. A category is a signal and not a touch: a contact with only categories is \`found\`, its category events count in \`totalEvents\` and \`eventTypes\`, and all fields about the first and last touch are null. An unknown contact is a 200 with \`found\` false, empty lists and nulls. This operation has its own rate limit and does not count towards the general one.
      x-svc-access: read
      x-svc-rate-bucket: outreach
      parameters:
        - { $ref: "#/components/parameters/OutreachEmail" }
        - { $ref: "#/components/parameters/OutreachProfileUrl" }
      responses:
        "200":
          description: The outreach found, possibly none.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/ContactOutreachResponse" }
              examples:
                replied:
                  summary: A contact who answered
                  value:
                    email: ada@example.com
                    query: { email: ada@example.com, profileUrls: [https://www.linkedin.com/in/ada-example] }
                    found: true
                    summary:
                      everContacted: true
                      everEmailed: true
                      everOpened: false
                      everCalled: false
                      everSocialTouched: false
                      totalEvents: 2
                      firstTouchAt: "2026-03-11T08:00:00.010Z"
                      lastTouchAt: "2026-03-12T09:20:01.300Z"
                      daysSinceLastTouch: 2
                      lastEventType: EMAIL_REPLY
                      lastPlatform: smartlead
                    eventTypes:
                      - eventType: EMAIL_REPLY
                        count: 1
                        firstAt: "2026-03-12T09:20:01.300Z"
                        lastAt: "2026-03-12T09:20:01.300Z"
                      - eventType: EMAIL_SENT
                        count: 1
                        firstAt: "2026-03-11T08:00:00.010Z"
                        lastAt: "2026-03-11T08:00:00.010Z"
                    platforms:
                      - platform: smartlead
                        count: 2
                        lastAt: "2026-03-12T09:20:01.300Z"
                        lastEventType: EMAIL_REPLY
                    outcomes:
                      replied: true
                      lastReplyAt: "2026-03-12T09:20:01.300Z"
                      bounced: false
                      unsubscribed: false
                      lastCategoryName: Interested
                      lastCategoryAt: "2026-03-12T09:25:00.000Z"
                    doNotContact: { value: false, reasons: [] }
                    blocklists: { evaluated: false, matched: false, matches: [] }
                nothing:
                  summary: Never heard of
                  value:
                    email: null
                    query: { email: null, profileUrls: [https://x.com/ada_example] }
                    found: false
                    summary:
                      everContacted: false
                      everEmailed: false
                      everOpened: false
                      everCalled: false
                      everSocialTouched: false
                      totalEvents: 0
                      firstTouchAt: null
                      lastTouchAt: null
                      daysSinceLastTouch: null
                      lastEventType: null
                      lastPlatform: null
                    eventTypes: []
                    platforms: []
                    outcomes:
                      replied: false
                      lastReplyAt: null
                      bounced: false
                      unsubscribed: false
                      lastCategoryName: null
                      lastCategoryAt: null
                    doNotContact: { value: false, reasons: [] }
                    blocklists: { evaluated: false, matched: false, matches: [] }
        "400": { $ref: "#/components/responses/InvalidOutreachQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyOutreachRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/blocklists:
    get:
      operationId: listBlocklists
      tags: [Blocklists]
      summary: List block lists
      description: Every block list within reach, by \`id\`. Not paged. Poll it after a resync until \`status\` is neither
        \`FETCHING\` nor \`SYNCING\`, then check \`lastError\`.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/ConnectionFilter" }
      responses:
        "200":
          description: The block lists.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/BlocklistList" }
              examples:
                one:
                  summary: A list at rest
                  value:
                    blocklists:
                      - id: 51
                        connectionId: 11
                        listName: Customers
                        crm: HUBSPOT
                        platform: smartlead
                        blockType: DOMAIN
                        status: SYNCED
                        isEnabled: true
                        clientId: null
                        syncedCount: 1840
                        pendingCount: 0
                        lastFetchedAt: "2026-03-14T02:00:00.000Z"
                        lastError: null
                        lastAttemptedAt: "2026-03-14T02:00:00.000Z"
                        createdAt: "2025-07-01T12:00:00.000Z"
                outOfReach:
                  summary: "\`connectionId\` out of reach"
                  value: { blocklists: [] }
        "400": { $ref: "#/components/responses/InvalidConnectionFilter" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/blocklists/{id}/pause:
    post:
      operationId: pauseBlocklist
      tags: [Blocklists]
      summary: Pause a block list
      description:
        Stops pushing to the sequencer; what was pushed stays there. A list that is being fetched or pushed gets the status \`SYNCING_NEW_CONTACTS\`; any other keeps its status. A running fetch may still store entries, which are not pushed while paused. Pausing a paused list gives the same answer. There is no request body. The write scope is checked first.
      x-svc-access: action-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/BlocklistId" }
      responses:
        "200":
          description: The list is paused.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/BlocklistPaused" }
              examples:
                paused:
                  summary: Paused in mid-fetch
                  value: { id: 51, isEnabled: false, status: SYNCING_NEW_CONTACTS }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenAction" }
        "404": { $ref: "#/components/responses/BlocklistNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/blocklists/{id}/resync:
    post:
      operationId: resyncBlocklist
      tags: [Blocklists]
      summary: Resync a block list from scratch
      description: |-
        Enables the list, clears \`lastFetchedAt\` and errors, and queues a full reload from the CRM, which replaces the entries stored by the service. It never resumes where an earlier run stopped, and never removes anything at the sequencer. There is no request body. The write scope is checked first.

        For a scheduled refresh: list the block lists, clear the list at the sequencer by hand if you want it exact, resync, skip or back off on a 409, then poll the list.
      x-svc-access: action-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/BlocklistId" }
      responses:
        "200":
          description: The reload is queued.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/BlocklistResyncQueued" }
              examples:
                queued:
                  summary: Queued
                  value: { id: 51, queued: true, isEnabled: true, status: FETCHING }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenResync" }
        "404": { $ref: "#/components/responses/BlocklistNotFound" }
        "409": { $ref: "#/components/responses/ResyncConflict" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/requests:
    get:
      operationId: listRequests
      tags: [Requests]
      summary: List requests
      description: "Inbound POSTs accepted at the sources within reach. Only account-scoped keys see requests of deleted sources, and only while at least one source is within reach; otherwise the page is empty. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The
        range is required and spans at most 31 days."
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/SourceFilter" }
        - { $ref: "#/components/parameters/RequestCursor" }
        - { $ref: "#/components/parameters/Limit" }
      responses:
        "200":
          description: A page of requests.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/RequestPage" }
              examples:
                first:
                  summary: The first page
                  value:
                    data:
                      - id: 90001
                        sourceId: 21
                        connectionId: 11
                        path: 7Hk2mQ9x
                        createdAt: "2026-03-14T09:20:00.120Z"
                      - id: 90000
                        sourceId: null
                        connectionId: null
                        path: gone4Good
                        createdAt: "2026-03-14T09:19:58.004Z"
                    hasMore: true
                    nextCursor: cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw
                empty:
                  summary: Nothing within reach
                  value: { data: [], hasMore: false, nextCursor: null }
        "400": { $ref: "#/components/responses/InvalidListQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/requests/metrics:
    get:
      operationId: getRequestMetrics
      tags: [Requests]
      summary: Count requests
      description: Counts the same rows as the list of the same range and filters. Paging parameters and \`status\` are ignored.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/SourceFilter" }
      responses:
        "200":
          description: The count.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/RequestMetrics" }
              examples:
                count:
                  summary: Two weeks
                  value: { count: 4210 }
        "400": { $ref: "#/components/responses/InvalidMetricsQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/syncs:
    get:
      operationId: listSyncs
      tags: [Syncs]
      summary: List syncs
      description:
        "CRM write attempts on the connections within reach. Newest first, one page at a time: follow \`nextCursor\`
        while \`hasMore\` is true. The range is required and spans at most 31 days."
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/SyncStatusFilter" }
        - { $ref: "#/components/parameters/SourceFilter" }
        - { $ref: "#/components/parameters/ConnectionFilter" }
        - { $ref: "#/components/parameters/SyncCursor" }
        - { $ref: "#/components/parameters/Limit" }
      responses:
        "200":
          description: A page of syncs.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/SyncPage" }
              examples:
                first:
                  summary: The first page
                  value:
                    data:
                      - id: 70001
                        status: error
                        connectionId: 11
                        sourceId: 21
                        eventType: EMAIL_REPLY
                        toEmail: ada@example.com
                        platform: smartlead
                        payloadId: 90001
                        error:
                          status: error
                          category: VALIDATION_ERROR
                          message: Property values were not valid
                        createdAt: "2026-03-14T09:20:01.300Z"
                      - id: 70000
                        status: success
                        connectionId: 11
                        sourceId: 21
                        eventType: EMAIL_SENT
                        toEmail: ada@example.com
                        platform: smartlead
                        payloadId: 89990
                        error: null
                        createdAt: "2026-03-14T08:00:00.010Z"
                    hasMore: true
                    nextCursor: c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw
                shortPage:
                  summary: "A scan ended early: empty, with more to come"
                  value: { data: [], hasMore: true, nextCursor: c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw }
                empty:
                  summary: Nothing there
                  value: { data: [], hasMore: false, nextCursor: null }
        "400": { $ref: "#/components/responses/InvalidListQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/syncs/metrics:
    get:
      operationId: getSyncMetrics
      tags: [Syncs]
      summary: Count syncs by status
      description: Counts the same rows as the list of the same range and filters. Paging parameters and \`status\` are ignored.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/SourceFilter" }
        - { $ref: "#/components/parameters/ConnectionFilter" }
      responses:
        "200":
          description: The counts.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/SyncMetrics" }
              examples:
                counts:
                  summary: Two weeks
                  value: { success: 4102, warning: 61, error: 47 }
        "400": { $ref: "#/components/responses/InvalidMetricsQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SourceNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/syncs/{id}:
    get:
      operationId: getSync
      tags: [Syncs]
      summary: Get a sync
      description: One CRM write attempt.
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/SyncId" }
      responses:
        "200":
          description: The sync.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/SyncResource" }
              examples:
                failed:
                  summary: A failed attempt
                  value:
                    id: 70001
                    status: error
                    connectionId: 11
                    sourceId: 21
                    eventType: EMAIL_REPLY
                    toEmail: ada@example.com
                    platform: smartlead
                    payloadId: 90001
                    error:
                      status: error
                      category: VALIDATION_ERROR
                      message: Property values were not valid
                    createdAt: "2026-03-14T09:20:01.300Z"
                written:
                  summary: A successful attempt
                  value:
                    id: 70000
                    status: success
                    connectionId: 11
                    sourceId: 21
                    eventType: EMAIL_SENT
                    toEmail: ada@example.com
                    platform: smartlead
                    payloadId: 89990
                    error: null
                    createdAt: "2026-03-14T08:00:00.010Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/SyncNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/syncs/{id}/retry:
    post:
      operationId: retrySync
      tags: [Syncs]
      summary: Retry a failed sync
      description:
        "Queues a new attempt and returns at once. Only syncs that ended in \`error\`, on a HubSpot or Salesforce
        connection, can be retried. The failed sync never changes: find the new attempt in the list. There is
        no request body. The write scope is checked first: a read key gets a 403 even for an id that does not exist."
      x-svc-access: action-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/SyncId" }
      responses:
        "200":
          description: The attempt is queued.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/RetryQueued" }
              examples:
                queued:
                  summary: Queued
                  value: { queued: true, syncId: 70001 }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenAction" }
        "404": { $ref: "#/components/responses/SyncNotFound" }
        "409": { $ref: "#/components/responses/RetryConflict" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/deliveries:
    get:
      operationId: listDeliveries
      tags: [Deliveries]
      summary: List deliveries
      description:
        "POSTs to every forwarding destination within reach. Newest first, one page at a time: follow \`nextCursor\`
        while \`hasMore\` is true. The range is required and spans at most 31 days."
      x-svc-access: read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/From" }
        - { $ref: "#/components/parameters/To" }
        - { $ref: "#/components/parameters/DeliveryStatusFilter" }
        - { $ref: "#/components/parameters/DestinationFilter" }
        - { $ref: "#/components/parameters/DeliveryCursor" }
        - { $ref: "#/components/parameters/Limit" }
      responses:
        "200":
          description: A page of deliveries.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/DeliveryPage" }
              examples:
                first:
                  summary: The first page
                  value:
                    data:
                      - id: 80001
                        destinationId: 31
                        destinationUrl: https://hooks.example.com/events
                        status: error
                        httpStatus: 502
                        connectionId: 11
                        sourceId: 21
                        eventType: EMAIL_REPLY
                        toEmail: ada@example.com
                        payloadId: 90001
                        error: The destination answered 502
                        createdAt: "2026-03-14T09:20:01.900Z"
                      - id: 60002
                        destinationId: 31
                        destinationUrl: https://hooks.example.com/events
                        status: success
                        httpStatus: 200
                        connectionId: 11
                        sourceId: null
                        eventType: null
                        toEmail: null
                        payloadId: null
                        error: null
                        createdAt: "2026-03-02T11:11:11.000Z"
                    hasMore: true
                    nextCursor: ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg
                empty:
                  summary: Nothing within reach
                  value: { data: [], hasMore: false, nextCursor: null }
        "400": { $ref: "#/components/responses/InvalidListQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenRead" }
        "404": { $ref: "#/components/responses/DestinationNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/webhooks:
    get:
      operationId: listWebhooks
      tags: [Webhooks]
      summary: List webhooks
      description:
        Every webhook of the account, oldest first, without secrets. Needs an account-scoped key. Deleted webhooks are not listed.
      x-svc-access: webhook-read
      x-svc-rate-bucket: general
      responses:
        "200":
          description: The webhooks.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookList" }
              examples:
                two:
                  summary: An active and a switched-off webhook
                  value:
                    webhooks:
                      - id: oswhk_01jq2x7v9m3t5c8b
                        url: https://hooks.example.com/sync-monitoring
                        description: On-call channel
                        enabledEvents: [sync.failed]
                        isActive: true
                        autoDisabledAt: null
                        createdAt: "2026-03-01T10:00:00.000Z"
                        updatedAt: "2026-03-01T10:00:00.000Z"
                      - id: oswhk_01jp9k3c5v7x2z4m
                        url: https://old.example.com/hook
                        description: ""
                        enabledEvents: []
                        isActive: false
                        autoDisabledAt: "2026-03-10T04:44:00.000Z"
                        createdAt: "2026-03-02T10:00:00.000Z"
                        updatedAt: "2026-03-10T04:44:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookRead" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
    post:
      operationId: createWebhook
      tags: [Webhooks]
      summary: Register a webhook
      description:
        Registers an HTTPS endpoint for platform events. The answer holds the signing secret, which is never shown
        again. An account can have 20 webhooks; deleted ones do not count. Needs an account-scoped key with write scope.
      x-svc-access: webhook-write
      x-svc-rate-bucket: general
      requestBody:
        required: true
        description: The webhook to register.
        content:
          application/json:
            schema: { $ref: "#/components/schemas/CreateWebhookBody" }
            examples:
              minimal:
                summary: Every event type
                value: { url: https://hooks.example.com/sync-monitoring }
              full:
                summary: Failures only
                value:
                  url: https://hooks.example.com/sync-monitoring
                  description: On-call channel
                  enabledEvents: [sync.failed]
      responses:
        "200":
          description: The webhook is registered.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookEndpointWithSecret" }
              examples:
                created:
                  summary: With its secret
                  value:
                    id: oswhk_01jq2x7v9m3t5c8b
                    url: https://hooks.example.com/sync-monitoring
                    description: On-call channel
                    enabledEvents: [sync.failed]
                    isActive: true
                    autoDisabledAt: null
                    createdAt: "2026-03-01T10:00:00.000Z"
                    updatedAt: "2026-03-01T10:00:00.000Z"
                    secret: oswhsec_EXAMPLE0only0shown0once
        "400": { $ref: "#/components/responses/InvalidWebhook" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookWrite" }
        "413": { $ref: "#/components/responses/PayloadTooLarge" }
        "415": { $ref: "#/components/responses/UnsupportedMediaType" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/webhooks/{id}:
    get:
      operationId: getWebhook
      tags: [Webhooks]
      summary: Get a webhook
      description: One webhook, without its secret. Needs an account-scoped key.
      x-svc-access: webhook-read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
      responses:
        "200":
          description: The webhook.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookEndpoint" }
              examples:
                active:
                  summary: An active webhook
                  value:
                    id: oswhk_01jq2x7v9m3t5c8b
                    url: https://hooks.example.com/sync-monitoring
                    description: On-call channel
                    enabledEvents: [sync.failed]
                    isActive: true
                    autoDisabledAt: null
                    createdAt: "2026-03-01T10:00:00.000Z"
                    updatedAt: "2026-03-01T10:00:00.000Z"
                autoDisabled:
                  summary: Switched off by the service
                  value:
                    id: oswhk_01jp9k3c5v7x2z4m
                    url: https://old.example.com/hook
                    description: ""
                    enabledEvents: []
                    isActive: false
                    autoDisabledAt: "2026-03-10T04:44:00.000Z"
                    createdAt: "2026-03-02T10:00:00.000Z"
                    updatedAt: "2026-03-10T04:44:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookRead" }
        "404": { $ref: "#/components/responses/WebhookNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
    patch:
      operationId: updateWebhook
      tags: [Webhooks]
      summary: Change a webhook
      description:
        "Changes the given fields. \`isActive: true\` enables an inactive webhook. An empty
        object changes nothing. Needs an account-scoped key with write scope."
      x-svc-access: webhook-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
      requestBody:
        required: true
        description: What to change.
        content:
          application/json:
            schema: { $ref: "#/components/schemas/UpdateWebhookBody" }
            examples:
              reactivate:
                summary: Switch on again
                value: { isActive: true }
              move:
                summary: New URL
                value: { url: https://hooks.example.com/v2 }
      responses:
        "200":
          description: The webhook as it is now, without its secret.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookEndpoint" }
              examples:
                active:
                  summary: Active again
                  value:
                    id: oswhk_01jq2x7v9m3t5c8b
                    url: https://hooks.example.com/sync-monitoring
                    description: On-call channel
                    enabledEvents: [sync.failed]
                    isActive: true
                    autoDisabledAt: null
                    createdAt: "2026-03-01T10:00:00.000Z"
                    updatedAt: "2026-03-01T10:00:00.000Z"
        "400": { $ref: "#/components/responses/InvalidWebhookUpdate" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookWrite" }
        "404": { $ref: "#/components/responses/WebhookNotFound" }
        "413": { $ref: "#/components/responses/PayloadTooLarge" }
        "415": { $ref: "#/components/responses/UnsupportedMediaType" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
    delete:
      operationId: deleteWebhook
      tags: [Webhooks]
      summary: Delete a webhook
      description:
        Stops sending to it. Its past deliveries stay with their events. Needs an account-scoped key with
        write scope.
      x-svc-access: webhook-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
      responses:
        "204":
          description: The webhook is deleted. No body.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookWrite" }
        "404": { $ref: "#/components/responses/WebhookNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/webhooks/{id}/rotate-secret:
    post:
      operationId: rotateWebhookSecret
      tags: [Webhooks]
      summary: Rotate the signing secret
      description:
        Creates a new secret, shown only in this answer. It takes effect at once, also for retries of earlier deliveries. There is no request body. Needs an account-scoped key with write scope.
      x-svc-access: webhook-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
      responses:
        "200":
          description: The webhook with its new secret.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookEndpointWithSecret" }
              examples:
                rotated:
                  summary: With its new secret
                  value:
                    id: oswhk_01jq2x7v9m3t5c8b
                    url: https://hooks.example.com/sync-monitoring
                    description: On-call channel
                    enabledEvents: [sync.failed]
                    isActive: true
                    autoDisabledAt: null
                    createdAt: "2026-03-01T10:00:00.000Z"
                    updatedAt: "2026-03-01T10:00:00.000Z"
                    secret: oswhsec_EXAMPLE0after0the0rotation
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookWrite" }
        "404": { $ref: "#/components/responses/WebhookNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/webhooks/{id}/test:
    post:
      operationId: testWebhook
      tags: [Webhooks]
      summary: Send a test event
      description:
        Queues a \`test.ping\` to this webhook, whatever it subscribes to and whether or not it is active. There is
        no request body. Needs an account-scoped key with write scope.
      x-svc-access: webhook-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
      responses:
        "202":
          description: The event is queued.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/TestEventQueued" }
              examples:
                queued:
                  summary: Queued
                  value: { eventId: osevt_01jq3b5s8w2y7h4q }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookWrite" }
        "404": { $ref: "#/components/responses/WebhookNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/webhooks/{id}/deliveries:
    get:
      operationId: listWebhookDeliveries
      tags: [Webhooks]
      summary: List deliveries of a webhook
      description: Past and pending deliveries to one webhook, newest first by (\`createdAt\`, \`id\`). Needs an
        account-scoped key.
      x-svc-access: webhook-read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
        - { $ref: "#/components/parameters/WebhookDeliveryStatusFilter" }
        - { $ref: "#/components/parameters/WebhookDeliveryCursor" }
        - { $ref: "#/components/parameters/WebhookLimit" }
      responses:
        "200":
          description: A page of deliveries.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookDeliveryPage" }
              examples:
                last:
                  summary: The last page
                  value:
                    data:
                      - id: oswhd_01jq2xa1m8p3r6t5
                        endpointId: oswhk_01jq2x7v9m3t5c8b
                        status: SUCCEEDED
                        attemptCount: 2
                        lastAttemptAt: "2026-03-14T09:26:53.000Z"
                        lastHttpStatus: 200
                        lastError: null
                        replayOfDeliveryId: null
                        createdAt: "2026-03-14T09:22:10.000Z"
                        updatedAt: "2026-03-14T09:26:53.000Z"
                      - id: oswhd_01jq1z8b6d4f2h9k
                        endpointId: oswhk_01jq2x7v9m3t5c8b
                        status: DEAD
                        attemptCount: 1
                        lastAttemptAt: "2026-03-13T16:05:01.000Z"
                        lastHttpStatus: 404
                        lastError: HTTP 404
                        replayOfDeliveryId: null
                        createdAt: "2026-03-13T16:05:00.000Z"
                        updatedAt: "2026-03-13T16:05:01.000Z"
                    hasMore: false
                    nextCursor: null
        "400": { $ref: "#/components/responses/InvalidPageQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookRead" }
        "404": { $ref: "#/components/responses/WebhookNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay:
    post:
      operationId: replayWebhookDelivery
      tags: [Webhooks]
      summary: Replay a webhook delivery
      description: Sends the same event to the same webhook again, as a new delivery that refers to the old one, whatever its status. There is no request body. Needs an account-scoped key with write scope.
      x-svc-access: webhook-write
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/WebhookId" }
        - { $ref: "#/components/parameters/WebhookDeliveryId" }
      responses:
        "200":
          description: The new delivery.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/WebhookDelivery" }
              examples:
                queued:
                  summary: Waiting for its first attempt
                  value:
                    id: oswhd_01jq3c2e4g6j8m5p
                    endpointId: oswhk_01jq2x7v9m3t5c8b
                    status: PENDING
                    attemptCount: 0
                    lastAttemptAt: null
                    lastHttpStatus: null
                    lastError: null
                    replayOfDeliveryId: oswhd_01jq1z8b6d4f2h9k
                    createdAt: "2026-03-14T10:00:00.000Z"
                    updatedAt: "2026-03-14T10:00:00.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenWebhookWrite" }
        "404": { $ref: "#/components/responses/WebhookDeliveryNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/events:
    get:
      operationId: listEvents
      tags: [Events]
      summary: List platform events
      description:
        Every event of the platform, delivered to a webhook or not, newest first by
        (\`createdAt\`, \`id\`). Use it to find events that your webhook missed. A connection-scoped key sees the
        events of its connection and those of the account.
      x-svc-access: events-read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/EventTypes" }
        - { $ref: "#/components/parameters/Delivered" }
        - { $ref: "#/components/parameters/EventCursor" }
        - { $ref: "#/components/parameters/WebhookLimit" }
      responses:
        "200":
          description: A page of events.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/EventPage" }
              examples:
                last:
                  summary: All three types
                  value:
                    data:
                      - id: osevt_01jq2xa1k4n6d9f2
                        type: sync.failed
                        summary: Syncs from smartlead source 21 to HUBSPOT are failing
                        data:
                          connectionId: 11
                          crm: HUBSPOT
                          sourceId: 21
                          sourcePlatform: smartlead
                          reason: "3 syncs in a row failed. The last one: Property values were not valid"
                          remediation:
                            "Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://app.example.com/connections/11 (then retry the failed syncs)"
                        connectionId: 11
                        sourceId: 21
                        delivered: true
                        createdAt: "2026-03-14T09:22:10.000Z"
                      - id: osevt_01jq1x4v6b8n2m3k
                        type: sync.recovered
                        summary: Syncs from smartlead source 21 to HUBSPOT work again
                        data:
                          connectionId: 11
                          crm: HUBSPOT
                          sourceId: 21
                          sourcePlatform: smartlead
                          failedSince: "2026-03-13T08:00:00.000Z"
                        connectionId: 11
                        sourceId: 21
                        delivered: false
                        createdAt: "2026-03-13T15:00:00.000Z"
                      - id: osevt_01jp8w7y5t3r1q9z
                        type: test.ping
                        summary: Test event for webhook oswhk_01jq2x7v9m3t5c8b
                        data: { webhookId: oswhk_01jq2x7v9m3t5c8b }
                        connectionId: null
                        sourceId: null
                        delivered: true
                        createdAt: "2026-03-12T12:00:00.000Z"
                    hasMore: false
                    nextCursor: null
        "400": { $ref: "#/components/responses/InvalidEventQuery" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenEvents" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
  /api/v1/events/{id}:
    get:
      operationId: getEvent
      tags: [Events]
      summary: Get a platform event
      description: One event with its deliveries.
      x-svc-access: events-read
      x-svc-rate-bucket: general
      parameters:
        - { $ref: "#/components/parameters/EventId" }
      responses:
        "200":
          description: The event and its deliveries.
          headers:
            Link: { $ref: "#/components/headers/Link" }
            Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/PlatformEventWithDeliveries" }
              examples:
                failed:
                  summary: An event that took two attempts
                  value:
                    id: osevt_01jq2xa1k4n6d9f2
                    type: sync.failed
                    summary: Syncs from smartlead source 21 to HUBSPOT are failing
                    data:
                      connectionId: 11
                      crm: HUBSPOT
                      sourceId: 21
                      sourcePlatform: smartlead
                      reason: "3 syncs in a row failed. The last one: Property values were not valid"
                      remediation:
                        "Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://app.example.com/connections/11 (then retry the failed syncs)"
                    connectionId: 11
                    sourceId: 21
                    delivered: true
                    createdAt: "2026-03-14T09:22:10.000Z"
                    deliveries:
                      - id: oswhd_01jq2xa1m8p3r6t5
                        endpointId: oswhk_01jq2x7v9m3t5c8b
                        status: SUCCEEDED
                        attemptCount: 2
                        lastAttemptAt: "2026-03-14T09:26:53.000Z"
                        lastHttpStatus: 200
                        lastError: null
                        replayOfDeliveryId: null
                        createdAt: "2026-03-14T09:22:10.000Z"
                        updatedAt: "2026-03-14T09:26:53.000Z"
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/ForbiddenEvents" }
        "404": { $ref: "#/components/responses/EventNotFound" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "431": { $ref: "#/components/responses/RequestHeaderFieldsTooLarge" }
        "500": { $ref: "#/components/responses/InternalServerError" }
webhooks:
  sync.failed:
    post:
      operationId: onSyncFailed
      tags: [Webhooks]
      summary: Syncs have begun to fail
      description: |-
        Sent once per incident, when the third sync in a row has failed for a source and connection pair that worked before.

        Any 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.
      security: []
      parameters:
        - { $ref: "#/components/parameters/WebhookEventId" }
        - { $ref: "#/components/parameters/WebhookDeliveryIdHeader" }
        - { $ref: "#/components/parameters/WebhookSignature" }
      requestBody:
        required: true
        description: The event. Verify the signature before you parse it.
        content:
          application/json:
            schema: { $ref: "#/components/schemas/SyncFailedEnvelope" }
            examples:
              event:
                summary: As it is posted
                value:
                  id: osevt_01jq2xa1k4n6d9f2
                  type: sync.failed
                  created: "2026-03-14T09:22:10.000Z"
                  summary: Syncs from smartlead source 21 to HUBSPOT are failing
                  data:
                    connectionId: 11
                    crm: HUBSPOT
                    sourceId: 21
                    sourcePlatform: smartlead
                    reason: "3 syncs in a row failed. The last one: Property values were not valid"
                    remediation:
                      "Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://app.example.com/connections/11 (then retry the failed syncs)"
      responses:
        "404":
          description: "Gone: the delivery is DEAD at once."
        "413":
          description: "Too large: the delivery is DEAD at once."
        2XX:
          description: Received. The body is ignored.
        default:
          description: "Not received: tried again while attempts remain."
  sync.recovered:
    post:
      operationId: onSyncRecovered
      tags: [Webhooks]
      summary: Syncs work again
      description: |-
        Sent when a sync succeeds for a pair that was failing.

        Any 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.
      security: []
      parameters:
        - { $ref: "#/components/parameters/WebhookEventId" }
        - { $ref: "#/components/parameters/WebhookDeliveryIdHeader" }
        - { $ref: "#/components/parameters/WebhookSignature" }
      requestBody:
        required: true
        description: The event. Verify the signature before you parse it.
        content:
          application/json:
            schema: { $ref: "#/components/schemas/SyncRecoveredEnvelope" }
            examples:
              event:
                summary: As it is posted
                value:
                  id: osevt_01jq2z9h3j5l7n8p
                  type: sync.recovered
                  created: "2026-03-14T11:40:00.000Z"
                  summary: Syncs from smartlead source 21 to HUBSPOT work again
                  data:
                    connectionId: 11
                    crm: HUBSPOT
                    sourceId: 21
                    sourcePlatform: smartlead
                    failedSince: "2026-03-14T09:22:10.000Z"
      responses:
        "404":
          description: "Gone: the delivery is DEAD at once."
        "413":
          description: "Too large: the delivery is DEAD at once."
        2XX:
          description: Received. The body is ignored.
        default:
          description: "Not received: tried again while attempts remain."
  test.ping:
    post:
      operationId: onTestPing
      tags: [Webhooks]
      summary: A test
      description: |-
        Sent when a client requests it. Cannot be subscribed to.

        Any 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.
      security: []
      parameters:
        - { $ref: "#/components/parameters/WebhookEventId" }
        - { $ref: "#/components/parameters/WebhookDeliveryIdHeader" }
        - { $ref: "#/components/parameters/WebhookSignature" }
      requestBody:
        required: true
        description: The event. Verify the signature before you parse it.
        content:
          application/json:
            schema: { $ref: "#/components/schemas/TestPingEnvelope" }
            examples:
              event:
                summary: As it is posted
                value:
                  id: osevt_01jq3b5s8w2y7h4q
                  type: test.ping
                  created: "2026-03-14T12:00:00.000Z"
                  summary: Test event for webhook oswhk_01jq2x7v9m3t5c8b
                  data: { webhookId: oswhk_01jq2x7v9m3t5c8b }
      responses:
        "404":
          description: "Gone: the delivery is DEAD at once."
        "413":
          description: "Too large: the delivery is DEAD at once."
        2XX:
          description: Received. The body is ignored.
        default:
          description: "Not received: tried again while attempts remain."
components:
  securitySchemes:
    bearerAuth:
      type: http
      scheme: bearer
      bearerFormat: osapi_...
      description: "An API key, \`Authorization: Bearer osapi_...\`."
  parameters:
    From:
      name: from
      in: query
      required: true
      description:
        Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.
      schema:
        type: string
        pattern: '^(\\d{4})-(\\d{2})-(\\d{2})(?:T(\\d{2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?(Z|[+-]\\d{2}(?::\\d{2})?))?$'
      example: "2026-03-01T00:00:00Z"
    To:
      name: to
      in: query
      required: true
      description: End of the range, included, written as \`from\`; it may lie ahead. Not before \`from\`, and at most 31 days after it.
      schema:
        type: string
        pattern: '^(\\d{4})-(\\d{2})-(\\d{2})(?:T(\\d{2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?(Z|[+-]\\d{2}(?::\\d{2})?))?$'
      example: "2026-03-15T00:00:00Z"
    RequestCursor:
      name: cursor
      in: query
      description: "Where to continue: \`nextCursor\` of the previous page of requests, unchanged. Opaque."
      required: false
      schema: { type: string, minLength: 1 }
      example: cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw
    SyncCursor:
      name: cursor
      in: query
      description: "Where to continue: \`nextCursor\` of the previous page of syncs, unchanged. Opaque."
      required: false
      schema: { type: string, minLength: 1 }
      example: c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw
    DeliveryCursor:
      name: cursor
      in: query
      description: "Where to continue: \`nextCursor\` of the previous page of deliveries, unchanged. Opaque."
      required: false
      schema: { type: string, minLength: 1 }
      example: ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg
    WebhookDeliveryCursor:
      name: cursor
      in: query
      description: "Where to continue: \`nextCursor\` of the previous page of webhook deliveries, unchanged. Opaque."
      required: false
      schema: { type: string, minLength: 1 }
      example: d2ViaG9vay1kZWxpdmVyeToxNzczNDE3OTAwMDAwOm9zd2hkXzAxanExejhiNmQ0ZjJoOWs
    EventCursor:
      name: cursor
      in: query
      description: "Where to continue: \`nextCursor\` of the previous page of events, unchanged. Opaque."
      required: false
      schema: { type: string, minLength: 1 }
      example: ZXZlbnQ6MTc3MzMxNjgwMDAwMDpvc2V2dF8wMWpwOHc3eTV0M3IxcTl6
    Limit:
      name: limit
      in: query
      description: Largest number of rows on the page.
      required: false
      schema: { type: integer, minimum: 1, maximum: 500, default: 100 }
      example: 100
    WebhookLimit:
      name: limit
      in: query
      description: Largest number of rows on the page.
      required: false
      schema: { type: integer, minimum: 1, maximum: 100, default: 25 }
      example: 25
    SourceFilter:
      name: sourceId
      in: query
      description: Only rows of this source. A source that is missing or not within reach is a 404.
      required: false
      schema: { type: integer, minimum: 1 }
      example: 21
    AccountMetricsSourceFilter:
      name: sourceId
      in: query
      description:
        Counts only requests and syncs of this source; deliveries are counted regardless. A source that is missing
        or not within reach is a 404.
      required: false
      schema: { type: integer, minimum: 1 }
      example: 21
    ConnectionFilter:
      name: connectionId
      in: query
      description: "Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros."
      required: false
      schema: { type: integer, minimum: 1 }
      example: 11
    DestinationFilter:
      name: destinationId
      in: query
      description: Only deliveries to this destination. A destination that is missing or not within reach is a 404.
      required: false
      schema: { type: integer, minimum: 1 }
      example: 31
    SyncStatusFilter:
      name: status
      in: query
      description: "Only syncs with this status. Pages may then be short or empty with \`hasMore\` true: continue with \`nextCursor\`."
      required: false
      schema: { $ref: "#/components/schemas/SyncStatus" }
      example: error
    DeliveryStatusFilter:
      name: status
      in: query
      description: Only deliveries with this outcome.
      required: false
      schema: { $ref: "#/components/schemas/DeliveryStatus" }
      example: error
    WebhookDeliveryStatusFilter:
      name: status
      in: query
      description: Only deliveries in this status.
      required: false
      schema: { $ref: "#/components/schemas/WebhookDeliveryStatus" }
      example: DEAD
    OutreachEmail:
      name: email
      in: query
      description: Email of the contact, in any case. Required unless \`profileUrl\` is given.
      required: false
      schema: { type: string, minLength: 1 }
      example: ada@example.com
    OutreachProfileUrl:
      name: profileUrl
      in: query
      description:
        Profile of the contact on the professional network (\`/in/...\`, \`/pub/...\`) or on the short-post network,
        with or without a scheme. Repeat the parameter or separate with commas, up to five altogether. Required unless
        \`email\` is given.
      required: false
      schema: { type: array, items: { type: string }, maxItems: 5 }
      style: form
      explode: true
      example: [linkedin.com/in/ada-example]
    EventTypes:
      name: type
      in: query
      description: Only events of these types. May be repeated.
      required: false
      schema: { type: array, items: { $ref: "#/components/schemas/EventTypeFilter" } }
      style: form
      explode: true
      example: [sync.failed]
    Delivered:
      name: delivered
      in: query
      description: Only events that at least one webhook has received, or only those that none has.
      required: false
      schema: { type: boolean }
      example: false
    SourceIdPath:
      name: sourceId
      in: path
      required: true
      description: Source id.
      schema: { type: integer, minimum: 1 }
      example: 21
    SyncId:
      name: id
      in: path
      required: true
      description: Sync id.
      schema: { type: integer, minimum: 1 }
      example: 70001
    DestinationId:
      name: id
      in: path
      required: true
      description: Destination id.
      schema: { type: integer, minimum: 1 }
      example: 31
    DeliveryId:
      name: deliveryId
      in: path
      required: true
      description: Delivery id.
      schema: { type: integer, minimum: 1 }
      example: 80001
    BlocklistId:
      name: id
      in: path
      required: true
      description: Block list id.
      schema: { type: integer, minimum: 1 }
      example: 51
    WebhookId:
      name: id
      in: path
      required: true
      description: Webhook id.
      schema: { type: string, pattern: ^oswhk_ }
      example: oswhk_01jq2x7v9m3t5c8b
    WebhookDeliveryId:
      name: deliveryId
      in: path
      required: true
      description: Webhook delivery id.
      schema: { type: string, pattern: ^oswhd_ }
      example: oswhd_01jq2xa1m8p3r6t5
    EventId:
      name: id
      in: path
      required: true
      description: Event id.
      schema: { type: string, pattern: ^osevt_ }
      example: osevt_01jq2xa1k4n6d9f2
    WebhookEventId:
      name: Service-Event-Id
      in: header
      required: true
      description: Id of the event, as in the body.
      schema: { type: string, pattern: ^osevt_ }
      example: osevt_01jq2xa1k4n6d9f2
    WebhookDeliveryIdHeader:
      name: Service-Delivery-Id
      in: header
      required: true
      description: Id of the delivery, the same at every attempt.
      schema: { type: string, pattern: ^oswhd_ }
      example: oswhd_01jq2xa1m8p3r6t5
    WebhookSignature:
      name: Service-Signature
      in: header
      required: true
      description: "\`t=<unix seconds>,v1=<hex>\`, where \`v1\` is the HMAC-SHA256 of \`<t>.<raw body>\`, keyed with the whole
        signing secret. New at every attempt. Compute it over the received bytes, compare in constant time, and
        refuse a \`t\` that is too old, such as more than 5 minutes."
      schema: { type: string, pattern: "^t=[0-9]+,v1=[0-9a-f]{64}$" }
      example: t=1773480413,v1=5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f
  headers:
    Link:
      description: RFC 8631 links to this description (\`rel="service-desc"\`) and to the reference documentation
        (\`rel="service-doc"\`). On every answer under \`/api/v1\`, refusals included.
      required: true
      schema:
        type: string
        pattern: '^(?=.*<[^<>]+>; rel="service-desc")(?=.*<[^<>]+>; rel="service-doc")'
      example: </api/v1/openapi.json>; rel="service-desc"; type="application/json", <https://docs.example.com/api>;
        rel="service-doc"; type="text/html"
    Service-Request-Id:
      description: Identifies this call in the logs of the service. On every answer.
      required: true
      schema: { type: string, minLength: 1 }
      example: req_01JQ2X7V9M3T5C8B
    RateLimit:
      description:
        "The rest of the current window, as in the IETF draft on rate limit headers: \`r\` requests for another \`t\` seconds. Sent while a limit applies; clients must not depend on it."
      required: false
      schema: { type: string }
      example: '"general";r=118;t=42'
    RateLimit-Policy:
      description: "The limit that applies, as in the same draft: \`q\` requests per \`w\` seconds. Clients must not depend on it."
      required: false
      schema: { type: string }
      example: '"general";q=120;w=60'
    Retry-After:
      description: Whole seconds until the window ends, at least 1.
      required: true
      schema: { type: integer, minimum: 1 }
      example: 42
    WWW-Authenticate:
      description: The expected scheme and its realm.
      required: true
      schema: { type: string }
      example: Bearer realm="api"
    Cache-Control:
      description: The document may be kept for 300 seconds.
      required: true
      schema: { type: string, const: "public, max-age=300" }
      example: public, max-age=300
  responses:
    InvalidListQuery:
      description: A parameter is missing or invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            rangeMissing:
              summary: A range end is missing
              value:
                statusCode: 400
                message: "from is missing: send an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z)"
                error: Bad Request
            rangeInvalid:
              summary: A range end is not a date
              value:
                statusCode: 400
                message: to must be an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z), not "yesterday"
                error: Bad Request
            rangeReversed:
              summary: The range runs backwards
              value:
                statusCode: 400
                message: "from (2026-03-15T00:00:00.000Z) is after to (2026-03-01T00:00:00.000Z): swap them"
                error: Bad Request
            rangeTooLong:
              summary: The range is too long
              value:
                statusCode: 400
                message: "the range from 2026-01-01T00:00:00.000Z to 2026-03-01T00:00:00.000Z is longer than 31 days: split it"
                error: Bad Request
            malformedCursor:
              summary: The cursor was not issued by this list
              value:
                statusCode: 400
                message: "cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out"
                error: Bad Request
            invalidLimit:
              summary: The limit is out of bounds
              value:
                statusCode: 400
                message: limit must be an integer from 1 to 500, not "1000"
                error: Bad Request
            invalidFilter:
              summary: A filter is not an id
              value:
                statusCode: 400
                message: sourceId must be a positive integer id, not "abc"
                error: Bad Request
            unknownStatus:
              summary: A filter has an unknown value
              value:
                statusCode: 400
                message: status must be one of success, warning, error, not "failed"
                error: Bad Request
    InvalidMetricsQuery:
      description: A parameter is missing or invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            rangeMissing:
              summary: A range end is missing
              value:
                statusCode: 400
                message: "from is missing: send an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z)"
                error: Bad Request
            rangeInvalid:
              summary: A range end is not a date
              value:
                statusCode: 400
                message: to must be an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z), not "yesterday"
                error: Bad Request
            rangeReversed:
              summary: The range runs backwards
              value:
                statusCode: 400
                message: "from (2026-03-15T00:00:00.000Z) is after to (2026-03-01T00:00:00.000Z): swap them"
                error: Bad Request
            rangeTooLong:
              summary: The range is too long
              value:
                statusCode: 400
                message: "the range from 2026-01-01T00:00:00.000Z to 2026-03-01T00:00:00.000Z is longer than 31 days: split it"
                error: Bad Request
            invalidFilter:
              summary: A filter is not an id
              value:
                statusCode: 400
                message: sourceId must be a positive integer id, not "abc"
                error: Bad Request
    InvalidConnectionFilter:
      description: The filter is invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            invalidFilter:
              summary: A filter is not an id
              value:
                statusCode: 400
                message: connectionId must be a positive integer id, not "abc"
                error: Bad Request
    InvalidOutreachQuery:
      description: No identity was sent, one is invalid, or there are too many.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            noIdentity:
              summary: Neither identity was sent
              value:
                statusCode: 400
                message: "Send an identity of the contact: email, profileUrl, or both"
                error: Bad Request
            invalidEmail:
              summary: The email is not one
              value:
                statusCode: 400
                message: 'email "ada" is not an email address: it has no @'
                error: Bad Request
            invalidProfileUrl:
              summary: A profile URL is not one
              value:
                statusCode: 400
                message: 'profileUrl "example.com" is not a profile URL: its host is not one of the supported profile networks'
                error: Bad Request
            tooManyProfileUrls:
              summary: More than five profile URLs
              value:
                statusCode: 400
                message: At most 5 profileUrl values can be sent, not 6
                error: Bad Request
    InvalidPageQuery:
      description: A parameter is invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            malformedCursor:
              summary: The cursor was not issued by this list
              value:
                statusCode: 400
                message: "cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out"
                error: Bad Request
            invalidLimit:
              summary: The limit is out of bounds
              value:
                statusCode: 400
                message: limit must be an integer from 1 to 100, not "1000"
                error: Bad Request
            unknownStatus:
              summary: A filter has an unknown value
              value:
                statusCode: 400
                message: status must be one of PENDING, SUCCEEDED, FAILED, DEAD, not "failed"
                error: Bad Request
    InvalidEventQuery:
      description: A parameter is invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            malformedCursor:
              summary: The cursor was not issued by this list
              value:
                statusCode: 400
                message: "cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out"
                error: Bad Request
            invalidLimit:
              summary: The limit is out of bounds
              value:
                statusCode: 400
                message: limit must be an integer from 1 to 100, not "1000"
                error: Bad Request
            unknownType:
              summary: An event type is unknown
              value:
                statusCode: 400
                message: type must be one of sync.failed, sync.recovered, test.ping, not "sync.*"
                error: Bad Request
            invalidDelivered:
              summary: Not a boolean
              value:
                statusCode: 400
                message: delivered must be one of true, false, not "yes"
                error: Bad Request
    InvalidWebhook:
      description: The body is missing, is not JSON, or is invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            missingBody:
              summary: There is no body
              value: { statusCode: 400, message: The request body must be a JSON object, error: Bad Request }
            missingUrl:
              summary: The URL is missing
              value:
                statusCode: 400
                message: "url is required: the https address that events are sent to"
                error: Bad Request
            notHttps:
              summary: The URL is not HTTPS
              value: { statusCode: 400, message: url must be an absolute https:// address, error: Bad Request }
            privateTarget:
              summary: The URL leads to a private, local, loopback or link-local address
              value:
                statusCode: 400
                message: url must not point to a private, local, loopback, link-local or otherwise reserved address
                error: Bad Request
            urlTooLong:
              summary: The URL is too long
              value: { statusCode: 400, message: url must be at most 2048 characters long, error: Bad Request }
            descriptionTooLong:
              summary: The description is too long
              value:
                statusCode: 400
                message: description must be at most 500 characters long
                error: Bad Request
            unknownEventType:
              summary: A reserved or unknown event type
              value:
                statusCode: 400
                message:
                  'Event type "connection.created" is reserved and not emitted yet. Available event types: sync.failed,
                  sync.recovered'
                error: Bad Request
            tooManyWebhooks:
              summary: The account has 20 webhooks already
              value:
                statusCode: 400
                message: An account can have at most 20 webhooks. Delete one first
                error: Bad Request
    InvalidWebhookUpdate:
      description: The body is missing, is not JSON, or is invalid.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            missingBody:
              summary: There is no body
              value: { statusCode: 400, message: The request body must be a JSON object, error: Bad Request }
            notHttps:
              summary: The URL is not HTTPS
              value: { statusCode: 400, message: url must be an absolute https:// address, error: Bad Request }
            privateTarget:
              summary: The URL leads to a private, local, loopback or link-local address
              value:
                statusCode: 400
                message: url must not point to a private, local, loopback, link-local or otherwise reserved address
                error: Bad Request
            unknownEventType:
              summary: A reserved or unknown event type
              value:
                statusCode: 400
                message: 'Event type "sync.failing" is unknown. Available event types: sync.failed, sync.recovered'
                error: Bad Request
            invalidIsActive:
              summary: Not a boolean
              value: { statusCode: 400, message: isActive must be true or false, error: Bad Request }
    Unauthorized:
      description: The key is missing, malformed, unknown, revoked or rotated. The answer is the same in all these cases.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
        WWW-Authenticate: { $ref: "#/components/headers/WWW-Authenticate" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            invalidKey:
              summary: Any key that is not valid
              value: { statusCode: 401, message: Invalid API key, error: Unauthorized }
    ForbiddenRead:
      description: The key may not call the API.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            apiAccess:
              summary: API access is off on every connection of the account
              value: { statusCode: 403, message: API access is not enabled for this account, error: Forbidden }
    ForbiddenAction:
      description: The key may not call the API, or may not write.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            apiAccess:
              summary: API access is off on every connection of the account
              value: { statusCode: 403, message: API access is not enabled for this account, error: Forbidden }
            writeScope:
              summary: The key has no write scope; checked before anything is looked up
              value: { statusCode: 403, message: API key requires the "write" scope, error: Forbidden }
    ForbiddenResync:
      description: The key may not call the API or may not write, or the connection has no block lists.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            apiAccess:
              summary: API access is off on every connection of the account
              value: { statusCode: 403, message: API access is not enabled for this account, error: Forbidden }
            writeScope:
              summary: The key has no write scope; checked before anything is looked up
              value: { statusCode: 403, message: API key requires the "write" scope, error: Forbidden }
            blocklistsNotEnabled:
              summary: The plan of the connection does not include block lists
              value:
                statusCode: 403
                message: Block lists are not enabled for this connection
                error: Forbidden
    ForbiddenWebhookRead:
      description: The key may not call the API or read webhooks.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            apiAccess:
              summary: API access is off on every connection of the account
              value: { statusCode: 403, message: API access is not enabled for this account, error: Forbidden }
            webhooksNotEnabled:
              summary: Webhooks are off for the account
              value:
                statusCode: 403
                message: Platform webhooks are not enabled for this account
                error: Forbidden
            accountScopedKey:
              summary: The key reaches one connection only
              value:
                statusCode: 403
                message: Webhook endpoint management requires an account-scoped API key
                error: Forbidden
    ForbiddenWebhookWrite:
      description: The key may not call the API, may not see webhooks, or may not write.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            apiAccess:
              summary: API access is off on every connection of the account
              value: { statusCode: 403, message: API access is not enabled for this account, error: Forbidden }
            webhooksNotEnabled:
              summary: Webhooks are off for the account
              value:
                statusCode: 403
                message: Platform webhooks are not enabled for this account
                error: Forbidden
            accountScopedKey:
              summary: The key reaches one connection only
              value:
                statusCode: 403
                message: Webhook endpoint management requires an account-scoped API key
                error: Forbidden
            writeScope:
              summary: The key has no write scope
              value: { statusCode: 403, message: This endpoint requires the 'write' scope, error: Forbidden }
    ForbiddenEvents:
      description: The key may not call the API, or webhooks are off for the account.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            apiAccess:
              summary: API access is off on every connection of the account
              value: { statusCode: 403, message: API access is not enabled for this account, error: Forbidden }
            webhooksNotEnabled:
              summary: Webhooks are off for the account
              value:
                statusCode: 403
                message: Platform webhooks are not enabled for this account
                error: Forbidden
    SourceNotFound:
      description: There is no such source within reach of the key.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            source:
              summary: Missing or not within reach
              value: { statusCode: 404, message: Source 21 not found, error: Not Found }
    SyncNotFound:
      description: There is no such sync within reach of the key.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            sync:
              summary: Missing or not within reach
              value: { statusCode: 404, message: Sync 70001 not found, error: Not Found }
    DestinationNotFound:
      description: There is no such destination within reach of the key.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            destination:
              summary: Missing or not within reach
              value: { statusCode: 404, message: Destination 31 not found, error: Not Found }
    DeliveryNotFound:
      description: There is no such destination within reach of the key, no such delivery of it, or the delivery has no payload to replay, because it never had one or because the payload is no longer stored.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            destination:
              summary: The destination is missing or not within reach
              value: { statusCode: 404, message: Destination 31 not found, error: Not Found }
            delivery:
              summary: The delivery is missing, belongs to another destination, or has no payload
              value: { statusCode: 404, message: Delivery 80001 not found, error: Not Found }
    BlocklistNotFound:
      description: There is no such block list within reach of the key.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            blocklist:
              summary: Missing or not within reach
              value: { statusCode: 404, message: Blocklist 51 not found, error: Not Found }
    WebhookNotFound:
      description: The account has no such webhook.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            webhook:
              summary: Missing or deleted
              value: { statusCode: 404, message: Webhook oswhk_01jq2x7v9m3t5c8b not found, error: Not Found }
    WebhookDeliveryNotFound:
      description: The account has no such webhook, or the webhook has no such delivery.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            webhook:
              summary: The webhook is missing or deleted
              value: { statusCode: 404, message: Webhook oswhk_01jq2x7v9m3t5c8b not found, error: Not Found }
            delivery:
              summary: The delivery is missing or belongs to another webhook
              value: { statusCode: 404, message: Delivery oswhd_01jq2xa1m8p3r6t5 not found, error: Not Found }
    EventNotFound:
      description: There is no such event within reach of the key.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            event:
              summary: Missing or not within reach
              value: { statusCode: 404, message: Event osevt_01jq2xa1k4n6d9f2 not found, error: Not Found }
    RetryConflict:
      description: The sync cannot be retried. Repeating the call does not help.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            notEligible:
              summary: The sync did not end in \`error\`, or its source, payload or connection no longer exists
              value: { statusCode: 409, message: Sync is not eligible for retry, error: Conflict }
            crmNotSupported:
              summary: The CRM type does not support retries
              value:
                statusCode: 409
                message: Retry is only supported for HubSpot and Salesforce syncs
                error: Conflict
    ResyncConflict:
      description: The list cannot be resynced now.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            inProgress:
              summary: "A fetch is running: skip this run, or try again later"
              value: { statusCode: 409, message: Blocklist resync already in progress, error: Conflict }
            noCrmSource:
              summary: The list has no CRM source
              value: { statusCode: 409, message: Blocklist has no CRM source to resync from, error: Conflict }
    PayloadTooLarge:
      description: The body is larger than the service accepts.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            tooLarge:
              summary: Too many bytes
              value: { statusCode: 413, message: The request body is too large, error: Payload Too Large }
    UnsupportedMediaType:
      description: The body is not declared as JSON.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            notJson:
              summary: Another content type
              value:
                statusCode: 415
                message: The request body must be sent as application/json
                error: Unsupported Media Type
    TooManyRequests:
      description: The limit of 120 requests in 60 seconds is used up, for the IP address or for the account. Wait
        \`Retry-After\` seconds.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
        Retry-After: { $ref: "#/components/headers/Retry-After" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            limit:
              summary: The window is used up
              value: { statusCode: 429, message: Too many requests, error: Too Many Requests }
    TooManyOutreachRequests:
      description: The limit of 600 look-ups in 60 seconds is used up, for the IP address or for the account. Wait
        \`Retry-After\` seconds.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
        Retry-After: { $ref: "#/components/headers/Retry-After" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            limit:
              summary: The window is used up
              value: { statusCode: 429, message: Too many requests, error: Too Many Requests }
    RequestHeaderFieldsTooLarge:
      description: The headers of the request, its address included, are larger than the service accepts (16 kB). The connection is closed.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            headersTooLarge:
              summary: Too many bytes of headers
              value:
                statusCode: 431
                message: The request headers are too large
                error: Request Header Fields Too Large
    InternalServerError:
      description: An internal error occurred. Quote \`Service-Request-Id\` when you report it.
      headers:
        Link: { $ref: "#/components/headers/Link" }
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
        RateLimit: { $ref: "#/components/headers/RateLimit" }
        RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            unexpected:
              summary: Details are not shown to the caller
              value: { statusCode: 500, message: Internal server error, error: Internal Server Error }
    HealthError:
      description: An internal error occurred.
      headers:
        Service-Request-Id: { $ref: "#/components/headers/Service-Request-Id" }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/ErrorBody" }
          examples:
            unexpected:
              summary: Details are not shown to the caller
              value: { statusCode: 500, message: Internal server error, error: Internal Server Error }
  schemas:
    Timestamp:
      type: string
      format: date-time
      pattern: Z$
      description: An instant in ISO 8601, always in UTC and written with \`Z\`.
      examples: ["2026-03-14T09:26:53.589Z"]
    ComponentStatus:
      description:
        "State of a connection or of one of its parts. \`ready\`: set up and working. \`not_configured\`: allowed, but
        nothing is set up yet. \`disconnected\`: the CRM authorization is missing. \`disabled\`: the plan of this connection
        does not include the feature. \`error\`: the part has recorded an error. For a connection: its CRM refuses access (a missing scope, a suspended account) or its daily limit is reached, until the next write succeeds. More values may be added."
      anyOf:
        - { type: string, enum: [ready, not_configured, disconnected, disabled, error] }
        - { type: string }
    BlockerCode:
      description: "Why a connection cannot sync. \`crm_disconnected\`: the CRM authorization is missing. More codes may be added."
      anyOf:
        - { type: string, enum: [crm_disconnected] }
        - { type: string }
    WarningCode:
      description: A feature that is allowed but not set up, a recorded error, or a source whose requests are not understood. A warning never affects \`ready\`. More codes may be added.
      anyOf:
        - { type: string, enum: [crm_connection_error, destinations_not_configured, blocklists_not_configured, blocklists_error, source_events_not_understood] }
        - { type: string }
    Crm:
      description: CRM type, upper case. More types may be added.
      anyOf:
        - { type: string, enum: [HUBSPOT, SALESFORCE, PIPEDRIVE] }
        - { type: string }
    Platform:
      description: Sequencer platform, lower case. More platforms may be added.
      anyOf:
        - type: string
          enum: [smartlead, instantly, emailbison, lemlist, heyreach, reply-io, salesloft, outreach]
        - { type: string }
    SequencerEventType:
      description: What happened at the sequencer, in the normalized vocabulary. More types may be added.
      anyOf:
        - type: string
          enum:
            - EMAIL_SENT
            - EMAIL_OPEN
            - EMAIL_LINK_CLICK
            - EMAIL_OPEN_BY_BOT
            - EMAIL_LINK_CLICK_BY_BOT
            - EMAIL_REPLY
            - EMAIL_BOUNCE
            - LEAD_UNSUBSCRIBED
            - LEAD_CATEGORY_UPDATED
            - MESSAGE_SENT
            - MESSAGE_REPLY
            - INMAIL_SENT
            - INMAIL_REPLY
            - CONNECTION_REQUEST_SENT
            - CONNECTION_REQUEST_ACCEPTED
            - PROFILE_VIEWED
            - POST_LIKED
            - FOLLOW_SENT
            - CALL_COMPLETED
        - { type: string }
    EventType:
      description:
        "Type of a platform event. \`sync.failed\`: a source and connection pair has begun to fail. \`sync.recovered\`:
        it works again. \`test.ping\`: requested by a client. More types may be added."
      anyOf:
        - { type: string, enum: [sync.failed, sync.recovered, test.ping] }
        - { type: string }
    SubscribableEventType:
      type: string
      description: A platform event type that a webhook can subscribe to.
      enum: [sync.failed, sync.recovered]
    EventTypeFilter:
      type: string
      description: A platform event type as a filter value.
      enum: [sync.failed, sync.recovered, test.ping]
    DoNotContactReason:
      description: A hard signal against contacting somebody. More reasons may be added.
      anyOf:
        - { type: string, enum: [bounced, unsubscribed] }
        - { type: string }
    ApiKeyScope:
      type: string
      description: What a key may do. Every key can \`read\`; \`write\` allows the write actions and the webhook mutations.
      enum: [read, write]
    ConnectionScope:
      type: string
      description: "\`account\`: the key reaches every API-enabled connection of the account. \`connection\`: exactly one."
      enum: [account, connection]
    SyncStatus:
      type: string
      description: "\`success\`: written. \`warning\`: written, with a part refused by the CRM. \`error\`: not written."
      enum: [success, warning, error]
    DeliveryStatus:
      type: string
      description: Outcome of one POST to a forwarding destination.
      enum: [success, error]
    WebhookDeliveryStatus:
      type: string
      description: "\`PENDING\`: an attempt is due. \`SUCCEEDED\`: answered with a 2xx. \`FAILED\`: given up early because the
        webhook was deleted or became inactive. \`DEAD\`: answered with 404 or 413, or all eight attempts used up."
      enum: [PENDING, SUCCEEDED, FAILED, DEAD]
    BlocklistStatus:
      type: string
      description:
        "\`CREATED\`: nothing was pushed yet, because the list is new or its first run failed. \`FETCHING\`: being loaded
        from the CRM. \`SYNCING\`: being pushed to the sequencer. \`SYNCED\`: done; \`lastError\` says whether entries were left out. \`SYNCING_NEW_CONTACTS\`: a periodic top-up, or a list that was paused while it was loaded or pushed."
      enum: [CREATED, FETCHING, SYNCING, SYNCED, SYNCING_NEW_CONTACTS]
    BlockType:
      type: string
      description: Whether the list holds single email addresses or whole domains.
      enum: [ADDRESS, DOMAIN]
    ErrorBody:
      type: object
      description: The body of every refusal and error.
      required: [statusCode, message, error]
      properties:
        statusCode:
          type: integer
          minimum: 400
          maximum: 599
          description: The HTTP status.
        message:
          type: string
          description: The reason. Together with the status, the stable field to act on.
        error:
          type: string
          description: The reason phrase of the status.
    HealthLive:
      type: object
      description: The process is up.
      required: [status]
      properties:
        status:
          type: string
          const: ok
          description: Always \`ok\`.
    HealthReady:
      type: object
      description: Whether events can be received and synced now, by check.
      required: [status, checks]
      properties:
        status:
          type: string
          description: "\`ok\` when every check is \`ok\`, otherwise \`error\`."
          enum: [ok, error]
        checks:
          type: object
          description: One entry per part the service depends on, such as \`database\`, \`queue\` and \`secrets\`.
          additionalProperties: { type: string, enum: [ok, error] }
    ApiLink:
      type: object
      description: Where to go next.
      required: [href, description]
      properties:
        href:
          type: string
          description:
            Absolute URL that can be called as it is. It has an example query when parameters are required.
          format: uri
        description:
          type: string
          description: What the URL returns, and its required parameters.
    MeLinks:
      type: object
      description: Entry points of the API and its documentation.
      required:
        - accountStatus
        - accountMetrics
        - connections
        - destinations
        - requests
        - destinationsReplyRelays
        - sources
        - contactsOutreach
        - syncs
        - documentation
        - openapi
      properties:
        accountStatus:
          description: Readiness of the pipeline.
          $ref: "#/components/schemas/ApiLink"
        accountMetrics:
          description: Counts of requests, syncs and deliveries.
          $ref: "#/components/schemas/ApiLink"
        connections:
          description: CRM connections.
          $ref: "#/components/schemas/ApiLink"
        destinations:
          description: Forwarding destinations.
          $ref: "#/components/schemas/ApiLink"
        requests:
          description: Inbound receipts.
          $ref: "#/components/schemas/ApiLink"
        destinationsReplyRelays:
          description: Reply relays.
          $ref: "#/components/schemas/ApiLink"
        sources:
          description: Inbound URLs.
          $ref: "#/components/schemas/ApiLink"
        contactsOutreach:
          description: Prior outreach to a contact.
          $ref: "#/components/schemas/ApiLink"
        syncs:
          description: CRM write attempts.
          $ref: "#/components/schemas/ApiLink"
        documentation:
          description: The reference documentation.
          $ref: "#/components/schemas/ApiLink"
        openapi:
          description: This document.
          $ref: "#/components/schemas/ApiLink"
    MeAccount:
      type: object
      description: The account that the key belongs to.
      required: [id, email]
      properties:
        id:
          type: integer
          minimum: 1
          description: Account id.
        email:
          type: string
          description: Email of the account owner.
    MeApiKey:
      type: object
      description: The key of this call. Its token is never returned.
      required: [name, scopes, connectionScope, connectionId]
      properties:
        name:
          type: string
          description: Name given to the key.
        scopes:
          type: array
          description: What the key may do.
          items: { $ref: "#/components/schemas/ApiKeyScope" }
        connectionScope:
          description: How many connections the key reaches.
          $ref: "#/components/schemas/ConnectionScope"
        connectionId:
          type: [integer, "null"]
          minimum: 1
          description:
            The one connection of a connection-scoped key, the same as the single entry of \`connections\`; null for
            account-scoped keys.
    MeConnection:
      type: object
      description: A connection within reach of the key.
      required: [id, crm, organizationId, organizationDomain]
      properties:
        id:
          type: integer
          minimum: 1
          description: Connection id.
        crm:
          description: CRM type.
          $ref: "#/components/schemas/Crm"
        organizationId:
          type: string
          description: The id of the organization in the CRM.
        organizationDomain:
          type: string
          description: The domain of the organization in the CRM.
    MeResponse:
      type: object
      description: The key, its account and its access.
      required: [account, apiKey, connections, links]
      properties:
        account: { $ref: "#/components/schemas/MeAccount" }
        apiKey: { $ref: "#/components/schemas/MeApiKey" }
        connections:
          type: array
          description: Connections within reach, by \`id\` ascending; the same order as in \`/connections\` and \`/account/status\`.
          items: { $ref: "#/components/schemas/MeConnection" }
        links: { $ref: "#/components/schemas/MeLinks" }
    CrmConnectionStatus:
      type: object
      description: State of the CRM authorization.
      required: [status, crm, organizationId, organizationDomain]
      properties:
        status:
          description: "\`disconnected\` when the CRM authorization is missing."
          $ref: "#/components/schemas/ComponentStatus"
        crm:
          description: CRM type.
          $ref: "#/components/schemas/Crm"
        organizationId:
          type: string
          description: The id of the organization in the CRM.
        organizationDomain:
          type: string
          description: The domain of the organization in the CRM.
    SourcesStatus:
      type: object
      description: State of the inbound URLs of a connection.
      required: [status, count, platforms]
      properties:
        status:
          description: State of the part.
          $ref: "#/components/schemas/ComponentStatus"
        count:
          type: integer
          minimum: 0
          description: Number of sources.
        platforms:
          type: array
          description: Platforms of those sources, sorted, each once.
          items: { $ref: "#/components/schemas/Platform" }
    DestinationsStatus:
      type: object
      description: State of forwarding and reply relays of a connection.
      required: [status, count, eventTypes, forwardingCount, replyRelayCount]
      properties:
        status:
          description: State of the part. \`disabled\` when the capability \`destinations\` is off.
          $ref: "#/components/schemas/ComponentStatus"
        count:
          type: integer
          minimum: 0
          description: "\`forwardingCount\` plus \`replyRelayCount\`."
        eventTypes:
          type: array
          description: Event types that any binding forwards, sorted, each once.
          items: { $ref: "#/components/schemas/SequencerEventType" }
        forwardingCount:
          type: integer
          minimum: 0
          description: Number of distinct forwarding URLs.
        replyRelayCount:
          type: integer
          minimum: 0
          description: Number of reply relays bound to a source.
    BlocklistsStatus:
      type: object
      description: State of the block lists of a connection.
      required: [status, enabledCount, lastError, lastFetchedAt]
      properties:
        status:
          description: State of the part. \`disabled\` when the capability \`blocklists\` is off.
          $ref: "#/components/schemas/ComponentStatus"
        enabledCount:
          type: integer
          minimum: 0
          description: Number of enabled block lists; 0 without the capability.
        lastError:
          type: [string, "null"]
          description: The most recent recorded error, if any.
        lastFetchedAt:
          description: When a list of this connection was last loaded from the CRM.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
    ConnectionStatus:
      type: object
      description: Readiness of one connection, part by part.
      required: [connectionId, crm, ready, crmConnection, sources, destinations, blocklists]
      properties:
        connectionId:
          type: integer
          minimum: 1
          description: Connection id.
        crm:
          description: CRM type.
          $ref: "#/components/schemas/Crm"
        ready:
          type: boolean
          description: Whether the connection has no blocker.
        crmConnection: { $ref: "#/components/schemas/CrmConnectionStatus" }
        sources: { $ref: "#/components/schemas/SourcesStatus" }
        destinations: { $ref: "#/components/schemas/DestinationsStatus" }
        blocklists: { $ref: "#/components/schemas/BlocklistsStatus" }
    Blocker:
      type: object
      description: "A problem that stops syncing on this connection until it is resolved."
      required: [code, connectionId, crm, message, remediation, docUrl]
      properties:
        code:
          description: Machine-readable reason.
          $ref: "#/components/schemas/BlockerCode"
        connectionId:
          type: integer
          minimum: 1
          description: The connection concerned.
        crm:
          description: CRM type of that connection.
          $ref: "#/components/schemas/Crm"
        message:
          type: string
          description: What is wrong.
        remediation:
          type: string
          description: What to do about it.
        docUrl:
          type: string
          description: Where it is documented.
          format: uri
    Warning:
      type: object
      description: "A problem that does not stop syncing, such as an optional part that is not set up."
      required: [code, connectionId, crm, message, remediation, docUrl]
      properties:
        code:
          description: Machine-readable reason.
          $ref: "#/components/schemas/WarningCode"
        connectionId:
          type: integer
          minimum: 1
          description: The connection concerned.
        crm:
          description: CRM type of that connection.
          $ref: "#/components/schemas/Crm"
        message:
          type: string
          description: What is missing.
        remediation:
          type: string
          description: What to do about it.
        docUrl:
          type: string
          description: Where it is documented.
          format: uri
    AccountStatusResponse:
      type: object
      description: Readiness of everything within reach of the key.
      required: [ready, checkedAt, connections, blockers, warnings]
      properties:
        ready:
          type: boolean
          description: False as soon as there is one blocker. Warnings never make it false.
        checkedAt:
          description: When this was computed.
          $ref: "#/components/schemas/Timestamp"
        connections:
          type: array
          description: One entry per connection within reach, by \`connectionId\` ascending.
          items: { $ref: "#/components/schemas/ConnectionStatus" }
        blockers:
          type: array
          description: What keeps connections from syncing.
          items: { $ref: "#/components/schemas/Blocker" }
        warnings:
          type: array
          description: Parts that are not set up, and minor problems.
          items: { $ref: "#/components/schemas/Warning" }
    ConnectionCapabilities:
      type: object
      description: Features that the plan of this connection includes.
      required: [sync, destinations, blocklists]
      properties:
        sync:
          type: boolean
          description: Received events are written to the CRM.
        destinations:
          type: boolean
          description: Received events are forwarded to destinations, and replies relayed. Gates both.
        blocklists:
          type: boolean
          description: Block lists are kept in step with the CRM, and can be resynced.
    Connection:
      type: object
      description: A CRM connection.
      required: [id, crm, status, organizationId, organizationDomain, capabilities, createdAt]
      properties:
        id:
          type: integer
          minimum: 1
          description: Connection id.
        crm:
          description: CRM type.
          $ref: "#/components/schemas/Crm"
        status:
          description: State of the connection.
          $ref: "#/components/schemas/ComponentStatus"
        organizationId:
          type: string
          description: The id of the organization in the CRM.
        organizationDomain:
          type: string
          description: The domain of the organization in the CRM.
        capabilities: { $ref: "#/components/schemas/ConnectionCapabilities" }
        createdAt:
          description: When the connection was created.
          $ref: "#/components/schemas/Timestamp"
    ConnectionList:
      type: object
      description: All connections within reach.
      required: [connections]
      properties:
        connections:
          type: array
          description: By \`id\` ascending.
          items: { $ref: "#/components/schemas/Connection" }
    SourceConfig:
      type: object
      description: How events of a source are written to the CRM.
      required: [createOrUpdateCompany, createOrUpdateTask, assignContactOwner, salesforceObjectType]
      properties:
        createOrUpdateCompany:
          type: boolean
          description: Also create or update the company.
        createOrUpdateTask:
          type: boolean
          description: Also create or update a task.
        assignContactOwner:
          type: boolean
          description: Set the owner of the contact.
        salesforceObjectType:
          type: [string, "null"]
          description: Which object Salesforce writes go to; null elsewhere, or for the default.
    SourceDestination:
      type: object
      description: A forwarding destination bound to a source. The event filter belongs to this binding.
      required: [url, description, eventTypes, isDelayed]
      properties:
        url:
          type: string
          description: Where events are forwarded to.
        description:
          type: string
          description: Free text, may be empty.
        eventTypes:
          type: array
          description: Event types that this binding forwards, sorted, each once.
          items: { $ref: "#/components/schemas/SequencerEventType" }
        isDelayed:
          type: boolean
          description: Whether this binding waits before forwarding.
    SourceReplyRelay:
      type: object
      description: The reply relay bound to a source.
      required: [id, description, ccEmail, delayMinutes]
      properties:
        id:
          type: integer
          minimum: 1
          description: Reply relay id.
        description:
          type: string
          description: Free text, may be empty.
        ccEmail:
          type: string
          description: Who is copied.
        delayMinutes:
          type: integer
          minimum: 0
          description: Minutes to wait before relaying.
    Source:
      type: object
      description: An inbound URL that a sequencer posts its events to.
      required: [id, url, platform, connectionId, crm, config, destinations, replyRelay, createdAt]
      properties:
        id:
          type: integer
          minimum: 1
          description: Source id.
        url:
          type: string
          description: The inbound URL, in the form it was created with. Legacy sources have two path segments.
          format: uri
        platform:
          description: Platform of the sequencer that posts to it.
          $ref: "#/components/schemas/Platform"
        connectionId:
          type: integer
          minimum: 1
          description: The CRM connection that events are written to.
        crm:
          description: CRM type of that connection.
          $ref: "#/components/schemas/Crm"
        config: { $ref: "#/components/schemas/SourceConfig" }
        destinations:
          type: array
          description: Forwarding destinations bound to this source.
          items: { $ref: "#/components/schemas/SourceDestination" }
        replyRelay:
          description: The reply relay bound to this source; null when there is none.
          anyOf:
            - { $ref: "#/components/schemas/SourceReplyRelay" }
            - { type: "null" }
        createdAt:
          description: When the source was created.
          $ref: "#/components/schemas/Timestamp"
    SourceList:
      type: object
      description: All sources within reach.
      required: [sources]
      properties:
        sources:
          type: array
          description: By \`id\` ascending.
          items: { $ref: "#/components/schemas/Source" }
    DestinationResource:
      type: object
      description: A customer URL that received events are forwarded to.
      required: [id, url, description, connectionId, eventTypes, isDelayed, sourceIds, createdAt]
      properties:
        id:
          type: integer
          minimum: 1
          description: Destination id.
        url:
          type: string
          description: Where events are forwarded to.
        description:
          type: string
          description: Free text, may be empty.
        connectionId:
          type: integer
          minimum: 1
          description: The connection it belongs to.
        eventTypes:
          type: array
          description: Union over all bindings, sorted, each once.
          items: { $ref: "#/components/schemas/SequencerEventType" }
        isDelayed:
          type: boolean
          description: True when any binding is delayed.
        sourceIds:
          type: array
          description: Sources it is bound to, ascending, each once.
          items: { type: integer, minimum: 1 }
        createdAt:
          description: When the destination was created.
          $ref: "#/components/schemas/Timestamp"
    DestinationList:
      type: object
      description: All forwarding destinations within reach.
      required: [destinations]
      properties:
        destinations:
          type: array
          description: By \`id\` ascending.
          items: { $ref: "#/components/schemas/DestinationResource" }
    RelayCategory:
      type: object
      description: A category or tag of a lead at the sequencer.
      required: [id, name]
      properties:
        id:
          type: string
          description: The sequencer's id of the category.
        name:
          type: string
          description: Its name.
    ReplyRelay:
      type: object
      description: Copies a sales rep on the replies of prospects.
      required:
        - id
        - connectionId
        - description
        - ccEmail
        - delayMinutes
        - bodyTemplates
        - categoryAllowlist
        - sourceIds
        - createdAt
      properties:
        id:
          type: integer
          minimum: 1
          description: Reply relay id.
        connectionId:
          type: integer
          minimum: 1
          description: The connection it belongs to.
        description:
          type: string
          description: Free text, may be empty.
        ccEmail:
          type: string
          description: Who is copied.
        delayMinutes:
          type: integer
          minimum: 0
          description: Minutes to wait before relaying.
        bodyTemplates:
          type: array
          description: Texts of the relayed message.
          items: { type: string }
        categoryAllowlist:
          type: array
          description:
            "Empty: every reply is relayed. Otherwise only when the current category or tag of the lead is one of
            these, looked up when the relay runs, not when the reply came in."
          items: { $ref: "#/components/schemas/RelayCategory" }
          maxItems: 50
        sourceIds:
          type: array
          description: Sources it is bound to, ascending, each once.
          items: { type: integer, minimum: 1 }
        createdAt:
          description: When the relay was created.
          $ref: "#/components/schemas/Timestamp"
    ReplyRelayList:
      type: object
      description: All reply relays within reach.
      required: [replyRelays]
      properties:
        replyRelays:
          type: array
          description: By \`id\` ascending.
          items: { $ref: "#/components/schemas/ReplyRelay" }
    Blocklist:
      type: object
      description:
        "Keeps the block list of a sequencer in step with a list in the CRM. Pushing only adds entries: neither pause nor resync removes anything at the sequencer."
      required:
        - id
        - connectionId
        - listName
        - crm
        - platform
        - blockType
        - status
        - isEnabled
        - clientId
        - syncedCount
        - pendingCount
        - lastFetchedAt
        - lastError
        - lastAttemptedAt
        - createdAt
      properties:
        id:
          type: integer
          minimum: 1
          description: Block list id.
        connectionId:
          type: integer
          minimum: 1
          description: The connection it belongs to.
        listName:
          type: string
          description: Name of the list in the CRM.
        crm:
          description: CRM type of the connection, when known.
          anyOf:
            - { $ref: "#/components/schemas/Crm" }
            - { type: "null" }
        platform:
          description: Platform of the sequencer that entries are pushed to.
          $ref: "#/components/schemas/Platform"
        blockType:
          description: What the list holds.
          $ref: "#/components/schemas/BlockType"
        status:
          description: Status of the pipeline.
          $ref: "#/components/schemas/BlocklistStatus"
        isEnabled:
          type: boolean
          description: False while paused.
        clientId:
          type: [string, "null"]
          description: The sequencer's client that the list is pushed for, if it has clients.
        syncedCount:
          type: integer
          minimum: 0
          description: Entries that were pushed.
        pendingCount:
          type: integer
          minimum: 0
          description: Entries that wait to be pushed.
        lastFetchedAt:
          description: When the list was last loaded from the CRM; null before the first load and after a resync request.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        lastError:
          type: [string, "null"]
          description: Why the last run failed; null when it did not.
        lastAttemptedAt:
          description: When the last attempt of any kind began or ended; null before the first.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        createdAt:
          description: When the block list was set up.
          $ref: "#/components/schemas/Timestamp"
    BlocklistList:
      type: object
      description: All block lists within reach.
      required: [blocklists]
      properties:
        blocklists:
          type: array
          description: By \`id\` ascending.
          items: { $ref: "#/components/schemas/Blocklist" }
    BlocklistPaused:
      type: object
      description: The list is paused.
      required: [id, isEnabled, status]
      properties:
        id:
          type: integer
          minimum: 1
          description: Block list id.
        isEnabled:
          type: boolean
          const: false
          description: Always false.
        status:
          description: The status as stored after the pause.
          $ref: "#/components/schemas/BlocklistStatus"
    BlocklistResyncQueued:
      type: object
      description: A full reload is queued.
      required: [id, queued, isEnabled, status]
      properties:
        id:
          type: integer
          minimum: 1
          description: Block list id.
        queued:
          type: boolean
          const: true
          description: Always true.
        isEnabled:
          type: boolean
          const: true
          description: "Always true: a resync enables the list."
        status:
          type: string
          const: FETCHING
          description: Always \`FETCHING\`.
    RequestReceipt:
      type: object
      description: One inbound POST that was accepted at a source.
      required: [id, sourceId, connectionId, path, createdAt]
      properties:
        id:
          type: integer
          minimum: 1
          description: Request id. Its syncs and deliveries have it as \`payloadId\`.
        sourceId:
          type: [integer, "null"]
          minimum: 1
          description: The source that received it; null when the source was deleted.
        connectionId:
          type: [integer, "null"]
          minimum: 1
          description: The connection of that source; null when the source was deleted.
        path:
          type: string
          description: "The part of the source's \`url\` after \`/webhooks/\`, not the whole URL."
        createdAt:
          description: When it was accepted.
          $ref: "#/components/schemas/Timestamp"
    RequestPage:
      type: object
      description: One page of requests, newest first by (\`createdAt\`, \`id\`).
      required: [data, hasMore, nextCursor]
      properties:
        data:
          type: array
          description: The rows of this page. A page may be short, even empty, while \`hasMore\` is true.
          items: { $ref: "#/components/schemas/RequestReceipt" }
        hasMore:
          type: boolean
          description: Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`.
        nextCursor:
          type: [string, "null"]
          description: Pass as \`cursor\` to get the next page; null on the last one. Opaque.
    SyncResource:
      type: object
      description: One attempt to write a received event to a CRM.
      required:
        - id
        - status
        - connectionId
        - sourceId
        - eventType
        - toEmail
        - platform
        - payloadId
        - error
        - createdAt
      properties:
        id:
          type: integer
          minimum: 1
          description: Sync id.
        status:
          description: How the attempt ended.
          $ref: "#/components/schemas/SyncStatus"
        connectionId:
          type: integer
          minimum: 1
          description: The connection written to.
        sourceId:
          type: [integer, "null"]
          minimum: 1
          description: The source that received the event; null when it was deleted.
        eventType:
          description: What happened at the sequencer.
          $ref: "#/components/schemas/SequencerEventType"
        toEmail:
          type: string
          description: "Recipient as stored: an email address, or a profile URL for social-only events."
        platform:
          description: Which sequencer the event came from.
          $ref: "#/components/schemas/Platform"
        payloadId:
          type: [integer, "null"]
          minimum: 1
          description: The request with the event; null when it is unknown.
        error:
          type: [object, "null"]
          description: The CRM's error, in the CRM's own form; null without one.
          additionalProperties: true
        createdAt:
          description: When the attempt ended.
          $ref: "#/components/schemas/Timestamp"
    SyncPage:
      type: object
      description: One page of syncs, newest first by (\`createdAt\`, \`id\`).
      required: [data, hasMore, nextCursor]
      properties:
        data:
          type: array
          description: The rows of this page. A page may be short, even empty, while \`hasMore\` is true.
          items: { $ref: "#/components/schemas/SyncResource" }
        hasMore:
          type: boolean
          description: Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`.
        nextCursor:
          type: [string, "null"]
          description: Pass as \`cursor\` to get the next page; null on the last one. Opaque.
    RetryQueued:
      type: object
      description: A new attempt is queued.
      required: [queued, syncId]
      properties:
        queued:
          type: boolean
          const: true
          description: Always true.
        syncId:
          type: integer
          minimum: 1
          description: The failed sync. It stays as it is; the attempt becomes a new sync.
    DestinationDelivery:
      type: object
      description: One outbound POST to a forwarding destination.
      required:
        - id
        - destinationId
        - destinationUrl
        - status
        - httpStatus
        - connectionId
        - sourceId
        - eventType
        - toEmail
        - payloadId
        - error
        - createdAt
      properties:
        id:
          type: integer
          minimum: 1
          description: Delivery id.
        destinationId:
          type: integer
          minimum: 1
          description: The destination posted to.
        destinationUrl:
          type: string
          description: The URL posted to.
        status:
          description: How it ended.
          $ref: "#/components/schemas/DeliveryStatus"
        httpStatus:
          type: [integer, "null"]
          minimum: 100
          maximum: 999
          description: Status the destination answered with; null when there was no answer.
        connectionId:
          type: integer
          minimum: 1
          description: The connection of the destination.
        sourceId:
          type: [integer, "null"]
          minimum: 1
          description: The source that received the event; null on historical rows.
        eventType:
          description: What happened at the sequencer; null on historical rows.
          anyOf:
            - { $ref: "#/components/schemas/SequencerEventType" }
            - { type: "null" }
        toEmail:
          type: [string, "null"]
          description: Recipient of the event; null on historical rows.
        payloadId:
          type: [integer, "null"]
          minimum: 1
          description: The request with the event; null when there is none, and then the delivery cannot be replayed.
        error:
          type: [string, "null"]
          description: What went wrong; null on success.
        createdAt:
          description: When the POST ended.
          $ref: "#/components/schemas/Timestamp"
    DeliveryPage:
      type: object
      description: One page of deliveries, newest first by (\`createdAt\`, \`id\`).
      required: [data, hasMore, nextCursor]
      properties:
        data:
          type: array
          description: The rows of this page. A page may be short, even empty, while \`hasMore\` is true.
          items: { $ref: "#/components/schemas/DestinationDelivery" }
        hasMore:
          type: boolean
          description: Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`.
        nextCursor:
          type: [string, "null"]
          description: Pass as \`cursor\` to get the next page; null on the last one. Opaque.
    ReplayQueued:
      type: object
      description: A replay is queued.
      required: [queued, destinationId, payloadId]
      properties:
        queued:
          type: boolean
          const: true
          description: Always true.
        destinationId:
          type: integer
          minimum: 1
          description: The destination that will be posted to.
        payloadId:
          type: integer
          minimum: 1
          description: The request whose event will be posted.
    RequestMetrics:
      type: object
      description: Number of requests in the range.
      required: [count]
      properties:
        count:
          type: integer
          minimum: 0
          description: Requests.
    SyncMetrics:
      type: object
      description: Number of syncs in the range, by status.
      required: [success, warning, error]
      properties:
        success:
          type: integer
          minimum: 0
          description: Syncs with status \`success\`.
        warning:
          type: integer
          minimum: 0
          description: Syncs with status \`warning\`.
        error:
          type: integer
          minimum: 0
          description: Syncs with status \`error\`.
    DestinationDeliveryMetrics:
      type: object
      description: Number of deliveries in the range.
      required: [success, error, http2xx]
      properties:
        success:
          type: integer
          minimum: 0
          description: Deliveries with status \`success\`.
        error:
          type: integer
          minimum: 0
          description: Deliveries with status \`error\`.
        http2xx:
          type: integer
          minimum: 0
          description:
            Deliveries whose recorded HTTP status is a 2xx, historical rows with an inferred status included. It can
            differ from \`success\`.
    AccountMetricsResponse:
      type: object
      description: Counts over the whole pipeline for one range.
      required: [from, to, requests, syncs, destinationDeliveries]
      properties:
        from:
          description: Start of the range, normalized.
          $ref: "#/components/schemas/Timestamp"
        to:
          description: End of the range, normalized.
          $ref: "#/components/schemas/Timestamp"
        requests: { $ref: "#/components/schemas/RequestMetrics" }
        syncs: { $ref: "#/components/schemas/SyncMetrics" }
        destinationDeliveries: { $ref: "#/components/schemas/DestinationDeliveryMetrics" }
    OutreachQuery:
      type: object
      description: The identities, normalized.
      required: [email, profileUrls]
      properties:
        email:
          type: [string, "null"]
          description: Lower-cased email; null when only profile URLs were sent.
        profileUrls:
          type: array
          description: Profile URLs in canonical form.
          items: { type: string }
          maxItems: 5
    OutreachSummary:
      type: object
      description: What happened, over all events found.
      required:
        - everContacted
        - everEmailed
        - everOpened
        - everCalled
        - everSocialTouched
        - totalEvents
        - firstTouchAt
        - lastTouchAt
        - daysSinceLastTouch
        - lastEventType
        - lastPlatform
      properties:
        everContacted:
          type: boolean
          description:
            Whether there was a send, a reply, a call or an outbound social message. Opens, clicks, views and likes
            alone do not count.
        everEmailed:
          type: boolean
          description: Whether an email was sent.
        everOpened:
          type: boolean
          description: "Whether an email was opened, as far as known by a person: opens that a sequencer marks as those of a bot do not count."
        everCalled:
          type: boolean
          description: Whether there was a call.
        everSocialTouched:
          type: boolean
          description: Whether anything happened on a social network.
        totalEvents:
          type: integer
          minimum: 0
          description: Events, each payload counted once per event type and platform.
        firstTouchAt:
          description:
            When the first touch was processed, which is not when it happened at the sequencer. Every event is a touch
            except \`LEAD_CATEGORY_UPDATED\`, which is a signal; null when there was no touch.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        lastTouchAt:
          description: When the last touch was processed; null when there was none.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        daysSinceLastTouch:
          type: [integer, "null"]
          minimum: 0
          description: Whole days since \`lastTouchAt\`, rounded down; null when there was none.
        lastEventType:
          description: Event type of the last touch; null when there was none.
          anyOf:
            - { $ref: "#/components/schemas/SequencerEventType" }
            - { type: "null" }
        lastPlatform:
          description: Platform of the last touch; null when there was none or its source is unknown.
          anyOf:
            - { $ref: "#/components/schemas/Platform" }
            - { type: "null" }
    OutreachEventType:
      type: object
      description: Events of one type.
      required: [eventType, count, firstAt, lastAt]
      properties:
        eventType:
          description: The type.
          $ref: "#/components/schemas/SequencerEventType"
        count:
          type: integer
          minimum: 1
          description: Events of this type.
        firstAt:
          description: When the first event was processed.
          $ref: "#/components/schemas/Timestamp"
        lastAt:
          description: When the last event was processed.
          $ref: "#/components/schemas/Timestamp"
    OutreachPlatform:
      type: object
      description: Events of one platform.
      required: [platform, count, lastAt, lastEventType]
      properties:
        platform:
          description: The platform.
          $ref: "#/components/schemas/Platform"
        count:
          type: integer
          minimum: 1
          description: Events of this platform.
        lastAt:
          description: When the last event was processed.
          $ref: "#/components/schemas/Timestamp"
        lastEventType:
          description: Type of the last event.
          $ref: "#/components/schemas/SequencerEventType"
    OutreachOutcomes:
      type: object
      description: The outcomes of the outreach.
      required: [replied, lastReplyAt, bounced, unsubscribed, lastCategoryName, lastCategoryAt]
      properties:
        replied:
          type: boolean
          description: Whether the contact ever answered.
        lastReplyAt:
          description: When the last answer was processed.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        bounced:
          type: boolean
          description: Whether an email bounced.
        unsubscribed:
          type: boolean
          description: Whether the contact unsubscribed.
        lastCategoryName:
          type: [string, "null"]
          description: The last category the lead was put in at a sequencer.
        lastCategoryAt:
          description: When that was.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
    DoNotContact:
      type: object
      description: "Hard signals only: a bounce, or an unsubscribe."
      required: [value, reasons]
      properties:
        value: { type: boolean, description: Whether there is any reason. }
        reasons:
          type: array
          description: The reasons.
          items: { $ref: "#/components/schemas/DoNotContactReason" }
    OutreachBlocklists:
      type: object
      description: Not evaluated in this release, whatever block lists exist. Do not filter on it.
      required: [evaluated, matched, matches]
      properties:
        evaluated:
          type: boolean
          description: False in this release.
        matched:
          type: boolean
          description: Always false in this release, even when the contact is on a block list.
        matches:
          type: array
          description: Empty in this release.
          items: {}
    ContactOutreachResponse:
      type: object
      description: Prior outreach to one contact.
      required: [email, query, found, summary, eventTypes, platforms, outcomes, doNotContact, blocklists]
      properties:
        email:
          type: [string, "null"]
          description: Replaced by \`query.email\`, which has the same value.
          deprecated: true
        query: { $ref: "#/components/schemas/OutreachQuery" }
        found:
          type: boolean
          description: Whether there are events, a category of the lead, or both.
        summary: { $ref: "#/components/schemas/OutreachSummary" }
        eventTypes:
          type: array
          description: Per event type, sorted by type.
          items: { $ref: "#/components/schemas/OutreachEventType" }
        platforms:
          type: array
          description: Per platform, sorted by platform. Events with an unknown source are not included.
          items: { $ref: "#/components/schemas/OutreachPlatform" }
        outcomes: { $ref: "#/components/schemas/OutreachOutcomes" }
        doNotContact: { $ref: "#/components/schemas/DoNotContact" }
        blocklists: { $ref: "#/components/schemas/OutreachBlocklists" }
    WebhookEndpoint:
      type: object
      description: A registered HTTPS endpoint that receives the platform events of the account.
      required: [id, url, description, enabledEvents, isActive, autoDisabledAt, createdAt, updatedAt]
      properties:
        id:
          type: string
          pattern: ^oswhk_
          description: Webhook id.
        url:
          type: string
          description: Where events are posted to.
          maxLength: 2048
        description:
          type: string
          description: Free text, empty when none was given.
          maxLength: 500
        enabledEvents:
          type: array
          description: Event types subscribed to, each once, in a fixed order. Empty means every subscribable type.
          items: { $ref: "#/components/schemas/EventType" }
        isActive:
          type: boolean
          description: Whether events are sent. Switched off by the service after 20 DEAD deliveries in a row.
        autoDisabledAt:
          description: When the service switched the webhook off; null when it did not.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        createdAt:
          description: When the webhook was registered.
          $ref: "#/components/schemas/Timestamp"
        updatedAt:
          description: When the webhook was last changed.
          $ref: "#/components/schemas/Timestamp"
    WebhookEndpointWithSecret:
      description: A webhook together with its signing secret, which is shown only this once.
      allOf:
        - { $ref: "#/components/schemas/WebhookEndpoint" }
        - type: object
          required: [secret]
          properties:
            secret:
              type: string
              pattern: ^oswhsec_
              description: "Signing secret. Store it now: it cannot be read again."
    WebhookList:
      type: object
      description: All webhooks of the account.
      required: [webhooks]
      properties:
        webhooks:
          type: array
          description: Oldest first by (\`createdAt\`, \`id\`), without secrets.
          items: { $ref: "#/components/schemas/WebhookEndpoint" }
    CreateWebhookBody:
      type: object
      description: A new webhook. Other keys are ignored.
      required: [url]
      properties:
        url:
          type: string
          description:
            HTTPS only. Private, local, loopback and link-local targets are refused, host names that resolve to one of
            them included, and ports of other protocols, such as 22 and 25.
          pattern: ^[Hh][Tt][Tt][Pp][Ss]://
          maxLength: 2048
        description:
          type: string
          description: Free text.
          maxLength: 500
          default: ""
        enabledEvents:
          type: array
          description: "Event types to subscribe to. Empty or omitted: every subscribable type. Duplicates are dropped."
          items: { $ref: "#/components/schemas/SubscribableEventType" }
          default: []
    UpdateWebhookBody:
      type: object
      description: The fields to change. Other keys are ignored.
      properties:
        url:
          type: string
          description: As for a new webhook. Later attempts go to the new URL.
          pattern: ^[Hh][Tt][Tt][Pp][Ss]://
          maxLength: 2048
        description:
          type: string
          description: Free text.
          maxLength: 500
        enabledEvents:
          type: array
          description: "Event types to subscribe to. Empty: every subscribable type. Duplicates are dropped."
          items: { $ref: "#/components/schemas/SubscribableEventType" }
        isActive:
          type: boolean
          description:
            True switches an inactive webhook on again, clears \`autoDisabledAt\` and resets the count of DEAD deliveries.
    TestEventQueued:
      type: object
      description: A \`test.ping\` is queued.
      required: [eventId]
      properties:
        eventId:
          type: string
          pattern: ^osevt_
          description: Id of the event that will be delivered.
    WebhookDelivery:
      type: object
      description: One platform event on its way to one webhook.
      required:
        - id
        - endpointId
        - status
        - attemptCount
        - lastAttemptAt
        - lastHttpStatus
        - lastError
        - replayOfDeliveryId
        - createdAt
        - updatedAt
      properties:
        id:
          type: string
          pattern: ^oswhd_
          description: Delivery id, sent as \`Service-Delivery-Id\`. The same at every attempt.
        endpointId:
          type: string
          pattern: ^oswhk_
          description: The webhook delivered to.
        status:
          description: Status of the delivery.
          $ref: "#/components/schemas/WebhookDeliveryStatus"
        attemptCount:
          type: integer
          minimum: 0
          description: Attempts made so far.
        lastAttemptAt:
          description: When the last attempt was made; null before the first.
          anyOf:
            - { $ref: "#/components/schemas/Timestamp" }
            - { type: "null" }
        lastHttpStatus:
          type: [integer, "null"]
          minimum: 100
          maximum: 999
          description: HTTP status of the last attempt's answer; null when there was no answer or no attempt yet.
        lastError:
          type: [string, "null"]
          description: Why the last attempt failed; null when it did not.
        replayOfDeliveryId:
          type: [string, "null"]
          pattern: ^oswhd_
          description: The delivery this one repeats; null for first deliveries.
        createdAt:
          description: When the delivery was queued.
          $ref: "#/components/schemas/Timestamp"
        updatedAt:
          description: When the delivery last changed.
          $ref: "#/components/schemas/Timestamp"
    WebhookDeliveryPage:
      type: object
      description: One page of webhook deliveries, newest first by (\`createdAt\`, \`id\`).
      required: [data, hasMore, nextCursor]
      properties:
        data:
          type: array
          description: The rows of this page. A page may be short, even empty, while \`hasMore\` is true.
          items: { $ref: "#/components/schemas/WebhookDelivery" }
        hasMore:
          type: boolean
          description: Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`.
        nextCursor:
          type: [string, "null"]
          description: Pass as \`cursor\` to get the next page; null on the last one. Opaque.
    PlatformEvent:
      type: object
      description: A report of the platform itself, not a received request.
      required: [id, type, summary, data, connectionId, sourceId, delivered, createdAt]
      properties:
        id:
          type: string
          pattern: ^osevt_
          description: Event id.
        type:
          description: Type of the event.
          $ref: "#/components/schemas/EventType"
        summary:
          type: string
          description: A one-line summary for people.
        data:
          type: object
          description: "Facts that depend on \`type\`: see \`SyncFailedData\`, \`SyncRecoveredData\` and \`TestPingData\`."
          additionalProperties: true
        connectionId:
          type: [integer, "null"]
          minimum: 1
          description: The connection concerned; null for events of the account.
        sourceId:
          type: [integer, "null"]
          minimum: 1
          description: The source concerned; null for events of the account.
        delivered:
          type: boolean
          description: Whether at least one webhook has received it.
        createdAt:
          description: When it was recorded.
          $ref: "#/components/schemas/Timestamp"
    PlatformEventWithDeliveries:
      description: A platform event and its deliveries.
      allOf:
        - { $ref: "#/components/schemas/PlatformEvent" }
        - type: object
          required: [deliveries]
          properties:
            deliveries:
              type: array
              description: Newest first by (\`createdAt\`, \`id\`).
              items: { $ref: "#/components/schemas/WebhookDelivery" }
    EventPage:
      type: object
      description: One page of platform events, newest first by (\`createdAt\`, \`id\`).
      required: [data, hasMore, nextCursor]
      properties:
        data:
          type: array
          description: The rows of this page. A page may be short, even empty, while \`hasMore\` is true.
          items: { $ref: "#/components/schemas/PlatformEvent" }
        hasMore:
          type: boolean
          description: Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`.
        nextCursor:
          type: [string, "null"]
          description: Pass as \`cursor\` to get the next page; null on the last one. Opaque.
    SyncFailedData:
      type: object
      description: Data of a \`sync.failed\` event.
      required: [connectionId, crm, sourceId, sourcePlatform, reason, remediation]
      properties:
        connectionId:
          type: integer
          minimum: 1
          description: The connection that syncs fail on.
        crm:
          description: CRM type of that connection.
          $ref: "#/components/schemas/Crm"
        sourceId:
          type: integer
          minimum: 1
          description: The source whose events fail.
        sourcePlatform:
          description: Platform of that source.
          $ref: "#/components/schemas/Platform"
        reason:
          type: string
          description: What went wrong.
        remediation:
          type: string
          description: How to fix it, with a link to the dashboard.
    SyncRecoveredData:
      type: object
      description: Data of a \`sync.recovered\` event.
      required: [connectionId, crm, sourceId, sourcePlatform, failedSince]
      properties:
        connectionId:
          type: integer
          minimum: 1
          description: The connection that syncs succeed on again.
        crm:
          description: CRM type of that connection.
          $ref: "#/components/schemas/Crm"
        sourceId:
          type: integer
          minimum: 1
          description: The source whose events are written again.
        sourcePlatform:
          description: Platform of that source.
          $ref: "#/components/schemas/Platform"
        failedSince:
          description: When the incident began.
          $ref: "#/components/schemas/Timestamp"
    TestPingData:
      type: object
      description: Data of an event type without defined fields.
      additionalProperties: true
    WebhookEnvelope:
      type: object
      description: The body that is posted to a webhook. The bytes are the same at every attempt.
      required: [id, type, created, summary, data]
      properties:
        id:
          type: string
          pattern: ^osevt_
          description: "Event id. The same event can arrive more than once: drop repeats by this id."
        type:
          description: Type of the event. Ignore unknown types.
          $ref: "#/components/schemas/EventType"
        created:
          description: "When the event was recorded. Events can arrive out of order: sort by this."
          $ref: "#/components/schemas/Timestamp"
        summary:
          type: string
          description: A one-line summary for people.
        data:
          type: object
          description: Facts that depend on \`type\`.
          additionalProperties: true
    SyncFailedEnvelope:
      description: The body of a \`sync.failed\` delivery.
      allOf:
        - { $ref: "#/components/schemas/WebhookEnvelope" }
        - type: object
          required: [type, data]
          properties:
            type:
              type: string
              const: sync.failed
              description: The event type.
            data: { $ref: "#/components/schemas/SyncFailedData" }
    SyncRecoveredEnvelope:
      description: The body of a \`sync.recovered\` delivery.
      allOf:
        - { $ref: "#/components/schemas/WebhookEnvelope" }
        - type: object
          required: [type, data]
          properties:
            type:
              type: string
              const: sync.recovered
              description: The event type.
            data: { $ref: "#/components/schemas/SyncRecoveredData" }
    TestPingEnvelope:
      description: The body of a \`test.ping\` delivery.
      allOf:
        - { $ref: "#/components/schemas/WebhookEnvelope" }
        - type: object
          required: [type, data]
          properties:
            type:
              type: string
              const: test.ping
              description: The event type.
            data: { $ref: "#/components/schemas/TestPingData" }
`;

/** The same content as JSON text, `GET /api/v1/openapi.json`. */
export const openapiJson: string = `{"openapi":"3.1.0","info":{"title":"Sequencer-to-CRM Sync Service: Public API","version":"1.0.0","summary":"Check readiness, look up outreach, export syncs, retry failures, and receive events.","description":"Sequencers, the platforms that sales teams run their outreach on, post their events to inbound URLs of this service.\\nIt writes these events to CRMs and, where configured, forwards them to URLs of the customer and copies a sales rep on replies. With this API a client checks a key and its access, checks whether the pipeline is ready, looks up earlier outreach to a contact, exports and counts requests, syncs and deliveries, retries failures, and registers webhooks for the service's own events.\\n\\n## Words\\n\\nSeveral of these words sound alike but mean different things.\\n\\n| Word | Meaning |\\n| --- | --- |\\n| source | An inbound URL that a sequencer posts to. |\\n| request | A POST of a sequencer to a source, as received. Its id is the \`payloadId\` of its syncs and deliveries. |\\n| sync | One attempt to write a received event to a CRM. |\\n| destination | A URL of the customer that received events are forwarded to. |\\n| delivery | One POST to a destination: integer id, \`success\` or \`error\`. |\\n| reply relay | Copies a sales rep on the reply of a prospect. |\\n| block list | Keeps the block list of a sequencer in step with a list in the CRM. |\\n| webhook | A registered HTTPS endpoint for the service's own events. |\\n| event | A report of the platform itself (\`osevt_...\`); never a received request. |\\n| webhook delivery | One event on its way to one webhook (\`oswhd_...\`), \`PENDING\` to \`SUCCEEDED\`, \`FAILED\` or \`DEAD\`. |\\n\\n## Keys\\n\\nSend \`Authorization: Bearer osapi_...\`. Every key can read; the write actions and the changes to webhooks need the scope\\n\`write\`. A key reaches either every API-enabled connection of its account or exactly one. Everything else does not exist for the key: lists omit it, and its ids are a 404. Only account-scoped keys can manage webhooks.\\n\\nChecks come in this order: limit of the IP address, key (401), API access (403), limit of the account (429), webhooks\\nenabled (403), account-scoped key (403), write scope (403), parameters and body (400), the resource (404), capabilities\\n(403), conflicts (409).\\n\\n## Lists\\n\\nRequests, syncs, deliveries, webhook deliveries and events come in pages, newest first by (\`createdAt\`, \`id\`). Follow \`nextCursor\` while \`hasMore\` is true; the length of a page says nothing, since short and empty pages in between are possible. All other lists are complete. Lists and metrics of the logs need \`from\` and \`to\`, at most 31 days apart.\\n\\n## Errors\\n\\nEvery refusal has the body \`{statusCode, message, error}\`. Act on the status and on \`message\`. After a 401 check the key, after a 403 the message; after a 429 wait for the seconds in \`Retry-After\`; never retry a 409 blindly.\\nUnknown parameters and unknown keys of a body are ignored; a parameter given twice, unless it may repeat, is a 400. So is a\\nrequest with more than one \`Host\` header; more than one \`Authorization\` header is no valid key, a 401.\\n\\n## Headers\\n\\nEvery answer carries \`X-Content-Type-Options: nosniff\`. Every answer below \`/api/v1\` carries \`Link\` and, except for this\\ndocument, \`Cache-Control: no-store\`.\\n\\n## Limits\\n\\n120 requests in 60 seconds per IP address and, after the key was checked, 120 per account. Outreach look-ups have their own limits: 600 in 60 seconds. Windows are fixed; a window starts with its first request. The limit per IP address counts\\nevery request below \`/api/v1\`, unknown addresses included. The probes have no limit.\\n\\n## Versions\\n\\nThe version is the path prefix \`/api/v1\`. The API is in beta: fields, values of open vocabularies and endpoints may be\\nadded at any time, so ignore unknown ones. Timestamps are ISO 8601 in UTC. A missing value is \`null\`, never omitted and never an empty string, except for descriptions, which may be empty.\\n","license":{"name":"MIT","identifier":"MIT"},"contact":{"name":"Service operator","url":"https://docs.example.com/api"}},"servers":[{"url":"{baseUrl}","description":"Where the service runs.","variables":{"baseUrl":{"default":"http://127.0.0.1:4000","description":"Scheme, host and port, without a trailing slash."}}}],"security":[{"bearerAuth":[]}],"tags":[{"name":"Health","description":"Probes for supervisors and load balancers."},{"name":"Discovery","description":"This document."},{"name":"Account","description":"The key, its account, and the state of the pipeline."},{"name":"Connections","description":"CRM connections."},{"name":"Sources","description":"Inbound URLs that sequencers post to."},{"name":"Destinations","description":"Targets of forwarded events: customer URLs and reply relays."},{"name":"Contacts","description":"Prior outreach to a contact."},{"name":"Blocklists","description":"CRM lists kept in step with a sequencer's block list."},{"name":"Requests","description":"Inbound POSTs, as accepted at a source."},{"name":"Syncs","description":"CRM write attempts."},{"name":"Deliveries","description":"POSTs to forwarding destinations."},{"name":"Webhooks","description":"Endpoints that receive the service's own events."},{"name":"Events","description":"The log of the service's own events."}],"paths":{"/health/live":{"get":{"operationId":"getHealthLive","tags":["Health"],"summary":"Check liveness","description":"For process supervisors. Does not check database and queue. No key, no limit.","x-svc-access":"public","x-svc-rate-bucket":"none","security":[],"responses":{"200":{"description":"The process is up.","headers":{"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/HealthLive"},"examples":{"up":{"summary":"Up","value":{"status":"ok"}}}}}},"500":{"$ref":"#/components/responses/HealthError"}}}},"/health/ready":{"get":{"operationId":"getHealthReady","tags":["Health"],"summary":"Check readiness","description":"For load balancers. Runs and names each check that receiving and syncing depend on. No key, no limit.","x-svc-access":"public","x-svc-rate-bucket":"none","security":[],"responses":{"200":{"description":"Ready: every check is \`ok\`.","headers":{"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/HealthReady"},"examples":{"ready":{"summary":"Everything works","value":{"status":"ok","checks":{"database":"ok","queue":"ok","secrets":"ok"}}}}}}},"500":{"$ref":"#/components/responses/HealthError"},"503":{"description":"Not ready: at least one check is \`error\`.","headers":{"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/HealthReady"},"examples":{"databaseGone":{"summary":"The database does not answer","value":{"status":"error","checks":{"database":"error","queue":"ok","secrets":"ok"}}}}}}}}}},"/api/v1/openapi.json":{"get":{"operationId":"getOpenapiJson","tags":["Discovery"],"summary":"Get this document as JSON","description":"The OpenAPI 3.1 description of the API. No key. The same content as the YAML form.","x-svc-access":"public","x-svc-rate-bucket":"general","security":[],"responses":{"200":{"description":"The document.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"},"Cache-Control":{"$ref":"#/components/headers/Cache-Control"}},"content":{"application/json":{"schema":{"type":"object","additionalProperties":true,"required":["openapi","info","paths"],"properties":{"openapi":{"type":"string","pattern":"^3\\\\.1\\\\."},"info":{"type":"object","additionalProperties":true},"paths":{"type":"object","additionalProperties":true}}},"examples":{"document":{"summary":"The beginning of it","value":{"openapi":"3.1.0","info":{"title":"Public API","version":"1.0.0"},"paths":{}}}}}}},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/openapi.yaml":{"get":{"operationId":"getOpenapiYaml","tags":["Discovery"],"summary":"Get this document as YAML","description":"The OpenAPI 3.1 description of the API, as it is maintained. No key.","x-svc-access":"public","x-svc-rate-bucket":"general","security":[],"responses":{"200":{"description":"The document.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"},"Cache-Control":{"$ref":"#/components/headers/Cache-Control"}},"content":{"application/yaml":{"schema":{"type":"string"},"examples":{"document":{"summary":"The beginning of it","value":"openapi: 3.1.0\\ninfo:\\n  title: Public API\\n"}}}}},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/me":{"get":{"operationId":"getMe","tags":["Account"],"summary":"Get the key and its access","description":"Checks the key and returns its account, scopes and connections, and links to further operations. Any valid key can call it, so make this call first.","x-svc-access":"read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The key is valid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/MeResponse"},"examples":{"accountScoped":{"summary":"A read key for the whole account","value":{"account":{"id":1001,"email":"owner@acme.example"},"apiKey":{"name":"Reporting","scopes":["read"],"connectionScope":"account","connectionId":null},"connections":[{"id":11,"crm":"HUBSPOT","organizationId":"4711","organizationDomain":"acme.example"},{"id":13,"crm":"PIPEDRIVE","organizationId":"9902","organizationDomain":"acme.example"}],"links":{"accountStatus":{"href":"http://127.0.0.1:4000/api/v1/account/status","description":"Whether events can be received and synced now, with blockers and warnings"},"accountMetrics":{"href":"http://127.0.0.1:4000/api/v1/account/metrics?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z","description":"Counts of requests, syncs and deliveries; needs from and to, here the last 7 days as an example"},"connections":{"href":"http://127.0.0.1:4000/api/v1/connections","description":"CRM connections this key sees"},"destinations":{"href":"http://127.0.0.1:4000/api/v1/destinations","description":"Customer URLs that received events are forwarded to"},"requests":{"href":"http://127.0.0.1:4000/api/v1/requests?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z","description":"Inbound receipts, newest first; needs from and to, here the last 7 days as an example"},"destinationsReplyRelays":{"href":"http://127.0.0.1:4000/api/v1/destinations/reply-relays","description":"Relays that copy a sales rep on replies"},"sources":{"href":"http://127.0.0.1:4000/api/v1/sources","description":"Inbound URLs that sequencers post events to"},"contactsOutreach":{"href":"http://127.0.0.1:4000/api/v1/contacts/outreach?email=owner%40acme.example","description":"Earlier outreach to one contact; needs email or profileUrl, here the account owner as an example"},"syncs":{"href":"http://127.0.0.1:4000/api/v1/syncs?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z","description":"CRM sync attempts, newest first; needs from and to, here the last 7 days as an example"},"documentation":{"href":"https://docs.example.com/api","description":"Reference documentation"},"openapi":{"href":"http://127.0.0.1:4000/api/v1/openapi.json","description":"OpenAPI 3.1 contract of this API"}}}},"connectionScoped":{"summary":"A write key for one connection","value":{"account":{"id":1001,"email":"owner@acme.example"},"apiKey":{"name":"HubSpot automation","scopes":["read","write"],"connectionScope":"connection","connectionId":11},"connections":[{"id":11,"crm":"HUBSPOT","organizationId":"4711","organizationDomain":"acme.example"}],"links":{"accountStatus":{"href":"http://127.0.0.1:4000/api/v1/account/status","description":"Whether events can be received and synced now, with blockers and warnings"},"accountMetrics":{"href":"http://127.0.0.1:4000/api/v1/account/metrics?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z","description":"Counts of requests, syncs and deliveries; needs from and to, here the last 7 days as an example"},"connections":{"href":"http://127.0.0.1:4000/api/v1/connections","description":"CRM connections this key sees"},"destinations":{"href":"http://127.0.0.1:4000/api/v1/destinations","description":"Customer URLs that received events are forwarded to"},"requests":{"href":"http://127.0.0.1:4000/api/v1/requests?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z","description":"Inbound receipts, newest first; needs from and to, here the last 7 days as an example"},"destinationsReplyRelays":{"href":"http://127.0.0.1:4000/api/v1/destinations/reply-relays","description":"Relays that copy a sales rep on replies"},"sources":{"href":"http://127.0.0.1:4000/api/v1/sources","description":"Inbound URLs that sequencers post events to"},"contactsOutreach":{"href":"http://127.0.0.1:4000/api/v1/contacts/outreach?email=owner%40acme.example","description":"Earlier outreach to one contact; needs email or profileUrl, here the account owner as an example"},"syncs":{"href":"http://127.0.0.1:4000/api/v1/syncs?from=2026-03-07T09:26:53.589Z&to=2026-03-14T09:26:53.589Z","description":"CRM sync attempts, newest first; needs from and to, here the last 7 days as an example"},"documentation":{"href":"https://docs.example.com/api","description":"Reference documentation"},"openapi":{"href":"http://127.0.0.1:4000/api/v1/openapi.json","description":"OpenAPI 3.1 contract of this API"}}}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/account/status":{"get":{"operationId":"getAccountStatus","tags":["Account"],"summary":"Get the account status","description":"Checks every connection within reach and reports what keeps it from syncing (\`blockers\`) and what is not set up (\`warnings\`). Always a 200, even when \`ready\` is false. A connection-scoped key gets exactly one connection.","x-svc-access":"read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The account status.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/AccountStatusResponse"},"examples":{"notReady":{"summary":"One connection has lost its authorization","value":{"ready":false,"checkedAt":"2026-03-14T09:26:53.589Z","connections":[{"connectionId":11,"crm":"HUBSPOT","ready":true,"crmConnection":{"status":"ready","crm":"HUBSPOT","organizationId":"4711","organizationDomain":"acme.example"},"sources":{"status":"ready","count":2,"platforms":["instantly","smartlead"]},"destinations":{"status":"ready","count":2,"eventTypes":["EMAIL_REPLY","EMAIL_SENT"],"forwardingCount":1,"replyRelayCount":1},"blocklists":{"status":"ready","enabledCount":1,"lastError":null,"lastFetchedAt":"2026-03-14T02:00:00.000Z"}},{"connectionId":13,"crm":"PIPEDRIVE","ready":false,"crmConnection":{"status":"disconnected","crm":"PIPEDRIVE","organizationId":"9902","organizationDomain":"acme.example"},"sources":{"status":"ready","count":1,"platforms":["lemlist"]},"destinations":{"status":"not_configured","count":0,"eventTypes":[],"forwardingCount":0,"replyRelayCount":0},"blocklists":{"status":"disabled","enabledCount":0,"lastError":null,"lastFetchedAt":null}}],"blockers":[{"code":"crm_disconnected","connectionId":13,"crm":"PIPEDRIVE","message":"The connection to PIPEDRIVE (acme.example) has no valid access: nothing can be written to it.","remediation":"Reconnect the CRM as a user who may write contacts and activities: https://app.example.com/connections/13","docUrl":"https://docs.example.com/api/status-codes#crm_disconnected"}],"warnings":[{"code":"destinations_not_configured","connectionId":13,"crm":"PIPEDRIVE","message":"Destinations are enabled on connection 13 (PIPEDRIVE), but there is no forwarding URL and no bound reply relay.","remediation":"Add a forwarding destination, or bind a reply relay to a source: https://app.example.com/connections/13","docUrl":"https://docs.example.com/api/status-codes#destinations_not_configured"}]}},"ready":{"summary":"Everything works","value":{"ready":true,"checkedAt":"2026-03-14T09:26:53.589Z","connections":[{"connectionId":11,"crm":"HUBSPOT","ready":true,"crmConnection":{"status":"ready","crm":"HUBSPOT","organizationId":"4711","organizationDomain":"acme.example"},"sources":{"status":"ready","count":2,"platforms":["instantly","smartlead"]},"destinations":{"status":"ready","count":2,"eventTypes":["EMAIL_REPLY","EMAIL_SENT"],"forwardingCount":1,"replyRelayCount":1},"blocklists":{"status":"ready","enabledCount":1,"lastError":null,"lastFetchedAt":"2026-03-14T02:00:00.000Z"}}],"blockers":[],"warnings":[]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/account/metrics":{"get":{"operationId":"getAccountMetrics","tags":["Account"],"summary":"Count requests, syncs and deliveries","description":"Requests, syncs and deliveries of one range in one call. \`connectionId\` filters all three, and makes them zero when it is not within reach. \`sourceId\` filters only requests and syncs.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/ConnectionFilter"},{"$ref":"#/components/parameters/AccountMetricsSourceFilter"}],"responses":{"200":{"description":"The counts.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/AccountMetricsResponse"},"examples":{"counts":{"summary":"Two weeks","value":{"from":"2026-03-01T00:00:00.000Z","to":"2026-03-15T00:00:00.000Z","requests":{"count":4210},"syncs":{"success":4102,"warning":61,"error":47},"destinationDeliveries":{"success":1980,"error":12,"http2xx":1979}}}}}}},"400":{"$ref":"#/components/responses/InvalidMetricsQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/connections":{"get":{"operationId":"listConnections","tags":["Connections"],"summary":"List connections","description":"Every API-enabled connection within reach of the key, by \`id\`. A connection without API access does not appear anywhere in this API.","x-svc-access":"read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The connections.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ConnectionList"},"examples":{"two":{"summary":"A working and a disconnected connection","value":{"connections":[{"id":11,"crm":"HUBSPOT","status":"ready","organizationId":"4711","organizationDomain":"acme.example","capabilities":{"sync":true,"destinations":true,"blocklists":true},"createdAt":"2025-06-02T08:00:00.000Z"},{"id":13,"crm":"PIPEDRIVE","status":"disconnected","organizationId":"9902","organizationDomain":"acme.example","capabilities":{"sync":true,"destinations":true,"blocklists":false},"createdAt":"2025-09-17T14:30:00.000Z"}]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/sources":{"get":{"operationId":"listSources","tags":["Sources"],"summary":"List sources","description":"Every source within reach with its destinations and reply relay. The event filter of a binding is in \`destinations[].eventTypes\`.","x-svc-access":"read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The sources.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SourceList"},"examples":{"two":{"summary":"One with everything, one with nothing bound","value":{"sources":[{"id":21,"url":"https://sync.example.com/webhooks/7Hk2mQ9x","platform":"smartlead","connectionId":11,"crm":"HUBSPOT","config":{"createOrUpdateCompany":true,"createOrUpdateTask":false,"assignContactOwner":true,"salesforceObjectType":null},"destinations":[{"url":"https://hooks.example.com/events","description":"Data warehouse","eventTypes":["EMAIL_REPLY","EMAIL_SENT"],"isDelayed":false}],"replyRelay":{"id":41,"description":"Copy the account owner","ccEmail":"rep@acme.example","delayMinutes":15},"createdAt":"2025-06-02T08:05:00.000Z"},{"id":22,"url":"https://sync.example.com/webhooks/4711/88","platform":"lemlist","connectionId":13,"crm":"PIPEDRIVE","config":{"createOrUpdateCompany":false,"createOrUpdateTask":false,"assignContactOwner":false,"salesforceObjectType":null},"destinations":[],"replyRelay":null,"createdAt":"2025-09-17T14:35:00.000Z"}]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/sources/{sourceId}/requests":{"get":{"operationId":"listSourceRequests","tags":["Requests"],"summary":"List requests of a source","description":"Requests received at one source. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The range is required and spans at most 31 days.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/SourceIdPath"},{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/RequestCursor"},{"$ref":"#/components/parameters/Limit"}],"responses":{"200":{"description":"A page of requests.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/RequestPage"},"examples":{"last":{"summary":"The last page","value":{"data":[{"id":90001,"sourceId":21,"connectionId":11,"path":"7Hk2mQ9x","createdAt":"2026-03-14T09:20:00.120Z"}],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidListQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/sources/{sourceId}/syncs":{"get":{"operationId":"listSourceSyncs","tags":["Syncs"],"summary":"List syncs of a source","description":"CRM write attempts for events of one source. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The range is required and spans at most 31 days.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/SourceIdPath"},{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/SyncStatusFilter"},{"$ref":"#/components/parameters/ConnectionFilter"},{"$ref":"#/components/parameters/SyncCursor"},{"$ref":"#/components/parameters/Limit"}],"responses":{"200":{"description":"A page of syncs.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SyncPage"},"examples":{"last":{"summary":"The last page","value":{"data":[{"id":70001,"status":"error","connectionId":11,"sourceId":21,"eventType":"EMAIL_REPLY","toEmail":"ada@example.com","platform":"smartlead","payloadId":90001,"error":{"status":"error","category":"VALIDATION_ERROR","message":"Property values were not valid"},"createdAt":"2026-03-14T09:20:01.300Z"}],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidListQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/destinations":{"get":{"operationId":"listDestinations","tags":["Destinations"],"summary":"List forwarding destinations","description":"Every forwarding destination within reach, bound to a source or not, by \`id\`. Not paged.","x-svc-access":"read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The destinations.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/DestinationList"},"examples":{"one":{"summary":"One destination","value":{"destinations":[{"id":31,"url":"https://hooks.example.com/events","description":"Data warehouse","connectionId":11,"eventTypes":["EMAIL_REPLY","EMAIL_SENT"],"isDelayed":true,"sourceIds":[21,24],"createdAt":"2025-06-03T10:00:00.000Z"}]}},"none":{"summary":"Nothing within reach","value":{"destinations":[]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/destinations/reply-relays":{"get":{"operationId":"listReplyRelays","tags":["Destinations"],"summary":"List reply relays","description":"Every reply relay within reach, bound to a source or not, by \`id\`. Not paged.","x-svc-access":"read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The relays.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ReplyRelayList"},"examples":{"one":{"summary":"A relay for one category","value":{"replyRelays":[{"id":41,"connectionId":11,"description":"Copy the account owner","ccEmail":"rep@acme.example","delayMinutes":15,"bodyTemplates":["A prospect has answered. Over to you."],"categoryAllowlist":[{"id":"3","name":"Interested"}],"sourceIds":[21],"createdAt":"2025-06-04T10:00:00.000Z"}]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/destinations/{id}":{"get":{"operationId":"getDestination","tags":["Destinations"],"summary":"Get a forwarding destination","description":"One forwarding destination with the union of its bindings.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/DestinationId"}],"responses":{"200":{"description":"The destination.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/DestinationResource"},"examples":{"destination":{"summary":"A destination bound twice","value":{"id":31,"url":"https://hooks.example.com/events","description":"Data warehouse","connectionId":11,"eventTypes":["EMAIL_REPLY","EMAIL_SENT"],"isDelayed":true,"sourceIds":[21,24],"createdAt":"2025-06-03T10:00:00.000Z"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/DestinationNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/destinations/{id}/deliveries":{"get":{"operationId":"listDestinationDeliveries","tags":["Deliveries"],"summary":"List deliveries to a destination","description":"POSTs to one destination. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The range is required and spans at most 31 days.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/DestinationId"},{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/DeliveryStatusFilter"},{"$ref":"#/components/parameters/DeliveryCursor"},{"$ref":"#/components/parameters/Limit"}],"responses":{"200":{"description":"A page of deliveries.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/DeliveryPage"},"examples":{"last":{"summary":"The last page","value":{"data":[{"id":80001,"destinationId":31,"destinationUrl":"https://hooks.example.com/events","status":"error","httpStatus":502,"connectionId":11,"sourceId":21,"eventType":"EMAIL_REPLY","toEmail":"ada@example.com","payloadId":90001,"error":"The destination answered 502","createdAt":"2026-03-14T09:20:01.900Z"}],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidListQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/DestinationNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/destinations/{id}/deliveries/metrics":{"get":{"operationId":"getDestinationDeliveryMetrics","tags":["Deliveries"],"summary":"Count deliveries to a destination","description":"Counts the same rows as the list of the same range and filters. Paging parameters and \`status\` are ignored.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/DestinationId"},{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"}],"responses":{"200":{"description":"The counts.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/DestinationDeliveryMetrics"},"examples":{"counts":{"summary":"Two weeks","value":{"success":1980,"error":12,"http2xx":1979}}}}}},"400":{"$ref":"#/components/responses/InvalidMetricsQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/DestinationNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/destinations/{id}/deliveries/{deliveryId}/replay":{"post":{"operationId":"replayDelivery","tags":["Deliveries"],"summary":"Replay a delivery","description":"Queues the same event for the same destination again, whatever the status of the first delivery, and returns at once. The replay becomes a new delivery. There is no request body. The write scope is checked first: a read key gets a 403 even for an id that does not exist.","x-svc-access":"action-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/DestinationId"},{"$ref":"#/components/parameters/DeliveryId"}],"responses":{"200":{"description":"The replay is queued.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ReplayQueued"},"examples":{"queued":{"summary":"Queued","value":{"queued":true,"destinationId":31,"payloadId":90001}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenAction"},"404":{"$ref":"#/components/responses/DeliveryNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/contacts/outreach":{"get":{"operationId":"getContactOutreach","tags":["Contacts"],"summary":"Look up prior outreach","description":"Returns whether, how and when anybody on this account contacted this person, and with what outcome. Send at least one identity. All identities in a call belong to one contact, so never mix contacts.\\n\\nRows are matched by the stored recipient, ignoring case; profile URLs in all their usual forms (scheme, \`www\`, country and mobile hosts, host aliases, trailing slash, query, hash, status URLs). Only HubSpot and Salesforce connections store profile URLs, so a look-up by URL finds nothing elsewhere: send the email if you have it. Categories are also found more reliably by email.\\n\\nEvery payload counts once per event type and platform. A category is a signal and not a touch: a contact with only categories is \`found\`, its category events count in \`totalEvents\` and \`eventTypes\`, and all fields about the first and last touch are null. An unknown contact is a 200 with \`found\` false, empty lists and nulls. This operation has its own rate limit and does not count towards the general one.","x-svc-access":"read","x-svc-rate-bucket":"outreach","parameters":[{"$ref":"#/components/parameters/OutreachEmail"},{"$ref":"#/components/parameters/OutreachProfileUrl"}],"responses":{"200":{"description":"The outreach found, possibly none.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ContactOutreachResponse"},"examples":{"replied":{"summary":"A contact who answered","value":{"email":"ada@example.com","query":{"email":"ada@example.com","profileUrls":["https://www.linkedin.com/in/ada-example"]},"found":true,"summary":{"everContacted":true,"everEmailed":true,"everOpened":false,"everCalled":false,"everSocialTouched":false,"totalEvents":2,"firstTouchAt":"2026-03-11T08:00:00.010Z","lastTouchAt":"2026-03-12T09:20:01.300Z","daysSinceLastTouch":2,"lastEventType":"EMAIL_REPLY","lastPlatform":"smartlead"},"eventTypes":[{"eventType":"EMAIL_REPLY","count":1,"firstAt":"2026-03-12T09:20:01.300Z","lastAt":"2026-03-12T09:20:01.300Z"},{"eventType":"EMAIL_SENT","count":1,"firstAt":"2026-03-11T08:00:00.010Z","lastAt":"2026-03-11T08:00:00.010Z"}],"platforms":[{"platform":"smartlead","count":2,"lastAt":"2026-03-12T09:20:01.300Z","lastEventType":"EMAIL_REPLY"}],"outcomes":{"replied":true,"lastReplyAt":"2026-03-12T09:20:01.300Z","bounced":false,"unsubscribed":false,"lastCategoryName":"Interested","lastCategoryAt":"2026-03-12T09:25:00.000Z"},"doNotContact":{"value":false,"reasons":[]},"blocklists":{"evaluated":false,"matched":false,"matches":[]}}},"nothing":{"summary":"Never heard of","value":{"email":null,"query":{"email":null,"profileUrls":["https://x.com/ada_example"]},"found":false,"summary":{"everContacted":false,"everEmailed":false,"everOpened":false,"everCalled":false,"everSocialTouched":false,"totalEvents":0,"firstTouchAt":null,"lastTouchAt":null,"daysSinceLastTouch":null,"lastEventType":null,"lastPlatform":null},"eventTypes":[],"platforms":[],"outcomes":{"replied":false,"lastReplyAt":null,"bounced":false,"unsubscribed":false,"lastCategoryName":null,"lastCategoryAt":null},"doNotContact":{"value":false,"reasons":[]},"blocklists":{"evaluated":false,"matched":false,"matches":[]}}}}}}},"400":{"$ref":"#/components/responses/InvalidOutreachQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyOutreachRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/blocklists":{"get":{"operationId":"listBlocklists","tags":["Blocklists"],"summary":"List block lists","description":"Every block list within reach, by \`id\`. Not paged. Poll it after a resync until \`status\` is neither \`FETCHING\` nor \`SYNCING\`, then check \`lastError\`.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/ConnectionFilter"}],"responses":{"200":{"description":"The block lists.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/BlocklistList"},"examples":{"one":{"summary":"A list at rest","value":{"blocklists":[{"id":51,"connectionId":11,"listName":"Customers","crm":"HUBSPOT","platform":"smartlead","blockType":"DOMAIN","status":"SYNCED","isEnabled":true,"clientId":null,"syncedCount":1840,"pendingCount":0,"lastFetchedAt":"2026-03-14T02:00:00.000Z","lastError":null,"lastAttemptedAt":"2026-03-14T02:00:00.000Z","createdAt":"2025-07-01T12:00:00.000Z"}]}},"outOfReach":{"summary":"\`connectionId\` out of reach","value":{"blocklists":[]}}}}}},"400":{"$ref":"#/components/responses/InvalidConnectionFilter"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/blocklists/{id}/pause":{"post":{"operationId":"pauseBlocklist","tags":["Blocklists"],"summary":"Pause a block list","description":"Stops pushing to the sequencer; what was pushed stays there. A list that is being fetched or pushed gets the status \`SYNCING_NEW_CONTACTS\`; any other keeps its status. A running fetch may still store entries, which are not pushed while paused. Pausing a paused list gives the same answer. There is no request body. The write scope is checked first.","x-svc-access":"action-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/BlocklistId"}],"responses":{"200":{"description":"The list is paused.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/BlocklistPaused"},"examples":{"paused":{"summary":"Paused in mid-fetch","value":{"id":51,"isEnabled":false,"status":"SYNCING_NEW_CONTACTS"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenAction"},"404":{"$ref":"#/components/responses/BlocklistNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/blocklists/{id}/resync":{"post":{"operationId":"resyncBlocklist","tags":["Blocklists"],"summary":"Resync a block list from scratch","description":"Enables the list, clears \`lastFetchedAt\` and errors, and queues a full reload from the CRM, which replaces the entries stored by the service. It never resumes where an earlier run stopped, and never removes anything at the sequencer. There is no request body. The write scope is checked first.\\n\\nFor a scheduled refresh: list the block lists, clear the list at the sequencer by hand if you want it exact, resync, skip or back off on a 409, then poll the list.","x-svc-access":"action-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/BlocklistId"}],"responses":{"200":{"description":"The reload is queued.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/BlocklistResyncQueued"},"examples":{"queued":{"summary":"Queued","value":{"id":51,"queued":true,"isEnabled":true,"status":"FETCHING"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenResync"},"404":{"$ref":"#/components/responses/BlocklistNotFound"},"409":{"$ref":"#/components/responses/ResyncConflict"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/requests":{"get":{"operationId":"listRequests","tags":["Requests"],"summary":"List requests","description":"Inbound POSTs accepted at the sources within reach. Only account-scoped keys see requests of deleted sources, and only while at least one source is within reach; otherwise the page is empty. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The range is required and spans at most 31 days.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/SourceFilter"},{"$ref":"#/components/parameters/RequestCursor"},{"$ref":"#/components/parameters/Limit"}],"responses":{"200":{"description":"A page of requests.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/RequestPage"},"examples":{"first":{"summary":"The first page","value":{"data":[{"id":90001,"sourceId":21,"connectionId":11,"path":"7Hk2mQ9x","createdAt":"2026-03-14T09:20:00.120Z"},{"id":90000,"sourceId":null,"connectionId":null,"path":"gone4Good","createdAt":"2026-03-14T09:19:58.004Z"}],"hasMore":true,"nextCursor":"cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw"}},"empty":{"summary":"Nothing within reach","value":{"data":[],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidListQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/requests/metrics":{"get":{"operationId":"getRequestMetrics","tags":["Requests"],"summary":"Count requests","description":"Counts the same rows as the list of the same range and filters. Paging parameters and \`status\` are ignored.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/SourceFilter"}],"responses":{"200":{"description":"The count.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/RequestMetrics"},"examples":{"count":{"summary":"Two weeks","value":{"count":4210}}}}}},"400":{"$ref":"#/components/responses/InvalidMetricsQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/syncs":{"get":{"operationId":"listSyncs","tags":["Syncs"],"summary":"List syncs","description":"CRM write attempts on the connections within reach. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The range is required and spans at most 31 days.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/SyncStatusFilter"},{"$ref":"#/components/parameters/SourceFilter"},{"$ref":"#/components/parameters/ConnectionFilter"},{"$ref":"#/components/parameters/SyncCursor"},{"$ref":"#/components/parameters/Limit"}],"responses":{"200":{"description":"A page of syncs.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SyncPage"},"examples":{"first":{"summary":"The first page","value":{"data":[{"id":70001,"status":"error","connectionId":11,"sourceId":21,"eventType":"EMAIL_REPLY","toEmail":"ada@example.com","platform":"smartlead","payloadId":90001,"error":{"status":"error","category":"VALIDATION_ERROR","message":"Property values were not valid"},"createdAt":"2026-03-14T09:20:01.300Z"},{"id":70000,"status":"success","connectionId":11,"sourceId":21,"eventType":"EMAIL_SENT","toEmail":"ada@example.com","platform":"smartlead","payloadId":89990,"error":null,"createdAt":"2026-03-14T08:00:00.010Z"}],"hasMore":true,"nextCursor":"c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw"}},"shortPage":{"summary":"A scan ended early: empty, with more to come","value":{"data":[],"hasMore":true,"nextCursor":"c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw"}},"empty":{"summary":"Nothing there","value":{"data":[],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidListQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/syncs/metrics":{"get":{"operationId":"getSyncMetrics","tags":["Syncs"],"summary":"Count syncs by status","description":"Counts the same rows as the list of the same range and filters. Paging parameters and \`status\` are ignored.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/SourceFilter"},{"$ref":"#/components/parameters/ConnectionFilter"}],"responses":{"200":{"description":"The counts.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SyncMetrics"},"examples":{"counts":{"summary":"Two weeks","value":{"success":4102,"warning":61,"error":47}}}}}},"400":{"$ref":"#/components/responses/InvalidMetricsQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SourceNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/syncs/{id}":{"get":{"operationId":"getSync","tags":["Syncs"],"summary":"Get a sync","description":"One CRM write attempt.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/SyncId"}],"responses":{"200":{"description":"The sync.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SyncResource"},"examples":{"failed":{"summary":"A failed attempt","value":{"id":70001,"status":"error","connectionId":11,"sourceId":21,"eventType":"EMAIL_REPLY","toEmail":"ada@example.com","platform":"smartlead","payloadId":90001,"error":{"status":"error","category":"VALIDATION_ERROR","message":"Property values were not valid"},"createdAt":"2026-03-14T09:20:01.300Z"}},"written":{"summary":"A successful attempt","value":{"id":70000,"status":"success","connectionId":11,"sourceId":21,"eventType":"EMAIL_SENT","toEmail":"ada@example.com","platform":"smartlead","payloadId":89990,"error":null,"createdAt":"2026-03-14T08:00:00.010Z"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/SyncNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/syncs/{id}/retry":{"post":{"operationId":"retrySync","tags":["Syncs"],"summary":"Retry a failed sync","description":"Queues a new attempt and returns at once. Only syncs that ended in \`error\`, on a HubSpot or Salesforce connection, can be retried. The failed sync never changes: find the new attempt in the list. There is no request body. The write scope is checked first: a read key gets a 403 even for an id that does not exist.","x-svc-access":"action-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/SyncId"}],"responses":{"200":{"description":"The attempt is queued.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/RetryQueued"},"examples":{"queued":{"summary":"Queued","value":{"queued":true,"syncId":70001}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenAction"},"404":{"$ref":"#/components/responses/SyncNotFound"},"409":{"$ref":"#/components/responses/RetryConflict"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/deliveries":{"get":{"operationId":"listDeliveries","tags":["Deliveries"],"summary":"List deliveries","description":"POSTs to every forwarding destination within reach. Newest first, one page at a time: follow \`nextCursor\` while \`hasMore\` is true. The range is required and spans at most 31 days.","x-svc-access":"read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/From"},{"$ref":"#/components/parameters/To"},{"$ref":"#/components/parameters/DeliveryStatusFilter"},{"$ref":"#/components/parameters/DestinationFilter"},{"$ref":"#/components/parameters/DeliveryCursor"},{"$ref":"#/components/parameters/Limit"}],"responses":{"200":{"description":"A page of deliveries.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/DeliveryPage"},"examples":{"first":{"summary":"The first page","value":{"data":[{"id":80001,"destinationId":31,"destinationUrl":"https://hooks.example.com/events","status":"error","httpStatus":502,"connectionId":11,"sourceId":21,"eventType":"EMAIL_REPLY","toEmail":"ada@example.com","payloadId":90001,"error":"The destination answered 502","createdAt":"2026-03-14T09:20:01.900Z"},{"id":60002,"destinationId":31,"destinationUrl":"https://hooks.example.com/events","status":"success","httpStatus":200,"connectionId":11,"sourceId":null,"eventType":null,"toEmail":null,"payloadId":null,"error":null,"createdAt":"2026-03-02T11:11:11.000Z"}],"hasMore":true,"nextCursor":"ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg"}},"empty":{"summary":"Nothing within reach","value":{"data":[],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidListQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenRead"},"404":{"$ref":"#/components/responses/DestinationNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/webhooks":{"get":{"operationId":"listWebhooks","tags":["Webhooks"],"summary":"List webhooks","description":"Every webhook of the account, oldest first, without secrets. Needs an account-scoped key. Deleted webhooks are not listed.","x-svc-access":"webhook-read","x-svc-rate-bucket":"general","responses":{"200":{"description":"The webhooks.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookList"},"examples":{"two":{"summary":"An active and a switched-off webhook","value":{"webhooks":[{"id":"oswhk_01jq2x7v9m3t5c8b","url":"https://hooks.example.com/sync-monitoring","description":"On-call channel","enabledEvents":["sync.failed"],"isActive":true,"autoDisabledAt":null,"createdAt":"2026-03-01T10:00:00.000Z","updatedAt":"2026-03-01T10:00:00.000Z"},{"id":"oswhk_01jp9k3c5v7x2z4m","url":"https://old.example.com/hook","description":"","enabledEvents":[],"isActive":false,"autoDisabledAt":"2026-03-10T04:44:00.000Z","createdAt":"2026-03-02T10:00:00.000Z","updatedAt":"2026-03-10T04:44:00.000Z"}]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookRead"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}},"post":{"operationId":"createWebhook","tags":["Webhooks"],"summary":"Register a webhook","description":"Registers an HTTPS endpoint for platform events. The answer holds the signing secret, which is never shown again. An account can have 20 webhooks; deleted ones do not count. Needs an account-scoped key with write scope.","x-svc-access":"webhook-write","x-svc-rate-bucket":"general","requestBody":{"required":true,"description":"The webhook to register.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/CreateWebhookBody"},"examples":{"minimal":{"summary":"Every event type","value":{"url":"https://hooks.example.com/sync-monitoring"}},"full":{"summary":"Failures only","value":{"url":"https://hooks.example.com/sync-monitoring","description":"On-call channel","enabledEvents":["sync.failed"]}}}}}},"responses":{"200":{"description":"The webhook is registered.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookEndpointWithSecret"},"examples":{"created":{"summary":"With its secret","value":{"id":"oswhk_01jq2x7v9m3t5c8b","url":"https://hooks.example.com/sync-monitoring","description":"On-call channel","enabledEvents":["sync.failed"],"isActive":true,"autoDisabledAt":null,"createdAt":"2026-03-01T10:00:00.000Z","updatedAt":"2026-03-01T10:00:00.000Z","secret":"oswhsec_EXAMPLE0only0shown0once"}}}}}},"400":{"$ref":"#/components/responses/InvalidWebhook"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookWrite"},"413":{"$ref":"#/components/responses/PayloadTooLarge"},"415":{"$ref":"#/components/responses/UnsupportedMediaType"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/webhooks/{id}":{"get":{"operationId":"getWebhook","tags":["Webhooks"],"summary":"Get a webhook","description":"One webhook, without its secret. Needs an account-scoped key.","x-svc-access":"webhook-read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"}],"responses":{"200":{"description":"The webhook.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookEndpoint"},"examples":{"active":{"summary":"An active webhook","value":{"id":"oswhk_01jq2x7v9m3t5c8b","url":"https://hooks.example.com/sync-monitoring","description":"On-call channel","enabledEvents":["sync.failed"],"isActive":true,"autoDisabledAt":null,"createdAt":"2026-03-01T10:00:00.000Z","updatedAt":"2026-03-01T10:00:00.000Z"}},"autoDisabled":{"summary":"Switched off by the service","value":{"id":"oswhk_01jp9k3c5v7x2z4m","url":"https://old.example.com/hook","description":"","enabledEvents":[],"isActive":false,"autoDisabledAt":"2026-03-10T04:44:00.000Z","createdAt":"2026-03-02T10:00:00.000Z","updatedAt":"2026-03-10T04:44:00.000Z"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookRead"},"404":{"$ref":"#/components/responses/WebhookNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}},"patch":{"operationId":"updateWebhook","tags":["Webhooks"],"summary":"Change a webhook","description":"Changes the given fields. \`isActive: true\` enables an inactive webhook. An empty object changes nothing. Needs an account-scoped key with write scope.","x-svc-access":"webhook-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"}],"requestBody":{"required":true,"description":"What to change.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/UpdateWebhookBody"},"examples":{"reactivate":{"summary":"Switch on again","value":{"isActive":true}},"move":{"summary":"New URL","value":{"url":"https://hooks.example.com/v2"}}}}}},"responses":{"200":{"description":"The webhook as it is now, without its secret.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookEndpoint"},"examples":{"active":{"summary":"Active again","value":{"id":"oswhk_01jq2x7v9m3t5c8b","url":"https://hooks.example.com/sync-monitoring","description":"On-call channel","enabledEvents":["sync.failed"],"isActive":true,"autoDisabledAt":null,"createdAt":"2026-03-01T10:00:00.000Z","updatedAt":"2026-03-01T10:00:00.000Z"}}}}}},"400":{"$ref":"#/components/responses/InvalidWebhookUpdate"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookWrite"},"404":{"$ref":"#/components/responses/WebhookNotFound"},"413":{"$ref":"#/components/responses/PayloadTooLarge"},"415":{"$ref":"#/components/responses/UnsupportedMediaType"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}},"delete":{"operationId":"deleteWebhook","tags":["Webhooks"],"summary":"Delete a webhook","description":"Stops sending to it. Its past deliveries stay with their events. Needs an account-scoped key with write scope.","x-svc-access":"webhook-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"}],"responses":{"204":{"description":"The webhook is deleted. No body.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookWrite"},"404":{"$ref":"#/components/responses/WebhookNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/webhooks/{id}/rotate-secret":{"post":{"operationId":"rotateWebhookSecret","tags":["Webhooks"],"summary":"Rotate the signing secret","description":"Creates a new secret, shown only in this answer. It takes effect at once, also for retries of earlier deliveries. There is no request body. Needs an account-scoped key with write scope.","x-svc-access":"webhook-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"}],"responses":{"200":{"description":"The webhook with its new secret.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookEndpointWithSecret"},"examples":{"rotated":{"summary":"With its new secret","value":{"id":"oswhk_01jq2x7v9m3t5c8b","url":"https://hooks.example.com/sync-monitoring","description":"On-call channel","enabledEvents":["sync.failed"],"isActive":true,"autoDisabledAt":null,"createdAt":"2026-03-01T10:00:00.000Z","updatedAt":"2026-03-01T10:00:00.000Z","secret":"oswhsec_EXAMPLE0after0the0rotation"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookWrite"},"404":{"$ref":"#/components/responses/WebhookNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/webhooks/{id}/test":{"post":{"operationId":"testWebhook","tags":["Webhooks"],"summary":"Send a test event","description":"Queues a \`test.ping\` to this webhook, whatever it subscribes to and whether or not it is active. There is no request body. Needs an account-scoped key with write scope.","x-svc-access":"webhook-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"}],"responses":{"202":{"description":"The event is queued.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/TestEventQueued"},"examples":{"queued":{"summary":"Queued","value":{"eventId":"osevt_01jq3b5s8w2y7h4q"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookWrite"},"404":{"$ref":"#/components/responses/WebhookNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/webhooks/{id}/deliveries":{"get":{"operationId":"listWebhookDeliveries","tags":["Webhooks"],"summary":"List deliveries of a webhook","description":"Past and pending deliveries to one webhook, newest first by (\`createdAt\`, \`id\`). Needs an account-scoped key.","x-svc-access":"webhook-read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"},{"$ref":"#/components/parameters/WebhookDeliveryStatusFilter"},{"$ref":"#/components/parameters/WebhookDeliveryCursor"},{"$ref":"#/components/parameters/WebhookLimit"}],"responses":{"200":{"description":"A page of deliveries.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookDeliveryPage"},"examples":{"last":{"summary":"The last page","value":{"data":[{"id":"oswhd_01jq2xa1m8p3r6t5","endpointId":"oswhk_01jq2x7v9m3t5c8b","status":"SUCCEEDED","attemptCount":2,"lastAttemptAt":"2026-03-14T09:26:53.000Z","lastHttpStatus":200,"lastError":null,"replayOfDeliveryId":null,"createdAt":"2026-03-14T09:22:10.000Z","updatedAt":"2026-03-14T09:26:53.000Z"},{"id":"oswhd_01jq1z8b6d4f2h9k","endpointId":"oswhk_01jq2x7v9m3t5c8b","status":"DEAD","attemptCount":1,"lastAttemptAt":"2026-03-13T16:05:01.000Z","lastHttpStatus":404,"lastError":"HTTP 404","replayOfDeliveryId":null,"createdAt":"2026-03-13T16:05:00.000Z","updatedAt":"2026-03-13T16:05:01.000Z"}],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidPageQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookRead"},"404":{"$ref":"#/components/responses/WebhookNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay":{"post":{"operationId":"replayWebhookDelivery","tags":["Webhooks"],"summary":"Replay a webhook delivery","description":"Sends the same event to the same webhook again, as a new delivery that refers to the old one, whatever its status. There is no request body. Needs an account-scoped key with write scope.","x-svc-access":"webhook-write","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/WebhookId"},{"$ref":"#/components/parameters/WebhookDeliveryId"}],"responses":{"200":{"description":"The new delivery.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/WebhookDelivery"},"examples":{"queued":{"summary":"Waiting for its first attempt","value":{"id":"oswhd_01jq3c2e4g6j8m5p","endpointId":"oswhk_01jq2x7v9m3t5c8b","status":"PENDING","attemptCount":0,"lastAttemptAt":null,"lastHttpStatus":null,"lastError":null,"replayOfDeliveryId":"oswhd_01jq1z8b6d4f2h9k","createdAt":"2026-03-14T10:00:00.000Z","updatedAt":"2026-03-14T10:00:00.000Z"}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenWebhookWrite"},"404":{"$ref":"#/components/responses/WebhookDeliveryNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/events":{"get":{"operationId":"listEvents","tags":["Events"],"summary":"List platform events","description":"Every event of the platform, delivered to a webhook or not, newest first by (\`createdAt\`, \`id\`). Use it to find events that your webhook missed. A connection-scoped key sees the events of its connection and those of the account.","x-svc-access":"events-read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/EventTypes"},{"$ref":"#/components/parameters/Delivered"},{"$ref":"#/components/parameters/EventCursor"},{"$ref":"#/components/parameters/WebhookLimit"}],"responses":{"200":{"description":"A page of events.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/EventPage"},"examples":{"last":{"summary":"All three types","value":{"data":[{"id":"osevt_01jq2xa1k4n6d9f2","type":"sync.failed","summary":"Syncs from smartlead source 21 to HUBSPOT are failing","data":{"connectionId":11,"crm":"HUBSPOT","sourceId":21,"sourcePlatform":"smartlead","reason":"3 syncs in a row failed. The last one: Property values were not valid","remediation":"Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://app.example.com/connections/11 (then retry the failed syncs)"},"connectionId":11,"sourceId":21,"delivered":true,"createdAt":"2026-03-14T09:22:10.000Z"},{"id":"osevt_01jq1x4v6b8n2m3k","type":"sync.recovered","summary":"Syncs from smartlead source 21 to HUBSPOT work again","data":{"connectionId":11,"crm":"HUBSPOT","sourceId":21,"sourcePlatform":"smartlead","failedSince":"2026-03-13T08:00:00.000Z"},"connectionId":11,"sourceId":21,"delivered":false,"createdAt":"2026-03-13T15:00:00.000Z"},{"id":"osevt_01jp8w7y5t3r1q9z","type":"test.ping","summary":"Test event for webhook oswhk_01jq2x7v9m3t5c8b","data":{"webhookId":"oswhk_01jq2x7v9m3t5c8b"},"connectionId":null,"sourceId":null,"delivered":true,"createdAt":"2026-03-12T12:00:00.000Z"}],"hasMore":false,"nextCursor":null}}}}}},"400":{"$ref":"#/components/responses/InvalidEventQuery"},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenEvents"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}},"/api/v1/events/{id}":{"get":{"operationId":"getEvent","tags":["Events"],"summary":"Get a platform event","description":"One event with its deliveries.","x-svc-access":"events-read","x-svc-rate-bucket":"general","parameters":[{"$ref":"#/components/parameters/EventId"}],"responses":{"200":{"description":"The event and its deliveries.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/PlatformEventWithDeliveries"},"examples":{"failed":{"summary":"An event that took two attempts","value":{"id":"osevt_01jq2xa1k4n6d9f2","type":"sync.failed","summary":"Syncs from smartlead source 21 to HUBSPOT are failing","data":{"connectionId":11,"crm":"HUBSPOT","sourceId":21,"sourcePlatform":"smartlead","reason":"3 syncs in a row failed. The last one: Property values were not valid","remediation":"Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://app.example.com/connections/11 (then retry the failed syncs)"},"connectionId":11,"sourceId":21,"delivered":true,"createdAt":"2026-03-14T09:22:10.000Z","deliveries":[{"id":"oswhd_01jq2xa1m8p3r6t5","endpointId":"oswhk_01jq2x7v9m3t5c8b","status":"SUCCEEDED","attemptCount":2,"lastAttemptAt":"2026-03-14T09:26:53.000Z","lastHttpStatus":200,"lastError":null,"replayOfDeliveryId":null,"createdAt":"2026-03-14T09:22:10.000Z","updatedAt":"2026-03-14T09:26:53.000Z"}]}}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"403":{"$ref":"#/components/responses/ForbiddenEvents"},"404":{"$ref":"#/components/responses/EventNotFound"},"429":{"$ref":"#/components/responses/TooManyRequests"},"431":{"$ref":"#/components/responses/RequestHeaderFieldsTooLarge"},"500":{"$ref":"#/components/responses/InternalServerError"}}}}},"webhooks":{"sync.failed":{"post":{"operationId":"onSyncFailed","tags":["Webhooks"],"summary":"Syncs have begun to fail","description":"Sent once per incident, when the third sync in a row has failed for a source and connection pair that worked before.\\n\\nAny 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.","security":[],"parameters":[{"$ref":"#/components/parameters/WebhookEventId"},{"$ref":"#/components/parameters/WebhookDeliveryIdHeader"},{"$ref":"#/components/parameters/WebhookSignature"}],"requestBody":{"required":true,"description":"The event. Verify the signature before you parse it.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/SyncFailedEnvelope"},"examples":{"event":{"summary":"As it is posted","value":{"id":"osevt_01jq2xa1k4n6d9f2","type":"sync.failed","created":"2026-03-14T09:22:10.000Z","summary":"Syncs from smartlead source 21 to HUBSPOT are failing","data":{"connectionId":11,"crm":"HUBSPOT","sourceId":21,"sourcePlatform":"smartlead","reason":"3 syncs in a row failed. The last one: Property values were not valid","remediation":"Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://app.example.com/connections/11 (then retry the failed syncs)"}}}}}}},"responses":{"404":{"description":"Gone: the delivery is DEAD at once."},"413":{"description":"Too large: the delivery is DEAD at once."},"2XX":{"description":"Received. The body is ignored."},"default":{"description":"Not received: tried again while attempts remain."}}}},"sync.recovered":{"post":{"operationId":"onSyncRecovered","tags":["Webhooks"],"summary":"Syncs work again","description":"Sent when a sync succeeds for a pair that was failing.\\n\\nAny 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.","security":[],"parameters":[{"$ref":"#/components/parameters/WebhookEventId"},{"$ref":"#/components/parameters/WebhookDeliveryIdHeader"},{"$ref":"#/components/parameters/WebhookSignature"}],"requestBody":{"required":true,"description":"The event. Verify the signature before you parse it.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/SyncRecoveredEnvelope"},"examples":{"event":{"summary":"As it is posted","value":{"id":"osevt_01jq2z9h3j5l7n8p","type":"sync.recovered","created":"2026-03-14T11:40:00.000Z","summary":"Syncs from smartlead source 21 to HUBSPOT work again","data":{"connectionId":11,"crm":"HUBSPOT","sourceId":21,"sourcePlatform":"smartlead","failedSince":"2026-03-14T09:22:10.000Z"}}}}}}},"responses":{"404":{"description":"Gone: the delivery is DEAD at once."},"413":{"description":"Too large: the delivery is DEAD at once."},"2XX":{"description":"Received. The body is ignored."},"default":{"description":"Not received: tried again while attempts remain."}}}},"test.ping":{"post":{"operationId":"onTestPing","tags":["Webhooks"],"summary":"A test","description":"Sent when a client requests it. Cannot be subscribed to.\\n\\nAny 2xx within 10 seconds counts as received. After 404 or 413 the delivery is given up. Everything else, redirects included, is tried again: 1 minute (and up to 5 more) after the first attempt, then after 2, 4, 8, 16, 30 and at last 60 minutes. The same event may arrive more than once and out of order.","security":[],"parameters":[{"$ref":"#/components/parameters/WebhookEventId"},{"$ref":"#/components/parameters/WebhookDeliveryIdHeader"},{"$ref":"#/components/parameters/WebhookSignature"}],"requestBody":{"required":true,"description":"The event. Verify the signature before you parse it.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TestPingEnvelope"},"examples":{"event":{"summary":"As it is posted","value":{"id":"osevt_01jq3b5s8w2y7h4q","type":"test.ping","created":"2026-03-14T12:00:00.000Z","summary":"Test event for webhook oswhk_01jq2x7v9m3t5c8b","data":{"webhookId":"oswhk_01jq2x7v9m3t5c8b"}}}}}}},"responses":{"404":{"description":"Gone: the delivery is DEAD at once."},"413":{"description":"Too large: the delivery is DEAD at once."},"2XX":{"description":"Received. The body is ignored."},"default":{"description":"Not received: tried again while attempts remain."}}}}},"components":{"securitySchemes":{"bearerAuth":{"type":"http","scheme":"bearer","bearerFormat":"osapi_...","description":"An API key, \`Authorization: Bearer osapi_...\`."}},"parameters":{"From":{"name":"from","in":"query","required":true,"description":"Start of the range, included. An ISO 8601 date (midnight UTC) or a date-time with its offset, seconds optional.","schema":{"type":"string","pattern":"^(\\\\d{4})-(\\\\d{2})-(\\\\d{2})(?:T(\\\\d{2}):(\\\\d{2})(?::(\\\\d{2})(?:\\\\.(\\\\d{1,9}))?)?(Z|[+-]\\\\d{2}(?::\\\\d{2})?))?$"},"example":"2026-03-01T00:00:00Z"},"To":{"name":"to","in":"query","required":true,"description":"End of the range, included, written as \`from\`; it may lie ahead. Not before \`from\`, and at most 31 days after it.","schema":{"type":"string","pattern":"^(\\\\d{4})-(\\\\d{2})-(\\\\d{2})(?:T(\\\\d{2}):(\\\\d{2})(?::(\\\\d{2})(?:\\\\.(\\\\d{1,9}))?)?(Z|[+-]\\\\d{2}(?::\\\\d{2})?))?$"},"example":"2026-03-15T00:00:00Z"},"RequestCursor":{"name":"cursor","in":"query","description":"Where to continue: \`nextCursor\` of the previous page of requests, unchanged. Opaque.","required":false,"schema":{"type":"string","minLength":1},"example":"cmVxdWVzdDoxNzczNDc5OTk4MDA0OjkwMDAw"},"SyncCursor":{"name":"cursor","in":"query","description":"Where to continue: \`nextCursor\` of the previous page of syncs, unchanged. Opaque.","required":false,"schema":{"type":"string","minLength":1},"example":"c3luYzoxNzczNDc1MjAwMDEwOjcwMDAw"},"DeliveryCursor":{"name":"cursor","in":"query","description":"Where to continue: \`nextCursor\` of the previous page of deliveries, unchanged. Opaque.","required":false,"schema":{"type":"string","minLength":1},"example":"ZGVsaXZlcnk6MTc3MjQ0OTg3MTAwMDo2MDAwMg"},"WebhookDeliveryCursor":{"name":"cursor","in":"query","description":"Where to continue: \`nextCursor\` of the previous page of webhook deliveries, unchanged. Opaque.","required":false,"schema":{"type":"string","minLength":1},"example":"d2ViaG9vay1kZWxpdmVyeToxNzczNDE3OTAwMDAwOm9zd2hkXzAxanExejhiNmQ0ZjJoOWs"},"EventCursor":{"name":"cursor","in":"query","description":"Where to continue: \`nextCursor\` of the previous page of events, unchanged. Opaque.","required":false,"schema":{"type":"string","minLength":1},"example":"ZXZlbnQ6MTc3MzMxNjgwMDAwMDpvc2V2dF8wMWpwOHc3eTV0M3IxcTl6"},"Limit":{"name":"limit","in":"query","description":"Largest number of rows on the page.","required":false,"schema":{"type":"integer","minimum":1,"maximum":500,"default":100},"example":100},"WebhookLimit":{"name":"limit","in":"query","description":"Largest number of rows on the page.","required":false,"schema":{"type":"integer","minimum":1,"maximum":100,"default":25},"example":25},"SourceFilter":{"name":"sourceId","in":"query","description":"Only rows of this source. A source that is missing or not within reach is a 404.","required":false,"schema":{"type":"integer","minimum":1},"example":21},"AccountMetricsSourceFilter":{"name":"sourceId","in":"query","description":"Counts only requests and syncs of this source; deliveries are counted regardless. A source that is missing or not within reach is a 404.","required":false,"schema":{"type":"integer","minimum":1},"example":21},"ConnectionFilter":{"name":"connectionId","in":"query","description":"Only rows of this connection. A connection that is not within reach is not an error: the answer is empty, or all zeros.","required":false,"schema":{"type":"integer","minimum":1},"example":11},"DestinationFilter":{"name":"destinationId","in":"query","description":"Only deliveries to this destination. A destination that is missing or not within reach is a 404.","required":false,"schema":{"type":"integer","minimum":1},"example":31},"SyncStatusFilter":{"name":"status","in":"query","description":"Only syncs with this status. Pages may then be short or empty with \`hasMore\` true: continue with \`nextCursor\`.","required":false,"schema":{"$ref":"#/components/schemas/SyncStatus"},"example":"error"},"DeliveryStatusFilter":{"name":"status","in":"query","description":"Only deliveries with this outcome.","required":false,"schema":{"$ref":"#/components/schemas/DeliveryStatus"},"example":"error"},"WebhookDeliveryStatusFilter":{"name":"status","in":"query","description":"Only deliveries in this status.","required":false,"schema":{"$ref":"#/components/schemas/WebhookDeliveryStatus"},"example":"DEAD"},"OutreachEmail":{"name":"email","in":"query","description":"Email of the contact, in any case. Required unless \`profileUrl\` is given.","required":false,"schema":{"type":"string","minLength":1},"example":"ada@example.com"},"OutreachProfileUrl":{"name":"profileUrl","in":"query","description":"Profile of the contact on the professional network (\`/in/...\`, \`/pub/...\`) or on the short-post network, with or without a scheme. Repeat the parameter or separate with commas, up to five altogether. Required unless \`email\` is given.","required":false,"schema":{"type":"array","items":{"type":"string"},"maxItems":5},"style":"form","explode":true,"example":["linkedin.com/in/ada-example"]},"EventTypes":{"name":"type","in":"query","description":"Only events of these types. May be repeated.","required":false,"schema":{"type":"array","items":{"$ref":"#/components/schemas/EventTypeFilter"}},"style":"form","explode":true,"example":["sync.failed"]},"Delivered":{"name":"delivered","in":"query","description":"Only events that at least one webhook has received, or only those that none has.","required":false,"schema":{"type":"boolean"},"example":false},"SourceIdPath":{"name":"sourceId","in":"path","required":true,"description":"Source id.","schema":{"type":"integer","minimum":1},"example":21},"SyncId":{"name":"id","in":"path","required":true,"description":"Sync id.","schema":{"type":"integer","minimum":1},"example":70001},"DestinationId":{"name":"id","in":"path","required":true,"description":"Destination id.","schema":{"type":"integer","minimum":1},"example":31},"DeliveryId":{"name":"deliveryId","in":"path","required":true,"description":"Delivery id.","schema":{"type":"integer","minimum":1},"example":80001},"BlocklistId":{"name":"id","in":"path","required":true,"description":"Block list id.","schema":{"type":"integer","minimum":1},"example":51},"WebhookId":{"name":"id","in":"path","required":true,"description":"Webhook id.","schema":{"type":"string","pattern":"^oswhk_"},"example":"oswhk_01jq2x7v9m3t5c8b"},"WebhookDeliveryId":{"name":"deliveryId","in":"path","required":true,"description":"Webhook delivery id.","schema":{"type":"string","pattern":"^oswhd_"},"example":"oswhd_01jq2xa1m8p3r6t5"},"EventId":{"name":"id","in":"path","required":true,"description":"Event id.","schema":{"type":"string","pattern":"^osevt_"},"example":"osevt_01jq2xa1k4n6d9f2"},"WebhookEventId":{"name":"Service-Event-Id","in":"header","required":true,"description":"Id of the event, as in the body.","schema":{"type":"string","pattern":"^osevt_"},"example":"osevt_01jq2xa1k4n6d9f2"},"WebhookDeliveryIdHeader":{"name":"Service-Delivery-Id","in":"header","required":true,"description":"Id of the delivery, the same at every attempt.","schema":{"type":"string","pattern":"^oswhd_"},"example":"oswhd_01jq2xa1m8p3r6t5"},"WebhookSignature":{"name":"Service-Signature","in":"header","required":true,"description":"\`t=<unix seconds>,v1=<hex>\`, where \`v1\` is the HMAC-SHA256 of \`<t>.<raw body>\`, keyed with the whole signing secret. New at every attempt. Compute it over the received bytes, compare in constant time, and refuse a \`t\` that is too old, such as more than 5 minutes.","schema":{"type":"string","pattern":"^t=[0-9]+,v1=[0-9a-f]{64}$"},"example":"t=1773480413,v1=5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f"}},"headers":{"Link":{"description":"RFC 8631 links to this description (\`rel=\\"service-desc\\"\`) and to the reference documentation (\`rel=\\"service-doc\\"\`). On every answer under \`/api/v1\`, refusals included.","required":true,"schema":{"type":"string","pattern":"^(?=.*<[^<>]+>; rel=\\"service-desc\\")(?=.*<[^<>]+>; rel=\\"service-doc\\")"},"example":"</api/v1/openapi.json>; rel=\\"service-desc\\"; type=\\"application/json\\", <https://docs.example.com/api>; rel=\\"service-doc\\"; type=\\"text/html\\""},"Service-Request-Id":{"description":"Identifies this call in the logs of the service. On every answer.","required":true,"schema":{"type":"string","minLength":1},"example":"req_01JQ2X7V9M3T5C8B"},"RateLimit":{"description":"The rest of the current window, as in the IETF draft on rate limit headers: \`r\` requests for another \`t\` seconds. Sent while a limit applies; clients must not depend on it.","required":false,"schema":{"type":"string"},"example":"\\"general\\";r=118;t=42"},"RateLimit-Policy":{"description":"The limit that applies, as in the same draft: \`q\` requests per \`w\` seconds. Clients must not depend on it.","required":false,"schema":{"type":"string"},"example":"\\"general\\";q=120;w=60"},"Retry-After":{"description":"Whole seconds until the window ends, at least 1.","required":true,"schema":{"type":"integer","minimum":1},"example":42},"WWW-Authenticate":{"description":"The expected scheme and its realm.","required":true,"schema":{"type":"string"},"example":"Bearer realm=\\"api\\""},"Cache-Control":{"description":"The document may be kept for 300 seconds.","required":true,"schema":{"type":"string","const":"public, max-age=300"},"example":"public, max-age=300"}},"responses":{"InvalidListQuery":{"description":"A parameter is missing or invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"rangeMissing":{"summary":"A range end is missing","value":{"statusCode":400,"message":"from is missing: send an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z)","error":"Bad Request"}},"rangeInvalid":{"summary":"A range end is not a date","value":{"statusCode":400,"message":"to must be an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z), not \\"yesterday\\"","error":"Bad Request"}},"rangeReversed":{"summary":"The range runs backwards","value":{"statusCode":400,"message":"from (2026-03-15T00:00:00.000Z) is after to (2026-03-01T00:00:00.000Z): swap them","error":"Bad Request"}},"rangeTooLong":{"summary":"The range is too long","value":{"statusCode":400,"message":"the range from 2026-01-01T00:00:00.000Z to 2026-03-01T00:00:00.000Z is longer than 31 days: split it","error":"Bad Request"}},"malformedCursor":{"summary":"The cursor was not issued by this list","value":{"statusCode":400,"message":"cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out","error":"Bad Request"}},"invalidLimit":{"summary":"The limit is out of bounds","value":{"statusCode":400,"message":"limit must be an integer from 1 to 500, not \\"1000\\"","error":"Bad Request"}},"invalidFilter":{"summary":"A filter is not an id","value":{"statusCode":400,"message":"sourceId must be a positive integer id, not \\"abc\\"","error":"Bad Request"}},"unknownStatus":{"summary":"A filter has an unknown value","value":{"statusCode":400,"message":"status must be one of success, warning, error, not \\"failed\\"","error":"Bad Request"}}}}}},"InvalidMetricsQuery":{"description":"A parameter is missing or invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"rangeMissing":{"summary":"A range end is missing","value":{"statusCode":400,"message":"from is missing: send an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z)","error":"Bad Request"}},"rangeInvalid":{"summary":"A range end is not a date","value":{"statusCode":400,"message":"to must be an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z), not \\"yesterday\\"","error":"Bad Request"}},"rangeReversed":{"summary":"The range runs backwards","value":{"statusCode":400,"message":"from (2026-03-15T00:00:00.000Z) is after to (2026-03-01T00:00:00.000Z): swap them","error":"Bad Request"}},"rangeTooLong":{"summary":"The range is too long","value":{"statusCode":400,"message":"the range from 2026-01-01T00:00:00.000Z to 2026-03-01T00:00:00.000Z is longer than 31 days: split it","error":"Bad Request"}},"invalidFilter":{"summary":"A filter is not an id","value":{"statusCode":400,"message":"sourceId must be a positive integer id, not \\"abc\\"","error":"Bad Request"}}}}}},"InvalidConnectionFilter":{"description":"The filter is invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"invalidFilter":{"summary":"A filter is not an id","value":{"statusCode":400,"message":"connectionId must be a positive integer id, not \\"abc\\"","error":"Bad Request"}}}}}},"InvalidOutreachQuery":{"description":"No identity was sent, one is invalid, or there are too many.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"noIdentity":{"summary":"Neither identity was sent","value":{"statusCode":400,"message":"Send an identity of the contact: email, profileUrl, or both","error":"Bad Request"}},"invalidEmail":{"summary":"The email is not one","value":{"statusCode":400,"message":"email \\"ada\\" is not an email address: it has no @","error":"Bad Request"}},"invalidProfileUrl":{"summary":"A profile URL is not one","value":{"statusCode":400,"message":"profileUrl \\"example.com\\" is not a profile URL: its host is not one of the supported profile networks","error":"Bad Request"}},"tooManyProfileUrls":{"summary":"More than five profile URLs","value":{"statusCode":400,"message":"At most 5 profileUrl values can be sent, not 6","error":"Bad Request"}}}}}},"InvalidPageQuery":{"description":"A parameter is invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"malformedCursor":{"summary":"The cursor was not issued by this list","value":{"statusCode":400,"message":"cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out","error":"Bad Request"}},"invalidLimit":{"summary":"The limit is out of bounds","value":{"statusCode":400,"message":"limit must be an integer from 1 to 100, not \\"1000\\"","error":"Bad Request"}},"unknownStatus":{"summary":"A filter has an unknown value","value":{"statusCode":400,"message":"status must be one of PENDING, SUCCEEDED, FAILED, DEAD, not \\"failed\\"","error":"Bad Request"}}}}}},"InvalidEventQuery":{"description":"A parameter is invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"malformedCursor":{"summary":"The cursor was not issued by this list","value":{"statusCode":400,"message":"cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out","error":"Bad Request"}},"invalidLimit":{"summary":"The limit is out of bounds","value":{"statusCode":400,"message":"limit must be an integer from 1 to 100, not \\"1000\\"","error":"Bad Request"}},"unknownType":{"summary":"An event type is unknown","value":{"statusCode":400,"message":"type must be one of sync.failed, sync.recovered, test.ping, not \\"sync.*\\"","error":"Bad Request"}},"invalidDelivered":{"summary":"Not a boolean","value":{"statusCode":400,"message":"delivered must be one of true, false, not \\"yes\\"","error":"Bad Request"}}}}}},"InvalidWebhook":{"description":"The body is missing, is not JSON, or is invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"missingBody":{"summary":"There is no body","value":{"statusCode":400,"message":"The request body must be a JSON object","error":"Bad Request"}},"missingUrl":{"summary":"The URL is missing","value":{"statusCode":400,"message":"url is required: the https address that events are sent to","error":"Bad Request"}},"notHttps":{"summary":"The URL is not HTTPS","value":{"statusCode":400,"message":"url must be an absolute https:// address","error":"Bad Request"}},"privateTarget":{"summary":"The URL leads to a private, local, loopback or link-local address","value":{"statusCode":400,"message":"url must not point to a private, local, loopback, link-local or otherwise reserved address","error":"Bad Request"}},"urlTooLong":{"summary":"The URL is too long","value":{"statusCode":400,"message":"url must be at most 2048 characters long","error":"Bad Request"}},"descriptionTooLong":{"summary":"The description is too long","value":{"statusCode":400,"message":"description must be at most 500 characters long","error":"Bad Request"}},"unknownEventType":{"summary":"A reserved or unknown event type","value":{"statusCode":400,"message":"Event type \\"connection.created\\" is reserved and not emitted yet. Available event types: sync.failed, sync.recovered","error":"Bad Request"}},"tooManyWebhooks":{"summary":"The account has 20 webhooks already","value":{"statusCode":400,"message":"An account can have at most 20 webhooks. Delete one first","error":"Bad Request"}}}}}},"InvalidWebhookUpdate":{"description":"The body is missing, is not JSON, or is invalid.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"missingBody":{"summary":"There is no body","value":{"statusCode":400,"message":"The request body must be a JSON object","error":"Bad Request"}},"notHttps":{"summary":"The URL is not HTTPS","value":{"statusCode":400,"message":"url must be an absolute https:// address","error":"Bad Request"}},"privateTarget":{"summary":"The URL leads to a private, local, loopback or link-local address","value":{"statusCode":400,"message":"url must not point to a private, local, loopback, link-local or otherwise reserved address","error":"Bad Request"}},"unknownEventType":{"summary":"A reserved or unknown event type","value":{"statusCode":400,"message":"Event type \\"sync.failing\\" is unknown. Available event types: sync.failed, sync.recovered","error":"Bad Request"}},"invalidIsActive":{"summary":"Not a boolean","value":{"statusCode":400,"message":"isActive must be true or false","error":"Bad Request"}}}}}},"Unauthorized":{"description":"The key is missing, malformed, unknown, revoked or rotated. The answer is the same in all these cases.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"},"WWW-Authenticate":{"$ref":"#/components/headers/WWW-Authenticate"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"invalidKey":{"summary":"Any key that is not valid","value":{"statusCode":401,"message":"Invalid API key","error":"Unauthorized"}}}}}},"ForbiddenRead":{"description":"The key may not call the API.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"apiAccess":{"summary":"API access is off on every connection of the account","value":{"statusCode":403,"message":"API access is not enabled for this account","error":"Forbidden"}}}}}},"ForbiddenAction":{"description":"The key may not call the API, or may not write.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"apiAccess":{"summary":"API access is off on every connection of the account","value":{"statusCode":403,"message":"API access is not enabled for this account","error":"Forbidden"}},"writeScope":{"summary":"The key has no write scope; checked before anything is looked up","value":{"statusCode":403,"message":"API key requires the \\"write\\" scope","error":"Forbidden"}}}}}},"ForbiddenResync":{"description":"The key may not call the API or may not write, or the connection has no block lists.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"apiAccess":{"summary":"API access is off on every connection of the account","value":{"statusCode":403,"message":"API access is not enabled for this account","error":"Forbidden"}},"writeScope":{"summary":"The key has no write scope; checked before anything is looked up","value":{"statusCode":403,"message":"API key requires the \\"write\\" scope","error":"Forbidden"}},"blocklistsNotEnabled":{"summary":"The plan of the connection does not include block lists","value":{"statusCode":403,"message":"Block lists are not enabled for this connection","error":"Forbidden"}}}}}},"ForbiddenWebhookRead":{"description":"The key may not call the API or read webhooks.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"apiAccess":{"summary":"API access is off on every connection of the account","value":{"statusCode":403,"message":"API access is not enabled for this account","error":"Forbidden"}},"webhooksNotEnabled":{"summary":"Webhooks are off for the account","value":{"statusCode":403,"message":"Platform webhooks are not enabled for this account","error":"Forbidden"}},"accountScopedKey":{"summary":"The key reaches one connection only","value":{"statusCode":403,"message":"Webhook endpoint management requires an account-scoped API key","error":"Forbidden"}}}}}},"ForbiddenWebhookWrite":{"description":"The key may not call the API, may not see webhooks, or may not write.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"apiAccess":{"summary":"API access is off on every connection of the account","value":{"statusCode":403,"message":"API access is not enabled for this account","error":"Forbidden"}},"webhooksNotEnabled":{"summary":"Webhooks are off for the account","value":{"statusCode":403,"message":"Platform webhooks are not enabled for this account","error":"Forbidden"}},"accountScopedKey":{"summary":"The key reaches one connection only","value":{"statusCode":403,"message":"Webhook endpoint management requires an account-scoped API key","error":"Forbidden"}},"writeScope":{"summary":"The key has no write scope","value":{"statusCode":403,"message":"This endpoint requires the 'write' scope","error":"Forbidden"}}}}}},"ForbiddenEvents":{"description":"The key may not call the API, or webhooks are off for the account.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"apiAccess":{"summary":"API access is off on every connection of the account","value":{"statusCode":403,"message":"API access is not enabled for this account","error":"Forbidden"}},"webhooksNotEnabled":{"summary":"Webhooks are off for the account","value":{"statusCode":403,"message":"Platform webhooks are not enabled for this account","error":"Forbidden"}}}}}},"SourceNotFound":{"description":"There is no such source within reach of the key.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"source":{"summary":"Missing or not within reach","value":{"statusCode":404,"message":"Source 21 not found","error":"Not Found"}}}}}},"SyncNotFound":{"description":"There is no such sync within reach of the key.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"sync":{"summary":"Missing or not within reach","value":{"statusCode":404,"message":"Sync 70001 not found","error":"Not Found"}}}}}},"DestinationNotFound":{"description":"There is no such destination within reach of the key.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"destination":{"summary":"Missing or not within reach","value":{"statusCode":404,"message":"Destination 31 not found","error":"Not Found"}}}}}},"DeliveryNotFound":{"description":"There is no such destination within reach of the key, no such delivery of it, or the delivery has no payload to replay, because it never had one or because the payload is no longer stored.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"destination":{"summary":"The destination is missing or not within reach","value":{"statusCode":404,"message":"Destination 31 not found","error":"Not Found"}},"delivery":{"summary":"The delivery is missing, belongs to another destination, or has no payload","value":{"statusCode":404,"message":"Delivery 80001 not found","error":"Not Found"}}}}}},"BlocklistNotFound":{"description":"There is no such block list within reach of the key.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"blocklist":{"summary":"Missing or not within reach","value":{"statusCode":404,"message":"Blocklist 51 not found","error":"Not Found"}}}}}},"WebhookNotFound":{"description":"The account has no such webhook.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"webhook":{"summary":"Missing or deleted","value":{"statusCode":404,"message":"Webhook oswhk_01jq2x7v9m3t5c8b not found","error":"Not Found"}}}}}},"WebhookDeliveryNotFound":{"description":"The account has no such webhook, or the webhook has no such delivery.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"webhook":{"summary":"The webhook is missing or deleted","value":{"statusCode":404,"message":"Webhook oswhk_01jq2x7v9m3t5c8b not found","error":"Not Found"}},"delivery":{"summary":"The delivery is missing or belongs to another webhook","value":{"statusCode":404,"message":"Delivery oswhd_01jq2xa1m8p3r6t5 not found","error":"Not Found"}}}}}},"EventNotFound":{"description":"There is no such event within reach of the key.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"event":{"summary":"Missing or not within reach","value":{"statusCode":404,"message":"Event osevt_01jq2xa1k4n6d9f2 not found","error":"Not Found"}}}}}},"RetryConflict":{"description":"The sync cannot be retried. Repeating the call does not help.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"notEligible":{"summary":"The sync did not end in \`error\`, or its source, payload or connection no longer exists","value":{"statusCode":409,"message":"Sync is not eligible for retry","error":"Conflict"}},"crmNotSupported":{"summary":"The CRM type does not support retries","value":{"statusCode":409,"message":"Retry is only supported for HubSpot and Salesforce syncs","error":"Conflict"}}}}}},"ResyncConflict":{"description":"The list cannot be resynced now.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"inProgress":{"summary":"A fetch is running: skip this run, or try again later","value":{"statusCode":409,"message":"Blocklist resync already in progress","error":"Conflict"}},"noCrmSource":{"summary":"The list has no CRM source","value":{"statusCode":409,"message":"Blocklist has no CRM source to resync from","error":"Conflict"}}}}}},"PayloadTooLarge":{"description":"The body is larger than the service accepts.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"tooLarge":{"summary":"Too many bytes","value":{"statusCode":413,"message":"The request body is too large","error":"Payload Too Large"}}}}}},"UnsupportedMediaType":{"description":"The body is not declared as JSON.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"notJson":{"summary":"Another content type","value":{"statusCode":415,"message":"The request body must be sent as application/json","error":"Unsupported Media Type"}}}}}},"TooManyRequests":{"description":"The limit of 120 requests in 60 seconds is used up, for the IP address or for the account. Wait \`Retry-After\` seconds.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"},"Retry-After":{"$ref":"#/components/headers/Retry-After"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"limit":{"summary":"The window is used up","value":{"statusCode":429,"message":"Too many requests","error":"Too Many Requests"}}}}}},"TooManyOutreachRequests":{"description":"The limit of 600 look-ups in 60 seconds is used up, for the IP address or for the account. Wait \`Retry-After\` seconds.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"},"Retry-After":{"$ref":"#/components/headers/Retry-After"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"limit":{"summary":"The window is used up","value":{"statusCode":429,"message":"Too many requests","error":"Too Many Requests"}}}}}},"RequestHeaderFieldsTooLarge":{"description":"The headers of the request, its address included, are larger than the service accepts (16 kB). The connection is closed.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"headersTooLarge":{"summary":"Too many bytes of headers","value":{"statusCode":431,"message":"The request headers are too large","error":"Request Header Fields Too Large"}}}}}},"InternalServerError":{"description":"An internal error occurred. Quote \`Service-Request-Id\` when you report it.","headers":{"Link":{"$ref":"#/components/headers/Link"},"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"},"RateLimit":{"$ref":"#/components/headers/RateLimit"},"RateLimit-Policy":{"$ref":"#/components/headers/RateLimit-Policy"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"unexpected":{"summary":"Details are not shown to the caller","value":{"statusCode":500,"message":"Internal server error","error":"Internal Server Error"}}}}}},"HealthError":{"description":"An internal error occurred.","headers":{"Service-Request-Id":{"$ref":"#/components/headers/Service-Request-Id"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},"examples":{"unexpected":{"summary":"Details are not shown to the caller","value":{"statusCode":500,"message":"Internal server error","error":"Internal Server Error"}}}}}}},"schemas":{"Timestamp":{"type":"string","format":"date-time","pattern":"Z$","description":"An instant in ISO 8601, always in UTC and written with \`Z\`.","examples":["2026-03-14T09:26:53.589Z"]},"ComponentStatus":{"description":"State of a connection or of one of its parts. \`ready\`: set up and working. \`not_configured\`: allowed, but nothing is set up yet. \`disconnected\`: the CRM authorization is missing. \`disabled\`: the plan of this connection does not include the feature. \`error\`: the part has recorded an error. For a connection: its CRM refuses access (a missing scope, a suspended account) or its daily limit is reached, until the next write succeeds. More values may be added.","anyOf":[{"type":"string","enum":["ready","not_configured","disconnected","disabled","error"]},{"type":"string"}]},"BlockerCode":{"description":"Why a connection cannot sync. \`crm_disconnected\`: the CRM authorization is missing. More codes may be added.","anyOf":[{"type":"string","enum":["crm_disconnected"]},{"type":"string"}]},"WarningCode":{"description":"A feature that is allowed but not set up, a recorded error, or a source whose requests are not understood. A warning never affects \`ready\`. More codes may be added.","anyOf":[{"type":"string","enum":["crm_connection_error","destinations_not_configured","blocklists_not_configured","blocklists_error","source_events_not_understood"]},{"type":"string"}]},"Crm":{"description":"CRM type, upper case. More types may be added.","anyOf":[{"type":"string","enum":["HUBSPOT","SALESFORCE","PIPEDRIVE"]},{"type":"string"}]},"Platform":{"description":"Sequencer platform, lower case. More platforms may be added.","anyOf":[{"type":"string","enum":["smartlead","instantly","emailbison","lemlist","heyreach","reply-io","salesloft","outreach"]},{"type":"string"}]},"SequencerEventType":{"description":"What happened at the sequencer, in the normalized vocabulary. More types may be added.","anyOf":[{"type":"string","enum":["EMAIL_SENT","EMAIL_OPEN","EMAIL_LINK_CLICK","EMAIL_OPEN_BY_BOT","EMAIL_LINK_CLICK_BY_BOT","EMAIL_REPLY","EMAIL_BOUNCE","LEAD_UNSUBSCRIBED","LEAD_CATEGORY_UPDATED","MESSAGE_SENT","MESSAGE_REPLY","INMAIL_SENT","INMAIL_REPLY","CONNECTION_REQUEST_SENT","CONNECTION_REQUEST_ACCEPTED","PROFILE_VIEWED","POST_LIKED","FOLLOW_SENT","CALL_COMPLETED"]},{"type":"string"}]},"EventType":{"description":"Type of a platform event. \`sync.failed\`: a source and connection pair has begun to fail. \`sync.recovered\`: it works again. \`test.ping\`: requested by a client. More types may be added.","anyOf":[{"type":"string","enum":["sync.failed","sync.recovered","test.ping"]},{"type":"string"}]},"SubscribableEventType":{"type":"string","description":"A platform event type that a webhook can subscribe to.","enum":["sync.failed","sync.recovered"]},"EventTypeFilter":{"type":"string","description":"A platform event type as a filter value.","enum":["sync.failed","sync.recovered","test.ping"]},"DoNotContactReason":{"description":"A hard signal against contacting somebody. More reasons may be added.","anyOf":[{"type":"string","enum":["bounced","unsubscribed"]},{"type":"string"}]},"ApiKeyScope":{"type":"string","description":"What a key may do. Every key can \`read\`; \`write\` allows the write actions and the webhook mutations.","enum":["read","write"]},"ConnectionScope":{"type":"string","description":"\`account\`: the key reaches every API-enabled connection of the account. \`connection\`: exactly one.","enum":["account","connection"]},"SyncStatus":{"type":"string","description":"\`success\`: written. \`warning\`: written, with a part refused by the CRM. \`error\`: not written.","enum":["success","warning","error"]},"DeliveryStatus":{"type":"string","description":"Outcome of one POST to a forwarding destination.","enum":["success","error"]},"WebhookDeliveryStatus":{"type":"string","description":"\`PENDING\`: an attempt is due. \`SUCCEEDED\`: answered with a 2xx. \`FAILED\`: given up early because the webhook was deleted or became inactive. \`DEAD\`: answered with 404 or 413, or all eight attempts used up.","enum":["PENDING","SUCCEEDED","FAILED","DEAD"]},"BlocklistStatus":{"type":"string","description":"\`CREATED\`: nothing was pushed yet, because the list is new or its first run failed. \`FETCHING\`: being loaded from the CRM. \`SYNCING\`: being pushed to the sequencer. \`SYNCED\`: done; \`lastError\` says whether entries were left out. \`SYNCING_NEW_CONTACTS\`: a periodic top-up, or a list that was paused while it was loaded or pushed.","enum":["CREATED","FETCHING","SYNCING","SYNCED","SYNCING_NEW_CONTACTS"]},"BlockType":{"type":"string","description":"Whether the list holds single email addresses or whole domains.","enum":["ADDRESS","DOMAIN"]},"ErrorBody":{"type":"object","description":"The body of every refusal and error.","required":["statusCode","message","error"],"properties":{"statusCode":{"type":"integer","minimum":400,"maximum":599,"description":"The HTTP status."},"message":{"type":"string","description":"The reason. Together with the status, the stable field to act on."},"error":{"type":"string","description":"The reason phrase of the status."}}},"HealthLive":{"type":"object","description":"The process is up.","required":["status"],"properties":{"status":{"type":"string","const":"ok","description":"Always \`ok\`."}}},"HealthReady":{"type":"object","description":"Whether events can be received and synced now, by check.","required":["status","checks"],"properties":{"status":{"type":"string","description":"\`ok\` when every check is \`ok\`, otherwise \`error\`.","enum":["ok","error"]},"checks":{"type":"object","description":"One entry per part the service depends on, such as \`database\`, \`queue\` and \`secrets\`.","additionalProperties":{"type":"string","enum":["ok","error"]}}}},"ApiLink":{"type":"object","description":"Where to go next.","required":["href","description"],"properties":{"href":{"type":"string","description":"Absolute URL that can be called as it is. It has an example query when parameters are required.","format":"uri"},"description":{"type":"string","description":"What the URL returns, and its required parameters."}}},"MeLinks":{"type":"object","description":"Entry points of the API and its documentation.","required":["accountStatus","accountMetrics","connections","destinations","requests","destinationsReplyRelays","sources","contactsOutreach","syncs","documentation","openapi"],"properties":{"accountStatus":{"description":"Readiness of the pipeline.","$ref":"#/components/schemas/ApiLink"},"accountMetrics":{"description":"Counts of requests, syncs and deliveries.","$ref":"#/components/schemas/ApiLink"},"connections":{"description":"CRM connections.","$ref":"#/components/schemas/ApiLink"},"destinations":{"description":"Forwarding destinations.","$ref":"#/components/schemas/ApiLink"},"requests":{"description":"Inbound receipts.","$ref":"#/components/schemas/ApiLink"},"destinationsReplyRelays":{"description":"Reply relays.","$ref":"#/components/schemas/ApiLink"},"sources":{"description":"Inbound URLs.","$ref":"#/components/schemas/ApiLink"},"contactsOutreach":{"description":"Prior outreach to a contact.","$ref":"#/components/schemas/ApiLink"},"syncs":{"description":"CRM write attempts.","$ref":"#/components/schemas/ApiLink"},"documentation":{"description":"The reference documentation.","$ref":"#/components/schemas/ApiLink"},"openapi":{"description":"This document.","$ref":"#/components/schemas/ApiLink"}}},"MeAccount":{"type":"object","description":"The account that the key belongs to.","required":["id","email"],"properties":{"id":{"type":"integer","minimum":1,"description":"Account id."},"email":{"type":"string","description":"Email of the account owner."}}},"MeApiKey":{"type":"object","description":"The key of this call. Its token is never returned.","required":["name","scopes","connectionScope","connectionId"],"properties":{"name":{"type":"string","description":"Name given to the key."},"scopes":{"type":"array","description":"What the key may do.","items":{"$ref":"#/components/schemas/ApiKeyScope"}},"connectionScope":{"description":"How many connections the key reaches.","$ref":"#/components/schemas/ConnectionScope"},"connectionId":{"type":["integer","null"],"minimum":1,"description":"The one connection of a connection-scoped key, the same as the single entry of \`connections\`; null for account-scoped keys."}}},"MeConnection":{"type":"object","description":"A connection within reach of the key.","required":["id","crm","organizationId","organizationDomain"],"properties":{"id":{"type":"integer","minimum":1,"description":"Connection id."},"crm":{"description":"CRM type.","$ref":"#/components/schemas/Crm"},"organizationId":{"type":"string","description":"The id of the organization in the CRM."},"organizationDomain":{"type":"string","description":"The domain of the organization in the CRM."}}},"MeResponse":{"type":"object","description":"The key, its account and its access.","required":["account","apiKey","connections","links"],"properties":{"account":{"$ref":"#/components/schemas/MeAccount"},"apiKey":{"$ref":"#/components/schemas/MeApiKey"},"connections":{"type":"array","description":"Connections within reach, by \`id\` ascending; the same order as in \`/connections\` and \`/account/status\`.","items":{"$ref":"#/components/schemas/MeConnection"}},"links":{"$ref":"#/components/schemas/MeLinks"}}},"CrmConnectionStatus":{"type":"object","description":"State of the CRM authorization.","required":["status","crm","organizationId","organizationDomain"],"properties":{"status":{"description":"\`disconnected\` when the CRM authorization is missing.","$ref":"#/components/schemas/ComponentStatus"},"crm":{"description":"CRM type.","$ref":"#/components/schemas/Crm"},"organizationId":{"type":"string","description":"The id of the organization in the CRM."},"organizationDomain":{"type":"string","description":"The domain of the organization in the CRM."}}},"SourcesStatus":{"type":"object","description":"State of the inbound URLs of a connection.","required":["status","count","platforms"],"properties":{"status":{"description":"State of the part.","$ref":"#/components/schemas/ComponentStatus"},"count":{"type":"integer","minimum":0,"description":"Number of sources."},"platforms":{"type":"array","description":"Platforms of those sources, sorted, each once.","items":{"$ref":"#/components/schemas/Platform"}}}},"DestinationsStatus":{"type":"object","description":"State of forwarding and reply relays of a connection.","required":["status","count","eventTypes","forwardingCount","replyRelayCount"],"properties":{"status":{"description":"State of the part. \`disabled\` when the capability \`destinations\` is off.","$ref":"#/components/schemas/ComponentStatus"},"count":{"type":"integer","minimum":0,"description":"\`forwardingCount\` plus \`replyRelayCount\`."},"eventTypes":{"type":"array","description":"Event types that any binding forwards, sorted, each once.","items":{"$ref":"#/components/schemas/SequencerEventType"}},"forwardingCount":{"type":"integer","minimum":0,"description":"Number of distinct forwarding URLs."},"replyRelayCount":{"type":"integer","minimum":0,"description":"Number of reply relays bound to a source."}}},"BlocklistsStatus":{"type":"object","description":"State of the block lists of a connection.","required":["status","enabledCount","lastError","lastFetchedAt"],"properties":{"status":{"description":"State of the part. \`disabled\` when the capability \`blocklists\` is off.","$ref":"#/components/schemas/ComponentStatus"},"enabledCount":{"type":"integer","minimum":0,"description":"Number of enabled block lists; 0 without the capability."},"lastError":{"type":["string","null"],"description":"The most recent recorded error, if any."},"lastFetchedAt":{"description":"When a list of this connection was last loaded from the CRM.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]}}},"ConnectionStatus":{"type":"object","description":"Readiness of one connection, part by part.","required":["connectionId","crm","ready","crmConnection","sources","destinations","blocklists"],"properties":{"connectionId":{"type":"integer","minimum":1,"description":"Connection id."},"crm":{"description":"CRM type.","$ref":"#/components/schemas/Crm"},"ready":{"type":"boolean","description":"Whether the connection has no blocker."},"crmConnection":{"$ref":"#/components/schemas/CrmConnectionStatus"},"sources":{"$ref":"#/components/schemas/SourcesStatus"},"destinations":{"$ref":"#/components/schemas/DestinationsStatus"},"blocklists":{"$ref":"#/components/schemas/BlocklistsStatus"}}},"Blocker":{"type":"object","description":"A problem that stops syncing on this connection until it is resolved.","required":["code","connectionId","crm","message","remediation","docUrl"],"properties":{"code":{"description":"Machine-readable reason.","$ref":"#/components/schemas/BlockerCode"},"connectionId":{"type":"integer","minimum":1,"description":"The connection concerned."},"crm":{"description":"CRM type of that connection.","$ref":"#/components/schemas/Crm"},"message":{"type":"string","description":"What is wrong."},"remediation":{"type":"string","description":"What to do about it."},"docUrl":{"type":"string","description":"Where it is documented.","format":"uri"}}},"Warning":{"type":"object","description":"A problem that does not stop syncing, such as an optional part that is not set up.","required":["code","connectionId","crm","message","remediation","docUrl"],"properties":{"code":{"description":"Machine-readable reason.","$ref":"#/components/schemas/WarningCode"},"connectionId":{"type":"integer","minimum":1,"description":"The connection concerned."},"crm":{"description":"CRM type of that connection.","$ref":"#/components/schemas/Crm"},"message":{"type":"string","description":"What is missing."},"remediation":{"type":"string","description":"What to do about it."},"docUrl":{"type":"string","description":"Where it is documented.","format":"uri"}}},"AccountStatusResponse":{"type":"object","description":"Readiness of everything within reach of the key.","required":["ready","checkedAt","connections","blockers","warnings"],"properties":{"ready":{"type":"boolean","description":"False as soon as there is one blocker. Warnings never make it false."},"checkedAt":{"description":"When this was computed.","$ref":"#/components/schemas/Timestamp"},"connections":{"type":"array","description":"One entry per connection within reach, by \`connectionId\` ascending.","items":{"$ref":"#/components/schemas/ConnectionStatus"}},"blockers":{"type":"array","description":"What keeps connections from syncing.","items":{"$ref":"#/components/schemas/Blocker"}},"warnings":{"type":"array","description":"Parts that are not set up, and minor problems.","items":{"$ref":"#/components/schemas/Warning"}}}},"ConnectionCapabilities":{"type":"object","description":"Features that the plan of this connection includes.","required":["sync","destinations","blocklists"],"properties":{"sync":{"type":"boolean","description":"Received events are written to the CRM."},"destinations":{"type":"boolean","description":"Received events are forwarded to destinations, and replies relayed. Gates both."},"blocklists":{"type":"boolean","description":"Block lists are kept in step with the CRM, and can be resynced."}}},"Connection":{"type":"object","description":"A CRM connection.","required":["id","crm","status","organizationId","organizationDomain","capabilities","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Connection id."},"crm":{"description":"CRM type.","$ref":"#/components/schemas/Crm"},"status":{"description":"State of the connection.","$ref":"#/components/schemas/ComponentStatus"},"organizationId":{"type":"string","description":"The id of the organization in the CRM."},"organizationDomain":{"type":"string","description":"The domain of the organization in the CRM."},"capabilities":{"$ref":"#/components/schemas/ConnectionCapabilities"},"createdAt":{"description":"When the connection was created.","$ref":"#/components/schemas/Timestamp"}}},"ConnectionList":{"type":"object","description":"All connections within reach.","required":["connections"],"properties":{"connections":{"type":"array","description":"By \`id\` ascending.","items":{"$ref":"#/components/schemas/Connection"}}}},"SourceConfig":{"type":"object","description":"How events of a source are written to the CRM.","required":["createOrUpdateCompany","createOrUpdateTask","assignContactOwner","salesforceObjectType"],"properties":{"createOrUpdateCompany":{"type":"boolean","description":"Also create or update the company."},"createOrUpdateTask":{"type":"boolean","description":"Also create or update a task."},"assignContactOwner":{"type":"boolean","description":"Set the owner of the contact."},"salesforceObjectType":{"type":["string","null"],"description":"Which object Salesforce writes go to; null elsewhere, or for the default."}}},"SourceDestination":{"type":"object","description":"A forwarding destination bound to a source. The event filter belongs to this binding.","required":["url","description","eventTypes","isDelayed"],"properties":{"url":{"type":"string","description":"Where events are forwarded to."},"description":{"type":"string","description":"Free text, may be empty."},"eventTypes":{"type":"array","description":"Event types that this binding forwards, sorted, each once.","items":{"$ref":"#/components/schemas/SequencerEventType"}},"isDelayed":{"type":"boolean","description":"Whether this binding waits before forwarding."}}},"SourceReplyRelay":{"type":"object","description":"The reply relay bound to a source.","required":["id","description","ccEmail","delayMinutes"],"properties":{"id":{"type":"integer","minimum":1,"description":"Reply relay id."},"description":{"type":"string","description":"Free text, may be empty."},"ccEmail":{"type":"string","description":"Who is copied."},"delayMinutes":{"type":"integer","minimum":0,"description":"Minutes to wait before relaying."}}},"Source":{"type":"object","description":"An inbound URL that a sequencer posts its events to.","required":["id","url","platform","connectionId","crm","config","destinations","replyRelay","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Source id."},"url":{"type":"string","description":"The inbound URL, in the form it was created with. Legacy sources have two path segments.","format":"uri"},"platform":{"description":"Platform of the sequencer that posts to it.","$ref":"#/components/schemas/Platform"},"connectionId":{"type":"integer","minimum":1,"description":"The CRM connection that events are written to."},"crm":{"description":"CRM type of that connection.","$ref":"#/components/schemas/Crm"},"config":{"$ref":"#/components/schemas/SourceConfig"},"destinations":{"type":"array","description":"Forwarding destinations bound to this source.","items":{"$ref":"#/components/schemas/SourceDestination"}},"replyRelay":{"description":"The reply relay bound to this source; null when there is none.","anyOf":[{"$ref":"#/components/schemas/SourceReplyRelay"},{"type":"null"}]},"createdAt":{"description":"When the source was created.","$ref":"#/components/schemas/Timestamp"}}},"SourceList":{"type":"object","description":"All sources within reach.","required":["sources"],"properties":{"sources":{"type":"array","description":"By \`id\` ascending.","items":{"$ref":"#/components/schemas/Source"}}}},"DestinationResource":{"type":"object","description":"A customer URL that received events are forwarded to.","required":["id","url","description","connectionId","eventTypes","isDelayed","sourceIds","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Destination id."},"url":{"type":"string","description":"Where events are forwarded to."},"description":{"type":"string","description":"Free text, may be empty."},"connectionId":{"type":"integer","minimum":1,"description":"The connection it belongs to."},"eventTypes":{"type":"array","description":"Union over all bindings, sorted, each once.","items":{"$ref":"#/components/schemas/SequencerEventType"}},"isDelayed":{"type":"boolean","description":"True when any binding is delayed."},"sourceIds":{"type":"array","description":"Sources it is bound to, ascending, each once.","items":{"type":"integer","minimum":1}},"createdAt":{"description":"When the destination was created.","$ref":"#/components/schemas/Timestamp"}}},"DestinationList":{"type":"object","description":"All forwarding destinations within reach.","required":["destinations"],"properties":{"destinations":{"type":"array","description":"By \`id\` ascending.","items":{"$ref":"#/components/schemas/DestinationResource"}}}},"RelayCategory":{"type":"object","description":"A category or tag of a lead at the sequencer.","required":["id","name"],"properties":{"id":{"type":"string","description":"The sequencer's id of the category."},"name":{"type":"string","description":"Its name."}}},"ReplyRelay":{"type":"object","description":"Copies a sales rep on the replies of prospects.","required":["id","connectionId","description","ccEmail","delayMinutes","bodyTemplates","categoryAllowlist","sourceIds","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Reply relay id."},"connectionId":{"type":"integer","minimum":1,"description":"The connection it belongs to."},"description":{"type":"string","description":"Free text, may be empty."},"ccEmail":{"type":"string","description":"Who is copied."},"delayMinutes":{"type":"integer","minimum":0,"description":"Minutes to wait before relaying."},"bodyTemplates":{"type":"array","description":"Texts of the relayed message.","items":{"type":"string"}},"categoryAllowlist":{"type":"array","description":"Empty: every reply is relayed. Otherwise only when the current category or tag of the lead is one of these, looked up when the relay runs, not when the reply came in.","items":{"$ref":"#/components/schemas/RelayCategory"},"maxItems":50},"sourceIds":{"type":"array","description":"Sources it is bound to, ascending, each once.","items":{"type":"integer","minimum":1}},"createdAt":{"description":"When the relay was created.","$ref":"#/components/schemas/Timestamp"}}},"ReplyRelayList":{"type":"object","description":"All reply relays within reach.","required":["replyRelays"],"properties":{"replyRelays":{"type":"array","description":"By \`id\` ascending.","items":{"$ref":"#/components/schemas/ReplyRelay"}}}},"Blocklist":{"type":"object","description":"Keeps the block list of a sequencer in step with a list in the CRM. Pushing only adds entries: neither pause nor resync removes anything at the sequencer.","required":["id","connectionId","listName","crm","platform","blockType","status","isEnabled","clientId","syncedCount","pendingCount","lastFetchedAt","lastError","lastAttemptedAt","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Block list id."},"connectionId":{"type":"integer","minimum":1,"description":"The connection it belongs to."},"listName":{"type":"string","description":"Name of the list in the CRM."},"crm":{"description":"CRM type of the connection, when known.","anyOf":[{"$ref":"#/components/schemas/Crm"},{"type":"null"}]},"platform":{"description":"Platform of the sequencer that entries are pushed to.","$ref":"#/components/schemas/Platform"},"blockType":{"description":"What the list holds.","$ref":"#/components/schemas/BlockType"},"status":{"description":"Status of the pipeline.","$ref":"#/components/schemas/BlocklistStatus"},"isEnabled":{"type":"boolean","description":"False while paused."},"clientId":{"type":["string","null"],"description":"The sequencer's client that the list is pushed for, if it has clients."},"syncedCount":{"type":"integer","minimum":0,"description":"Entries that were pushed."},"pendingCount":{"type":"integer","minimum":0,"description":"Entries that wait to be pushed."},"lastFetchedAt":{"description":"When the list was last loaded from the CRM; null before the first load and after a resync request.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"lastError":{"type":["string","null"],"description":"Why the last run failed; null when it did not."},"lastAttemptedAt":{"description":"When the last attempt of any kind began or ended; null before the first.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"createdAt":{"description":"When the block list was set up.","$ref":"#/components/schemas/Timestamp"}}},"BlocklistList":{"type":"object","description":"All block lists within reach.","required":["blocklists"],"properties":{"blocklists":{"type":"array","description":"By \`id\` ascending.","items":{"$ref":"#/components/schemas/Blocklist"}}}},"BlocklistPaused":{"type":"object","description":"The list is paused.","required":["id","isEnabled","status"],"properties":{"id":{"type":"integer","minimum":1,"description":"Block list id."},"isEnabled":{"type":"boolean","const":false,"description":"Always false."},"status":{"description":"The status as stored after the pause.","$ref":"#/components/schemas/BlocklistStatus"}}},"BlocklistResyncQueued":{"type":"object","description":"A full reload is queued.","required":["id","queued","isEnabled","status"],"properties":{"id":{"type":"integer","minimum":1,"description":"Block list id."},"queued":{"type":"boolean","const":true,"description":"Always true."},"isEnabled":{"type":"boolean","const":true,"description":"Always true: a resync enables the list."},"status":{"type":"string","const":"FETCHING","description":"Always \`FETCHING\`."}}},"RequestReceipt":{"type":"object","description":"One inbound POST that was accepted at a source.","required":["id","sourceId","connectionId","path","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Request id. Its syncs and deliveries have it as \`payloadId\`."},"sourceId":{"type":["integer","null"],"minimum":1,"description":"The source that received it; null when the source was deleted."},"connectionId":{"type":["integer","null"],"minimum":1,"description":"The connection of that source; null when the source was deleted."},"path":{"type":"string","description":"The part of the source's \`url\` after \`/webhooks/\`, not the whole URL."},"createdAt":{"description":"When it was accepted.","$ref":"#/components/schemas/Timestamp"}}},"RequestPage":{"type":"object","description":"One page of requests, newest first by (\`createdAt\`, \`id\`).","required":["data","hasMore","nextCursor"],"properties":{"data":{"type":"array","description":"The rows of this page. A page may be short, even empty, while \`hasMore\` is true.","items":{"$ref":"#/components/schemas/RequestReceipt"}},"hasMore":{"type":"boolean","description":"Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`."},"nextCursor":{"type":["string","null"],"description":"Pass as \`cursor\` to get the next page; null on the last one. Opaque."}}},"SyncResource":{"type":"object","description":"One attempt to write a received event to a CRM.","required":["id","status","connectionId","sourceId","eventType","toEmail","platform","payloadId","error","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Sync id."},"status":{"description":"How the attempt ended.","$ref":"#/components/schemas/SyncStatus"},"connectionId":{"type":"integer","minimum":1,"description":"The connection written to."},"sourceId":{"type":["integer","null"],"minimum":1,"description":"The source that received the event; null when it was deleted."},"eventType":{"description":"What happened at the sequencer.","$ref":"#/components/schemas/SequencerEventType"},"toEmail":{"type":"string","description":"Recipient as stored: an email address, or a profile URL for social-only events."},"platform":{"description":"Which sequencer the event came from.","$ref":"#/components/schemas/Platform"},"payloadId":{"type":["integer","null"],"minimum":1,"description":"The request with the event; null when it is unknown."},"error":{"type":["object","null"],"description":"The CRM's error, in the CRM's own form; null without one.","additionalProperties":true},"createdAt":{"description":"When the attempt ended.","$ref":"#/components/schemas/Timestamp"}}},"SyncPage":{"type":"object","description":"One page of syncs, newest first by (\`createdAt\`, \`id\`).","required":["data","hasMore","nextCursor"],"properties":{"data":{"type":"array","description":"The rows of this page. A page may be short, even empty, while \`hasMore\` is true.","items":{"$ref":"#/components/schemas/SyncResource"}},"hasMore":{"type":"boolean","description":"Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`."},"nextCursor":{"type":["string","null"],"description":"Pass as \`cursor\` to get the next page; null on the last one. Opaque."}}},"RetryQueued":{"type":"object","description":"A new attempt is queued.","required":["queued","syncId"],"properties":{"queued":{"type":"boolean","const":true,"description":"Always true."},"syncId":{"type":"integer","minimum":1,"description":"The failed sync. It stays as it is; the attempt becomes a new sync."}}},"DestinationDelivery":{"type":"object","description":"One outbound POST to a forwarding destination.","required":["id","destinationId","destinationUrl","status","httpStatus","connectionId","sourceId","eventType","toEmail","payloadId","error","createdAt"],"properties":{"id":{"type":"integer","minimum":1,"description":"Delivery id."},"destinationId":{"type":"integer","minimum":1,"description":"The destination posted to."},"destinationUrl":{"type":"string","description":"The URL posted to."},"status":{"description":"How it ended.","$ref":"#/components/schemas/DeliveryStatus"},"httpStatus":{"type":["integer","null"],"minimum":100,"maximum":999,"description":"Status the destination answered with; null when there was no answer."},"connectionId":{"type":"integer","minimum":1,"description":"The connection of the destination."},"sourceId":{"type":["integer","null"],"minimum":1,"description":"The source that received the event; null on historical rows."},"eventType":{"description":"What happened at the sequencer; null on historical rows.","anyOf":[{"$ref":"#/components/schemas/SequencerEventType"},{"type":"null"}]},"toEmail":{"type":["string","null"],"description":"Recipient of the event; null on historical rows."},"payloadId":{"type":["integer","null"],"minimum":1,"description":"The request with the event; null when there is none, and then the delivery cannot be replayed."},"error":{"type":["string","null"],"description":"What went wrong; null on success."},"createdAt":{"description":"When the POST ended.","$ref":"#/components/schemas/Timestamp"}}},"DeliveryPage":{"type":"object","description":"One page of deliveries, newest first by (\`createdAt\`, \`id\`).","required":["data","hasMore","nextCursor"],"properties":{"data":{"type":"array","description":"The rows of this page. A page may be short, even empty, while \`hasMore\` is true.","items":{"$ref":"#/components/schemas/DestinationDelivery"}},"hasMore":{"type":"boolean","description":"Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`."},"nextCursor":{"type":["string","null"],"description":"Pass as \`cursor\` to get the next page; null on the last one. Opaque."}}},"ReplayQueued":{"type":"object","description":"A replay is queued.","required":["queued","destinationId","payloadId"],"properties":{"queued":{"type":"boolean","const":true,"description":"Always true."},"destinationId":{"type":"integer","minimum":1,"description":"The destination that will be posted to."},"payloadId":{"type":"integer","minimum":1,"description":"The request whose event will be posted."}}},"RequestMetrics":{"type":"object","description":"Number of requests in the range.","required":["count"],"properties":{"count":{"type":"integer","minimum":0,"description":"Requests."}}},"SyncMetrics":{"type":"object","description":"Number of syncs in the range, by status.","required":["success","warning","error"],"properties":{"success":{"type":"integer","minimum":0,"description":"Syncs with status \`success\`."},"warning":{"type":"integer","minimum":0,"description":"Syncs with status \`warning\`."},"error":{"type":"integer","minimum":0,"description":"Syncs with status \`error\`."}}},"DestinationDeliveryMetrics":{"type":"object","description":"Number of deliveries in the range.","required":["success","error","http2xx"],"properties":{"success":{"type":"integer","minimum":0,"description":"Deliveries with status \`success\`."},"error":{"type":"integer","minimum":0,"description":"Deliveries with status \`error\`."},"http2xx":{"type":"integer","minimum":0,"description":"Deliveries whose recorded HTTP status is a 2xx, historical rows with an inferred status included. It can differ from \`success\`."}}},"AccountMetricsResponse":{"type":"object","description":"Counts over the whole pipeline for one range.","required":["from","to","requests","syncs","destinationDeliveries"],"properties":{"from":{"description":"Start of the range, normalized.","$ref":"#/components/schemas/Timestamp"},"to":{"description":"End of the range, normalized.","$ref":"#/components/schemas/Timestamp"},"requests":{"$ref":"#/components/schemas/RequestMetrics"},"syncs":{"$ref":"#/components/schemas/SyncMetrics"},"destinationDeliveries":{"$ref":"#/components/schemas/DestinationDeliveryMetrics"}}},"OutreachQuery":{"type":"object","description":"The identities, normalized.","required":["email","profileUrls"],"properties":{"email":{"type":["string","null"],"description":"Lower-cased email; null when only profile URLs were sent."},"profileUrls":{"type":"array","description":"Profile URLs in canonical form.","items":{"type":"string"},"maxItems":5}}},"OutreachSummary":{"type":"object","description":"What happened, over all events found.","required":["everContacted","everEmailed","everOpened","everCalled","everSocialTouched","totalEvents","firstTouchAt","lastTouchAt","daysSinceLastTouch","lastEventType","lastPlatform"],"properties":{"everContacted":{"type":"boolean","description":"Whether there was a send, a reply, a call or an outbound social message. Opens, clicks, views and likes alone do not count."},"everEmailed":{"type":"boolean","description":"Whether an email was sent."},"everOpened":{"type":"boolean","description":"Whether an email was opened, as far as known by a person: opens that a sequencer marks as those of a bot do not count."},"everCalled":{"type":"boolean","description":"Whether there was a call."},"everSocialTouched":{"type":"boolean","description":"Whether anything happened on a social network."},"totalEvents":{"type":"integer","minimum":0,"description":"Events, each payload counted once per event type and platform."},"firstTouchAt":{"description":"When the first touch was processed, which is not when it happened at the sequencer. Every event is a touch except \`LEAD_CATEGORY_UPDATED\`, which is a signal; null when there was no touch.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"lastTouchAt":{"description":"When the last touch was processed; null when there was none.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"daysSinceLastTouch":{"type":["integer","null"],"minimum":0,"description":"Whole days since \`lastTouchAt\`, rounded down; null when there was none."},"lastEventType":{"description":"Event type of the last touch; null when there was none.","anyOf":[{"$ref":"#/components/schemas/SequencerEventType"},{"type":"null"}]},"lastPlatform":{"description":"Platform of the last touch; null when there was none or its source is unknown.","anyOf":[{"$ref":"#/components/schemas/Platform"},{"type":"null"}]}}},"OutreachEventType":{"type":"object","description":"Events of one type.","required":["eventType","count","firstAt","lastAt"],"properties":{"eventType":{"description":"The type.","$ref":"#/components/schemas/SequencerEventType"},"count":{"type":"integer","minimum":1,"description":"Events of this type."},"firstAt":{"description":"When the first event was processed.","$ref":"#/components/schemas/Timestamp"},"lastAt":{"description":"When the last event was processed.","$ref":"#/components/schemas/Timestamp"}}},"OutreachPlatform":{"type":"object","description":"Events of one platform.","required":["platform","count","lastAt","lastEventType"],"properties":{"platform":{"description":"The platform.","$ref":"#/components/schemas/Platform"},"count":{"type":"integer","minimum":1,"description":"Events of this platform."},"lastAt":{"description":"When the last event was processed.","$ref":"#/components/schemas/Timestamp"},"lastEventType":{"description":"Type of the last event.","$ref":"#/components/schemas/SequencerEventType"}}},"OutreachOutcomes":{"type":"object","description":"The outcomes of the outreach.","required":["replied","lastReplyAt","bounced","unsubscribed","lastCategoryName","lastCategoryAt"],"properties":{"replied":{"type":"boolean","description":"Whether the contact ever answered."},"lastReplyAt":{"description":"When the last answer was processed.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"bounced":{"type":"boolean","description":"Whether an email bounced."},"unsubscribed":{"type":"boolean","description":"Whether the contact unsubscribed."},"lastCategoryName":{"type":["string","null"],"description":"The last category the lead was put in at a sequencer."},"lastCategoryAt":{"description":"When that was.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]}}},"DoNotContact":{"type":"object","description":"Hard signals only: a bounce, or an unsubscribe.","required":["value","reasons"],"properties":{"value":{"type":"boolean","description":"Whether there is any reason."},"reasons":{"type":"array","description":"The reasons.","items":{"$ref":"#/components/schemas/DoNotContactReason"}}}},"OutreachBlocklists":{"type":"object","description":"Not evaluated in this release, whatever block lists exist. Do not filter on it.","required":["evaluated","matched","matches"],"properties":{"evaluated":{"type":"boolean","description":"False in this release."},"matched":{"type":"boolean","description":"Always false in this release, even when the contact is on a block list."},"matches":{"type":"array","description":"Empty in this release.","items":{}}}},"ContactOutreachResponse":{"type":"object","description":"Prior outreach to one contact.","required":["email","query","found","summary","eventTypes","platforms","outcomes","doNotContact","blocklists"],"properties":{"email":{"type":["string","null"],"description":"Replaced by \`query.email\`, which has the same value.","deprecated":true},"query":{"$ref":"#/components/schemas/OutreachQuery"},"found":{"type":"boolean","description":"Whether there are events, a category of the lead, or both."},"summary":{"$ref":"#/components/schemas/OutreachSummary"},"eventTypes":{"type":"array","description":"Per event type, sorted by type.","items":{"$ref":"#/components/schemas/OutreachEventType"}},"platforms":{"type":"array","description":"Per platform, sorted by platform. Events with an unknown source are not included.","items":{"$ref":"#/components/schemas/OutreachPlatform"}},"outcomes":{"$ref":"#/components/schemas/OutreachOutcomes"},"doNotContact":{"$ref":"#/components/schemas/DoNotContact"},"blocklists":{"$ref":"#/components/schemas/OutreachBlocklists"}}},"WebhookEndpoint":{"type":"object","description":"A registered HTTPS endpoint that receives the platform events of the account.","required":["id","url","description","enabledEvents","isActive","autoDisabledAt","createdAt","updatedAt"],"properties":{"id":{"type":"string","pattern":"^oswhk_","description":"Webhook id."},"url":{"type":"string","description":"Where events are posted to.","maxLength":2048},"description":{"type":"string","description":"Free text, empty when none was given.","maxLength":500},"enabledEvents":{"type":"array","description":"Event types subscribed to, each once, in a fixed order. Empty means every subscribable type.","items":{"$ref":"#/components/schemas/EventType"}},"isActive":{"type":"boolean","description":"Whether events are sent. Switched off by the service after 20 DEAD deliveries in a row."},"autoDisabledAt":{"description":"When the service switched the webhook off; null when it did not.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"createdAt":{"description":"When the webhook was registered.","$ref":"#/components/schemas/Timestamp"},"updatedAt":{"description":"When the webhook was last changed.","$ref":"#/components/schemas/Timestamp"}}},"WebhookEndpointWithSecret":{"description":"A webhook together with its signing secret, which is shown only this once.","allOf":[{"$ref":"#/components/schemas/WebhookEndpoint"},{"type":"object","required":["secret"],"properties":{"secret":{"type":"string","pattern":"^oswhsec_","description":"Signing secret. Store it now: it cannot be read again."}}}]},"WebhookList":{"type":"object","description":"All webhooks of the account.","required":["webhooks"],"properties":{"webhooks":{"type":"array","description":"Oldest first by (\`createdAt\`, \`id\`), without secrets.","items":{"$ref":"#/components/schemas/WebhookEndpoint"}}}},"CreateWebhookBody":{"type":"object","description":"A new webhook. Other keys are ignored.","required":["url"],"properties":{"url":{"type":"string","description":"HTTPS only. Private, local, loopback and link-local targets are refused, host names that resolve to one of them included, and ports of other protocols, such as 22 and 25.","pattern":"^[Hh][Tt][Tt][Pp][Ss]://","maxLength":2048},"description":{"type":"string","description":"Free text.","maxLength":500,"default":""},"enabledEvents":{"type":"array","description":"Event types to subscribe to. Empty or omitted: every subscribable type. Duplicates are dropped.","items":{"$ref":"#/components/schemas/SubscribableEventType"},"default":[]}}},"UpdateWebhookBody":{"type":"object","description":"The fields to change. Other keys are ignored.","properties":{"url":{"type":"string","description":"As for a new webhook. Later attempts go to the new URL.","pattern":"^[Hh][Tt][Tt][Pp][Ss]://","maxLength":2048},"description":{"type":"string","description":"Free text.","maxLength":500},"enabledEvents":{"type":"array","description":"Event types to subscribe to. Empty: every subscribable type. Duplicates are dropped.","items":{"$ref":"#/components/schemas/SubscribableEventType"}},"isActive":{"type":"boolean","description":"True switches an inactive webhook on again, clears \`autoDisabledAt\` and resets the count of DEAD deliveries."}}},"TestEventQueued":{"type":"object","description":"A \`test.ping\` is queued.","required":["eventId"],"properties":{"eventId":{"type":"string","pattern":"^osevt_","description":"Id of the event that will be delivered."}}},"WebhookDelivery":{"type":"object","description":"One platform event on its way to one webhook.","required":["id","endpointId","status","attemptCount","lastAttemptAt","lastHttpStatus","lastError","replayOfDeliveryId","createdAt","updatedAt"],"properties":{"id":{"type":"string","pattern":"^oswhd_","description":"Delivery id, sent as \`Service-Delivery-Id\`. The same at every attempt."},"endpointId":{"type":"string","pattern":"^oswhk_","description":"The webhook delivered to."},"status":{"description":"Status of the delivery.","$ref":"#/components/schemas/WebhookDeliveryStatus"},"attemptCount":{"type":"integer","minimum":0,"description":"Attempts made so far."},"lastAttemptAt":{"description":"When the last attempt was made; null before the first.","anyOf":[{"$ref":"#/components/schemas/Timestamp"},{"type":"null"}]},"lastHttpStatus":{"type":["integer","null"],"minimum":100,"maximum":999,"description":"HTTP status of the last attempt's answer; null when there was no answer or no attempt yet."},"lastError":{"type":["string","null"],"description":"Why the last attempt failed; null when it did not."},"replayOfDeliveryId":{"type":["string","null"],"pattern":"^oswhd_","description":"The delivery this one repeats; null for first deliveries."},"createdAt":{"description":"When the delivery was queued.","$ref":"#/components/schemas/Timestamp"},"updatedAt":{"description":"When the delivery last changed.","$ref":"#/components/schemas/Timestamp"}}},"WebhookDeliveryPage":{"type":"object","description":"One page of webhook deliveries, newest first by (\`createdAt\`, \`id\`).","required":["data","hasMore","nextCursor"],"properties":{"data":{"type":"array","description":"The rows of this page. A page may be short, even empty, while \`hasMore\` is true.","items":{"$ref":"#/components/schemas/WebhookDelivery"}},"hasMore":{"type":"boolean","description":"Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`."},"nextCursor":{"type":["string","null"],"description":"Pass as \`cursor\` to get the next page; null on the last one. Opaque."}}},"PlatformEvent":{"type":"object","description":"A report of the platform itself, not a received request.","required":["id","type","summary","data","connectionId","sourceId","delivered","createdAt"],"properties":{"id":{"type":"string","pattern":"^osevt_","description":"Event id."},"type":{"description":"Type of the event.","$ref":"#/components/schemas/EventType"},"summary":{"type":"string","description":"A one-line summary for people."},"data":{"type":"object","description":"Facts that depend on \`type\`: see \`SyncFailedData\`, \`SyncRecoveredData\` and \`TestPingData\`.","additionalProperties":true},"connectionId":{"type":["integer","null"],"minimum":1,"description":"The connection concerned; null for events of the account."},"sourceId":{"type":["integer","null"],"minimum":1,"description":"The source concerned; null for events of the account."},"delivered":{"type":"boolean","description":"Whether at least one webhook has received it."},"createdAt":{"description":"When it was recorded.","$ref":"#/components/schemas/Timestamp"}}},"PlatformEventWithDeliveries":{"description":"A platform event and its deliveries.","allOf":[{"$ref":"#/components/schemas/PlatformEvent"},{"type":"object","required":["deliveries"],"properties":{"deliveries":{"type":"array","description":"Newest first by (\`createdAt\`, \`id\`).","items":{"$ref":"#/components/schemas/WebhookDelivery"}}}}]},"EventPage":{"type":"object","description":"One page of platform events, newest first by (\`createdAt\`, \`id\`).","required":["data","hasMore","nextCursor"],"properties":{"data":{"type":"array","description":"The rows of this page. A page may be short, even empty, while \`hasMore\` is true.","items":{"$ref":"#/components/schemas/PlatformEvent"}},"hasMore":{"type":"boolean","description":"Whether more rows follow this page. Only this field marks the end of a list, never the length of \`data\`."},"nextCursor":{"type":["string","null"],"description":"Pass as \`cursor\` to get the next page; null on the last one. Opaque."}}},"SyncFailedData":{"type":"object","description":"Data of a \`sync.failed\` event.","required":["connectionId","crm","sourceId","sourcePlatform","reason","remediation"],"properties":{"connectionId":{"type":"integer","minimum":1,"description":"The connection that syncs fail on."},"crm":{"description":"CRM type of that connection.","$ref":"#/components/schemas/Crm"},"sourceId":{"type":"integer","minimum":1,"description":"The source whose events fail."},"sourcePlatform":{"description":"Platform of that source.","$ref":"#/components/schemas/Platform"},"reason":{"type":"string","description":"What went wrong."},"remediation":{"type":"string","description":"How to fix it, with a link to the dashboard."}}},"SyncRecoveredData":{"type":"object","description":"Data of a \`sync.recovered\` event.","required":["connectionId","crm","sourceId","sourcePlatform","failedSince"],"properties":{"connectionId":{"type":"integer","minimum":1,"description":"The connection that syncs succeed on again."},"crm":{"description":"CRM type of that connection.","$ref":"#/components/schemas/Crm"},"sourceId":{"type":"integer","minimum":1,"description":"The source whose events are written again."},"sourcePlatform":{"description":"Platform of that source.","$ref":"#/components/schemas/Platform"},"failedSince":{"description":"When the incident began.","$ref":"#/components/schemas/Timestamp"}}},"TestPingData":{"type":"object","description":"Data of an event type without defined fields.","additionalProperties":true},"WebhookEnvelope":{"type":"object","description":"The body that is posted to a webhook. The bytes are the same at every attempt.","required":["id","type","created","summary","data"],"properties":{"id":{"type":"string","pattern":"^osevt_","description":"Event id. The same event can arrive more than once: drop repeats by this id."},"type":{"description":"Type of the event. Ignore unknown types.","$ref":"#/components/schemas/EventType"},"created":{"description":"When the event was recorded. Events can arrive out of order: sort by this.","$ref":"#/components/schemas/Timestamp"},"summary":{"type":"string","description":"A one-line summary for people."},"data":{"type":"object","description":"Facts that depend on \`type\`.","additionalProperties":true}}},"SyncFailedEnvelope":{"description":"The body of a \`sync.failed\` delivery.","allOf":[{"$ref":"#/components/schemas/WebhookEnvelope"},{"type":"object","required":["type","data"],"properties":{"type":{"type":"string","const":"sync.failed","description":"The event type."},"data":{"$ref":"#/components/schemas/SyncFailedData"}}}]},"SyncRecoveredEnvelope":{"description":"The body of a \`sync.recovered\` delivery.","allOf":[{"$ref":"#/components/schemas/WebhookEnvelope"},{"type":"object","required":["type","data"],"properties":{"type":{"type":"string","const":"sync.recovered","description":"The event type."},"data":{"$ref":"#/components/schemas/SyncRecoveredData"}}}]},"TestPingEnvelope":{"description":"The body of a \`test.ping\` delivery.","allOf":[{"$ref":"#/components/schemas/WebhookEnvelope"},{"type":"object","required":["type","data"],"properties":{"type":{"type":"string","const":"test.ping","description":"The event type."},"data":{"$ref":"#/components/schemas/TestPingData"}}}]}}}}`;
