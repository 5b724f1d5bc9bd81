/**
 * The page of the dashboard and the files that it loads. They are read at the first request; only files that were found then are served, so
 * no path leads elsewhere.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { escapeHtml, pageHeaders, renderPage } from '@svc/domain/pages/html-page';
import { builtFile } from '@svc/engine/runtime/built-file';
import { loadOnce } from '@svc/engine/runtime/load-once';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';

/** Scripts and styles of this server only, nothing inline, and no script or HTML made of text. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

type Encoding = 'br' | 'gzip' | 'identity';

interface File {
  readonly type: string;
  readonly isCompressed: boolean;
  /** The media type of the content. Its encoding is another header. */
  readonly hash: string;
  readonly read: Readonly<Record<Encoding, () => Promise<Buffer>>>;
}

interface Page {
  readonly html: string;
  /** By path relative to the dashboard: `assets/index-Bx3.js`. */
  readonly files: ReadonlyMap<string, File>;
}

/**
 * @param url the dashboard's public URL; its path may have a prefix that a proxy takes away
 * @param folder the built page. Default: that of this installation
 */
export function assetsRouter(url: string, folder = builtFolder()): Router {
  const load = loadOnce(() => readPage(folder, url));
  const router = express.Router({ caseSensitive: true, strict: true });
  const answer: RequestHandler = async (request, response, next) => {
    const name = request.path.slice('/dashboard/'.length);
    const loaded = await load().catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (loaded === null) return sendMissing(response);
    const file = loaded.files.get(name);
    if (file !== undefined) return sendFile(request, response, { name, file });
    if (path.posix.basename(name).includes('.') || name.startsWith('assets/')) return next();
    sendPage(request, response, loaded.html);
  };
  router.get(['/dashboard', '/dashboard/', '/dashboard/*path'], answer);
  return router;
}

/** In the sources the page's own package, so that a new build of it counts at once; in the bundle a copy beside it. */
function builtFolder(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../../../dashboard/dist/', import.meta.url)
    : builtFile('dashboard/', import.meta.url);
}

async function readPage(folder: URL, url: string): Promise<Page> {
  const html = await readFile(new URL('index.html', folder), 'utf8');
  const root = fileURLToPath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = new Map<string, File>();
  for (const entry of entries.filter((it) => it.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    const type = TYPES[path.extname(file)];
    const name = path.relative(root, file).split(path.sep).join('/');
    if (type !== undefined && !name.startsWith('.')) files.set(name, toFile(await readFile(file), type));
  }
  const base = `<base href="${escapeHtml(new URL(url).pathname.replace(/\/*$/, '/'))}">`;
  return { html: html.replace(/<base\b[^>]*>/, base), files };
}

function toFile(content: Buffer, type: string): File {
  return {
    type,
    isCompressed: type !== 'image/png' && type !== 'font/woff2',
    hash: hashOf(content),
    // Compressed once: anybody may request it.
    read: {
      identity: async () => content,
      br: loadOnce(() => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })),
      gzip: loadOnce(() => promisify(gzip)(content, { level: 9 })),
    },
  };
}

async function sendFile(
  request: Request,
  response: Response,
  { name, file }: { name: string; file: File },
): Promise<void> {
  const accepted = file.isCompressed ? request.acceptsEncodings('br', 'gzip', 'identity') : false;
  const encoding: Encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  response.setHeader('Content-Type', file.type);
  // The names of these change with their content.
  const isHashed = name.startsWith('assets/');
  response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (file.isCompressed) response.setHeader('Vary', 'Accept-Encoding');
  response.setHeader('ETag', `"${file.hash}-${encoding}"`);
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  const body = await file.read[encoding]();
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

function sendPage(request: Request, response: Response, html: string): void {
  response.set(pageHeaders(PAGE_POLICY));
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('ETag', `"${hashOf(html)}"`);
  if (request.fresh) response.status(304).end();
  else response.end(html);
}

function sendMissing(response: Response): void {
  response.status(503).set(pageHeaders());
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  const body =
    '<p>This source tree has no built dashboard. Build it with <code>npm run build</code>, then load this page again.</p>';
  response.end(renderPage({ title: 'The dashboard is not built', body }));
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
