/**
 * The words of this API. Several sound alike but mean different things.
 *
 * - **source**: an inbound URL that a sequencer POSTs events to.
 * - **request**: a POST of a sequencer to a source, as received. Its id is the `payloadId` of its syncs and deliveries.
 * - **sync**: one attempt to write a received event to a CRM connection.
 * - **destination**: a customer's URL that received events are forwarded to.
 * - **delivery**: one outbound POST to a destination (integer id, `success` or `error`).
 * - **reply relay**: copies a sales rep on a prospect's reply.
 * - **blocklist**: keeps a sequencer's block list in step with a CRM list.
 * - **webhook**: a registered HTTPS endpoint that receives the service's *own* events.
 * - **event**: a report of the platform itself (`osevt_` id); never a received request.
 * - **webhook delivery**: one event on its way to one webhook (`oswhd_` id, PENDING to SUCCEEDED, FAILED or DEAD).
 *
 * Lists marked *open* may grow: answers may have values that are not listed here, which clients must accept. In filters of
 * requests the same lists are closed.
 */

import * as values from './generated/values.ts';

/** Adds "or any other string" to a closed list without losing the editor's suggestions. */
export type Open<Known extends string> = Known | (string & {});

/** `ComponentStatus` of a connection or one of its parts. Open. */
export const COMPONENT_STATUSES = values.COMPONENT_STATUS_VALUES;
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

/** Codes of `blockers[]`: syncing cannot work until resolved. Open. */
export const BLOCKER_CODES = values.BLOCKER_CODE_VALUES;
export type BlockerCode = (typeof BLOCKER_CODES)[number];

/** Codes of `warnings[]`: never affect `ready`. Open. */
export const WARNING_CODES = values.WARNING_CODE_VALUES;
export type WarningCode = (typeof WARNING_CODES)[number];

/** CRM types, upper case. Open. */
export const CRMS = values.CRM_VALUES;
export type Crm = (typeof CRMS)[number];

/** The names of the CRMs as their makers spell them. */
export const CRM_NAMES: Readonly<Record<Crm, string>> = {
  HUBSPOT: 'HubSpot',
  SALESFORCE: 'Salesforce',
  PIPEDRIVE: 'Pipedrive',
};

/** CRM types whose syncs can be retried. */
export const RETRYABLE_CRMS = ['HUBSPOT', 'SALESFORCE'] as const satisfies readonly Crm[];

/**
 * CRM types that store a profile URL as the recipient of social-only events, so only their connections answer a
 * look-up by profile URL.
 */
export const PROFILE_URL_CRMS = ['HUBSPOT', 'SALESFORCE'] as const satisfies readonly Crm[];

/** Sequencer platforms, lower case. Open. */
export const PLATFORMS = values.PLATFORM_VALUES;
export type Platform = (typeof PLATFORMS)[number];

/** Scopes of a key. Every key has `read`. */
export const API_KEY_SCOPES = values.API_KEY_SCOPE_VALUES;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** Whether a key reaches all API-enabled connections of its account, or exactly one. */
export const CONNECTION_SCOPES = values.CONNECTION_SCOPE_VALUES;
export type ConnectionScope = (typeof CONNECTION_SCOPES)[number];

export const SYNC_STATUSES = values.SYNC_STATUS_VALUES;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** Statuses of a delivery to a forwarding destination. */
export const DELIVERY_STATUSES = values.DELIVERY_STATUS_VALUES;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const WEBHOOK_DELIVERY_STATUSES = values.WEBHOOK_DELIVERY_STATUS_VALUES;
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

export const BLOCKLIST_STATUSES = values.BLOCKLIST_STATUS_VALUES;
export type BlocklistStatus = (typeof BLOCKLIST_STATUSES)[number];

export const BLOCK_TYPES = values.BLOCK_TYPE_VALUES;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** Platform event types. Open in responses, closed in the `type` filter of the event log. */
export const EVENT_TYPES = values.EVENT_TYPE_VALUES;
export type EventType = (typeof EVENT_TYPES)[number];

/** The event types a webhook may subscribe to; also what an empty `enabledEvents` means. */
export const SUBSCRIBABLE_EVENT_TYPES = values.SUBSCRIBABLE_EVENT_TYPE_VALUES;
export type SubscribableEventType = (typeof SUBSCRIBABLE_EVENT_TYPES)[number];

/** Prefixes of event types that are reserved for later releases: subscribing is refused. */
export const RESERVED_EVENT_TYPE_PREFIXES = ['connection.', 'blocklist.', 'destination.', 'record.'] as const;

/** How an event of a sequencer counts in the outreach summary of a contact. */
export interface TouchFlags {
  /** Counts as contact: a send, reply, call or outbound social message. */
  readonly contacted?: true;
  /** An email was sent to the contact (`everEmailed`). */
  readonly emailed?: true;
  /** The contact opened an email (`everOpened`). */
  readonly opened?: true;
  /** A call (`everCalled`). */
  readonly called?: true;
  /** Any event on a social network (`everSocialTouched`). */
  readonly social?: true;
  /** The contact answered (`outcomes.replied`). */
  readonly replied?: true;
  /** A hard signal: do not contact. */
  readonly bounced?: true;
  /** A hard signal: do not contact. */
  readonly unsubscribed?: true;
  /** A signal, not a touch: it is counted, but does not set the first or last touch. */
  readonly signal?: true;
}

export type SequencerEventType = (typeof values.SEQUENCER_EVENT_TYPE_VALUES)[number];

/**
 * Event types of sequencers, normalized, with their touch classes. Open: an event type that is not listed
 * has no flags. Connection requests, follows, views and likes touch socially but are not contact.
 * An open or a click that the sequencer marks as a bot's is a type of its own, because nobody opened or clicked.
 */
export const SEQUENCER_EVENT_TYPES = {
  EMAIL_SENT: { contacted: true, emailed: true },
  EMAIL_OPEN: { opened: true },
  EMAIL_LINK_CLICK: {},
  EMAIL_OPEN_BY_BOT: { signal: true },
  EMAIL_LINK_CLICK_BY_BOT: { signal: true },
  EMAIL_REPLY: { contacted: true, replied: true },
  EMAIL_BOUNCE: { bounced: true },
  LEAD_UNSUBSCRIBED: { unsubscribed: true },
  LEAD_CATEGORY_UPDATED: { signal: true },
  MESSAGE_SENT: { contacted: true, social: true },
  MESSAGE_REPLY: { contacted: true, social: true, replied: true },
  INMAIL_SENT: { contacted: true, social: true },
  INMAIL_REPLY: { contacted: true, social: true, replied: true },
  CONNECTION_REQUEST_SENT: { social: true },
  CONNECTION_REQUEST_ACCEPTED: { social: true },
  PROFILE_VIEWED: { social: true },
  POST_LIKED: { social: true },
  FOLLOW_SENT: { social: true },
  CALL_COMPLETED: { contacted: true, called: true },
} as const satisfies Record<SequencerEventType, TouchFlags>;

/** Reasons of `doNotContact`, hard signals only. Open. */
export const DO_NOT_CONTACT_REASONS = values.DO_NOT_CONTACT_REASON_VALUES;
export type DoNotContactReason = (typeof DO_NOT_CONTACT_REASONS)[number];

/** Prefixes that make ids and secrets recognizable. */
export const PREFIXES = {
  apiKey: 'osapi_',
  webhook: 'oswhk_',
  webhookSecret: 'oswhsec_',
  webhookDelivery: 'oswhd_',
  event: 'osevt_',
} as const;

/** Content type of every answer that is JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Header names. `Service-` stands for the brand of whoever runs the service. */
export const HEADERS = {
  eventId: 'Service-Event-Id',
  deliveryId: 'Service-Delivery-Id',
  signature: 'Service-Signature',
  requestId: 'Service-Request-Id',
  /** On POSTs to destinations: `payloadId` of the delivery, the same at every attempt and replay. */
  payloadId: 'Service-Payload-Id',
} as const;

/** The realm named by `WWW-Authenticate` on a 401. */
export const AUTH_REALM = 'api';

/** Path prefix of the API. */
export const API_PREFIX = '/api/v1';
