/** What the mails of replies and their digests have in common: their jobs, and the storing of each attempt. */
import { endAttempt, type RelayMailState } from '@svc/domain/relays/relay-attempts';
import type { RelayMail } from '@svc/domain/relays/relay-mail';
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, RELAY_DIGEST, RELAY_REPLY } from '../jobs/kinds.ts';
import type { MailSender } from '../outbound/mail-sender.ts';
import { retryJitterMs } from '../queue/endpoint-jobs.ts';
import { type ClaimedJob, defer, finish, type NewJob } from '../queue/queue.ts';
import { type RelayMailToSend, setRelayMail } from '../store/relay-mails.ts';

/** How often a mail that is due asks whether a mail server is configured, which needs a restart. */
const UNCONFIGURED_WAIT_MS = 15 * 60_000;
export const NO_MAIL_SERVER = 'No mail server is configured: set SVC_SMTP_URL and SVC_MAIL_FROM.';

type Stored = Pick<RelayMailToSend, 'id' | 'relayId' | 'messageId'>;

/**
 * Returns the job of a mail; a mail without an event is a digest. The fairness key has the relay, so that a relay with
 * many replies does not delay the others.
 */
export function relayMailJob(
  mail: Pick<RelayMailToSend, 'id' | 'accountId' | 'relayId' | 'eventId' | 'dueAt'>,
  now: Date,
): NewJob {
  const { id, accountId, relayId, eventId, dueAt } = mail;
  return {
    kind: eventId === null ? RELAY_DIGEST : RELAY_REPLY,
    ref: composeRef(id),
    fairnessKey: fairnessKeys.relay(accountId, relayId),
    dueAt,
    createdAt: now,
  };
}

/** Sends a mail that is stored as `sending`, and stores the result. */
export async function sendBegun(
  ctx: Context,
  job: ClaimedJob,
  { mail, begun, sender, message }: { mail: Stored; begun: RelayMailState; sender: MailSender; message: RelayMail },
): Promise<void> {
  const attempt = { ...(await sender.send(message)), at: ctx.clock.now() };
  const ended = endAttempt(begun, attempt, { jitterMs: retryJitterMs(ctx) });
  await storeAttempt(ctx, job, { ...mail, messageId: message.messageId }, ended);
}

/** Stores the state of a mail and ends or defers its job. */
export async function storeAttempt(ctx: Context, job: ClaimedJob, mail: Stored, state: RelayMailState): Promise<void> {
  const { id, messageId } = mail;
  const { nextAttemptAt } = state;
  const endedAt = nextAttemptAt === null ? ctx.clock.now() : null;
  await ctx.db.transaction(async (tx) => {
    if (nextAttemptAt === null) await finish(tx, job);
    else await defer(tx, job, { dueAt: nextAttemptAt, ...(state.error === null ? {} : { error: state.error }) });
    await setRelayMail(tx, { id, state, messageId, endedAt });
  });
  report(ctx, mail, state);
}

/** Counts and logs what became of a mail. */
export function report(ctx: Context, { id, relayId }: Stored, state: RelayMailState): void {
  ctx.metrics.relayMails.inc({ status: state.nextAttemptAt === null ? state.status : 'retry' });
  const facts = { relayMailId: id, relayId, status: state.status, smtpCode: state.smtpCode, reason: state.error };
  if (state.status === 'failed') ctx.log.warn(facts, 'a relay mail could not be sent');
  else ctx.log.debug(facts, 'a relay mail');
}

export async function waitForMailServer(ctx: Context, job: ClaimedJob, mail: RelayMailToSend): Promise<void> {
  const dueAt = new Date(ctx.clock.now().getTime() + UNCONFIGURED_WAIT_MS);
  await postpone(ctx, job, mail, { dueAt, reason: NO_MAIL_SERVER });
}

/** Lets a mail wait without an attempt. */
export async function postpone(
  ctx: Context,
  job: ClaimedJob,
  { id, state, messageId }: RelayMailToSend,
  { dueAt, reason }: { dueAt: Date; reason: string },
): Promise<void> {
  const waiting = { ...state, error: reason, nextAttemptAt: dueAt };
  await ctx.db.transaction(async (tx) => {
    await defer(tx, job, { dueAt, error: reason });
    await setRelayMail(tx, { id, state: waiting, messageId, endedAt: null });
  });
}
