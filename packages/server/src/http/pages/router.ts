/** Pages for browsers: index, API reference and status codes. */
import { statusCodesPage } from '@svc/domain/pages/status-codes-page';
import express, { type Router } from 'express';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import { homePage } from './home.ts';
import { pageRoute } from './page.ts';
import { referenceRouter } from './reference.ts';

/** @param options.hasDashboard whether there is a dashboard at its address */
export function pagesRouter(urls: PublicUrls, { hasDashboard }: { hasDashboard: boolean }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', pageRoute('home', homePage(urls, { hasDashboard })));
  router.get('/docs/status-codes', pageRoute('status-codes', statusCodesPage(urls)));
  router.use(referenceRouter(urls));
  return router;
}
