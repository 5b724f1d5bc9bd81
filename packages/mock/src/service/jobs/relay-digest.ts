/** Makes one attempt at the digest of the replies above a relay's limit. Each reply is judged again. */
import { skipRelayMail } from '@svc/domain/relays/relay-attempts';
import { buildRelayDigest, DIGEST_REPLIES_MAX } from '@svc/domain/relays/relay-digest';
import { RELAY_MAILS_PER_HOUR } from '@svc/domain/relays/relay-limit';
import { parseMailFrom } from '../../state/settings.ts';
import { removeJob, type RelayReplyWork } from '../../state/world-data.ts';
import { updateData } from '../../state/world.ts';
import type { JobRun } from './job-run.ts';
import { attemptMail, recordMail } from './relay-attempt.ts';
import { judgeReply } from './relay-reply.ts';

export function relayDigest(run: JobRun<'relay-digest'>): void {
  const { world, job, now } = run;
  updateData(world, removeJob(world.state.data, job));
  const { number: _number, dueAt: _dueAt, ...work } = job;
  const { relayId, digestAt } = work;
  const kept: RelayReplyWork[] = [];
  const replies = work.replies.flatMap((reply) => {
    const judged = judgeReply(world, reply, now);
    if ('skipReason' in judged) {
      const state = skipRelayMail(reply.state, judged.skipReason);
      recordMail(run, reply, { ...state, status: 'skipped', mail: null, isDelivered: false });
      return [];
    }
    kept.push(reply);
    return [{ reply: reply.reply, platform: judged.platform, receivedAt: reply.receivedAt, recipient: null }];
  });
  const relay = world.state.data.replyRelays.find(({ id }) => id === relayId);
  const [first] = kept;
  if (relay === undefined || first === undefined) return;
  const from = parseMailFrom(world.state.settings.mailFrom);
  const mail = buildRelayDigest({
    ...{ relay, digestAt, replies: replies.slice(0, DIGEST_REPLIES_MAX), replyCount: replies.length },
    ...{ mailsPerHour: RELAY_MAILS_PER_HOUR, from, branding: world.branding },
  });
  const messageId = work.messageId ?? mail.messageId;
  const { requestId } = first;
  attemptMail(run, { relayId, requestId, state: job.state }, { ...mail, messageId }, (state) => ({
    ...work,
    state,
    messageId,
    replies: kept,
  }));
}
