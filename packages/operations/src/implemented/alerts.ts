import { type AlertIncident, type ChannelKind, describeIncident } from '@svc/domain/alerts/alert';
import { findChannelUrlProblem } from '@svc/domain/alerts/channel-target';
import { newSecret, SECRET_RANDOM_BYTES } from '@svc/domain/values/resource-ids';
import { sortedUnique } from '@svc/domain/values/order';
import { parseWebhookUrl } from '@svc/domain/webhooks/webhook-url';
import { alertJob } from '@svc/engine/alerts/alert-messages';
import { openTarget, writeTarget } from '@svc/engine/alerts/channel-target';
import { watchIncidents } from '@svc/engine/alerts/watch-incidents';
import { listClosedIncidents, listOpenIncidents } from '@svc/engine/store/alert-incidents';
import { enqueue } from '@svc/engine/queue/queue';
import {
  type AlertChannelRow,
  getAlertToSend,
  insertTestMessage,
  listAlertChannels,
  lockChannelTarget,
} from '@svc/engine/store/alerts';
import type { Db } from '@svc/engine/store/database/db';
import { insertRow, updateRow } from '@svc/engine/store/database/rows';
import { assertReachable } from '@svc/engine/webhooks/webhooks';
import * as declared from '../declared/alerts.ts';
import { AdminError, conflict, invalidInput } from './admin-error.ts';
import { type AdminContext, assertChange, implement } from './operation.ts';
import { assertAccount } from './references.ts';
import { seal } from './sealing.ts';

export const addAlert = implement(declared.addAlert, async (ctx, input) => {
  const { accountId, isInstallation, kind, topics, to, url } = input;
  if ((accountId !== undefined) === isInstallation) throw invalidInput('Name either --account or --installation.');
  if (accountId !== undefined) await assertAccount(ctx.db, accountId);
  const place = kind === 'mail' ? to : url === undefined ? undefined : await reachableHost(ctx, kind, url);
  if (place === undefined || (kind === 'mail') !== (url === undefined)) {
    throw invalidInput(kind === 'mail' ? 'A mail channel needs --to, and no URL.' : `A ${kind} channel needs a URL.`);
  }
  if (kind !== 'mail' && to !== undefined) throw invalidInput('--to is only for mail.');
  const row = { accountId: accountId ?? null, kind, place, topics: sortedUnique(topics), createdAt: ctx.clock.now() };
  const signingSecret = kind === 'webhook' ? newSigningSecret(ctx) : null;
  // So incidents that have begun are stored before the channel is, and it gets no message about them.
  await watchIncidents(ctx);
  const id = await ctx.db.transaction(async (tx) => {
    const added = await insertRow<{ id: number }>(tx, 'alert_channels', row);
    if (url !== undefined) await setTarget(ctx, tx, added.id, { url, signingSecret });
    return added.id;
  });
  return { channel: await requireChannel(ctx.db, id), signingSecret };
});

export const updateAlert = implement(declared.updateAlert, async (ctx, input) => {
  assertChange(input);
  const { id, topics, to } = input;
  const { kind } = await requireChannel(ctx.db, id);
  if (to !== undefined && kind !== 'mail') throw conflict(`Channel ${id} is of ${kind}: --to is only for mail.`);
  await updateRow(ctx.db, 'alert_channels', id, { topics: topics && sortedUnique(topics), place: to });
  return { channel: await requireChannel(ctx.db, id) };
});

export const setAlertUrl = implement(declared.setAlertUrl, async (ctx, { id, url }) => {
  const { kind } = await requireChannel(ctx.db, id);
  if (kind === 'mail') throw conflict(`Channel ${id} mails: svc-server alerts update ${id} --to changes its address.`);
  const place = await reachableHost(ctx, kind, url);
  const signingSecret = await ctx.db.transaction(async (tx) => {
    const known = openTarget(ctx, { id, sealedTarget: await lockChannelTarget(tx, id) });
    const made = kind === 'webhook' && known === null ? newSigningSecret(ctx) : null;
    await setTarget(ctx, tx, id, { url, signingSecret: made ?? known?.signingSecret ?? null });
    await updateRow(tx, 'alert_channels', id, { place });
    return made;
  });
  return { channel: await requireChannel(ctx.db, id), signingSecret };
});

/** How long a test waits for the workers of this process. */
const TEST_WAIT_MS = 15_000;
const TEST_LOOK_MS = 250;

export const testAlert = implement(declared.testAlert, async (ctx, { id }) => {
  const channel = await requireChannel(ctx.db, id);
  const now = ctx.clock.now();
  const messageId = await ctx.db.transaction(async (tx) => {
    const message = await insertTestMessage(tx, id, now);
    if (message === null) throw noSuchChannel(id);
    await enqueue(tx, alertJob(message, now));
    return message.id;
  });
  const look = async () => {
    const found = await getAlertToSend(ctx.db, messageId);
    if (found === null) throw noSuchChannel(id);
    return { kind: found.kind, status: found.status, error: found.error };
  };
  let message = await look();
  for (let waitedMs = 0; ctx.areWorkersRunning() && waitedMs < TEST_WAIT_MS; waitedMs += TEST_LOOK_MS) {
    if (message.status !== 'waiting' || message.error !== null) break;
    await new Promise<void>((resolve) => void ctx.clock.setTimer(resolve, TEST_LOOK_MS));
    message = await look();
  }
  return { channel, message };
});

export const listAlerts = implement(declared.listAlerts, async (ctx, { accountId }) => {
  if (accountId !== undefined) await assertAccount(ctx.db, accountId);
  const about = { accountId: accountId ?? null };
  const incidents = (await listOpenIncidents(ctx.db, about)).map(toShown);
  const closed = (await listClosedIncidents(ctx.db, about)).map((incident) => ({
    ...toShown(incident),
    closedAt: incident.closedAt,
  }));
  return { channels: await listAlertChannels(ctx.db, about), incidents, closed };
});

function toShown(incident: AlertIncident): declared.OpenIncident {
  const { id, topic, accountId, connectionId, sourceId, openedAt } = incident;
  const summary = describeIncident('opened', incident, null).title;
  return { id, topic, accountId, connectionId, sourceId, summary, openedAt };
}

async function requireChannel(db: Db, id: number): Promise<AlertChannelRow> {
  const [channel] = await listAlertChannels(db, { id });
  if (channel === undefined) throw noSuchChannel(id);
  return channel;
}

function noSuchChannel(id: number): AdminError {
  return new AdminError(
    'not_found',
    `There is no alert channel ${id}: svc-server alerts list shows the existing ones.`,
  );
}

/** @throws ApiError when this URL must not be called, AdminError when the channel cannot use it */
async function reachableHost(ctx: AdminContext, kind: ChannelKind, url: string): Promise<string> {
  const parsed = parseWebhookUrl(url, ctx.outbound);
  const problem = findChannelUrlProblem(kind, parsed);
  if (problem !== null) throw invalidInput(`url: ${problem}`);
  await assertReachable(ctx, parsed);
  return new URL(parsed).host;
}

function newSigningSecret(ctx: AdminContext): string {
  return newSecret(ctx.branding.secretPrefix, ctx.randomBytes(SECRET_RANDOM_BYTES));
}

async function setTarget(
  ctx: AdminContext,
  tx: Db,
  id: number,
  target: Parameters<typeof writeTarget>[0],
): Promise<void> {
  const sealed = await seal(ctx, tx, writeTarget(target), { kind: 'alert channel', id });
  await updateRow(tx, 'alert_channels', id, { target: sealed });
}
