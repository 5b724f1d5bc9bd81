import type { ReplyRelay } from '@svc/contract/types';
import { LIMITS } from '@svc/contract/limits';
import { toReplyRelay } from '@svc/domain/resources';
import * as z from 'zod';
import * as store from '../../store/admin/relays.ts';
import { listReplyRelays } from '../../store/reply-relays.ts';
import { noSuch } from './admin-error.ts';
import { forwardingNotices } from './destinations.ts';
import { email, id, listFilter, name, text } from './fields.ts';
import { type AdminContext, adminOperation } from './operation.ts';
import { assertBindable, existingConnection, operatorAccess, selectConnections } from './references.ts';

const DELAY_MINUTES_MAX = 30 * 24 * 60;
const BODY_TEMPLATES_MAX = 100;

const newRelay = z.strictObject({
  connectionId: id,
  description: text(500).default(''),
  /** The sales rep who gets the copy. */
  ccEmail: email,
  delayMinutes: z
    .int('must be a whole number of minutes')
    .min(0, 'must not be negative')
    .max(DELAY_MINUTES_MAX, `must be at most ${DELAY_MINUTES_MAX}, which is 30 days`)
    .default(0),
  bodyTemplates: z
    .array(text(20_000).refine((value) => value.trim() !== '', 'must not be empty'))
    .max(BODY_TEMPLATES_MAX, `must be at most ${BODY_TEMPLATES_MAX} templates`)
    .default([]),
  /** Empty: every reply is relayed. */
  categoryAllowlist: z
    .array(z.strictObject({ id: name(200), name: name(200) }))
    .max(LIMITS.relayCategoryAllowlistMax, `must have at most ${LIMITS.relayCategoryAllowlistMax} entries`)
    .refine((entries) => new Set(entries.map((entry) => entry.id)).size === entries.length, 'names a category twice')
    .default([]),
});

/** Until this release has the job that does it. */
const NOT_RELAYED_YET = 'This release keeps relays and shows them, but does not send copies of replies yet.';

export const addRelay = adminOperation(newRelay, async (ctx, input) => {
  const connection = await existingConnection(ctx.db, input.connectionId);
  const relayId = await store.insertRelay(ctx.db, { ...input, at: ctx.clock.now() });
  return {
    replyRelay: await readRelay(ctx, relayId, connection.id),
    notices: [NOT_RELAYED_YET, ...forwardingNotices(connection)],
  };
});

/** A source has one relay: binding another puts it in the place of the first. */
export const bindRelay = adminOperation(z.strictObject({ relayId: id, sourceId: id }), async (ctx, input) => {
  const { relayId, sourceId } = input;
  const { connectionId, replacedRelayId } = await ctx.db.transaction(async (tx) => ({
    connectionId: await assertBindable(tx, 'relay', relayId, sourceId),
    replacedRelayId: await store.setRelayOfSource(tx, relayId, sourceId),
  }));
  const replaced = replacedRelayId === null ? [] : [`Source ${sourceId} had relay ${replacedRelayId} before.`];
  return {
    replyRelay: await readRelay(ctx, relayId, connectionId),
    notices: [NOT_RELAYED_YET, ...replaced, ...forwardingNotices(await existingConnection(ctx.db, connectionId))],
  };
});

export const listRelays = adminOperation(listFilter, async (ctx, filter) => ({
  replyRelays: await readRelays(ctx, await selectConnections(ctx.db, filter)),
}));

async function readRelays(ctx: AdminContext, connections: readonly { id: number }[]): Promise<ReplyRelay[]> {
  return (await listReplyRelays(ctx.db, operatorAccess(connections))).map(toReplyRelay);
}

async function readRelay(ctx: AdminContext, relayId: number, connectionId: number): Promise<ReplyRelay> {
  const relay = (await readRelays(ctx, [{ id: connectionId }])).find((row) => row.id === relayId);
  if (!relay) throw noSuch('relay', relayId);
  return relay;
}
