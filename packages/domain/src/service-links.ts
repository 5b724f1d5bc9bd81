/**
 * Specification, "Discovery and health": every answer of the API, a refusal of any kind included, says in `Link` where its
 * description and its documentation are (RFC 8631).
 */
import { API_PREFIX } from '@svc/contract/vocabulary';
import { withoutTrailingSlash } from './dashboard-links.ts';

/** The value of `Link`. `apiUrl` is the base address without `/api/v1`; it may end in a slash or not. */
export function serviceLinks({ apiUrl, docsUrl }: { readonly apiUrl: string; readonly docsUrl: string }): string {
  const description = `<${withoutTrailingSlash(apiUrl)}${API_PREFIX}/openapi.json>`;
  return `${description}; rel="service-desc"; type="application/json", <${docsUrl}>; rel="service-doc"; type="text/html"`;
}
