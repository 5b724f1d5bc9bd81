/** `/llms.txt` and `/docs/<name>.md`: documents for programs that read Markdown. */
import { documentLinks, LLMS_TXT_PATH, MARKDOWN_TYPE } from '@svc/domain/pages/document-links';
import type { Context } from '@svc/engine/context';
import express, { type Router } from 'express';
import { etagOf } from '../pages/page.ts';

/** @param options.hasMcp whether `/mcp` is answered */
export function documentsRouter(ctx: Context, options: { readonly hasMcp: boolean }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get([LLMS_TXT_PATH, /^\/docs\/.+\.md$/], async (request, response, next) => {
    const { findDocument } = await import('./find-document.ts');
    const text = await findDocument(request.path, ctx, options);
    if (text === null) {
      next();
      return;
    }
    response.locals['operationId'] = 'docs';
    response.setHeader('Content-Type', MARKDOWN_TYPE);
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', etagOf(text));
    if (request.path !== LLMS_TXT_PATH) response.setHeader('Link', documentLinks(ctx.urls.api));
    if (request.fresh) response.status(304).end();
    else response.end(text);
  });
  return router;
}
