import { parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import { toBlocklist } from '@svc/domain/resources';
import type { BlocklistPaused, BlocklistResyncQueued } from '@svc/contract/types';
import type { Access } from '@svc/domain/requests/access';
import {
  assertResyncAllowed,
  pauseBlocklist as pause,
  resyncBlocklist as resync,
} from '@svc/domain/blocklists/blocklist';
import { notFound } from '@svc/domain/errors/errors';
import { connectionsById } from '../../state/row-indexes.ts';
import type { BlocklistRow, WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';
import { setState, startFetch } from '../jobs/blocklists.ts';
import { ofConnections, resolveConnectionIds } from './log-query.ts';

export const listBlocklists = authorizedHandler(({ world, access, query }) => {
  const { data } = world.state;
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const rows = data.blocklists.filter(ofConnections(resolveConnectionIds(data, access, { connectionId })));
  return { json: { blocklists: rows.map(toBlocklist) } };
});

/** Stops pushing; entries at the sequencer stay. Pausing a paused list gives the same answer. */
export const pauseBlocklist = authorizedHandler(({ world, access, params }) => {
  const list = findBlocklist(world.state.data, access, params['id'] ?? '');
  const state = pause(list);
  setState(world, list, state);
  return { json: { id: list.id, isEnabled: false, status: state.status } satisfies BlocklistPaused };
});

/** Starts a new run with a full fetch. */
export const resyncBlocklist = authorizedHandler(({ world, access, params, now }) => {
  const { data } = world.state;
  const list = findBlocklist(data, access, params['id'] ?? '');
  assertResyncAllowed({
    status: list.status,
    hasActiveFetchJob: data.jobs.some((job) => job.kind === 'fetch-blocklist' && job.blocklistId === list.id),
    hasCrmSource: list.crmListId !== null,
    canBlockList: connectionsById(data.connections).get(list.connectionId)?.capabilities.blocklists === true,
  });
  const state = resync(list);
  startFetch(world, list, { state, mode: 'full', now });
  const { isEnabled, status } = state;
  return { json: { id: list.id, queued: true, isEnabled, status } satisfies BlocklistResyncQueued };
});

function findBlocklist(data: WorldData, access: Access, raw: string): BlocklistRow {
  const id = parsePathId('Blocklist', raw);
  const list = data.blocklists.find((row) => row.id === id);
  if (list === undefined || !access.connectionIds.includes(list.connectionId)) throw notFound('Blocklist', raw);
  return list;
}
