import { parseIdFilter } from '@svc/domain/parameters';
import { toBlocklist } from '@svc/domain/resources';
import { authorizedRoute } from '../http/answer.ts';
import * as blocklists from '../store/blocklists.ts';
import { settleFilters } from './log-query.ts';

export const listBlocklists = authorizedRoute(async (ctx, { access, query }) => {
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const rows = await blocklists.listBlocklists(ctx.db, await settleFilters(ctx, access, { connectionId }));
  return { json: { blocklists: rows.map(toBlocklist) } };
});
