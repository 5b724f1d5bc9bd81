/** What the mails of replies and their digests have in common in the mock: an attempt, and its record. */
import { domainOf, type MailAddress } from '@svc/domain/relays/mail-address';
import { beginAttempt, endAttempt, type RelayAttempt, type RelayMailState } from '@svc/domain/relays/relay-attempts';
import type { RelayMail } from '@svc/domain/relays/relay-mail';
import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { FaultEffect } from '../../state/fault.ts';
import { addEntry } from '../../state/history.ts';
import { random } from '../../state/random.ts';
import type { MailEntry } from '../../state/traffic.ts';
import { addJob, type JobWork } from '../../state/world-data.ts';
import { update, updateData, type World } from '../../state/world.ts';
import { applyFaults } from '../faults.ts';
import type { WorldRun } from './job-run.ts';

/** A mail of a relay and the request that its entries name. */
export interface RelayMailRef {
  readonly relayId: number;
  readonly requestId: number;
}

/** Makes one attempt; `again` returns the job of the next one. */
export function attemptMail(
  run: WorldRun,
  { relayId, requestId, state: before }: RelayMailRef & { state: RelayMailState },
  mail: RelayMail,
  again: (state: RelayMailState) => JobWork,
): void {
  const { world, now } = run;
  const jitterMs = jitterFrom(random(world));
  const { isDelivered, ...answer } = send(world, mail.to);
  const state = endAttempt(beginAttempt(before), { ...answer, at: now }, { jitterMs });
  const { nextAttemptAt } = state;
  const status = nextAttemptAt === null ? toEnd(state) : 'retry';
  recordMail(run, { relayId, requestId }, { ...state, status, mail, isDelivered });
  if (nextAttemptAt !== null) updateData(world, addJob(world.state.data, again(state), nextAttemptAt));
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
export function recordMail(
  { world, now }: WorldRun,
  { relayId, requestId }: RelayMailRef,
  entry: Pick<
    MailEntry,
    'status' | 'attemptCount' | 'unconfirmedCount' | 'smtpCode' | 'error' | 'mail' | 'isDelivered'
  >,
): void {
  const { mails, mailCount } = world.state;
  const { status, attemptCount, unconfirmedCount, smtpCode, error, mail, isDelivered } = entry;
  const row: MailEntry = {
    ...{ id: mailCount + 1, createdAt: now, relayId, requestId },
    ...{ status, attemptCount, unconfirmedCount, smtpCode, error, isDelivered, mail },
  };
  update(world, { mailCount: row.id, mails: addEntry(mails, row) });
}
