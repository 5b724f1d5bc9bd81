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
import type { RelayRecipient } from '@svc/domain/relays/relay-routes';
import type { Context } from '../context.ts';
import { parseRef } from '../jobs/kinds.ts';
import type { MailSender } from '../outbound/mail-sender.ts';
import { type ClaimedJob, enqueue, finish, lockClaimedJob } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import type { Db } from '../store/database/db.ts';
import { countRelayMail, joinDigest, lockRelayHour } from '../store/relay-digests.ts';
import { getRelayMailToSend, type RelayMailToSend, setRelayMail } from '../store/relay-mails.ts';
import { postpone, relayMailJob, report, sendBegun, storeAttempt, waitForMailServer } from './relay-attempt.ts';
import { type RoutedMail, routeRelayMail } from './route-relay.ts';

export function createRelayReplyHandler(ctx: Context): JobHandler {
  return async (job) => {
    const mail = await getRelayMailToSend(ctx.db, parseRef(job).subjectId);
    if (mail === null || hasEnded(mail.state)) {
      await finish(ctx.db, job);
      return;
    }
    const skip = (reason: string) => storeAttempt(ctx, job, mail, skipRelayMail(mail.state, reason));
    const skipReason = skipReasonOf(ctx, mail);
    if (skipReason !== null) return await skip(skipReason);
    const { mail: sender } = ctx;
    if (sender === null) return await waitForMailServer(ctx, job, mail);
    const { event, relay } = mail;
    if (event === null || relay === null) return await skip(event === null ? SOURCE_REMOVED : RELAY_REMOVED);
    const routed = { ...mail, event, relay };
    const routing = await routeRelayMail(ctx, routed);
    if ('askAgainAt' in routing) {
      return await postpone(ctx, job, mail, { dueAt: routing.askAgainAt, reason: routing.reason });
    }
    const { recipient } = routing;
    const loopReason = skipReasonOf(ctx, mail, recipient.address);
    if (loopReason !== null) return await skip(loopReason);
    await send(ctx, job, { mail: routed, recipient, sender });
  };
}

/**
 * Returns why the reply of a mail must not be sent on; null when it may.
 *
 * @param recipient to whom a route sends it; null: it is not known yet, or the fixed address
 */
export function skipReasonOf(ctx: Context, mail: RelayMailToSend, recipient: string | null = null): string | null {
  if (mail.event === null) return SOURCE_REMOVED;
  const ownAddress = ctx.mail?.from.address ?? null;
  return relaySkipReason({ ...mail, reply: mail.event.normalized, recipient, now: ctx.clock.now(), ownAddress });
}

async function send(
  ctx: Context,
  job: ClaimedJob,
  { mail, recipient, sender }: { mail: RoutedMail; recipient: RelayRecipient; sender: MailSender },
): Promise<void> {
  const begun = beginAttempt(mail.state);
  const message = buildMessage(ctx, mail, recipient, sender);
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
    await setRelayMail(tx, { id: mail.id, state: state ?? begun, messageId, endedAt, recipient });
    return state;
  });
  if (digested === null) await sendBegun(ctx, job, { mail, begun, sender, message });
  else report(ctx, mail, digested);
}

function buildMessage(
  ctx: Context,
  { event, relay, eventId, relayId, receivedAt, messageId }: RoutedMail,
  recipient: RelayRecipient,
  { from }: MailSender,
): RelayMail {
  const { normalized: reply, platform } = event;
  const message = buildRelayMail({
    ...{ relay: { ...relay, id: relayId }, recipient: recipient.address, eventId: eventId ?? 0, reply, platform },
    ...{ receivedAt, from, branding: ctx.branding },
  });
  // The sender may have changed since an earlier attempt.
  return messageId === null ? message : { ...message, messageId };
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
