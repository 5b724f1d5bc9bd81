/**
 * Posts an alert to Slack, Teams or Discord, or as signed JSON; one attempt per run. A process that dies between the answer and
 * the end of the job posts the alert once more: an alert that comes twice is better than one that never comes.
 */
import { createHmac } from 'node:crypto';
import type { Alert, ChannelKind } from '@svc/domain/alerts/alert';
import { type AlertVerdict, type ChannelAnswer, judgeAnswer } from '@svc/domain/alerts/alert-answer';
import { toAlertJson } from '@svc/domain/alerts/alert-forms';
import { toDiscordBody, toSlackBody, toTeamsBody } from '@svc/domain/alerts/chat-forms';
import { describeCallFailure, describeTimeout } from '@svc/domain/network/outbound-call';
import { webhookHeaders } from '@svc/domain/webhooks/webhook-delivery';
import { createSignPayload } from '@svc/domain/webhooks/webhook-signature';
import type { Context } from '../context.ts';
import { LeaseLostError } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import type { AlertToSend } from '../store/alerts.ts';
import { createAlertHandler } from './alert-messages.ts';
import { openTarget } from './channel-target.ts';

const TIMEOUT_MS = 10_000;

const CHAT_BODIES: Readonly<Record<Exclude<ChannelKind, 'mail' | 'webhook'>, (alert: Alert) => object>> = {
  slack: toSlackBody,
  teams: toTeamsBody,
  discord: toDiscordBody,
};

const sign = createSignPayload((secret, bytes) => createHmac('sha256', secret).update(bytes).digest());

export function createSendAlertHandler(ctx: Context): JobHandler {
  return createAlertHandler(ctx, (message, alert) => send(ctx, message, alert));
}

async function send(ctx: Context, message: AlertToSend, alert: Alert): Promise<AlertVerdict> {
  const { channel } = message;
  const { kind } = channel;
  const target = openTarget(ctx, channel);
  if (target === null || kind === 'mail') {
    await ctx.assertKeys();
    const error = `The URL of the channel cannot be decrypted: store it again with svc-server alerts set-url ${channel.id}`;
    return { result: 'failed', error };
  }
  const body =
    kind === 'webhook'
      ? toAlertJson(alert, { ...message, messageId: message.id })
      : JSON.stringify(CHAT_BODIES[kind](alert));
  const { signingSecret } = target;
  const signed =
    kind === 'webhook' && signingSecret !== null ? await signedHeaders(ctx, message, signingSecret, body) : {};
  return judgeAnswer(
    kind,
    await post(ctx, { url: target.url, headers: { 'Content-Type': 'application/json', ...signed }, body }),
  );
}

/** The headers of webhook deliveries, so that one receiver checks both. */
async function signedHeaders(ctx: Context, { id, incident }: AlertToSend, secret: string, payload: string) {
  const timestampSeconds = Math.floor(ctx.clock.now().getTime() / 1_000);
  const signature = await sign({ payload, secret, timestampSeconds });
  const eventId = incident === null ? `alert_${id}` : `incident_${incident.id}`;
  return webhookHeaders({ eventId, deliveryId: `alert_${id}`, signature }, ctx.branding);
}

async function post(
  ctx: Context,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
): Promise<ChannelAnswer> {
  const limit = new AbortController();
  const cancelLimit = ctx.clock.setTimer(() => limit.abort(), TIMEOUT_MS);
  try {
    const answer = await ctx.outbound.fetch(url, { method: 'POST', headers, body, signal: limit.signal });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.text() };
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { status: null, error: limit.signal.aborted ? describeTimeout(TIMEOUT_MS) : describeCallFailure(cause) };
  } finally {
    cancelLimit();
  }
}
