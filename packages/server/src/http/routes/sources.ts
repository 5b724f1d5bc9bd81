import { toSource } from '@svc/domain/resources';
import { authorizedRoute } from '../answer.ts';
import { listSources as listSourceRows } from '@svc/engine/store/sources';

export const listSources = authorizedRoute(async (ctx, { access }) => {
  const rows = await listSourceRows(ctx.db, access);
  const { sync } = ctx.urls;
  return { json: { sources: rows.map((row) => toSource(row, sync)) } };
});
