/**
 * The states of a relay mail.
 *
 * 1. It waits until it is due, is `sending` while the mail server has it, and ends `sent`, `skipped` (`relaySkipReason`),
 *    `failed`, or `digest` when its reply goes into the digest of the hour instead (`digestTime`). Ended mails stay as they are. A
 *    digest is a mail with these states too.
 * 2. Attempts follow the schedule of webhook deliveries: up to eight, within about two hours.
 * 3. A 5xx answer to the mail itself (sender, recipient, content) is final. Everything else is tried again: 4xx, no answer, and
 *    refusals of the session such as a wrong password, which say nothing about the mail.
 * 4. When an attempt ends without an answer after the content was handed over, or when the process dies, the mail may have
 *    arrived. It is sent once more, with the same message id, and counted (`unconfirmedCount`). After the second such attempt it
 *    is given up, so that no mail is sent more than twice.
 * 5. An operator may have an ended mail sent again: it begins anew, with eight attempts. It keeps its message id unless it was
 *    accepted before: then mail programs would hide the second one.
 */
import { retryDelayMs } from '../webhooks/webhook-delivery.ts';

export const RELAY_MAIL_STATUSES = ['waiting', 'sending', 'sent', 'digest', 'skipped', 'failed'] as const;
export type RelayMailStatus = (typeof RELAY_MAIL_STATUSES)[number];

export interface RelayMailState {
  readonly status: RelayMailStatus;
  /** Attempts begun so far. */
  readonly attemptCount: number;
  /** Attempts after which the mail may have arrived although no answer came. */
  readonly unconfirmedCount: number;
  /** SMTP code of the last answer; null without one. */
  readonly smtpCode: number | null;
  readonly error: string | null;
  /** When the next attempt is due; null when it has ended. */
  readonly nextAttemptAt: Date | null;
}

export interface RelayAttempt {
  readonly at: Date;
  /** Null when no answer came. */
  readonly smtpCode: number | null;
  /** Null when the mail server accepted the mail. */
  readonly error: string | null;
  /** Whether the code answers the mail itself, not the session. */
  readonly isAboutMail: boolean;
  /** Whether the content was handed over completely. */
  readonly wasHandedOver: boolean;
}

const UNCONFIRMED_MAX = 2;
const GIVEN_UP = 'Two attempts ended without an answer, so the mail may have arrived twice. It is not sent again';

export function newRelayMail(dueAt: Date): RelayMailState {
  return { status: 'waiting', attemptCount: 0, unconfirmedCount: 0, smtpCode: null, error: null, nextAttemptAt: dueAt };
}

/** Returns the mail as it must be stored before it is sent. It is `failed` when it must not be sent again (rule 4). */
export function beginAttempt(mail: RelayMailState): RelayMailState {
  const counted = countInterrupted(mail);
  if (hasEnded(counted)) return counted;
  return { ...counted, status: 'sending', attemptCount: mail.attemptCount + 1 };
}

/** Counts an attempt that a stopped process began: it is still `sending` when its job runs again. */
export function countInterrupted(mail: RelayMailState): RelayMailState {
  return mail.status === 'sending' ? withUnconfirmed({ ...mail, status: 'waiting' }) : mail;
}

/**
 * Returns the mail after an attempt.
 *
 * @param options.jitterMs added to the first wait, 0 to 300,000 ms (`jitterFrom`)
 */
export function endAttempt(
  mail: RelayMailState,
  attempt: RelayAttempt,
  { jitterMs }: { jitterMs: number },
): RelayMailState {
  const { smtpCode, error } = attempt;
  if (error === null) return { ...mail, status: 'sent', smtpCode, error, nextAttemptAt: null };
  const isFinal = attempt.isAboutMail && smtpCode !== null && smtpCode >= 500;
  const delayMs = isFinal ? null : retryDelayMs(mail.attemptCount, jitterMs);
  const failed: RelayMailState = { ...mail, status: 'failed', smtpCode, error, nextAttemptAt: null };
  const next: RelayMailState =
    delayMs === null
      ? failed
      : { ...failed, status: 'waiting', nextAttemptAt: new Date(attempt.at.getTime() + delayMs) };
  return smtpCode === null && attempt.wasHandedOver ? withUnconfirmed(next) : next;
}

/** Returns an ended mail that begins anew (rule 5); null when it has not ended. */
export function resendRelayMail(mail: RelayMailState, now: Date): RelayMailState | null {
  return hasEnded(mail) ? { ...newRelayMail(now), unconfirmedCount: mail.unconfirmedCount } : null;
}

/** Ends the mail unsent. @param reason for people */
export function skipRelayMail(mail: RelayMailState, reason: string): RelayMailState {
  return { ...countInterrupted(mail), status: 'skipped', error: reason, nextAttemptAt: null };
}

/** Ends a mail whose reply goes into a digest. */
export function digestRelayMail(mail: RelayMailState, digestAt: Date): RelayMailState {
  const error = `The relay had sent its mails of the hour: the reply is in the digest of ${digestAt.toISOString()}`;
  return { ...mail, status: 'digest', error, nextAttemptAt: null };
}

export function hasEnded({ status }: Pick<RelayMailState, 'status'>): boolean {
  return status !== 'waiting' && status !== 'sending';
}

function withUnconfirmed(mail: RelayMailState): RelayMailState {
  const unconfirmedCount = mail.unconfirmedCount + 1;
  if (unconfirmedCount < UNCONFIRMED_MAX) return { ...mail, unconfirmedCount };
  return { ...mail, unconfirmedCount, status: 'failed', error: GIVEN_UP, nextAttemptAt: null };
}
