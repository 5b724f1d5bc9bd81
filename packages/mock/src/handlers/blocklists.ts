import { parseIdFilter } from '@svc/domain/requests/parameters';
import { toBlocklist } from '@svc/domain/resources';
import { authorizedHandler } from '../core/call.ts';
import { ofConnections, settleFilters } from './log-query.ts';

export const listBlocklists = authorizedHandler(({ world, access, query }) => {
  const { data } = world.state;
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const rows = data.blocklists.filter(ofConnections(settleFilters(data, access, { connectionId })));
  return { json: { blocklists: rows.map(toBlocklist) } };
});
