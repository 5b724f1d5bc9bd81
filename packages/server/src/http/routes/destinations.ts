import { notFound } from '@svc/domain/errors/errors';
import { parsePathId } from '@svc/domain/requests/parameters';
import { toDestination } from '@svc/domain/resources';
import { authorizedRoute } from '../answer.ts';
import * as destinations from '@svc/engine/store/destinations';

export const listDestinations = authorizedRoute(async (ctx, { access }) => {
  const rows = await destinations.listDestinations(ctx.db, access);
  return { json: { destinations: rows.map(toDestination) } };
});

export const getDestination = authorizedRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const row = await destinations.getDestination(ctx.db, access, parsePathId('Destination', raw));
  if (!row) throw notFound('Destination', raw);
  return { json: toDestination(row) };
});
