import { accountStatus } from '@svc/domain/account-status';
import { authorizedRoute } from '../http/answer.ts';
import { listConnectionFacts } from '../store/connections.ts';

export const getAccountStatus = authorizedRoute(async (ctx, { access }) => {
  const urls = ctx.urls;
  return {
    json: accountStatus({
      connections: await listConnectionFacts(ctx.db, access),
      now: ctx.clock.now(),
      dashboardUrl: urls.dashboard,
      docsUrl: urls.docs,
    }),
  };
});
