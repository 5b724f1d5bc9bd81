import { type SourceRow as ShownSource, toSource } from '@svc/domain/resources';
import type { SourceRow } from '@svc/domain/world';
import { connectionsById } from '../../state/row-indexes.ts';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';
import { ofConnections } from './log-query.ts';

export const listSources = authorizedHandler(({ world, access, urls }) => {
  const { data } = world.state;
  const rows = data.sources.filter(ofConnections(access.connectionIds));
  return { json: { sources: rows.map((row) => toSource(withBindings(data, row), urls.sync)) } };
});

/** Adds the bound destinations by ascending id and the reply relay. */
function withBindings(data: WorldData, source: SourceRow): ShownSource {
  const destinations = data.destinations.flatMap(({ url, description, bindings }) =>
    bindings
      .filter(({ sourceId }) => sourceId === source.id)
      .map(({ eventTypes, isDelayed }) => ({ url, description, eventTypes, isDelayed })),
  );
  const replyRelay = data.replyRelays.find(({ sourceIds }) => sourceIds.includes(source.id)) ?? null;
  const crm = connectionsById(data.connections).get(source.connectionId)?.crm ?? '';
  return { ...source, crm, destinations, replyRelay };
}
