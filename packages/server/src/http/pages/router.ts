/** Pages for browsers: index, API reference, status codes, and the page that remediations link to. */
import { statusCodesPage } from '@svc/domain/pages/status-codes-page';
import express, { type Router } from 'express';
import type { PublicUrls } from '../../config/public-urls.ts';
import { dashboardPage } from './dashboard.ts';
import { homePage } from './home.ts';
import { pageRoute } from './page.ts';
import { referenceRouter } from './reference.ts';

export function pagesRouter(urls: PublicUrls): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', pageRoute('home', homePage(urls)));
  router.get('/docs/status-codes', pageRoute('status-codes', statusCodesPage(urls)));
  router.use(referenceRouter());
  // With an admin app elsewhere nothing links to this page.
  if (urls.dashboard === `${urls.api}/dashboard`) {
    router.get(['/dashboard', '/dashboard/*path'], pageRoute('dashboard', dashboardPage(urls)));
  }
  return router;
}
