/**
 * Makes one attempt at the mail of a reply relay. Whether it may be sent is judged again at each attempt. No mail leaves
 * the process: it is recorded in `mails` and accepted, unless a fault of operation `mail` applies. When the relay has sent
 * its mails of the hour, the reply goes into the digest.
 */
import { digestRelayMail, newRelayMail, skipRelayMail } from '@svc/domain/relays/relay-attempts';
import { digestTime, nextDigestTime, RELAY_MAILS_PER_HOUR, relayHour } from '@svc/domain/relays/relay-limit';
import { buildRelayMail } from '@svc/domain/relays/relay-mail';
import {
  RELAY_REMOVED,
  type RelayCategorySignal,
  type RelayedReply,
  relaySkipReason,
  SOURCE_REMOVED,
} from '@svc/domain/relays/relay-reply';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import { parseMailFrom } from '../../state/settings.ts';
import { addJob, type CategorySignal, type Job, type RelayReplyWork, removeJob } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import type { JobRun } from './job-run.ts';
import { attemptMail, recordMail } from './relay-attempt.ts';

export function relayReply(run: JobRun<'relay-reply'>): void {
  const { world, job, now } = run;
  const { data } = world.state;
  updateData(world, removeJob(data, job));
  const connection = connectionsById(data.connections).get(job.connectionId);
  if (connection === undefined) return;
  const { number: _number, dueAt: _dueAt, ...work } = job;
  const judged = judgeReply(world, work, now);
  if ('skipReason' in judged) {
    const state = skipRelayMail(job.state, judged.skipReason);
    recordMail(run, job, { ...state, status: 'skipped', mail: null, isDelivered: false });
    return;
  }
  const digestAt = job.state.attemptCount === 0 ? takePlace(world, work, now) : null;
  if (digestAt !== null) {
    const state = digestRelayMail(job.state, digestAt);
    recordMail(run, job, { ...state, status: 'digest', mail: null, isDelivered: false });
    return;
  }
  const { eventId, reply, receivedAt } = job;
  const { relay, platform } = judged;
  const from = parseMailFrom(world.state.settings.mailFrom);
  const mail = buildRelayMail({
    ...{ relay, recipient: relay.ccEmail, eventId, reply, platform, receivedAt, from, branding: world.branding },
  });
  const messageId = job.messageId ?? mail.messageId;
  attemptMail(run, job, { ...mail, messageId }, (state) => ({ ...work, state, messageId }));
}

/** Returns why a reply must not be sent on, or what its mail is made from. */
export function judgeReply(world: World, work: RelayReplyWork, now: Date) {
  const { data, settings } = world.state;
  const connection = connectionsById(data.connections).get(work.connectionId);
  const source = sourcesById(data.sources).get(work.sourceId);
  const relay = data.replyRelays.find((row) => row.id === work.relayId && row.connectionId === work.connectionId);
  if (source === undefined || connection === undefined) return { skipReason: SOURCE_REMOVED };
  const skipReason = relaySkipReason({
    ...{ reply: work.reply, receivedAt: work.receivedAt, dueAt: work.plannedAt, now },
    relay: relay ?? null,
    recipient: null,
    isBound: relay?.sourceIds.includes(work.sourceId) === true,
    hasCapability: connection.capabilities.destinations,
    latestCategory: latestCategoryOf(data.categorySignals, { ...work, platform: source.platform }),
    ownAddress: parseMailFrom(settings.mailFrom).address,
  });
  if (relay === undefined || skipReason !== null) return { skipReason: skipReason ?? RELAY_REMOVED };
  return { relay, platform: source.platform };
}

/** Counts a mail in the hour of its relay. When the hour is full, the reply joins the digest, whose time is returned. */
function takePlace(world: World, work: RelayReplyWork, now: Date): Date | null {
  const { relayId } = work;
  const hour = relayHour(now);
  const { relayHours } = world.state.data;
  const known = relayHours.find((row) => row.relayId === relayId && row.hour.getTime() === hour.getTime());
  const begunCount = known?.begunCount ?? 0;
  const digestAt = digestTime({ now, begunCount, mailsPerHour: RELAY_MAILS_PER_HOUR });
  if (digestAt !== null) return joinDigest(world, work, digestAt);
  const others = relayHours.filter((row) => row.relayId !== relayId);
  updateData(world, { ...world.state.data, relayHours: [...others, { relayId, hour, begunCount: begunCount + 1 }] });
  return null;
}

function joinDigest(world: World, work: RelayReplyWork, digestAt: Date): Date {
  const { data } = world.state;
  const { relayId } = work;
  const isDigest = (job: Job): job is Extract<Job, { kind: 'relay-digest' }> =>
    job.kind === 'relay-digest' && job.relayId === relayId && job.digestAt.getTime() === digestAt.getTime();
  const known = data.jobs.find(isDigest);
  if (known !== undefined && known.state.attemptCount > 0) return joinDigest(world, work, nextDigestTime(digestAt));
  const { replies, messageId } = known ?? { replies: [], messageId: null };
  const digest = { kind: 'relay-digest', relayId, digestAt, state: newRelayMail(digestAt), messageId } as const;
  const without = known === undefined ? data : removeJob(data, known);
  updateData(world, addJob(without, { ...digest, replies: [...replies, work] }, digestAt));
  return digestAt;
}

/** Returns the lead's latest category of this platform; null without one. */
function latestCategoryOf(
  signals: readonly CategorySignal[],
  { connectionId, reply, platform }: { connectionId: number; reply: RelayedReply; platform: string },
): RelayCategorySignal | null {
  const { email, profileUrl } = reply.contact;
  const identities = [reply.toEmail, email, profileUrl].flatMap((identity) => identity?.toLowerCase() ?? []);
  const ofLead = signals.filter(
    (signal) =>
      signal.connectionId === connectionId &&
      identities.includes(signal.identity) &&
      (signal.platform ?? platform) === platform,
  );
  const latest = ofLead.toSorted((a, b) => a.at.getTime() - b.at.getTime()).at(-1);
  return latest === undefined ? null : { id: latest.categoryId ?? null, name: latest.categoryName, at: latest.at };
}
