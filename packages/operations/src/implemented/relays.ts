import { relayMessageId } from '@svc/domain/relays/message-id';
import { digestMessageId } from '@svc/domain/relays/relay-digest';
import { resendRelayMail } from '@svc/domain/relays/relay-attempts';
import type { RelayRoute } from '@svc/domain/relays/relay-routes';
import { toReplyRelay } from '@svc/domain/resources';
import * as declared from '../declared/relays.ts';
import * as bindings from '../store/bindings.ts';
import { type Fields, insertRow, updateRow } from '@svc/engine/store/database/rows';
import { NO_MAIL_SERVER, relayMailJob } from '@svc/engine/pipeline/relay-attempt';
import { enqueue } from '@svc/engine/queue/queue';
import { getRelayMailToSend, listRelayMails, type RelayMailRow, setRelayMail } from '@svc/engine/store/relay-mails';
import { listReplyRelays } from '@svc/engine/store/reply-relays';
import { AdminError, conflict, existing } from './admin-error.ts';
import { forwardingNotices } from './destinations.ts';
import { type AdminContext, assertChange, implement } from './operation.ts';
import { assertBindable, requireConnection, operatorAccess, selectConnections } from './references.ts';

/** Notices while nothing can be sent. */
function mailNotices({ mail }: AdminContext): string[] {
  return mail === null ? [`${NO_MAIL_SERVER} Until then, mails of relays wait, for at most 3 days each.`] : [];
}

export const addRelay = implement(declared.addRelay, async (ctx, input) => {
  const connection = await requireConnection(ctx.db, input.connectionId);
  const row = { ...storedFields(input), createdAt: ctx.clock.now() };
  const { id: relayId } = await insertRow<{ id: number }>(ctx.db, 'reply_relays', row);
  return {
    replyRelay: await readRelay(ctx, relayId, connection.id),
    notices: [...mailNotices(ctx), ...forwardingNotices(connection)],
  };
});

export const updateRelay = implement(declared.updateRelay, async (ctx, { id: relayId, ...changes }) => {
  assertChange({ id: relayId, ...changes });
  const returning = 'connection_id as "connectionId"';
  const fields = storedFields(changes);
  const row = await updateRow<{ connectionId: number }>(ctx.db, 'reply_relays', relayId, fields, returning);
  return { replyRelay: await readRelay(ctx, relayId, existing(row, 'relay', relayId).connectionId) };
});

/** Categories and routes are stored as JSON. */
function storedFields<
  Input extends {
    categoryAllowlist?: readonly object[] | undefined;
    routes?: readonly RelayRoute[] | null | undefined;
  },
>(input: Input): Fields {
  const { categoryAllowlist, routes } = input;
  return {
    ...input,
    categoryAllowlist: categoryAllowlist && JSON.stringify(categoryAllowlist),
    routes: routes && JSON.stringify(routes),
  };
}

export const unbindRelay = implement(declared.unbindRelay, async (ctx, { relayId, sourceId }) => {
  const connectionId = await assertBindable(ctx.db, 'relay', relayId, sourceId);
  if (!(await bindings.unbindRelay(ctx.db, relayId, sourceId))) {
    throw conflict(`Relay ${relayId} is not bound to source ${sourceId}: svc-server relays list shows what is bound.`);
  }
  return { replyRelay: await readRelay(ctx, relayId, connectionId) };
});

export const bindRelay = implement(declared.bindRelay, async (ctx, input) => {
  const { relayId, sourceId } = input;
  const { connectionId, replacedRelayId } = await ctx.db.transaction(async (tx) => ({
    connectionId: await assertBindable(tx, 'relay', relayId, sourceId),
    replacedRelayId: await bindings.bindRelay(tx, relayId, sourceId),
  }));
  const replaced = replacedRelayId === null ? [] : [`Source ${sourceId} had relay ${replacedRelayId} before.`];
  return {
    replyRelay: await readRelay(ctx, relayId, connectionId),
    notices: [...mailNotices(ctx), ...replaced, ...forwardingNotices(await requireConnection(ctx.db, connectionId))],
  };
});

export const listRelays = implement(declared.listRelays, async (ctx, filter) => ({
  replyRelays: await readRelays(ctx, await selectConnections(ctx.db, filter)),
}));

export const listRelayLog = implement(declared.listRelayLog, async (ctx, { relayId = null, status = null, limit }) => {
  const rows = await listRelayMails(ctx.db, { relayId, status, limit });
  return { mails: rows.map(toAdminMail), notices: mailNotices(ctx) };
});

function toAdminMail(row: RelayMailRow): declared.AdminRelayMail {
  return {
    ...{ id: row.id, relayId: row.relayId, connectionId: row.connectionId, status: row.status },
    ...{ attempts: row.attemptCount, unconfirmedAttempts: row.unconfirmedCount, smtpCode: row.smtpCode },
    ...{ to: row.to, route: row.route, routeNote: row.routeNote, lead: row.lead },
    ...{ messageId: row.messageId, reason: row.error },
    ...{ dueAt: row.dueAt, nextAttemptAt: row.nextAttemptAt, endedAt: row.endedAt },
  };
}

/** Sends an ended mail again, as if it came due now. The rules of relays hold, such as those about loops. */
export const resendMail = implement(declared.resendMail, async (ctx, { mailId, again }) => {
  const now = ctx.clock.now();
  await ctx.db.transaction(async (tx) => {
    const mail = await getRelayMailToSend(tx, mailId);
    if (mail === null)
      throw new AdminError('not_found', `There is no mail ${mailId}: svc-server relays log shows the existing ones.`);
    const { relayId, eventId, messageId } = mail;
    const state = resendRelayMail(mail.state, now);
    if (state === null) throw conflict(`Mail ${mailId} is ${mail.state.status}, and is sent when it is due.`);
    const wasAccepted = mail.state.status === 'sent';
    if (wasAccepted && !again) throw conflict(`Mail ${mailId} was sent. --again sends it a second time.`);
    // Mail programs show mails of the same id as one.
    const domain = messageId?.replace(/^.*@|>$/g, '') ?? '';
    const nextId = !wasAccepted
      ? messageId
      : eventId === null
        ? digestMessageId({ relayId, digestAt: now, domain })
        : relayMessageId({ relayId, eventId, receivedAt: now, domain });
    await setRelayMail(tx, { id: mailId, state, messageId: nextId, endedAt: null, dueAt: now });
    await enqueue(tx, relayMailJob({ ...mail, dueAt: now }, now));
  });
  const rows = await listRelayMails(ctx.db, { id: mailId, relayId: null, status: null, limit: 1 });
  return { mail: rows.map(toAdminMail)[0] ?? null, notices: mailNotices(ctx) };
});

async function readRelays(
  ctx: AdminContext,
  connections: readonly { id: number }[],
): Promise<declared.AdminReplyRelay[]> {
  const rows = await listReplyRelays(ctx.db, operatorAccess(connections));
  return rows.map((row) => ({ ...toReplyRelay(row), routes: row.routes }));
}

async function readRelay(ctx: AdminContext, relayId: number, connectionId: number): Promise<declared.AdminReplyRelay> {
  const relay = (await readRelays(ctx, [{ id: connectionId }])).find((row) => row.id === relayId);
  return existing(relay, 'relay', relayId);
}
