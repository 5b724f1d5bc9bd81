/** The dashboard below `/dashboard`: its page, and the private API that the page calls. */
import { pageHeaders, STRICT_POLICY } from '@svc/domain/pages/html-page';
import type { Context } from '@svc/engine/context';
import type { Changes } from '@svc/engine/queue/changes';
import type { AdminContext } from '@svc/operations/implemented/operation';
import express, { type Router } from 'express';
import { createRequireUser } from './access.ts';
import { accountApiRouter } from './account-api.ts';
import { assetsRouter } from './assets.ts';
import { answerRefusals, noSuchRoute, refuseErrors } from './error-handler.ts';
import { createLive } from './live.ts';
import { oidcRouter } from './oidc-router.ts';
import { operationsRouter } from './operations.ts';
import { requireSameOrigin } from './same-origin.ts';
import { type SessionRouterDeps, sessionRouter } from './session-router.ts';
import { findUser } from './sessions.ts';

export interface Dashboard {
  readonly router: Router;
  /** Ends the streams of live events. */
  close(): void;
}

/** Pages override this policy: what only the page's script reads needs to load nothing. */
const HEADERS = {
  ...pageHeaders(STRICT_POLICY.join('; ')),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export interface DashboardDeps extends SessionRouterDeps {
  ctx: Context;
  /** For operations. */
  admin: AdminContext;
  changes: Changes;
  /** Folder of the built page. Default: that of this installation. */
  pageFolder?: URL | undefined;
}

export function createDashboard({ ctx, admin, config, changes, pageFolder }: DashboardDeps): Dashboard {
  const requireUser = createRequireUser(ctx);
  const live = createLive({ changes, clock: ctx.clock });

  const api = express.Router({ caseSensitive: true, strict: true });
  api.use(sessionRouter({ ctx, config }));
  api.use(oidcRouter({ ctx, config }));
  api.use('/operations', operationsRouter(admin, requireUser));
  api.get('/live', async (request, response, next) => {
    // It has no end.
    if (request.method === 'HEAD') return next();
    const user = await requireUser(request);
    live.open(response, user, async () => (await findUser(ctx, request, { isUse: false })) !== null);
  });
  api.use(() => {
    throw noSuchRoute();
  });
  api.use(refuseErrors(ctx.log));

  const router = express.Router({ caseSensitive: true, strict: true });
  router.use('/dashboard', (_request, response, next) => {
    response.locals['operationId'] = 'dashboard';
    response.set(HEADERS);
    next();
  });
  router.use('/dashboard/api', (_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  router.use('/dashboard/api', requireSameOrigin(ctx.urls));
  // Before the rest, because its errors have the form of the public API.
  router.use('/dashboard/api/accounts/:accountId', accountApiRouter(ctx, requireUser));
  router.use('/dashboard/api', api);
  router.use('/dashboard/api', answerRefusals);
  router.use(assetsRouter(ctx.urls.dashboard, pageFolder));
  return { router, close: () => live.close() };
}
