import { meResponse } from '@svc/domain/account/me';
import { authorizedRoute } from '../answer.ts';
import { listConnections } from '@svc/engine/store/connections';

export const getMe = authorizedRoute(async (ctx, { access, key }) => {
  const urls = ctx.urls;
  return {
    json: meResponse({
      account: key.account,
      key,
      connections: await listConnections(ctx.db, access),
      urls: { apiUrl: urls.api, docsUrl: urls.docs },
      now: ctx.clock.now(),
    }),
  };
});
