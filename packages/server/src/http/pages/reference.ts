/**
 * `/docs`: the API reference, rendered in the browser from this server's OpenAPI document by a script that it serves
 * itself. The policy forbids loading from anywhere else, so a key entered to try a call goes to this server only. All
 * URLs are relative, so the page works below any path prefix.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { STRICT_POLICY, pageHeaders } from '@svc/domain/pages/html-page';
import { API_DOCUMENT_PATH, documentLinks } from '@svc/domain/pages/document-links';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import { loadOnce } from '@svc/engine/runtime/load-once';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { readReferenceBundle } from './reference-bundle.ts';
import { etagOf } from './page.ts';

const POLICY = [
  ...STRICT_POLICY,
  "script-src 'self'",
  // The script creates a style sheet at run time.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
].join('; ');

/** Runs in the browser. Features that call other services are off: fonts, telemetry, proxy, assistant. */
const START_SCRIPT = `const root = new URL('..', document.currentScript.src);
Scalar.createApiReference('#reference', {
  url: new URL('api/v1/openapi.json', root).href,
  servers: [{ url: root.href.replace(/\\/$/, '') }],
  defaultOpenAllTags: true,
  documentDownloadType: 'direct',
  hideClientButton: true,
  showDeveloperTools: 'never',
  withDefaultFonts: false,
  persistAuth: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
});
`;

const BUNDLE_PATH = '/docs/api-reference.js';
const START_PATH = '/docs/start.js';

interface Asset {
  gzipped: Buffer | null;
  plain: () => Promise<Buffer>;
  /** Changes with the content. */
  etag: string;
}

export function referenceRouter({ api }: Pick<PublicUrls, 'api'>): Router {
  const loadBundle = loadOnce(readBundle);
  const start = Buffer.from(START_SCRIPT);
  const startAsset: Asset = { gzipped: null, plain: async () => start, etag: etagOf(start) };

  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/docs', async (request, response) => {
    response.locals['operationId'] = 'docs';
    const html = renderReference(await loadBundle(), startAsset);
    response.set(pageHeaders(POLICY));
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('Link', documentLinks(api, API_DOCUMENT_PATH));
    response.setHeader('ETag', etagOf(html));
    if (request.fresh) response.status(304).end();
    else response.end(html);
  });
  // Relative URLs in the page are relative to `/docs` without the slash.
  router.get('/docs/', (_request, response) => response.redirect(308, '../docs'));
  router.get(BUNDLE_PATH, scriptRoute(loadBundle));
  router.get(
    START_PATH,
    scriptRoute(async () => startAsset),
  );
  return router;
}

async function readBundle(): Promise<Asset> {
  const gzipped = await readReferenceBundle();
  return {
    gzipped,
    // Decompressed once, because it is slow and anybody may request it.
    plain: loadOnce(() => promisify(gunzip)(gzipped)),
    etag: etagOf(gzipped),
  };
}

function scriptRoute(load: () => Promise<Asset>): RequestHandler {
  return async (request, response) => {
    response.locals['operationId'] = 'docs';
    const asset = await load();
    const isLatest = request.url.endsWith(`?v=${versionOf(asset)}`);
    response.set(pageHeaders(STRICT_POLICY.join('; ')));
    response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
    response.setHeader('Cache-Control', isLatest ? 'public, max-age=31536000, immutable' : 'no-cache');
    await sendAsset(request, response, asset);
  };
}

async function sendAsset(request: Request, response: Response, { gzipped, plain, etag }: Asset): Promise<void> {
  const isGzipped = gzipped !== null && request.acceptsEncodings('gzip') === 'gzip';
  if (gzipped !== null) response.setHeader('Vary', 'Accept-Encoding');
  response.setHeader('ETag', isGzipped ? etag.replace(/"$/, '-gz"') : etag);
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  if (isGzipped) response.setHeader('Content-Encoding', 'gzip');
  response.end(isGzipped ? gzipped : await plain());
}

function versionOf({ etag }: Asset): string {
  return etag.slice(1, -1);
}

function renderReference(bundle: Asset, start: Asset): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page is made by a script. Without one: <a href="api/v1/openapi.yaml">the OpenAPI document</a> and
<a href="docs/status-codes">the status codes</a>.</noscript>
<script src="${BUNDLE_PATH.slice(1)}?v=${versionOf(bundle)}"></script>
<script src="${START_PATH.slice(1)}?v=${versionOf(start)}"></script>
</body>
</html>
`;
}
