/**
 * Sends the digest of a relay, one attempt per run, with the guarantees of other relay mails (`relay-reply.ts`).
 *
 * The first attempt locks the digest while it reads the replies, so that each reply is in it or in the next one. Whether each may be
 * sent is judged again at each attempt.
 */
import { beginAttempt, hasEnded, type RelayMailState, skipRelayMail } from '@svc/domain/relays/relay-attempts';
import { buildRelayDigest, DIGEST_REPLIES_MAX } from '@svc/domain/relays/relay-digest';
import { RELAY_REMOVED } from '@svc/domain/relays/relay-reply';
import type { Context } from '../context.ts';
import { parseRef } from '../jobs/kinds.ts';
import { finish, lockClaimedJob } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import type { Db } from '../store/database/db.ts';
import { lockDigest, type RelayDigestToSend } from '../store/relay-digests.ts';
import { getRelayMailToSend, type RelayMailToSend, setRelayMail } from '../store/relay-mails.ts';
import { sendBegun, storeAttempt, waitForMailServer } from './relay-attempt.ts';
import { skipReasonOf } from './relay-reply.ts';

export function createRelayDigestHandler(ctx: Context): JobHandler {
  return async (job) => {
    const { mail: sender } = ctx;
    const id = parseRef(job).subjectId;
    if (sender === null) {
      const mail = await getRelayMailToSend(ctx.db, id);
      if (mail === null || hasEnded(mail.state)) await finish(ctx.db, job);
      else await waitForMailServer(ctx, job, mail);
      return;
    }
    const digest = await ctx.db.transaction(async (tx) => {
      await lockClaimedJob(tx, job);
      const found = await lockDigest(tx, id, DIGEST_REPLIES_MAX);
      if (found === null || hasEnded(found.mail.state)) return null;
      const replies = await withoutSkipped(ctx, tx, found);
      const { relay } = found.mail;
      const state = relay === null || replies.length === 0 ? skip(found, relay) : beginAttempt(found.mail.state);
      if (relay === null || hasEnded(state)) return { ended: state, mail: found.mail };
      const built = buildRelayDigest({
        ...{ relay: { ...relay, id: found.mail.relayId }, digestAt: found.mail.receivedAt, replies },
        replyCount: replies.length + found.unlistedCount,
        ...{ mailsPerHour: ctx.relayMailsPerHour, from: sender.from, branding: ctx.branding },
      });
      const message = { ...built, messageId: found.mail.messageId ?? built.messageId };
      await setRelayMail(tx, { id, state, messageId: message.messageId, endedAt: null });
      return { begun: state, mail: found.mail, message };
    });
    if (digest === null) await finish(ctx.db, job);
    else if ('ended' in digest) await storeAttempt(ctx, job, digest.mail, digest.ended);
    else await sendBegun(ctx, job, { ...digest, sender });
  };
}

function skip({ mail, replies }: RelayDigestToSend, relay: RelayMailToSend['relay']): RelayMailState {
  const reason = replies.length === 0 ? 'Its replies were removed' : 'None of its replies may be sent any more';
  return skipRelayMail(mail.state, relay === null ? RELAY_REMOVED : reason);
}

/** Returns the replies that may be sent, and records why the others are not. */
async function withoutSkipped(ctx: Context, tx: Db, { replies }: RelayDigestToSend) {
  const sendable = [];
  for (const mail of replies) {
    const { id, event, receivedAt, messageId, recipient } = mail;
    const reason = skipReasonOf(ctx, mail);
    if (event !== null && reason === null) {
      const address = recipient === null || recipient.route === 'fixed' ? null : recipient.address;
      sendable.push({ reply: event.normalized, platform: event.platform, receivedAt, recipient: address });
    } else {
      const state = skipRelayMail(mail.state, reason ?? RELAY_REMOVED);
      await setRelayMail(tx, { id, state, messageId, endedAt: ctx.clock.now() });
    }
  }
  return sendable;
}
