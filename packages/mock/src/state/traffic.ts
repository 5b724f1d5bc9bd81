/** Records of a world's traffic: calls in the journal, outgoing posts in the outbox. */
import type { OperationId } from '@svc/contract/operations';
import { entriesOf, type History } from './history.ts';

/** An operation of the contract, or a post to a source URL. */
export type RouteId = OperationId | 'inbound';

export interface JournalEntry {
  /** Counts the calls of the world from 1. */
  readonly id: number;
  /** World time. */
  readonly createdAt: Date;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** `inbound` for posts to source URLs; null when no route matched. */
  readonly operationId: RouteId | null;
  /** Name of the key that was used; never the token. */
  readonly keyName: string | null;
  /** Request headers with lower-case names. `authorization` has only its scheme; keys and secrets are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text of other bodies; undefined without a body. */
  readonly body: unknown;
  /** Status of the answer; null when a fault prevented it. */
  readonly status: number | null;
  readonly faultId: string | null;
  /** The most similar route when none matched, such as `GET /api/v1/syncs (listSyncs)`; otherwise null. */
  readonly nearestRoute: string | null;
  /** Why the answer may surprise, such as an unknown key or a range after the world's clock, without keys; null for other answers. */
  readonly hint: string | null;
}

/** A post that the service made: a webhook delivery or a forwarded event. */
export interface OutboxEntry {
  /** Counts the posts of the world from 1. */
  readonly id: number;
  /** World time. */
  readonly createdAt: Date;
  readonly kind: 'webhook' | 'forwarding';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent, in UTF-8. */
  readonly body: string;
  /** The receiver it was sent to; null without one. */
  readonly receiver: string | null;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
}

/** The mail that a reply relay sends to a sales rep. */
export interface Mail {
  /** The same at every attempt. */
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: MailAddress;
  /** The lead; null when no address is known. */
  readonly replyTo: MailAddress | null;
  readonly subject: string;
  readonly inReplyTo: string | null;
  /** Oldest first. */
  readonly references: readonly string[];
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

export interface MailAddress {
  /** Empty without one. */
  readonly name: string;
  readonly address: string;
}

/** An attempt to send the mail of a reply relay, or the decision not to send it. */
export interface MailEntry {
  /** Counts the entries of the world from 1. */
  readonly id: number;
  /** World time. */
  readonly createdAt: Date;
  readonly relayId: number;
  /** The request with the reply; of a digest, that with its first reply. */
  readonly requestId: number;
  /**
   * `retry`: the attempt failed, and another follows. `digest`: the relay had sent its mails of the hour, so the reply goes into
   * the digest when the hour ends.
   */
  readonly status: 'sent' | 'retry' | 'digest' | 'failed' | 'skipped';
  /** Attempts at this mail so far. */
  readonly attemptCount: number;
  /** Attempts so far after which the mail may have arrived although no answer came. */
  readonly unconfirmedCount: number;
  /** Code of the mail server's answer; null without one. */
  readonly smtpCode: number | null;
  /** Why it was not sent. */
  readonly error: string | null;
  /** Whether this attempt reached the recipient. */
  readonly isDelivered: boolean;
  /** Null when none was sent: it was skipped, or goes into the digest. */
  readonly mail: Mail | null;
}

export interface MailFilter {
  readonly relayId?: number;
  readonly status?: MailEntry['status'];
  /** Address of the recipient, in any letter case. */
  readonly to?: string;
}

/** Returns the mails that fit, oldest first. */
export function findMails(mails: History<MailEntry>, { relayId, status, to }: MailFilter): MailEntry[] {
  return entriesOf(mails).filter(
    (entry) =>
      (relayId ?? entry.relayId) === entry.relayId &&
      (status ?? entry.status) === entry.status &&
      (to === undefined || to.toLowerCase() === entry.mail?.to.address.toLowerCase()),
  );
}

export interface OutboxFilter {
  readonly kind?: OutboxEntry['kind'];
  /** Host of the posted URL. */
  readonly host?: string;
}

/** Returns the posts that fit, oldest first. */
export function findPosts(outbox: History<OutboxEntry>, { kind, host }: OutboxFilter): OutboxEntry[] {
  return entriesOf(outbox).filter(
    (post) =>
      (kind ?? post.kind) === post.kind && (host === undefined || host.toLowerCase() === new URL(post.url).hostname),
  );
}
