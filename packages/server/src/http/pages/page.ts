/** HTML pages of constant text: no tenant data, no scripts, no external resources. */
import { createHash } from 'node:crypto';
import { type HtmlPage, pageHeaders, renderPage } from '@svc/domain/pages/html-page';
import type { RequestHandler } from 'express';

export function pageRoute(name: string, page: HtmlPage): RequestHandler {
  const html = renderPage(page);
  return (request, response) => {
    response.locals['operationId'] = name;
    response.set(pageHeaders());
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', etagOf(html));
    if (request.fresh) response.status(304).end();
    else response.end(html);
  };
}

export function etagOf(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}
