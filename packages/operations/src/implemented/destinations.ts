import { sortedUnique } from '@svc/domain/values/order';
import { type DestinationRow, toDestination } from '@svc/domain/resources';
import { parseWebhookUrl } from '@svc/domain/webhooks/webhook-url';
import * as declared from '../declared/destinations.ts';
import * as bindings from '../store/bindings.ts';
import { insertRow, updateRow } from '@svc/engine/store/database/rows';
import { getDestination, listDestinations as listDestinationRows } from '@svc/engine/store/destinations';
import { assertReachable } from '@svc/engine/webhooks/webhooks';
import { conflict, existing } from './admin-error.ts';
import { type AdminContext, assertChange, implement } from './operation.ts';
import { assertBindable, requireConnection, operatorAccess, selectConnections } from './references.ts';

export const addDestination = implement(declared.addDestination, async (ctx, input) => {
  const { connectionId, description } = input;
  const connection = await requireConnection(ctx.db, connectionId);
  const fields = { connectionId, url: await reachableUrl(ctx, input.url), description, createdAt: ctx.clock.now() };
  const { id: destinationId } = await insertRow<{ id: number }>(ctx.db, 'destinations', fields);
  return {
    destination: await readDestination(ctx, destinationId, connectionId),
    notices: forwardingNotices(connection),
  };
});

export const updateDestination = implement(declared.updateDestination, async (ctx, input) => {
  assertChange(input);
  const changes = {
    url: input.url === undefined ? undefined : await reachableUrl(ctx, input.url),
    description: input.description,
  };
  const returning = 'connection_id as "connectionId"';
  const row = await updateRow<{ connectionId: number }>(ctx.db, 'destinations', input.id, changes, returning);
  return { destination: await readDestination(ctx, input.id, existing(row, 'destination', input.id).connectionId) };
});

/** @throws ApiError when this URL must not be called */
async function reachableUrl(ctx: AdminContext, wanted: string): Promise<string> {
  const parsed = parseWebhookUrl(wanted, ctx.outbound);
  await assertReachable(ctx, parsed);
  return parsed;
}

export const bindDestination = implement(declared.bindDestination, async (ctx, input) => {
  const { destinationId, sourceId, isDelayed } = input;
  const connectionId = await ctx.db.transaction(async (tx) => {
    const shared = await assertBindable(tx, 'destination', destinationId, sourceId);
    const eventTypes = sortedUnique(input.eventTypes);
    await bindings.bindDestination(tx, { destinationId, sourceId, eventTypes, isDelayed });
    return shared;
  });
  return {
    destination: await readDestination(ctx, destinationId, connectionId),
    notices: forwardingNotices(await requireConnection(ctx.db, connectionId)),
  };
});

/** Also drops pending forwardings, which are checked against the current bindings. */
export const unbindDestination = implement(declared.unbindDestination, async (ctx, { destinationId, sourceId }) => {
  const connectionId = await assertBindable(ctx.db, 'destination', destinationId, sourceId);
  if (!(await bindings.unbindDestination(ctx.db, destinationId, sourceId))) {
    throw conflict(
      `Destination ${destinationId} is not bound to source ${sourceId}: svc-server destinations list shows what is bound.`,
    );
  }
  return { destination: await readDestination(ctx, destinationId, connectionId) };
});

export const listDestinations = implement(declared.listDestinations, async (ctx, filter) => {
  const connections = await selectConnections(ctx.db, filter);
  const rows = await listDestinationRows(ctx.db, operatorAccess(connections));
  return { destinations: rows.map(toAdminDestination) };
});

async function readDestination(ctx: AdminContext, destinationId: number, connectionId: number) {
  const row = await getDestination(ctx.db, operatorAccess([{ id: connectionId }]), destinationId);
  return toAdminDestination(existing(row, 'destination', destinationId));
}

function toAdminDestination(row: DestinationRow): declared.AdminDestination {
  const sources = row.bindings
    .map(({ sourceId, eventTypes, isDelayed }) => ({ sourceId, eventTypes: sortedUnique(eventTypes), isDelayed }))
    .sort((a, b) => a.sourceId - b.sourceId);
  return { ...toDestination(row), bindings: sources };
}

export function forwardingNotices(connection: { id: number; capabilities: { destinations: boolean } }): string[] {
  if (connection.capabilities.destinations) return [];
  return [
    `Connection ${connection.id} lacks the destinations capability, so nothing is forwarded or relayed yet: svc-server capabilities set --connection ${connection.id} --destinations on.`,
  ];
}
