import type { BlocklistPaused, BlocklistResyncQueued } from '@svc/contract/types';
import { notFound } from '@svc/domain/errors/errors';
import { parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import { toBlocklist } from '@svc/domain/resources';
import { authorizedRoute } from '../answer.ts';
import * as service from '@svc/engine/blocklists/blocklists';
import * as blocklists from '@svc/engine/store/blocklists';
import { resolveConnectionIds } from './log-query.ts';

export const listBlocklists = authorizedRoute(async (ctx, { access, query }) => {
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const rows = await blocklists.listBlocklists(ctx.db, await resolveConnectionIds(ctx, access, { connectionId }));
  return { json: { blocklists: rows.map(toBlocklist) } };
});

/** Pausing a paused list gives the same answer again. */
export const pauseBlocklist = authorizedRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const id = parsePathId('Blocklist', raw);
  const status = await service.pauseBlocklist(ctx, access, id);
  if (status === null) throw notFound('Blocklist', raw);
  return { json: { id, isEnabled: false, status } satisfies BlocklistPaused };
});

export const resyncBlocklist = authorizedRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const id = parsePathId('Blocklist', raw);
  const status = await service.resyncBlocklist(ctx, access, id);
  if (status === null) throw notFound('Blocklist', raw);
  return { json: { id, queued: true, isEnabled: true, status } satisfies BlocklistResyncQueued };
});
