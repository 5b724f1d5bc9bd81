/** Pages for people, each one constant text: no data of any tenant, no script, nothing from anywhere else. */
import { createHash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

export interface Page {
  title: string;
  /** HTML of the body; whoever makes it escapes what it puts in (`escapeHtml`). */
  body: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2.5rem auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.4rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; background: rgb(128 128 128 / 0.14); border-radius: 4px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.75rem 1rem; white-space: pre-wrap; }
pre code { background: none; padding: 0; font-size: 1em; }
:target { scroll-margin-top: 1rem; border-left: 4px solid #3b82f6; padding-left: 0.75rem; margin-left: -1rem; }
.kind { font-size: 0.8rem; padding: 0.15em 0.55em; border-radius: 999px; border: 1px solid currentColor; vertical-align: middle; }
`;

/** What a page may load is listed exactly; nobody may put it into a frame. */
export const LOCKED_DOWN = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

const STATIC_POLICY = [...LOCKED_DOWN, 'img-src data:', `style-src '${sha256('base64', STYLE, 'sha256-')}'`].join('; ');

export function pageRoute(name: string, page: Page): RequestHandler {
  const html = renderPage(page);
  return (request, response) => {
    response.locals['operationId'] = name;
    secure(response, STATIC_POLICY);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', etagOf(html));
    if (request.fresh) response.status(304).end();
    else response.end(html);
  };
}

function renderPage({ title, body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}

export function secure(response: Response, policy: string): void {
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}

export function etagOf(content: string | Buffer): string {
  return `"${sha256('base64url', content).slice(0, 22)}"`;
}

function sha256(encoding: 'base64' | 'base64url', content: string | Buffer, prefix = ''): string {
  return prefix + createHash('sha256').update(content).digest(encoding);
}
