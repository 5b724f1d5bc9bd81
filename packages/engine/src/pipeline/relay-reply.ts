/**
 * Sends the mail of a reply relay, one attempt per run.
 *
 * Whether it may be sent is judged again at each attempt, because the relay, its binding, the capability and the lead's
 * category may have changed since the reply came. The mail is stored as `sending` before it is sent: if the process dies before
 * the result is stored, the next run knows that it may have arrived, sends it once more with the same message id, and counts it.
 *
 * The same transaction counts the mail in the hour of its relay, or puts its reply into the digest when the limit is reached. So
 * a process that dies neither forgets a reply nor counts one twice.
 */
import {
  beginAttempt,
  digestRelayMail,
  hasEnded,
  type RelayMailState,
  skipRelayMail,
} from '@svc/domain/relays/relay-attempts';
import { digestTime, relayHour } from '@svc/domain/relays/relay-limit';
import { buildRelayMail, type RelayMail } from '@svc/domain/relays/relay-mail';
import { RELAY_REMOVED, relaySkipReason, SOURCE_REMOVED } from '@svc/domain/relays/relay-reply';
import type { Context } from '../context.ts';
import { parseRef } from '../jobs/kinds.ts';
import type { MailSender } from '../outbound/mail-sender.ts';
import { type ClaimedJob, enqueue, finish, lockClaimedJob } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import type { Db } from '../store/database/db.ts';
import { countRelayMail, joinDigest, lockRelayHour } from '../store/relay-digests.ts';
import { getRelayMailToSend, type RelayMailToSend, setRelayMail } from '../store/relay-mails.ts';
import { relayMailJob, report, sendBegun, storeAttempt, waitForMailServer } from './relay-attempt.ts';

export function createRelayReplyHandler(ctx: Context): JobHandler {
  return async (job) => {
    const mail = await getRelayMailToSend(ctx.db, parseRef(job).subjectId);
    if (mail === null || hasEnded(mail.state)) {
      await finish(ctx.db, job);
      return;
    }
    const decision = decide(ctx, mail);
    if ('skipReason' in decision) {
      await storeAttempt(ctx, job, mail, skipRelayMail(mail.state, decision.skipReason));
      return;
    }
    const { mail: sender } = ctx;
    if (sender === null) {
      await waitForMailServer(ctx, job, mail);
      return;
    }
    await send(ctx, job, { mail, sender, message: decision.messageOf(sender) });
  };
}

/** Returns why the reply of a mail must not be sent on; null when it may. */
export function skipReasonOf(ctx: Context, mail: RelayMailToSend): string | null {
  if (mail.event === null) return SOURCE_REMOVED;
  const ownAddress = ctx.mail?.from.address ?? null;
  return relaySkipReason({ ...mail, reply: mail.event.normalized, now: ctx.clock.now(), ownAddress });
}

type Decision = { skipReason: string } | { messageOf: (sender: MailSender) => RelayMail };

function decide(ctx: Context, mail: RelayMailToSend): Decision {
  const { event, relay, eventId, relayId, receivedAt, messageId } = mail;
  const skipReason = skipReasonOf(ctx, mail);
  if (skipReason !== null) return { skipReason };
  if (event === null || eventId === null) return { skipReason: SOURCE_REMOVED };
  if (relay === null) return { skipReason: RELAY_REMOVED };
  const { normalized: reply, platform } = event;
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
    await storeAttempt(ctx, job, mail, begun);
    return;
  }
  const digested = await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    const state = mail.state.attemptCount === 0 ? await takePlace(ctx, tx, mail) : null;
    if (state !== null) await finish(tx, job);
    const endedAt = state === null ? null : ctx.clock.now();
    await setRelayMail(tx, { id: mail.id, state: state ?? begun, messageId, endedAt });
    return state;
  });
  if (digested === null) await sendBegun(ctx, job, { mail, begun, sender, message });
  else report(ctx, mail, digested);
}

/** Counts a mail in the hour of its relay. When the hour is full, its reply goes into the digest; returns its state then. */
async function takePlace(ctx: Context, tx: Db, mail: RelayMailToSend): Promise<RelayMailState | null> {
  const { relayId, accountId } = mail;
  const now = ctx.clock.now();
  const hour = relayHour(now);
  const begunCount = await lockRelayHour(tx, relayId, hour);
  const dueAt = digestTime({ now, begunCount, mailsPerHour: ctx.relayMailsPerHour });
  if (dueAt === null) {
    await countRelayMail(tx, relayId, hour);
    return null;
  }
  const { digestId, digestAt, isNew } = await joinDigest(tx, mail, { digestAt: dueAt, now });
  const digest = { id: digestId, accountId, relayId, eventId: null, dueAt: digestAt };
  if (isNew) await enqueue(tx, relayMailJob(digest, now));
  return digestRelayMail(mail.state, digestAt);
}
