import type { BlockType } from '@svc/contract/vocabulary';
import type { LastValues } from '@svc/domain/policy/last-values';
import type { WritePlan } from '@svc/domain/policy/plan-write';
import type { PlannedField } from '@svc/domain/policy/planned-fields';
import type { InboundEvent } from '@svc/sequencers';

/**
 * The interface of a CRM. A connector is stateless except for caches: what must be remembered between batches goes to
 * `CrmRecords`, and how many calls may be made is decided by `CrmQuota`. The server implements both.
 */
export interface CrmConnector {
  /** Most events that one call of `writeEvents` takes, 1 or more. */
  readonly batchSize: number;
  /**
   * Writes events of one connection: the contact, an engagement on its timeline, and what else their plans say. Events
   * of one contact are written in their order: while an earlier one has to be repeated, the later ones are not written, and fail as it
   * does. Repeating an event with the same key changes nothing.
   *
   * Never rejects, and never fails as a whole: returns one outcome per event, in order.
   */
  writeEvents(batch: CrmBatch): Promise<readonly CrmOutcome[]>;
  /**
   * Yields the entries of one of the CRM's lists page by page. Never rejects: a failure is the last item. The last page
   * has the `cursor` null. Pages that repeat may be yielded for ever: the reader notices them.
   */
  readList(input: CrmListRead): AsyncIterable<CrmListPage | CrmFailed>;
  /**
   * Asks the CRM who the token belongs to and what it may do, without changing anything. Never rejects: every failure
   * is an outcome.
   */
  checkAccess(access: CrmAccess): Promise<CrmAccessInfo | CrmFailed>;
  /**
   * Returns the address of the user who owns the contact of an event now, or of a user by id. Changes nothing in the CRM.
   * Never rejects: every failure is an outcome. Absent: reply relays ask this CRM for no owners.
   */
  readOwner?(read: CrmOwnerRead): Promise<CrmOwner | CrmFailed>;
}

/** How calls of one connection are made. */
export interface CrmAccess {
  /** The access token that is valid now. */
  accessToken: string;
  /** `oauth`: an access token of an OAuth grant. `private`: a token that a user of the CRM made by hand. */
  tokenType: 'oauth' | 'private';
  /** Base URL of the account's own API host (`instance_url`, `api_domain`) without a trailing slash; null: the vendor's. */
  apiUrl: string | null;
  /** Allows and counts the calls of the connection. */
  quota: CrmQuota;
}

/** Decides when a call may be made, for all processes of the connection. */
export interface CrmQuota {
  /**
   * Asks for permission to make one call, and waits for a short time if that is enough.
   *
   * @returns null when the call may be made, otherwise Unix time in ms before which it may not, and why
   */
  take(call: CrmCall): Promise<{ untilMs: number; error: CrmError } | null>;
  /** Records what an answer says about the limits, and counts the call. Never rejects. */
  report(call: CrmCall, answer: CrmQuotaReport): Promise<void>;
}

export interface CrmCall {
  /** Name from a closed list of the connector, for metrics: `contacts_read`, `contacts_upsert`, ... */
  operation: string;
  /** In the unit of the CRM's limits; 1 per call unless the CRM counts tokens. */
  cost: number;
  /** A limit of its own that the call also counts for, such as `search`. */
  bucket?: string;
}

/** What an answer says about the CRM's limits; absent fields are unknown. */
export interface CrmQuotaReport {
  /** Null when there was no answer. */
  httpStatus: number | null;
  /** What is left of the short window, its length or rest, and its size. */
  window?: { remaining: number; resetMs: number; limit?: number };
  /** What is left of the day, for all apps of the account. */
  daily?: { remaining: number; limit?: number };
}

/**
 * What is remembered of a connection's records between batches, in the database and shared by all processes. Losing an
 * entry costs calls, never correctness, except where a connector says so (Pipedrive's person ids).
 */
export interface CrmRecords {
  /** Returns the known records by identity; absent when unknown. */
  read(identities: readonly string[]): Promise<ReadonlyMap<string, CrmRecord>>;
  /** Stores records; the last one of an identity wins. */
  write(records: readonly CrmRecord[]): Promise<void>;
  /** Forgets records that the CRM no longer has. */
  delete(identities: readonly string[]): Promise<void>;
}

export interface CrmRecord {
  /**
   * `email:kim@example.com`, `url:https://...`, `domain:example.com`, or another key with a prefix of the connector.
   * `activity:...` marks a written event and is forgotten after 30 days.
   */
  identity: string;
  /** The CRM's type of the record: `contacts`, `Lead`, `person`, ... */
  recordType: string;
  recordId: string;
  /** Hash of the details that the record is known to have, so that they need not be read or written again. */
  detailsHash: string | null;
  ownerId: string | null;
  companyId: string | null;
  /** When the CRM showed or confirmed the record last. */
  checkedAt: Date;
}

/** How a connector remembers, in `CrmRecords`, which addresses are those of users. */
export interface RememberedUsers {
  /** Returns the identity under which an address, in lower case, is remembered. */
  identityOf(email: string): string;
  /** Returns whether the address is that of a user; otherwise the CRM had no such user. */
  isUser(record: CrmRecord): boolean;
}

export interface CrmBatch {
  access: CrmAccess;
  /** The CRM's id of the customer's account. */
  organizationId: string;
  records: CrmRecords;
  /** In the order in which they were received; at most `batchSize`. */
  events: readonly CrmWrite[];
}

export interface CrmWrite {
  /**
   * What of the event is written. Without `writes.fields` an existing contact stays as it is, its owner too; a contact that
   * is created gets its details and its owner in any case.
   */
  plan: WritePlan;
  /** Properties of the contact besides its details. Written as details are: with `writes.fields`, or to a contact that is created. */
  fields: readonly PlannedField[];
  /**
   * What happened last to the person, and how often, with this event and all others that are known: those that the plan names. Null: none are
   * written.
   */
  lastValues: LastValues | null;
  event: InboundEvent;
  /** Identifies the event in every attempt: at most one engagement has it. */
  idempotencyKey: string;
  /** When the event was received; used when the platform sent no time. */
  receivedAt: Date;
  /** Whether an earlier attempt may have written parts of it, so that its result is unknown. */
  isRepeated: boolean;
}

/**
 * What a token is used for: `events` writes contacts and engagements, `companies` and `owners` are options of sources,
 * `lists` fill block lists, `companyLists` those of companies. Which members a list has is only known when it is read.
 */
export type CrmUse = 'events' | 'companies' | 'owners' | 'lists' | 'companyLists';

export interface CrmAccessInfo {
  status: 'accepted';
  /** The CRM's id of the account that the token belongs to. */
  organizationId: string;
  /** Permissions that the token lacks, with the use that needs each; null when the CRM does not say. */
  missing: readonly { use: CrmUse; scope: string }[] | null;
}

export interface CrmOwnerRead {
  access: CrmAccess;
  /** The CRM's id of the customer's account. */
  organizationId: string;
  records: CrmRecords;
  of: { event: InboundEvent } | { userId: string };
}

export interface CrmOwner {
  status: 'owner';
  /** In lower case; null when the CRM has no such contact or active user. */
  address: string | null;
}

export interface CrmListRead {
  access: CrmAccess;
  /** The CRM's id of the list. */
  listId: string;
  /** Whether a member becomes its address or its domain. */
  blockType: BlockType;
  /** Cursor of the page that was read last; null starts at the beginning. */
  cursor: string | null;
}
export interface CrmListPage {
  status: 'page';
  /** In the form of `@svc/domain/blocklists/blocklist-entry`; a value may appear again on a later page. */
  values: string[];
  /** Position to continue from after this page. */
  cursor: string | null;
}

export type CrmOutcome =
  /** `engagementId` is null when the plan has no entry on the timeline. */
  | { status: 'success'; contactId: string; engagementId: string | null }
  /**
   * Written except for a part, so a success for health checks. `error` says which part and why. `contactId` is null when
   * the CRM does not have the contact and the plan does not create it (see `noMatchingContact`).
   */
  | { status: 'warning'; contactId: string | null; engagementId: string | null; error: CrmError }
  | CrmFailed;

export interface CrmFailed {
  status: 'error';
  error: CrmError;
  /** Whether the same call can succeed later; with `afterMs` null the caller chooses the wait. */
  retry: 'never' | { afterMs: number | null };
  /** The CRM no longer accepts the token. */
  disconnected: boolean;
  /**
   * The CRM as a whole does not work: no answer, a 5xx, an answer of a gateway. Absent when it answered, even if it
   * refused. Other writes of the connection would fail as well (see the server's `crm-outage.ts`).
   */
  isUnavailable?: true;
  /** The quota had no room for the call (see `CrmQuota.take`), so the event waits, and has not failed. */
  isQuotaWait?: true;
  /** Unix time in ms before which no call of this connection can succeed (see the server's `crm-cooldown.ts`). */
  cooldownUntilMs?: number;
}

/** Safe to show and store: never contains the token or values of the payload. */
export interface CrmError {
  /** A stable, lower-case code: `rate_limited`, `refused`, `unavailable`, ... */
  code: string;
  message: string;
  /** Null when there was no answer. */
  httpStatus: number | null;
  /** The CRM's own category of the error. */
  category?: string;
  /** An id for the CRM's support. */
  correlationId?: string;
}
