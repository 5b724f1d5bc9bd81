/** Refuses requests that another site makes a browser send. */
import type { RequestHandler } from 'express';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import { DashboardError } from './errors.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * A request that may change something must come from a page of this server. Browsers say so in `Sec-Fetch-Site`, but only at https and at
 * loopback addresses; else their `Origin` is compared. A body must be JSON, which a form of another site cannot send.
 */
export function requireSameOrigin({ dashboard }: Pick<PublicUrls, 'dashboard'>): RequestHandler {
  const own = new URL(dashboard).origin;
  return (request, _response, next) => {
    if (SAFE_METHODS.has(request.method)) return next();
    const { 'sec-fetch-site': site, origin, host } = request.headers;
    const isSame = site === undefined ? origin === own || isOriginOf(own, origin, host) : site === 'same-origin';
    if (!isSame) {
      throw new DashboardError(403, 'cross_site', `This request does not come from the dashboard at ${own}.`);
    }
    // Browsers send the length of a body that is not there. Without a length, `is` returns null.
    if (request.headers['content-length'] !== '0' && request.is('application/json') === false) {
      throw new DashboardError(400, 'invalid_input', 'The body must be JSON, with the content type application/json.');
    }
    next();
  };
}

/** An unencrypted page is not the same as an encrypted one of its host, because others on the way can change it. */
function isOriginOf(own: string, origin: string | undefined, host: string | undefined): boolean {
  const url = origin === undefined ? null : URL.parse(origin);
  if (url === null || host === undefined || url.host !== host.toLowerCase()) return false;
  return url.protocol === 'https:' || own.startsWith('http:');
}
