/** What a browser finds here: an index, the reference, the status codes, and the page that remediations lead to. */
import { statusCodesPage } from '@svc/domain/pages/status-codes-page';
import express, { type Router } from 'express';
import type { PublicUrls } from '../context.ts';
import { dashboardPage } from './dashboard.ts';
import { homePage } from './home.ts';
import { pageRoute } from './page.ts';
import { referenceRouter } from './reference.ts';

export function pagesRouter(urls: PublicUrls): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', pageRoute('home', homePage(urls)));
  router.get('/docs/status-codes', pageRoute('status-codes', statusCodesPage(urls)));
  router.use(referenceRouter());
  // With an admin app elsewhere nothing leads here, and this page would only mislead.
  if (urls.dashboard === `${urls.api}/dashboard`) {
    router.get(['/dashboard', '/dashboard/*path'], pageRoute('dashboard', dashboardPage(urls)));
  }
  return router;
}
