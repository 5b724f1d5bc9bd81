import type { Source } from '@svc/contract/types';
import type { BlockType } from '@svc/contract/vocabulary';
import type { InboundEvent } from '@svc/sequencers';

/**
 * The interface of a CRM.
 *
 * `writeEvent` writes one event of a sequencer: the contact, an engagement on its timeline, and the options of the
 * source. Repeating it with the same key changes nothing: a contact is found by its identity, everything else by a
 * stored key. `readList` reads a list. `checkToken` says whether both can work.
 */
export interface CrmConnector {
  /** Never rejects: every failure is an outcome. */
  writeEvent(input: CrmWrite): Promise<CrmOutcome>;
  /**
   * Yields the entries of one of the CRM's lists page by page. Never rejects: a failure is the last item. The last page
   * has the `cursor` null.
   */
  readList(input: CrmListRead): AsyncIterable<CrmListPage | CrmFailed>;
  /** Asks the CRM about a token without changing anything. Never rejects: every failure is an outcome. */
  checkToken(accessToken: string): Promise<CrmTokenInfo | CrmFailed>;
}

/**
 * What a token is used for: `events` writes contacts and engagements, `companies` and `owners` are options of sources,
 * `lists` fill block lists.
 */
export type CrmUse = 'events' | 'companies' | 'owners' | 'lists';

export interface CrmTokenInfo {
  status: 'accepted';
  /** The CRM's id of the account that the token belongs to. */
  organizationId: string;
  /** Permissions that the token lacks, with the use that needs each; null when the CRM does not say. */
  missing: readonly { use: CrmUse; scope: string }[] | null;
}

export interface CrmListRead {
  accessToken: string;
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

export interface CrmWrite {
  accessToken: string;
  /** The CRM's id of the customer's account. */
  organizationId: string;
  source: CrmSourceConfig;
  event: InboundEvent;
  /** Identifies the event in every attempt: at most one engagement has it. */
  idempotencyKey: string;
  /** When the event was received; used when the platform sent no time. */
  receivedAt?: Date;
}

/** The part of a source's `config` in the API that concerns the CRM. */
export type CrmSourceConfig = Omit<Source['config'], 'salesforceObjectType'>;

export type CrmOutcome =
  | { status: 'success'; contactId: string; engagementId: string }
  /** Written except for a refused part, so a success for health checks. `error` says which part and why. */
  | { status: 'warning'; contactId: string; engagementId: string | null; error: CrmError }
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
