import type { ReplayQueued } from '@svc/contract/types';
import { DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { assertDeliveryReplayable } from '@svc/domain/forwarding/delivery-replay';
import { notFound } from '@svc/domain/errors/errors';
import { buildPage } from '@svc/domain/requests/page';
import { connectionIdsOfDeliveries } from '@svc/domain/requests/list-filters';
import { parseEnumFilter, parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import { toDelivery } from '@svc/domain/resources';
import type { Context } from '@svc/engine/context';
import { type ApiAnswer, type AuthorizedRequest, authorizedRoute, logRoute } from '../answer.ts';
import { enqueueOnceMore } from '@svc/engine/queue/queue';
import { replayDeliveryJob } from '@svc/engine/pipeline/replay-delivery';
import { getDestination, hasDestinations } from '@svc/engine/store/destinations';
import * as deliveries from '@svc/engine/store/deliveries';
import { parseLogPage, resolveConnectionIds } from './log-query.ts';

export const listDeliveries = logRoute((ctx, request) =>
  deliveryPage(ctx, request, () => parseIdFilter('destinationId', request.query['destinationId'])),
);

/** The destination is in the path; a `destinationId` in the query is ignored. */
export const listDestinationDeliveries = logRoute((ctx, request) =>
  deliveryPage(ctx, request, () => parsePathId('Destination', request.params['id'] ?? '')),
);

export const getDestinationDeliveryMetrics = logRoute(async (ctx, { access, params, query }) => {
  const range = parseDateRange(query);
  const destinationId = parsePathId('Destination', params['id'] ?? '');
  const connectionIds = await resolveConnectionIds(ctx, access, { destinationId });
  return { json: await deliveries.countDeliveries(ctx.db, { connectionIds, destinationId }, range) };
});

/** Checks and enqueues in one transaction. A successful delivery may be replayed too. */
export const replayDelivery = authorizedRoute(async (ctx, { access, params }) => {
  const destinationId = parsePathId('Destination', params['id'] ?? '');
  const payloadId = await ctx.db.transaction(async (tx) => {
    if (!(await getDestination(tx, access, destinationId))) throw notFound('Destination', destinationId);
    const deliveryId = parsePathId('Delivery', params['deliveryId'] ?? '');
    const delivery = await deliveries.findReplayCandidate(tx, deliveryId);
    assertDeliveryReplayable(delivery, { destinationId, deliveryId });
    await enqueueOnceMore(
      tx,
      replayDeliveryJob({ accountId: access.accountId, destinationId, deliveryId }, ctx.clock.now()),
    );
    return delivery.payloadId;
  });
  ctx.wakeWorkers();
  return { json: { queued: true, destinationId, payloadId } satisfies ReplayQueued };
});

async function deliveryPage(
  ctx: Context,
  { access, query }: AuthorizedRequest,
  parseDestinationId: () => number | undefined,
): Promise<ApiAnswer> {
  const page = parseLogPage('delivery', query);
  const status = parseEnumFilter('status', query['status'], DELIVERY_STATUSES);
  const destinationId = parseDestinationId();
  const connectionIds = connectionIdsOfDeliveries(
    await resolveConnectionIds(ctx, access, { destinationId }),
    // A named destination is one that the key sees.
    destinationId !== undefined || (await hasDestinations(ctx.db, access)),
  );
  const filter = { accountId: access.accountId, connectionIds, destinationId, status };
  const rows = await deliveries.listDeliveries(ctx.db, filter, page);
  return { json: buildPage(rows, page.pageSize, (row) => row, toDelivery, 'delivery') };
}
