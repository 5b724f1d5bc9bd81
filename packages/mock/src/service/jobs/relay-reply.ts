/**
 * Makes one attempt at the mail of a reply relay. Whether it may be sent is judged again at each attempt. No mail leaves
 * the process: it is recorded in `mails` and accepted, unless a fault of operation `mail` applies.
 */
import {
  beginAttempt,
  endAttempt,
  type RelayAttempt,
  type RelayMailState,
  skipRelayMail,
} from '@svc/domain/relays/relay-attempts';
import { domainOf, type MailAddress } from '@svc/domain/relays/mail-address';
import { buildRelayMail, type RelayMail } from '@svc/domain/relays/relay-mail';
import {
  RELAY_REMOVED,
  type RelayCategorySignal,
  type RelayedReply,
  relaySkipReason,
  SOURCE_REMOVED,
} from '@svc/domain/relays/relay-reply';
import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { FaultEffect } from '../../state/fault.ts';
import { appendRow, keepNewest } from '../../state/log.ts';
import { random } from '../../state/random.ts';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import { parseMailFrom } from '../../state/settings.ts';
import type { MailEntry } from '../../state/traffic.ts';
import { addJob, type CategorySignal, removeJob } from '../../state/world-data.ts';
import { update, updateData, type World } from '../../state/world.ts';
import { applyFaults } from '../faults.ts';
import type { JobRun } from './job-run.ts';

const MAILS_MAX = 10_000;

export function relayReply(run: JobRun<'relay-reply'>): void {
  const { world, job, now } = run;
  const { data } = world.state;
  updateData(world, removeJob(data, job));
  const connection = connectionsById(data.connections).get(job.connectionId);
  if (connection === undefined) return;
  const source = sourcesById(data.sources).get(job.sourceId);
  const from = parseMailFrom(world.state.settings.mailFrom);
  const relay = data.replyRelays.find(({ id, connectionId }) => id === job.relayId && connectionId === connection.id);
  const reason =
    source === undefined
      ? SOURCE_REMOVED
      : relaySkipReason({
          ...{ reply: job.reply, receivedAt: job.receivedAt, dueAt: job.plannedAt, now },
          relay: relay ?? null,
          isBound: relay?.sourceIds.includes(job.sourceId) === true,
          hasCapability: connection.capabilities.destinations,
          latestCategory: latestCategoryOf(data.categorySignals, { ...job, platform: source.platform }),
          ownAddress: from.address,
        });
  if (source === undefined || relay === undefined || reason !== null) {
    const state = skipRelayMail(job.state, reason ?? RELAY_REMOVED);
    record(run, { ...state, status: 'skipped', mail: null, isDelivered: false });
    return;
  }
  const { eventId, reply, receivedAt } = job;
  const input = { relay, eventId, reply, platform: source.platform, receivedAt, from };
  const mail = buildRelayMail({ ...input, branding: world.branding });
  attempt(run, job.messageId === null ? mail : { ...mail, messageId: job.messageId });
}

function attempt(run: JobRun<'relay-reply'>, mail: RelayMail): void {
  const { world, job, now } = run;
  const jitterMs = jitterFrom(random(world));
  const { isDelivered, ...answer } = send(world, mail.to);
  const state = endAttempt(beginAttempt(job.state), { ...answer, at: now }, { jitterMs });
  const { nextAttemptAt } = state;
  record(run, { ...state, status: nextAttemptAt === null ? toEnd(state) : 'retry', mail, isDelivered });
  if (nextAttemptAt === null) return;
  const { number: _number, dueAt: _dueAt, ...work } = job;
  updateData(world, addJob(world.state.data, { ...work, state, messageId: mail.messageId }, nextAttemptAt));
}

function toEnd({ status }: RelayMailState): MailEntry['status'] {
  return status === 'sent' ? 'sent' : 'failed';
}

const NO_ANSWER = { smtpCode: null, error: 'The mail server gave no answer', isAboutMail: false };

/** Returns the answer of the mail server, which accepts every mail without a fault. */
function send(world: World, to: MailAddress): Omit<RelayAttempt, 'at'> & Pick<MailEntry, 'isDelivered'> {
  const fault = applyFaults(world, { operationId: 'mail', isApiCall: false, host: domainOf(to.address) });
  return answerTo(fault?.effect ?? { kind: 'status', status: 250 });
}

function answerTo(effect: FaultEffect): Omit<RelayAttempt, 'at'> & Pick<MailEntry, 'isDelivered'> {
  switch (effect.kind) {
    case 'status': {
      const isAccepted = effect.status < 400;
      const error = isAccepted ? null : `${effect.status} The mail was refused`;
      return { smtpCode: effect.status, error, isAboutMail: true, wasHandedOver: true, isDelivered: isAccepted };
    }
    case 'latency':
      return answerTo({ kind: 'status', status: 250 });
    case 'reset':
      return { ...NO_ANSWER, wasHandedOver: effect.when === 'after', isDelivered: effect.when === 'after' };
    case 'hang':
      return { ...NO_ANSWER, wasHandedOver: true, isDelivered: false };
    case 'truncate':
      return { ...NO_ANSWER, wasHandedOver: true, isDelivered: true };
  }
}

/** Adds the attempt, or the decision not to send, to the mails of the world. */
function record(
  { world, job, now }: JobRun<'relay-reply'>,
  entry: Pick<
    MailEntry,
    'status' | 'attemptCount' | 'unconfirmedCount' | 'smtpCode' | 'error' | 'mail' | 'isDelivered'
  >,
): void {
  const { mails, mailCount } = world.state;
  const { status, attemptCount, unconfirmedCount, smtpCode, error, mail, isDelivered } = entry;
  const row: MailEntry = {
    ...{ id: mailCount + 1, createdAt: now, relayId: job.relayId, requestId: job.requestId },
    ...{ status, attemptCount, unconfirmedCount, smtpCode, error, isDelivered, mail },
  };
  update(world, { mailCount: row.id, mails: keepNewest(appendRow(mails, row), MAILS_MAX) });
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
