/**
 * Sends the mail of a reply relay, one attempt per run.
 *
 * Whether it may be sent is judged again at each attempt, because the relay, its binding, the capability and the lead's
 * category may have changed since the reply came. The mail is stored as `sending` before it is sent: if the process dies before
 * the result is stored, the next run knows that it may have arrived, sends it once more with the same message id, and counts it.
 */
import {
  beginAttempt,
  endAttempt,
  hasEnded,
  type RelayMailState,
  skipRelayMail,
} from '@svc/domain/relays/relay-attempts';
import { buildRelayMail, type RelayMail } from '@svc/domain/relays/relay-mail';
import { RELAY_REMOVED, relaySkipReason, SOURCE_REMOVED } from '@svc/domain/relays/relay-reply';
import type { Context } from '../context.ts';
import type { MailSender } from '../outbound/mail-sender.ts';
import { retryJitterMs } from '../queue/endpoint-jobs.ts';
import { type ClaimedJob, defer, finish, lockClaimedJob, type NewJob } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import { getRelayMailToSend, type RelayMailToSend, setRelayMail } from '../store/relay-mails.ts';

export const RELAY_REPLY = 'relay-reply';

/** How often a mail that is due asks whether a mail server is configured, which needs a restart. */
const UNCONFIGURED_WAIT_MS = 15 * 60_000;
export const NO_MAIL_SERVER = 'No mail server is configured: set SVC_SMTP_URL and SVC_MAIL_FROM.';

/** The fairness key has the relay, so that one with many replies does not delay the others. */
export function relayReplyJob(
  { id, accountId, relayId, dueAt }: Pick<RelayMailToSend, 'id' | 'accountId' | 'relayId' | 'dueAt'>,
  now: Date,
): NewJob {
  return {
    kind: RELAY_REPLY,
    ref: id,
    fairnessKey: `account:${accountId}/relay:${relayId}`,
    dueAt,
    createdAt: now,
  };
}

export function createRelayReplyHandler(ctx: Context): JobHandler {
  return async (job) => {
    const mail = await getRelayMailToSend(ctx.db, Number(job.ref));
    if (mail === null || hasEnded(mail.state)) {
      await finish(ctx.db, job);
      return;
    }
    const decision = decide(ctx, mail);
    if ('skipReason' in decision) {
      await store(ctx, job, mail, skipRelayMail(mail.state, decision.skipReason));
      return;
    }
    const { mail: sender } = ctx;
    if (sender === null) {
      await waitForConfiguration(ctx, job, mail);
      return;
    }
    await send(ctx, job, { mail, sender, message: decision.messageOf(sender) });
  };
}

type Decision = { skipReason: string } | { messageOf: (sender: MailSender) => RelayMail };

function decide(ctx: Context, mail: RelayMailToSend): Decision {
  const { event, relay, eventId, relayId, receivedAt, messageId } = mail;
  if (event === null) return { skipReason: SOURCE_REMOVED };
  const { normalized: reply, platform } = event;
  const ownAddress = ctx.mail?.from.address ?? null;
  const skipReason = relaySkipReason({ ...mail, reply, now: ctx.clock.now(), ownAddress });
  if (skipReason !== null || relay === null) return { skipReason: skipReason ?? RELAY_REMOVED };
  return {
    messageOf({ from }) {
      const input = { relay: { ...relay, id: relayId }, eventId, reply, platform, receivedAt, from };
      const message = buildRelayMail({ ...input, branding: ctx.branding });
      // The sender may have changed since an earlier attempt.
      return messageId === null ? message : { ...message, messageId };
    },
  };
}

async function send(
  ctx: Context,
  job: ClaimedJob,
  { mail, sender, message }: { mail: RelayMailToSend; sender: MailSender; message: RelayMail },
): Promise<void> {
  const begun = beginAttempt(mail.state);
  const { messageId } = message;
  if (hasEnded(begun)) {
    await store(ctx, job, mail, begun);
    return;
  }
  await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    await setRelayMail(tx, { id: mail.id, state: begun, messageId, endedAt: null });
  });
  const attempt = { ...(await sender.send(message)), at: ctx.clock.now() };
  await store(ctx, job, { ...mail, messageId }, endAttempt(begun, attempt, { jitterMs: retryJitterMs(ctx) }));
}

/** Stores the state of a mail and ends or defers its job. */
async function store(
  ctx: Context,
  job: ClaimedJob,
  { id, relayId, messageId }: Pick<RelayMailToSend, 'id' | 'relayId' | 'messageId'>,
  state: RelayMailState,
): Promise<void> {
  const { nextAttemptAt } = state;
  const endedAt = nextAttemptAt === null ? ctx.clock.now() : null;
  await ctx.db.transaction(async (tx) => {
    if (nextAttemptAt === null) await finish(tx, job);
    else await defer(tx, job, { dueAt: nextAttemptAt, ...(state.error === null ? {} : { error: state.error }) });
    await setRelayMail(tx, { id, state, messageId, endedAt });
  });
  ctx.metrics.relayMails.inc({ status: nextAttemptAt === null ? state.status : 'retry' });
  const facts = { relayMailId: id, relayId, status: state.status, smtpCode: state.smtpCode, reason: state.error };
  if (state.status === 'failed') ctx.log.warn(facts, 'a relay mail could not be sent');
  else ctx.log.debug(facts, 'a relay mail');
}

async function waitForConfiguration(ctx: Context, job: ClaimedJob, mail: RelayMailToSend): Promise<void> {
  const dueAt = new Date(ctx.clock.now().getTime() + UNCONFIGURED_WAIT_MS);
  const state = { ...mail.state, error: NO_MAIL_SERVER, nextAttemptAt: dueAt };
  await ctx.db.transaction(async (tx) => {
    await defer(tx, job, { dueAt, error: NO_MAIL_SERVER });
    await setRelayMail(tx, { id: mail.id, state, messageId: mail.messageId, endedAt: null });
  });
}
