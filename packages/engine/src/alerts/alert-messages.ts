/** What the two jobs that send alerts have in common: the job, the text, and the storing of each attempt. */
import { type Alert, describeIncident, describeTest } from '@svc/domain/alerts/alert';
import { type AlertVerdict, nextAlertAttempt } from '@svc/domain/alerts/alert-answer';
import { isLoopbackUrl } from '../config/public-urls.ts';
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, MAIL_ALERT, parseRef, SEND_ALERT } from '../jobs/kinds.ts';
import { retryJitterMs } from '../queue/endpoint-jobs.ts';
import { type ClaimedJob, defer, finish, type NewJob } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import {
  type AlertMessageState,
  type AlertToSend,
  getAlertToSend,
  type NewAlertMessage,
  setAlertMessage,
} from '../store/alerts.ts';

/** How often the end of an incident asks whether its beginning was sent. */
const EARLY_WAIT_MS = 60_000;

export function alertJob({ id, channelId, channelKind, accountId }: NewAlertMessage, now: Date): NewJob {
  return {
    kind: channelKind === 'mail' ? MAIL_ALERT : SEND_ALERT,
    ref: composeRef(id),
    fairnessKey: fairnessKeys.alert(accountId, channelId),
    dueAt: now,
    createdAt: now,
  };
}

/** Returns a handler that makes one attempt per run. @param send makes the attempt */
export function createAlertHandler(
  ctx: Context,
  send: (message: AlertToSend, alert: Alert) => Promise<AlertVerdict>,
): JobHandler {
  return async (job) => {
    const message = await getAlertToSend(ctx.db, parseRef(job).subjectId);
    if (message === null || message.status !== 'waiting') await finish(ctx.db, job);
    else if (message.isEarly) await defer(ctx.db, job, { dueAt: new Date(ctx.clock.now().getTime() + EARLY_WAIT_MS) });
    else await storeVerdict(ctx, job, message, await send(message, describeMessage(ctx, message)));
  };
}

function describeMessage(ctx: Context, { kind, channel, incident }: AlertToSend): Alert {
  if (kind === 'test' || incident === null) return describeTest(channel.id);
  const { dashboard } = ctx.urls;
  return describeIncident(kind, incident, isLoopbackUrl(dashboard) ? null : dashboard);
}

/** Stores what became of an attempt, and ends or defers its job in the same transaction. */
async function storeVerdict(ctx: Context, job: ClaimedJob, message: AlertToSend, verdict: AlertVerdict): Promise<void> {
  const at = ctx.clock.now();
  const attemptCount = message.attemptCount + 1;
  const error = verdict.result === 'sent' ? null : verdict.error;
  const dueAt =
    verdict.result === 'retry' ? nextAlertAttempt(verdict, { attemptCount, jitterMs: retryJitterMs(ctx), at }) : null;
  const status = dueAt !== null ? 'waiting' : verdict.result === 'sent' ? 'sent' : 'failed';
  const state: AlertMessageState = { status, attemptCount, error };
  await ctx.db.transaction(async (tx) => {
    if (dueAt === null) await finish(tx, job);
    else await defer(tx, job, { dueAt, ...(error === null ? {} : { error }) });
    await setAlertMessage(tx, message, state, at);
  });
  ctx.metrics.alertMessages.inc({ channel: message.channel.kind, result: status === 'waiting' ? 'retry' : status });
  const facts = { alertMessageId: message.id, channelId: message.channel.id, status, reason: error };
  if (status === 'failed') ctx.log.warn(facts, 'an alert could not be sent; svc-server alerts list shows its channel');
  else ctx.log.debug(facts, 'an alert');
}
