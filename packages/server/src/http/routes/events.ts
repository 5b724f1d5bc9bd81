import { LIMITS } from '@svc/contract/limits';
import { EVENT_TYPES } from '@svc/contract/vocabulary';
import { parseCursor } from '@svc/domain/requests/cursor';
import { notFound } from '@svc/domain/errors/errors';
import { buildPage } from '@svc/domain/requests/page';
import { parseBooleanFilter, parseLimit, parseRepeatedEnum } from '@svc/domain/requests/parameters';
import { parsePrefixedPathId } from '@svc/domain/values/resource-ids';
import { toPlatformEvent, toPlatformEventWithDeliveries } from '@svc/domain/resources';
import { logRoute } from '../answer.ts';
import * as events from '@svc/engine/store/events';

const PAGE = { default: LIMITS.webhookPageDefault, max: LIMITS.webhookPageMax };

export const listEvents = logRoute(async (ctx, { access, query }) => {
  const types = parseRepeatedEnum('type', query['type'], EVENT_TYPES);
  const delivered = parseBooleanFilter('delivered', query['delivered']);
  const after = parseCursor('event', query['cursor']);
  const limit = parseLimit(query['limit'], PAGE);
  const rows = await events.listEvents(ctx.db, access, { types, delivered, after, limit: limit + 1 });
  const toResource = (row: events.ListedEvent) => toPlatformEvent(row, row.delivered);
  return { json: buildPage(rows, limit, (row) => row, toResource, 'event') };
});

export const getEvent = logRoute(async (ctx, { access, params }) => {
  const id = parsePrefixedPathId('Event', params['id'] ?? '');
  const row = await events.getEvent(ctx.db, access, id);
  if (!row) throw notFound('Event', id);
  return { json: toPlatformEventWithDeliveries(row, await events.listDeliveriesOfEvent(ctx.db, id)) };
});
