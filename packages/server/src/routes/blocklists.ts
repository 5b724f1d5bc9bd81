import type { BlocklistPaused } from '@svc/contract/types';
import { pauseBlocklist as pause } from '@svc/domain/blocklist';
import { notFound } from '@svc/domain/errors';
import { parseIdFilter, parsePathId } from '@svc/domain/parameters';
import { toBlocklist } from '@svc/domain/resources';
import { authorizedRoute } from '../http/answer.ts';
import * as blocklists from '../store/blocklists.ts';
import { settleFilters } from './log-query.ts';

export const listBlocklists = authorizedRoute(async (ctx, { access, query }) => {
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const rows = await blocklists.listBlocklists(ctx.db, await settleFilters(ctx, access, { connectionId }));
  return { json: { blocklists: rows.map(toBlocklist) } };
});

/** The list's own pipeline stops pushing; what the sequencer has stays. Pausing a paused list answers the same again. */
export const pauseBlocklist = authorizedRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const id = parsePathId('Blocklist', raw);
  const state = await ctx.db.transaction(async (tx) => {
    const before = await blocklists.lockBlocklist(tx, access, id);
    if (!before) throw notFound('Blocklist', raw);
    const after = pause(before);
    await blocklists.setBlocklistState(tx, id, after);
    return after;
  });
  return { json: { id, isEnabled: false, status: state.status } satisfies BlocklistPaused };
});
