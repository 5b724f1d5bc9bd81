import type { Access } from '@svc/domain/requests/access';
import { notFound } from '@svc/domain/errors/errors';
import { parsePathId } from '@svc/domain/requests/parameters';
import { toDestination } from '@svc/domain/resources';
import type { DestinationRow } from '@svc/domain/world';
import { destinationsById } from '../../state/row-indexes.ts';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';
import { ofConnections } from './log-query.ts';

export const listDestinations = authorizedHandler(({ world, access }) => {
  const rows = world.state.data.destinations.filter(ofConnections(access.connectionIds));
  return { json: { destinations: rows.map(toDestination) } };
});

export const getDestination = authorizedHandler(({ world, access, params }) => {
  const raw = params['id'] ?? '';
  const row = findDestination(world.state.data, access, parsePathId('Destination', raw));
  if (row === null) throw notFound('Destination', raw);
  return { json: toDestination(row) };
});

/** Returns the destination, or null when it does not exist or is not visible. */
function findDestination(data: WorldData, access: Access, id: number): DestinationRow | null {
  const row = destinationsById(data.destinations).get(id);
  return row !== undefined && access.connectionIds.includes(row.connectionId) ? row : null;
}
