/**
 * Headers of every answer, errors included.
 *
 * 1. Every answer has `X-Content-Type-Options: nosniff`.
 * 2. Every answer below `/api/v1` has a `Link` to the API's description and documentation (RFC 8631). It also has
 *    `Cache-Control: no-store`, because answers depend on the key, unless the operation overrides it.
 */
import { API_PREFIX } from '@svc/contract/vocabulary';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';

export interface AnswerUrls {
  /** Base URL without `/api/v1`; it may end in a slash. */
  readonly apiUrl: string;
  readonly docsUrl: string;
}

/** @param path path of the request, without its query */
export function answerHeaders(path: string, urls: AnswerUrls): Record<string, string> {
  const headers = { 'X-Content-Type-Options': 'nosniff' };
  if (!isApiPath(path)) return headers;
  return { ...headers, Link: serviceLinks(urls), 'Cache-Control': 'no-store' };
}

/** Whether a path is below `/api/v1`, in any letter case (routes are case-sensitive). */
export function isApiPath(path: string): boolean {
  return path.slice(0, API_PREFIX.length).toLowerCase() === API_PREFIX && /^(\/|$)/.test(path.slice(API_PREFIX.length));
}

function serviceLinks({ apiUrl, docsUrl }: AnswerUrls): string {
  const description = `<${withoutTrailingSlash(apiUrl)}${API_PREFIX}/openapi.json>`;
  return `${description}; rel="service-desc"; type="application/json", <${docsUrl}>; rel="service-doc"; type="text/html"`;
}
