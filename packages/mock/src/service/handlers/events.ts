import { LIMITS } from '@svc/contract/limits';
import { EVENT_TYPES } from '@svc/contract/vocabulary';
import { type Access, canSeeEvent } from '@svc/domain/requests/access';
import { parseCursor } from '@svc/domain/requests/cursor';
import { notFound } from '@svc/domain/errors/errors';
import { parseBooleanFilter, parseLimit, parseRepeatedEnum } from '@svc/domain/requests/parameters';
import { parsePrefixedPathId } from '@svc/domain/values/resource-ids';
import { isDelivered, toPlatformEventWithDeliveries } from '@svc/domain/resources';
import type { EventRow, WebhookDeliveryRow } from '@svc/domain/world';
import { findRow, cachePerChunk } from '../../state/log.ts';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';
import { readPage } from './log-query.ts';
import { platformEventOf } from './resources.ts';

const PAGE = { default: LIMITS.webhookPageDefault, max: LIMITS.webhookPageMax };

export const listEvents = authorizedHandler(({ world, access, query }) => {
  const { data, settings } = world.state;
  const types = new Set<string>(parseRepeatedEnum('type', query['type'], EVENT_TYPES));
  const delivered = parseBooleanFilter('delivered', query['delivered']);
  const after = parseCursor('event', query['cursor']);
  const pageSize = parseLimit(query['limit'], PAGE);
  const isEventDelivered = (row: EventRow) => isDelivered(deliveriesOfEvent(data, row.id));
  const list = {
    rowType: 'event' as const,
    rows: data.events,
    isVisible: (row: EventRow) => isVisible(access, row),
    matches: (row: EventRow) =>
      (types.size === 0 || types.has(row.type)) && (delivered === undefined || isEventDelivered(row) === delivered),
    toResource: (row: EventRow) => platformEventOf(row, isEventDelivered(row)),
  };
  return { json: readPage(list, { after, pageSize }, settings.scanCap) };
});

export const getEvent = authorizedHandler(({ world, access, params }) => {
  const { data } = world.state;
  const id = parsePrefixedPathId('Event', params['id'] ?? '');
  const row = findRow(data.events, id);
  if (row === null || !isVisible(access, row)) throw notFound('Event', id);
  return { json: toPlatformEventWithDeliveries(row, deliveriesOfEvent(data, id)) };
});

function isVisible(access: Access, { accountId, connectionId }: EventRow): boolean {
  return accountId === access.accountId && canSeeEvent(access, connectionId);
}

const deliveriesByEvent = cachePerChunk((rows: readonly WebhookDeliveryRow[]) =>
  Map.groupBy(rows, ({ eventId }) => eventId),
);

function deliveriesOfEvent(data: WorldData, eventId: string): WebhookDeliveryRow[] {
  return deliveriesByEvent(data.webhookDeliveries).flatMap((chunk) => chunk.get(eventId) ?? []);
}
