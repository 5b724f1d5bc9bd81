import { toConnection } from '@svc/domain/resources';
import { authorizedRoute } from '../answer.ts';
import { listConnections as listConnectionRows } from '@svc/engine/store/connections';

export const listConnections = authorizedRoute(async (ctx, { access }) => {
  const rows = await listConnectionRows(ctx.db, access);
  return { json: { connections: rows.map(toConnection) } };
});
