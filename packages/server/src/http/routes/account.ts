import type { AccountMetrics } from '@svc/contract/types';
import { accountStatus } from '@svc/domain/account/account-status';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { connectionIdsOfDeliveries } from '@svc/domain/requests/list-filters';
import { parseIdFilter } from '@svc/domain/requests/parameters';
import { authorizedRoute, logRoute } from '../answer.ts';
import { listConnectionFacts } from '@svc/engine/store/connections';
import { hasDestinations } from '@svc/engine/store/destinations';
import { countDeliveries } from '@svc/engine/store/deliveries';
import { countRequests } from '@svc/engine/store/requests';
import { countSyncs } from '@svc/engine/store/syncs';
import { resolveRequestFilter } from './requests.ts';

export const getAccountStatus = authorizedRoute(async (ctx, { access }) => {
  const now = ctx.clock.now();
  const connections = await listConnectionFacts(ctx.db, access, now);
  return { json: accountStatus({ connections, now, dashboardUrl: ctx.urls.dashboard, docsUrl: ctx.urls.docs }) };
});

/** `sourceId` filters requests and syncs, `connectionId` all three parts. */
export const getAccountMetrics = logRoute(async (ctx, { access, query }) => {
  const range = parseDateRange(query);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  const filter = await resolveRequestFilter(ctx, access, { sourceId, connectionId });
  const { connectionIds } = filter;
  const metrics: AccountMetrics = {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    requests: await countRequests(ctx.db, filter, range),
    syncs: await countSyncs(ctx.db, { connectionIds, sourceId }, range),
    destinationDeliveries: await countDeliveries(
      ctx.db,
      { connectionIds: connectionIdsOfDeliveries(connectionIds, await hasDestinations(ctx.db, access)) },
      range,
    ),
  };
  return { json: metrics };
});
