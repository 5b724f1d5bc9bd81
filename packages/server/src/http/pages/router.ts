/** Pages for browsers: index, API reference, status codes, and the page that remediations link to. */
import { statusCodesPage } from '@svc/domain/pages/status-codes-page';
import express, { type Router } from 'express';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import { dashboardPage } from './dashboard.ts';
import { homePage } from './home.ts';
import { pageRoute } from './page.ts';
import { referenceRouter } from './reference.ts';

/** @param options.canReconnect whether an app is configured, so that users can reconnect in the browser */
export function pagesRouter(urls: PublicUrls, { canReconnect }: { canReconnect: boolean }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', pageRoute('home', homePage(urls)));
  router.get('/docs/status-codes', pageRoute('status-codes', statusCodesPage(urls)));
  router.use(referenceRouter());
  // With an admin app elsewhere nothing links to this page.
  if (urls.dashboard === `${urls.api}/dashboard`) {
    if (canReconnect) {
      router.get('/dashboard/connections/:id', (request, response, next) => {
        const id = /^[1-9]\d{0,14}$/.exec(request.params.id)?.[0];
        if (id === undefined) next();
        else pageRoute('dashboard', dashboardPage(urls, Number(id)))(request, response, next);
      });
    }
    router.get(['/dashboard', '/dashboard/*path'], pageRoute('dashboard', dashboardPage(urls)));
  }
  return router;
}
