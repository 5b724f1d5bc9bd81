import type { BlockType } from '@svc/contract/vocabulary';
import type { InboundEvent } from '@svc/sequencers';

/**
 * The port towards a CRM.
 *
 * One call writes one event of a sequencer: the contact, an engagement on its timeline, and what the source asks for
 * besides. Calling it again with the same key changes nothing that was written before: a contact is found by its identity,
 * everything else by a key that is stored with it. Another reads a list.
 */
export interface CrmConnector {
  /** Never rejects: every failure is an outcome. */
  writeEvent(input: CrmWrite): Promise<CrmOutcome>;
  /**
   * The entries of one of the CRM's lists, page by page, so that a list of any size fits into memory. Never rejects: what
   * goes wrong is the last item. The page whose `cursor` is null is the last one.
   */
  readList(input: CrmListRead): AsyncIterable<CrmListPage | CrmFailed>;
}

export interface CrmListRead {
  accessToken: string;
  /** The CRM's own id of the list. */
  listId: string;
  /** What a member becomes: its address, or its domain. */
  blockType: BlockType;
  /** Of the page that was read last; null begins at the start. */
  cursor: string | null;
}

export interface CrmListPage {
  status: 'page';
  /** In the form of `@svc/domain/blocklists/blocklist-entry`; a value may come again on a later page. */
  values: string[];
  /** Where to go on after this page. */
  cursor: string | null;
}

export interface CrmWrite {
  accessToken: string;
  /** The CRM's own id of the customer's account. */
  organizationId: string;
  source: CrmSourceConfig;
  event: InboundEvent;
  /** Names this event for ever, whatever the attempt: at most one engagement has it. */
  idempotencyKey: string;
  /** When the event came in; stands in where the platform gave no time. */
  receivedAt?: Date;
}

/** The source's `config` of the API, as far as it concerns a CRM. */
export interface CrmSourceConfig {
  createOrUpdateCompany: boolean;
  /** A to-do for a sales rep, on replies only. */
  createOrUpdateTask: boolean;
  /** Makes the CRM user with the sending mailbox's address the owner of a contact without one. */
  assignContactOwner: boolean;
  salesforceObjectType?: string | null;
}

export type CrmOutcome =
  | { status: 'success'; contactId: string; engagementId: string }
  /** Written, with a part refused: for a health check a success. `error` says which part and why. */
  | { status: 'warning'; contactId: string; engagementId: string | null; error: CrmError }
  | CrmFailed;

export interface CrmFailed {
  status: 'error';
  error: CrmError;
  /** Whether the same call can succeed later; `afterMs` null leaves the wait to the caller. */
  retry: 'never' | { afterMs: number | null };
  /** The CRM does not accept the token any more. */
  disconnected: boolean;
  /** Unix time in ms: no call of this connection can succeed before, so none is to be made (see the server's `crm-cooldown.ts`). */
  cooldownUntilMs?: number;
}

/** Fit for showing and storing: never holds the token or values of the payload. */
export interface CrmError {
  /** Stable, lower case: `rate_limited`, `refused`, `unavailable`, ... */
  code: string;
  message: string;
  /** Null when there was no answer. */
  httpStatus: number | null;
  /** The CRM's own class of the error. */
  category?: string;
  /** What the CRM's support asks for. */
  correlationId?: string;
}
