import type { Access } from '@svc/domain/requests/access';
import { toConnection } from '@svc/domain/resources';
import type { ConnectionRow } from '@svc/domain/world';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';

export const listConnections = authorizedHandler(({ world, access }) => {
  const rows = visibleConnections(world.state.data, access);
  return { json: { connections: rows.map((row) => toConnection({ ...row, hasCrmToken: row.crmToken !== null })) } };
});

/** Returns the visible connections by ascending id. */
export function visibleConnections(data: WorldData, access: Access): ConnectionRow[] {
  return data.connections.filter(({ id }) => access.connectionIds.includes(id));
}
